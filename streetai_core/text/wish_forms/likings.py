"""What somebody likes and dislikes."""

from __future__ import annotations

from streetai_core.text.wish_forms.vocabulary import PIECE, PIECES, START, STYLE

LIKINGS = (
    (
        "prefer rather favo",
        r"\bI(?: \w+ly|'d| would| do| much| just| still| always| kind of)* (?:prefer \w+|rather\b|favou?r )",
    ),
    (
        "preference preferably _person",
        r"\b(?:my (?:\w+ )?preferences? (?:is|are|for)|(?:is|are) my preference|preferably|I'm an? \w+ person)\b",
    ),
    (
        "if_you for_you",
        r"\bI(?:'d| would| really| do)* (?:like|love|need|want|expect|appreciate it)(?: it)? (?:if|for) you\b",
    ),
    (
        "like_you love_you need_you want_you expect_you",
        r"\bI(?:'d| would| really| do)* (?:like|love|need|want|expect) you (?:always |never |not |only )*to\b",
    ),
    ("d_like_ would_like_", r"\bI(?:'d| would) like (?:all|any|every|my|the|your)\b"),
    ("drives_me", r"\bdrives me (?:crazy|insane|mad|nuts|up the wall)\b"),
    (
        "hate_when hate_if annoys_me bothers_me like_it_ love_it_",
        r"\b(?:hate|annoys me|bothers me|like it|love it) (?:when|if)\b",
    ),
    (
        "hate_ dislike_ stand_ bear_ loathe_ detest_ despise_ tired_of_ sick_of_",
        (
            rf"\bI(?:'m| am)?(?: \w+ly| just| also)? (?:hate|dislike|can't (?:bear|stand)|loathe|detest|despise|"
            rf"(?:tired|sick) of) (?:all |any |the |your |those )*(?:\w+ )?{STYLE}"
        ),
    ),
    (
        "_plain _simple _short _clear _straight _honest _blunt",
        (
            r"\bI (?:always |only |really |just )?(?:need|want|like) (?:plain|simple|short|clear|straight|honest|"
            r"blunt) (?:answers|English|language|sentences|steps|talk|words)\b"
        ),
    ),
    (
        "what_i_need what_i_want how_i_read how_i_learn how_i_like how_i_work",
        r"\b(?:is|are|'s) (?:what I (?:need|want)|how I (?:learn|like|read|work))\b",
    ),
    ("_best", r"\bI (?:learn|read|sleep|think|work) best\b"),
    (
        "_better _faster",
        (
            r"\bI (?:learn|read|think|work|remember|understand (?:it|stuff|things)) (?:better|faster) (?:by|from|if|"
            r"in|when|with)\b"
        ),
    ),
    ("^no_", rf"{START}no \w+(?: (?:and|or) {START}?\w+)? for me\b"),
    ("not_a_fan nothing_", r"\b(?:not a fan of|nothing (?:but|from|made|over|political|that|too|under|with))\b"),
    ("_out", r"\b(?:leave|keep|cut) (?:\w+ )?out\b"),
    ("^not_", r"\bI (?:want|need|like) (?:\w+ ){0,2}\w+, not (?!(?:a|just|now|only|sure|that|the|to|today)\b)\w+"),
    ("like_my_ like_your_", rf"\bI like (?:my|your) (?:\w+ )?(?:{PIECES}|{PIECE}) \w+"),
    (
        "n't_want dont_want not_want never_want",
        (
            rf"\bI (?:don't|dont|do not|never) want (?:anything (?:that|with|from|in|made|too)|to (?:hear about|"
            rf"read about|see any|use (?:any|\w+ products))|to be (?:asked|called|reminded|told)|(?:any |your |"
            rf"the )?(?:\w+ )?{STYLE})"
        ),
    ),
    ("_being_", r"\bI (?:really |just )?(?:hate|dislike|don't like|dont like|can't stand) being \w+"),
    (
        "hate_ loathe_ detest_ can't_bear",
        (
            r"\bI (?:really |just |absolutely )?(?:hate|loathe|detest|can't bear) (?:camping|cooking|crowds|"
            r"crowded \w+|driving|flying|gardening|heights|jogging|queu\w+|running|shopping|(?:action|horror|romantic|"
            r"scary) \w+|seafood|spicy \w+|aubergine|beetroot|broccoli|celery|cheese|cilantro|coconut|coriander|eggs|"
            r"fish|garlic|liver|mayo|mushrooms|olives|onions|peppers|raisins|spinach|sushi|tofu|"
            r"tomatoes)\b(?! (?:here|there|today)\b)"
        ),
    ),
    (
        "n't_like dont_like not_like",
        (
            r"\b(?:I|we) (?:don't|dont|do not) like (?:\w+ing\b|(?!(?:a|any|being|her|him|how|it|me|my|that|the|their|"
            r"them|this|to|what|when|where|you|your)\b)\w+ (?:books|drinks|dishes|films|food|games|hotels|meat|movies|"
            r"music|places|sports|stories|things)\b)"
        ),
    ),
    (
        "rounded spelled_out spelt_out _without _written",
        (
            rf"\bI(?:'d)? (?:want|need|like) (?:all |my |your )?{PIECES} (?:rounded|spelled out|spelt out|without|"
            rf"written)\b"
        ),
    ),
)
"""Cues, and the form."""
