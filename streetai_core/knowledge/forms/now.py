"""Words that say what is so from now on."""

from __future__ import annotations

from streetai_core.knowledge.forms.form import Form

STRONG = (
    Form(
        "now",
        "new ",
        r"\b(?:my|our|your|the|his|her|its) new [\w-]+(?: [\w-]+){0,2} (?:is|are|will be)\b|\bnew \w+"
        r"(?: \w+)? is \d",
    ),
    Form("now", "new ", r"\b(?:use|take|note|save) (?:my|our|the) new (?:address|number|email|name|account|phone)\b"),
    Form(
        "now",
        "new ",
        r"\b(?:i|we)(?:['\u2019]ve| have)? (?:just |finally )?(?:got|bought|have|adopted) (?:a|another"
        r"|my) new (?:phone|car|job|number|laptop|bike|address|place|apartment|flat|boss|dog|cat|email"
        r"|roommate|watch|house)\b",
    ),
    Form("now", "another", r"\b(?:gave|given|assigned) (?:me |us )?another \w+"),
    Form(
        "now",
        "used to",
        r"\b(?:i|we|he|she|they|it) used to (?!it\b|this\b|that\b|the\b|being\b|\w+ing\b)(?P<old>[^,;.!?]+)",
    ),
    Form(
        "now",
        "from now|as of |from this|from today|from tomorrow|starting|effective",
        r"\b(?:from now on|as of (?:today|now|this)|from this (?:week|month|year) on|from (?:today"
        r"|tomorrow) on|starting (?:today|next week|next month|tomorrow|monday)|effective immediately)\b",
    ),
    Form(
        "now",
        "new ",
        r"\b(?:has|have|got|with) a new (?:number|address|email|name|phone|boss|job|place|date|time|owner"
        r"|title|password|code|doctor|dentist|teacher|coach|roommate|partner|favourite|favorite|home|flat"
        r"|apartment|office)\b",
    ),
)
"""Meant so by themselves, the more special ones first."""

WEAK = (
    Form("now", "now", r"\b(?:is|are|am|['\u2019](?:s|m|re)) now\b(?! that)"),
    Form(
        "now",
        "now",
        r"\b(?:i|we|it|he|she|they) (?:only )?now (?!that\b)[\w]+|(?<!right )(?<!by )(?<!for )"
        r"(?<!until )\bnow (?:it['\u2019]s|it is|i['\u2019]m|we['\u2019]re|my|i only|i have|i work|i live"
        r"|we have|i use|i prefer|i share)\b",
    ),
    Form(
        "now",
        "now",
        r"(?<!right )(?<!by )(?<!for )(?<!until )(?<!even )(?<!up )(?<!= )(?<!while )(?<!years )(?<!weeks )"
        r"(?<!week )(?<!months )\bnow(?=\s*[.;,]|\s*$)",
    ),
    Form("now", "these days|nowadays", r"\b(?:these days|nowadays)\b"),
    Form(
        "now",
        "now",
        r"\b(?:my|our|the) \w+(?: \w+)? now \w+",
    ),
    Form(
        "now",
        "new ",
        r"\b(?:my|our|the) new [\w-]+(?: [\w-]+){0,2} of (?:about )?(?:[\d$\u20ac\u00a3]|(?:january|february|march"
        r"|april|may|june|july|august|september|october|november|december)\b)",
    ),
)
"""Said in many other ways too."""
