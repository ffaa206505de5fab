"""Orders for always, from now on and whenever something is asked, and about the work on what is theirs."""

from __future__ import annotations

from streetai_core.text.wish_forms.vocabulary import PIECE, PIECES, START

_ORDER = (
    r"(?:address|answer|ask|assume|avoid|be|book|bother|bring|call|check|cite|comment|convert|default|do|double-check|"
    r"end|ever|explain|expect|forget|format|give|go|include|indent|joke|keep|lecture|leave|limit|link|list|make|"
    r"mention|name|offer|open|point|praise|prefer|propose|provide|put|quote|recommend|refer|remember|remind|reply|"
    r"respond|round|say|send|show|sign|skip|speak|spell|start|stick|suggest|summari[sz]e|take|talk|tell|translate|"
    r"treat|try|turn|use|warn|wrap|write)\b"
)
"""What one is told to do, or not to do, time and again."""

_ALTERING = (
    r"(?:add|alter|apologi[sz]e|capitali[sz]e|change|charge|commit|correct|curse|cut|delete|deploy|draft|edit|fix|"
    r"greet|guess|hard-?code|import|install|interrupt|invent|merge|number|order|pretend|print|push|repeat|move|"
    r"overwrite|proofread|publish|refactor|remove|rename|rephrase|replace|review|revise|rewrite|send|shorten|submit|"
    r"touch|update)\b"
)
"""What is done to the work of whoever asks."""

_ANSWERING = (
    r"(?:answer|book|explain|find|format|give|help|make|mention|plan|quote|recommend|refer|reply|respond|say|send|"
    r"show|suggest|talk|teach|tell|use|write)\b"
)
"""What whoever is to answer does."""

_BRINGING_UP = r"(?:ask|bring|mention|need|paste|request|say|send|share|talk|want|write)(?:ing)?\b"
"""What whoever asks does."""

_DOING = r"(?!(?:are|can|choose|decide|feel|have|know|like|need|said|think|want|wish)\b)\w+"
"""What one may do about anything, but not what every "anything you need" says."""

_EVERY_TIME = r"(?:when|whenever|if|any ?time|every ?time|each time|next time|once)"

