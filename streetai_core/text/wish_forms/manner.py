"""How somebody wants to be answered: in which form, measures and language, and in which voice."""

from __future__ import annotations

from streetai_core.text.wish_forms.vocabulary import LANGUAGE, MEASURE, PIECE, PIECE_WORDS, PIECES, START, STYLE

_PIECE_CUES = " ".join(f"^{word}" for word in ("all_", "any_", "your_", "my_", *PIECE_WORDS.split()))
"""Cues of a form that begins with them."""

_MANNER = (
    r"(?:blunt|brief|brutal\w*|funny|gentle|harsh|neutral|objective|polite|strict|casual|concise|critical|direct|"
    r"exact|explicit|formal|frank|honest|informal|precise|rude|sarcastic|succinct|terse|thorough|to the point)\b"
)

MANNER = (
    (
        "no_need_ stick_to stick_with stay_away clear_of refrain",
        r"\b(?:no need (?:for|to)|stick (?:to|with)|stay away from|steer clear of|refrain from)\b",
    ),
    (
        "^avoid ^keep_ please_skip",
        rf"{START}(?:avoid|skip|keep (?:all |any |answers|everything|it |the (?!change)|things |your ))",
    ),
    (
        "^answer ^reply ^respond ^speak ^talk ^write",
        rf"{START}(?:answer|reply|respond|speak|talk|write)(?: back| me| to me)? (?:always |only )?in (?!the\b)\w+",
    ),
    ("^use_", rf"{START}use (?:just |only )?\w+(?: \w+){{0,3}} (?:for (?:all|every)|everywhere|instead of|not|when)\b"),
    (
        "^no_",
        rf"{START}no (?:more |long )?(?:\w+[ -])?{STYLE}(?! ?\?)",
    ),
    (
        "^skip ^drop ^cut ^lose ^ditch ^spare ^enough ^less_ ^fewer ^leave_out ^easy",
        (
            rf"{START}(?:skip|drop|cut|lose|ditch|spare me|enough (?:of|with)|less|fewer|(?:go )?easy (?:on|with)|"
            rf"leave out) (?:the |your |all |any |those )*(?:\w+ )?{STYLE}"
        ),
    ),
    (
        (
            "^metric ^imperial ^celsius ^centi ^fahr ^kilo ^milli ^met ^mile ^yard ^feet ^inch ^gram ^pound ^ounce "
            "^lit ^gallon ^cups ^euro ^dollar ^franc ^kron ^sterling ^yen ^rupee ^24 ^12 ^mili ^utc ^gmt ^cet ^est "
            "^pst ^british ^american ^canadian ^australian ^tabs ^spaces ^single ^double ^camel ^snake ^plain ^iso"
        ),
        rf"{START}{MEASURE}(?: \w+)?,? ?{START}?(?:only|please|pls|not|instead of|rather than|everywhere)\b",
    ),
    (
        "^short_ ^plain_ ^simple_ ^small_ ^full_ ^complete_ ^big_ ^clear_",
        (
            rf"{START}(?:short|plain|simple|small|full|complete|big|clear) (?:answers|English|language|paragraphs|"
            rf"replies|sentences|steps|words)\b(?! (?:are|is|were|was)\b)"
        ),
    ),
    (
        "_first _last",
        (
            rf"{START}(?:(?:dates?|names?|{PIECES}) \w+|answers?|bottom line|code|conclusions?|day|hints|month|"
            rf"results?|sources|summary|surnames?|year) (?:first|last) ?(?:[,.!;]|$|{START})"
        ),
    ),
    (
        _PIECE_CUES,
        (
            rf"{START}(?:all |any |your |my )?{PIECES} (?:in|as|with|without) (?:{MEASURE}|{LANGUAGE}|"
            rf"[^.?!\n]{{1,40}}\b(?:please|pls|plz|only|not|everywhere)\b)"
        ),
    ),
    (
        "s_should s_must s_have_to s_need_to s_ought code_ every_",
        (
            rf"{START}(?:all |any |your |my |every )*(?:\w+ )?(?:{PIECES}|{PIECE})(?: in \w+)? (?:should|must|have to|"
            rf"has to|need to|needs to|ought to) (?:all |always |never |not |only )?(?:be|come|end|fit|follow|go|have|"
            rf"stay|start|use)\b"
        ),
    ),
    (
        "_every_ _each_ _all_",
        (
            rf"{START}(?!(?:are|did|do|does|he|how|i|is|it|she|that|there|these|they|this|those|was|we|were|what|who|"
            rf"you)\b)(?:\w+[ -]){{1,4}}(?:above|after|behind|below|for|in|on|to|under|with) (?:every|each|"
            rf"all)(?: of)?(?: my| our| your| single)? (?:\w+ )?{PIECE}\b"
        ),
    ),
    (
        "_like_ as_if as_though",
        (
            rf"{START}(?:sound|act|behave|talk|speak|write|reply|answer|(?:explain|say|put) (?:things|everything|"
            rf"stuff))(?: to me| with me)? (?:more )?(?:like|as if|as though) (?!that\b|this\b|it\b)\w+"
        ),
    ),
    ("^treat_me ^be_ ^act_", rf"{START}(?:treat me (?:like|as)|be (?:more |very |really |as |always )?{_MANNER})"),
    (
        "as_a as_some",
        (
            r"\bas (?:an? (?!(?:boy|child|family|gift|girl|group|joke|kid|result|reward|student|teen\w*|"
            r"treat)\b)\w+(?: \w+){0,2}|(?:someone|somebody|a person) [^.?!,\n]{1,50}), (?:I|we)(?:'m| am)? (?:can't|"
            r"cannot|don't|know|need|only|prefer|struggle)\b"
        ),
    ),
    (
        "need_",
        (
            rf"\bI (?:really )?(?:don't|do not|dont) need (?:to be \w+|(?:the |any |all |your )*(?:\w+ )?(?:{STYLE}|"
            rf"definitions?|explanations?|explaining|hand-?holding|history|reasoning|reminders?|reminding|theory|"
            rf"\w+ talk\b|(?:\w+ ){{1,3}}(?:spelled|spelt) out))"
        ),
    ),
    (
        "you_can_ you_may_",
        (
            rf"\byou (?:can|may) (?:always |just |safely )?(?:assume|be {_MANNER}|curse|disagree|drop the|joke|"
            rf"leave out|skip|swear)"
        ),
    ),
    (
        "you_don't_ you_dont_ you_needn't",
        (
            r"\byou (?:(?:don't|dont) (?:have|need) to|needn't) (?:ask|apologi[sz]e|define|explain|hedge|introduce|"
            r"justify|remind|repeat|spell|sugar-?coat|thank|warn|translate)"
        ),
    ),
    (
        "feel_free",
        (
            rf"\bfeel free to (?:always )?(?:be {_MANNER}|challenge|contradict|correct|critici[sz]e|disagree|drop|"
            rf"interrupt|joke|leave out|push back|skip|swear|tease)"
        ),
    ),
    ("should_you must_you", r"\bso (?:should|must) you\b"),
    ("language tongue native", r"(?:\bnot|n't|\bisnt) (?:my (?:\w+ )?(?:language|tongue)\b|a native\b)"),
    (
        "beginner novice layman layperson newbie",
        r"\bI(?:'m| am) (?:\w+ ){0,3}(?:beginner|novice|layman|layperson|newbie)\b",
    ),
    (
        "^give_ ^show_ ^put_ ^state_ ^list_ ^quote_ ^convert_ ^format_ ^round_ ^express_ ^keep_ ^write_ ^return_",
        (
            rf"{START}(?:give|show|put|state|list|quote|convert|format|round|express|keep|write|return)(?: me|"
            rf" us)? (?:all |any |every |your |my )*{PIECES} (?:as|below|brief|in|short|to|under|within|without)\b"
        ),
    ),
    (
        "^use_",
        (
            rf"{START}use (?:the |only |just )?(?:{MEASURE}|(?:simple|short|plain|easy) \w+|they\b|she\b|he\b|"
            rf"my (?:\w+ )?(?:time|time ?zone|name|nickname|title|units|currency|initials|pronouns)\b|"
            rf"{LANGUAGE} (?:spelling|words|terms))"
        ),
    ),
    (
        "^put_ ^give_ ^start_with ^lead_with ^begin_with",
        (
            rf"{START}(?:put|give(?: me)?|start with|lead with|begin with) (?:the |your )(?:answer|bottom line|code|"
            rf"conclusion|point|result)(?: first)? ?(?:[.,;!]|$)"
        ),
    ),
    ("_only", rf"{START}(?:\w+ ){{0,2}}(?:{PIECES}|{MEASURE}|text|prose) only ?(?:[.,;!]|$)"),
    (
        "_style _tone _spelling _format _notation _grammar _units",
        (
            rf"{START}(?:\w+[ -]){{1,3}}(?:style|tone|spelling|format|notation|grammar|units),? ?{START}?(?:please|"
            rf"always|only|not)\b"
        ),
    ),
    (
        "^speak_ ^talk_ ^write_ ^answer_ ^explain_ ^reply_",
        (
            rf"{START}(?:speak|talk|write|answer|explain|reply)(?: to me| things)? (?:more |always )?(?:plainly|"
            rf"simply|briefly|formally|informally|casually|slowly|directly|honestly|frankly|politely)\b"
        ),
    ),
    ("^no_", rf"{START}no (?:\w+ ){{1,2}}in (?:my|the|your|any) (?:{PIECES}|{PIECE})\b"),
    (
        "^use_",
        (
            rf"{START}use (?:\w+[ -]){{1,2}}(?:language|terms|words|spelling|style|names|notation|pronouns|format|"
            rf"units)\b"
        ),
    ),
    ("^say_", rf"{START}say [\"'\u201c]\w+[\"'\u201d]?,?[\"'\u201d]? not\b"),
    (
        "st_person second_person third_person",
        rf"{START}(?:answer|reply|speak|talk|write) in the (?:first|second|third) person\b",
    ),
    ("should_always must_always", rf"{START}\w+ (?:should|must) always (?:be|come|have|use)\b"),
    ("^less_ ^more_", rf"{START}(?:less|more) {_MANNER},?(?: ?{START}?(?:please|pls)|[.!]|$)"),
    (
        "you're_too you_are_too",
        r"\byou(?:'re| are) too (?:chatty|formal|long|nice|polite|technical|vague|verbose|wordy)\b",
    ),
    ("case_for", rf"{START}(?:snake|camel|pascal|kebab)[ -]?case for\b"),
)
"""Cues, and the form."""
