"""Words that say that what was said was wrong."""

from __future__ import annotations

from streetai_core.knowledge.forms.form import Form
from streetai_core.knowledge.wording import NUMBER_WORDS

_NUMBER_WORD = "|".join(NUMBER_WORDS)

STRONG = (
    Form(
        "corrected",
        "correct",
        r"(?:^|\b(?:small|minor|quick|one) )correction\b|\bcorrect (?:myself|that|what i said)\b|\bi "
        r"(?:should|must) correct\b",
    ),
    Form("corrected", "meant", r"\b(?:sorry|no|oh|oops|wait|i mean)?,? ?i meant\b(?! (?:to|it|that|a lot|everything))"),
    Form(
        "corrected",
        "mis",
        r"\bi(?:['\u2019]ve| have)? (?:misspoke|mistyped|miscounted|misread|misremembered|misunderstood"
        r"|mis-?said)\b",
    ),
    Form(
        "corrected",
        "mixed|confused|wrong",
        r"\bi (?:mixed|confused|got) (?:that|it|this|them|those|the \w+) (?:up|wrong|with)\b|\bmixed (?:that"
        r"|it|them) up\b",
    ),
    Form(
        "corrected",
        "was wrong|was mistaken",
        r"\bi was (?:wrong|mistaken) (?:about|on|with|there)\b|^(?:sorry,? )?(?:i was|that was) (?:wrong"
        r"|mistaken)\b",
    ),
    Form(
        "corrected",
        "wrong",
        r"\bi(?:['\u2019]ve)? (?:had|got|gave (?:you )?|put|told (?:you )?|wrote|said) the wrong \w",
    ),
    Form("corrected", "typo|slip|mistake", r"\b(?:made a|was a|is a) (?:typo|slip)\b|(?:^|\. |, )my mistake\b"),
    Form(
        "corrected",
        "not ",
        rf"\bnot (?P<old>\d[\w:.,]*?|(?-i:[A-Z])\w+|{_NUMBER_WORD})(?:, (?!but also)| but )",
    ),
    Form(
        "corrected",
        "not ",
        rf", not (?P<old>[\d$\u20ac\u00a3]\S*?|(?-i:[A-Z])\w+|{_NUMBER_WORD})(?=[.,;!]|$)"
        r"|, not (?P<old2>the (?-i:[A-Z])\w+)(?=[.,;!]|$)",
    ),
    Form(
        "corrected",
        "than|instead",
        r"\b(?:rather than|instead of) (?P<old>(?:the |my |our )?(?:[\d$\u20ac\u00a3]|(?-i:[A-Z])"
        r"|\w+day)[^,;.!?]*)",
    ),
    Form(
        "corrected",
        " but ",
        r"\bn['\u2019]t [^,;.!?]{1,40} but (?:in|at|on|to|from)\b|\bnot [^,;.!?]{1,40} but (?:in|at|on|to"
        r"|from)\b",
    ),
    Form("corrected", "make", r"^make (?:that|it) \w"),
    Form(
        "corrected",
        "not right|slip of|should have said|my bad|misheard|stand corrected|rephrase|edit:|apologies",
        r"\b(?:that['\u2019]s not right|slip of the tongue|should have said|my bad\b|i misheard"
        r"|i stand corrected|let me rephrase)|^(?:edit|apologies)[:,]",
    ),
)
"""Meant so by themselves, the more special ones first."""

WEAK = (
    Form(
        "corrected",
        "actually",
        r"(?:^|^no,? |^well,? |^oh,? )actually,? (?:call|it['\u2019]s|it is|my|our|the|i (?:can|need|live"
        r"|work|prefer|want)|i['\u2019]d rather)",
    ),
    Form(
        "corrected",
        "wait|hold on|oops|sorry|precise",
        r"^(?:wait|hold on|oops|sorry|to be precise|no,? wait|no,? actually),? (?:my|our|the|there"
        r"|it['\u2019]s|we|i)\b",
    ),
    Form("corrected", "turns out", r"(?:^|(?<!how )\bit )turns out\b(?! (?:well|great|good|fine|ok))"),
    Form(
        "corrected",
        "wasn|weren|isn|aren|not",
        r"\b(?:isn|wasn|aren|weren)['\u2019]t (?P<old>[^,;.!?]{1,30}), (?:it|he|she|they)(?:['\u2019]s"
        r"|['\u2019]re| is| was| are)\b",
    ),
)
"""Said in many other ways too."""
