"""Words that say that something has become so, and words that say that it is over, not so, or made otherwise.

The patterns are for texts in small letters (`text/letter_case.py`).
"""

from __future__ import annotations

import re

_DAY = (
    "(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october"
    "|november|december"
)
_CUES = (
    # From when on. "Now the buffet" goes on to another matter.
    r"(?<=[\w,;:] )now(?! that\b)",
    r"now (?:it['\u2019]s|it is|i['\u2019]m|we['\u2019]re|my|our)",
    "these days|going forward|from (?:today|tomorrow)",
    "nowadays",
    "as of",
    "effective",
    "meanwhile",
    "until further notice",
    rf"since (?:yesterday|today|last|this|the first|{_DAY})",
    "from this",
    rf"from (?:now|here|today|tomorrow|next|{_DAY})(?: \w+)? on",
    # What is over.
    "no longer",
    "any ?(?:more|longer)",
    "quit|resigned|sold|g[ai]ven? up|retired|ditched|tossed|scrapped|ripped out|broke up|fell through|called off",
    "stopped|took up|taken up|withdr(?:ew|awn)|enrolled|(?:ran|run) out|expired|lapsed?|ended|thrown out|banned|wiped",
    "cancell?ed",
    "(?:is|are) off",
    "dropped (?:out|the|it|my|our|[a-z]+ for)",
    "no more|gone|finished",
    # What gave way to something else.
    "switch(?:ed|es|ing)|becomes|replacement|changed|moved|moves to|swapped|replac(?:ed|ing)",
    "migrated|upgraded|downgraded|promoted|rename|renamed|rebranded|retitled|rechristened",
    "(?:had|decided|agreed|forced|managed) to (?:move|change|switch|shift|push|bump|postpone|reschedule|swap|lower)",
    "postponed|delayed|extended|pushed|shifted|(?:been|is|was) brought forward",
    "re-?(?:scheduled|negotiated|financed|shuffled|assigned|located|painted|measured|booked|numbered|licensed|written)",
    "instead|in (?:its|his|her|their|my|our) (?:place|stead)|after all",
    "change of (?:plans?|date|time|venue|address|scene)|decided (?:on|to)|agreed on|ended up|settled on|went with",
    "tak(?:en|ing) over|took over|been named",
    "(?:took|put|changed|upgraded) me (?:off|on|in|up|to)",
    # What moved by how much.
    "rais(?:ed?|ing)|lower(?:ed|ing)|reduc(?:ed|ing)|increas(?:ed|ing)|bump(?:ed|ing)?|put (?:me|us|it) (?:up|down)",
    r"brought [\w' ]{1,25}forward",
    r"(?:put|set|brought|took|turned) [\w' ]{1,25}(?:up|down|back) to",
    "(?:up|down|back|over|on|go|goes|going|gone|went) to",
    "(?:grown?|grew|grows|risen|rises|rose|falls|fell|fallen|drops|dropped|cuts?|climbed|shr[aiu]nks?|jumped) to",
    "(?:stepped up|worsened|improved) to",
    "(?:up|down) from",
    # What was wrong.
    "actually",
    "correct(?:ed|ion)|scratch that|i meant|typo|and not",
    "mis(?:read|heard|typed|spoke|counted|remembered|calculated|spelled)",
    "turn(?:ed|s) out",
    r"not (?:the |an? )?[\w.:-]+,? but",
    "(?:is|are|was|were)n['\u2019]t [\\w ]{1,25} but",
    "update:",
)
BECOME = re.compile(rf"\b(?:{'|'.join(_CUES)})(?!\w)")
"""Words that say that something has become so. They say it of anything, and many are used in other ways too."""

_GONE = "(?:over|past|off|out|history|dead|void|full)"
_OVER = (
    "not|never|no",
    # What was wrong, or is to be forgotten.
    "wrong|mistake|mistaken|misdiagnos\\w+|misprint|out of date|outdated|neither",
    "nonsense|forg[eo]t|sorry|oops|rather than|in place of|scrap|ignore",
    # What has ended.
    rf"(?:is|are|was|were) {_GONE}|behind (?:me|us)|r\.?i\.?p\.?|(?:done|over|that['\u2019]s it) with",
    "clos(?:ed?|es|ing)|shut|lost|bust|bankrupt|killed|axed|archived|abandoned|abolished|discontinued|suspended",
    "terminated|revoked|overturned|decommissioned|deprecated|forbids?|phased out|shelved",
    "(?:pulled|backed|bowed|bailed|dropped|drop|walked|kicked|pushed|priced) out",
    "folded|evicted|sacked|fired|laid off|let go|stepp(?:ed|ing) (?:down|aside|back)|moved on|passed away",
    r"died|evaporated|collapsed|tear(?:ing)? \w*|torn|broke|broken|left|burn(?:ed|t)|stolen|crashed|rejected|fed up",
    "failed|sick|ill|out of|flooded|overbooked|double-booked|fully booked|booked out|forbidden|outbid|refused",
    # What somebody has parted with.
    "(?:got|get|getting) rid|hand(?:ed|ing) (?:back|in|over)|uninstalled|removed|deleted|g[ai]ve[n]? (?:away|back)",
    "thr(?:ew|own) (?:out|away)|pulled (?:it|them)|traded|returned|donated|binned|chucked|dumped",
    "packed (?:up|in)|hung up|goodbye|farewell|in the bin|on leave|(?:take|taking|took) (?:\\w+ ){1,3}back",
    # What was made otherwise, and who made it so.
    "tweaked|altered|adjusted|amended|revised|shortened|lengthened|halved|doubled|tripled|trimmed|cut|upped",
    "rearranged|reset|redone|rewritten|rebuilt|converted|transferred|merged|split|put (?:off|back)|slipped",
    "talked me|persuaded|convinced|voted|elected|appointed|handed me|(?:put|made|given|taken|took) (?:me|us)",
)
OVER = re.compile(rf"\b(?:{'|'.join(_OVER)})(?!\w)|n['\u2019]t\b|['\u2019](?:s|re) {_GONE}\b")
"""Words that say that something is over, not so, or made otherwise, beside `BECOME`."""

ENDED = re.compile(
    r"\b(?:any ?more|any longer|no (?:more|longer)|quit|stopped|g[ai]ven? up|sold|retired|cancell?ed|dropp(?:ed|ing)"
    r"|ditched|scrap(?:ped)?|axed|binned|chucked|dumped|killed|decommissioned|replaced|swapped|traded|switched from"
    r"|moved (?:away from|off|out of)|(?:got|get|getting) rid|done with|forget|instead of|rather than"
    r"|bust|bankrupt|dead|history|is over|off the table"
    r"|strike|delete|cross (?:off|out))\b"
)
"""Words that say, of what stands right beside them, that it is over: "no more bullets", "the Crown went bust"."""
