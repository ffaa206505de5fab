"""Words that take something back: an announcement, a wish, a change."""

from __future__ import annotations

from streetai_core.knowledge.forms.form import Form

STRONG = (
    Form("undone", "scratch|strike|undo", r"\b(?:scratch|strike|undo) (?:that|this|it)\b"),
    Form(
        "undone",
        "forget|disregard|ignore|mind",
        r"(?<!never )(?<!n't )(?<!not )(?<!to )\b(?:forget|disregard|ignore|never ?mind) (?:about )?(?:"
        r"(?:what|everything|the thing) (?:i|we) (?:just )?(?:said|told you|wrote|asked)(?: about)?"
        r"|the thing (?:about|with)|about|the|my) (?P<old>[^.,;!?]+)",
    ),
    Form("undone", "back what", r"\btak(?:e|ing) back what (?:i|we) said(?: about)? (?P<old>[^.,;!?]+)"),
    Form(
        "undone",
        "undid|undone|revert|withdrew|backed out|turned down|called off|call off|cancelled|canceled",
        r"\b(?:i|we)(?:['\u2019]ve| have)? (?:undid|undone|withdrew from|backed out of|turned down|call"
        r"(?:ed)? off|cancelled|canceled)\b(?:(?P<old> [^.,;!?]+?)(?= and |[.,;!?]|$))?",
    ),
    Form("undone", "reverted", r"\breverted (?:to|the|my|our|back)\b"),
    Form(
        "undone",
        " off|back on|back in|back at|back to|cancelled|canceled",
        r"\b(?:is|are) (?:off|called off|back on|back (?:in|at|to))(?=[.,;!]|\s)(?! work| home| school)",
    ),
    Form("undone", "after all", r"\b(?:staying|keeping|going|stay|keep)\b[^.;!?]{0,40}\bafter all\b"),
    Form("undone", "second thought", r"\bon second thoughts?\b"),
    Form(
        "undone",
        "back to",
        r"\b(?:went|gone|going|switched|changed|moved) back to (?=\w)(?!work\b|school\b|sleep\b|bed\b|the )",
    ),
    Form(
        "undone",
        "forget|cancel",
        r"(?:^|[,;:] )(?:please )?(?:forget|cancel) (?P<old>(?-i:[A-Z])\w+|that|it)(?=[,.;!]|$)",
    ),
    Form(
        "undone",
        "decided against|called it off|call it off|rolled back|reinstated|fell through|mind",
        r"\b(?:decided against|called? it off|rolled back|reinstated|fell through|changed? (?:our|my) minds?)\b"
        r"(?P<old> (?:the|my|our) [\w ]{2,30})?",
    ),
    Form(
        "undone",
        "hold off|no need for|bother with|going through with|idea of|plan to|plans to",
        r"\b(?:hold off on|no need for|(?:don['\u2019]t|do not) bother with|not going through with|dropp"
        r"(?:ed|ing) the (?:idea of|plans? to)) (?P<old>[^.,;!?]+)",
    ),
)
"""Meant so by themselves, the more special ones first."""

WEAK = (
    Form("undone", "cancel|called off", r"\b(?:is|are|was|were|been) (?:cancelled|canceled|called off)\b"),
    Form("undone", "after all", r"(?:\bnot\b|n['\u2019]t\b)[^.;!?]{0,40}\bafter all\b"),
    Form("undone", "again", r"\b(?:we|i)(?:['\u2019]m|['\u2019]re| am| are|)? [\w ]{0,30}\bagain(?=[.,;!]|$)"),
)
"""Said in many other ways too."""