ORDERS = (
    ("^always_ ^never_", rf"{START}(?:always|never) (?:{_ORDER}|{_ALTERING})"),
    (
        "^don't_ ^dont_ ^do_not_ ^stop_ ^quit_",
        rf"{START}(?:do not|don't|dont|stop|quit) (?:ever |always |keep )?(?:{_ORDER}|\w+ing\b)",
    ),
    ("don't_you_ dont_you_", r"\b(?:don't|dont) you (?:ever|dare)\b"),
    (
        "always ever every each throughout",
        r", ?(?:always|every ?where|ever|(?:each|every) time|throughout) ?(?:[,.!;:]|$)",
    ),
    ("_ever", r"\b(?:no|none|nothing)\b[^.?!,;\n]{1,40} ever ?(?:[,.!;]|$)"),
    ("never", r", (?:and |but )?never (?:above|after|before|below|in|less|more|on|over|under|with|without)\b"),
    ("from_now from_here from_today from_this_point", r"\bfrom (?:now|here|today|this point) on(?:wards?)?\b"),
    ("future forward henceforth default", r"\b(?:going forward|in (?:the )?future|henceforth|by default)\b"),
    ("unless_i_ until_i_", r"\b(?:unless|until) I (?:say|ask|tell)\b"),
    (
        "general_rule my_rule every_time_after that_goes agree hold_me",
        r"\b(?:as a general rule|my rule|every time after|that goes for|let's agree|hold me to)\b",
    ),
    (
        "_mind should_know you_know record fyi",
        r"\b(?:(?:bear|keep) (?:\w+ )?in mind|just so you know|you should know|(?:for the|on) record|fyi)\b",
    ),
    ("remember_that", r"[,;.] ?\W?remember that ?(?:[.!]|$)"),
    (
        "when_i when_we whenever if_i if_we time_i time_we once_",
        rf"\b{_EVERY_TIME} (?:I|we)(?:'m| am| are)?(?: ever)? {_BRINGING_UP}",
    ),
    (
        "when_you whenever if_you time_you time_that_you once_you",
        rf"\b{_EVERY_TIME}(?: that)? you (?:do |ever )?(?:{_ANSWERING}|{_ALTERING})",
    ),
    ("when_", rf"\bwhen \w+ing\b[^.?!]{{0,60}}, (?:I\b|please\b|{_ORDER})"),
    (
        "anything_ everything_ whatever_ all_ any_ each_ every_",
        (
            rf"\b(?:anything|everything|whatever|(?:all|any|each|every) \w+(?: \w+)?)(?: that)? you (?:do |"
            rf"ever )?{_DOING}"
        ),
    ),
    ("assume_", r"\bassume (?:I|my|that|the|we)\b"),
    (
        "could_we could_you can_we can_you would_we would_you",
        r"\b(?:could|can|would) (?:we|you) (?:always|avoid|drop|never|not|stop)\b",
    ),
    (
        "before_you after_you until_you",
        rf"\b(?:before|after|until) you (?:ever )?{_ALTERING} (?:any\w*|a|my|our|the|what|\w+ of (?:mine|my))\b",
    ),
    (
        "ask_me ask_first check_with confirm_with consult_me run_it_by",
        (
            rf"{START}(?:always )?(?:ask(?: me)? (?:first|before)|(?:check|confirm) with me|consult me|run (?:it|"
            rf"things) by me)\b"
        ),
    ),
    (
        "without_ask without_my without_check without_tell without_warn",
        (
            r"\b(?:do not|don't|dont|never|no|nothing|nobody)\b[^.?!\n]{1,50}\bwithout (?:asking|checking|telling me|"
            r"warning me|my (?:approval|consent|ok|okay|permission|say-so))\b"
        ),
    ),
    ("^leave_my", rf"{START}leave my\b"),
    (
        "^number_ ^label_ ^date_ ^sign_ ^cite_ ^indent_ ^mark_ ^format_",
        (
            rf"{START}(?:number|label|date|sign|cite|indent|mark|format) (?:all |every |your )+(?:\w+ )?(?:{PIECES}|"
            rf"{PIECE}|questions|options|changes)\b"
        ),
    ),
    ("every_time each_time", rf"{START}(?:please )?(?:{_ORDER}|{_ALTERING})[^.?!,\n]{{1,50}} (?:every|each) time\b"),
    (
        "if_you_don't if_you_aren't if_you_are if_you're when_you're when_you_are",
        (
            r"\bif you (?:don't know|aren't sure|are not sure|are unsure|'re not sure)[^.?!\n]{0,30},? (?:say|tell|"
            r"ask)\b|\btell me (?:when|if) you(?:'re| are) (?:guessing|not sure|unsure)\b"
        ),
    ),
    ("^ask_", rf"{START}ask (?:me )?(?:questions |back )?(?:if|when|whenever) (?:any\w*|something|you)\b"),
    (
        "at_a_time",
        rf"{START}one \w+ at a time,? ?{START}(?:please|pls)\b|{START}(?:please )?{START}?one question at a time\b",
    ),
    ("^leave_", rf"{START}leave [^.?!,\n]{{2,30}} as (?:they are|is|it is)\b"),
    ("^don't_ ^dont_ ^do_not_", rf"{START}(?:don't|dont|do not) {_ALTERING} my\b"),
    ("^check_ ^double", rf"{START}(?:double-)?check your (?:answers|facts|maths?|sources|spelling|sums|work)\b"),
    (
        "^no_ ^always_ ^never_",
        rf"{START}(?:no (?!\w+ing\b)|always |never )\w+[^.?!\n]{{0,60}}\b(?:please|pls|plz)\b",
    ),
    ("^only_", rf"{START}only (?!a\b|one\b|two\b)\w+[^.?!\n]{{0,40}}\b(?:please|pls|plz)\b"),
    (
        "in_general",
        r"\bin general,? (?:I|please|use|no|don't)\b",
    ),
)
"""Cues, and the form."""
