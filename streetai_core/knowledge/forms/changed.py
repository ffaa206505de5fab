"""Words that say that one value gave way to another."""

from __future__ import annotations

from streetai_core.knowledge.forms.form import Form

STRONG = (
    Form(
        "changed",
        "from",
        r"\b(?:(?:switch|chang|mov|migrat|relocat|upgrad|downgrad|convert|transferr?|shift|push|rais|increas"
        r"|lower|reduc|extend|bump|slipp|promot|re(?:assign|book|brand|label|nam|number|schedul|titl))"
        r"(?:ed|ing)|cut(?:ting)?|dropped|brought forward|went (?:up"
        r"|down|back)|down|up)\b[^.;!?]{0,40}?\bfrom (?P<old>[^\s,;.!?][^,;!?]{0,60}?) (?:in)?to\b(?! \d+ "
        r"(?:people|of))",
    ),
    Form(
        "changed",
        "from",
        r"\b(?:moves?|passe[sd]|(?:bring|pull)(?:s|ing)?(?: [\w'\u2019]+){1,4} (?:forward|back))"
        r"(?: [\w'\u2019]+){0,3}? from (?P<old>[^\s,;.!?][^,;!?]{0,60}?) (?:in)?to\b",
    ),
    Form(
        "changed",
        "switched|changed|converted|migrated|transferred|upgraded|downgraded|relocated",
        r"\b(?:switched|changed|converted|migrated|transferred|upgraded|downgraded"
        r"|relocated)\b[^.;!?]{0,40}?(?<!used )\b(?:in)?to\b",
    ),
    Form(
        "changed",
        "mov|relocating",
        r"\b(?:moved|moving|relocating)(?: (?:in|out|back|over|again|house|home))?(?: (?:in)?to| in with"
        r"|, this time)\b(?! (?:the (?:next|side|beat|front|back|left|right)|tears))",
    ),
    Form("changed", "moved again", r"\b(?:just )?moved again\b"),
    Form(
        "changed",
        "moved|shifted|pushed|brought|bumped",
        r"\b(?:moved|shifted|pushed|brought|bumped)(?: (?!on\b|in\b|by\b|me\b|here\b)[\w'\u2019]+){1,5} (?:"
        r"(?:forward |back )?to|from)\b",
    ),
    Form(
        "changed",
        "moved|shifted|pushed|brought|changed|extended|increased|raised|lowered|reduced|cut|promoted|replaced|swapped",
        r"\b(?:was|were|got|has been|been|is being|gets) (?:moved|shifted|pushed|brought forward|pushed back"
        r"|changed|extended|increased|raised|lowered|reduced|cut|promoted|replaced|swapped)\b",
    ),
    Form(
        "changed",
        "raised|increased|lowered|reduced|extended|dropped|cut|bumped",
        r"\b(?:raised|increased|lowered|reduced|extended|dropped|cut|bumped)\b[^.;!?]{0,50}? to "
        r"(?:about )?[\d$\u20ac\u00a3]",
    ),
    Form(
        "changed",
        "went|cut|slipped|shifted|moved",
        r"\b(?:went (?:up|down)|(?:cut|cutting) (?:back|down)|slipped|shifted|moved) (?:to|on)\b",
    ),
    Form("changed", "down to|up to", r"\b(?:['\u2019]m|am|are|['\u2019]re|is|['\u2019]s) (?:down|up) to \d"),
    Form(
        "changed",
        "vegan|vegetarian|freelance|remote|part|full|sober",
        r"\b(?:went|gone|going|turned|became) (?:vegan|vegetarian|freelance|remote|part[- ]time|full[- ]time"
        r"|sober)\b",
    ),
    Form(
        "changed",
        "postpon|reschedul|rebook|renam|rebrand|relocat|migrat|revert|downgrad|resettl|resign|rewrote",
        r"\b(?:postpon|reschedul|rebook|renam|rebrand|relocat|migrat|revert|downgrad|resettl|resign)(?:e?d"
        r"|ing)|rewrote\b",
    ),
    Form(
        "changed",
        "swapped|replaced|exchanged|traded",
        r"\b(?:swapped|replaced|exchanged|traded)(?P<old> (?:the|my|our|(?-i:[A-Z]))[^,;.!?]{0,40}?) (?:for"
        r"|with|by|in for)\b",
    ),
    Form(
        "changed",
        "swapped|replaced|exchanged|traded",
        r"\b(?:i|we)(?:['\u2019]ve| have)? (?:swapped|replaced|exchanged|traded) (?P<old>[^,;.!?]{1,40}?) "
        r"(?:for|with|by)\b",
    ),
    Form("changed", "replaced", r"\b(?:has|have) replaced (?P<old>[^,;.!?]+?)(?= as\b|[,;.!?]|$)"),
    Form(
        "changed",
        "chang",
        r"\b(?:has|have) changed\b|\bchanged my mind\b|\bchanged(?=,)|\bchanging\b[^.;!?]{0,30}?\bfrom\b",
    ),
    Form("changed", "new name", r"\bgoes by (?:a|the) new name\b"),
    Form(
        "changed",
        "engaged|married|promoted|together|hired me|made me",
        r"\b(?:got|get|getting) (?:engaged|married|promoted|back together)\b|\bhired me\b|\bmade me (?:a "
        r"|an |the )?(?:head|lead|chief|manager|director|partner|captain|senior)\b",
    ),
    Form("changed", "again", r"\bstart(?:ed|ing) (?:to )?\w+(?: [\w'\u2019]+){0,4} again\b"),
    Form(
        "changed",
        "to move|to change|to be|to switch|to shift",
        r"\b(?:has|have|had|needs|need) to (?:move|change|switch|shift|be (?:moved|changed|shifted|pushed"
        r"|rescheduled)) (?:back |forward )?to\b",
    ),
    Form(
        "changed",
        "had to|decided to|agreed to|forced to|managed to",
        r"\b(?:had|decided|agreed|forced|managed) to (?:move|change|switch|shift|push|bump|rename|postpone|reschedule"
        r"|swap|raise|lower|cut|extend|transfer|convert|migrate)\b[^.;!?]{1,50}? (?:in)?to\b",
    ),
    Form(
        "changed",
        "came|went|grew|rose|fell|jumped|climbed|doubled|halved",
        r"\b(?:came|went|grew|rose|fell|jumped|climbed|is|are) (?:up |down |back )?"
        r"(?:from [^,.;!?]{1,30} )?to (?:about )?[\d$\u20ac\u00a3]|\b(?:has|have|was|were) (?:doubled"
        r"|halved)\b",
    ),
    Form(
        "changed",
        "improved|grown|risen|fallen|gone|climbed|shrunk|increased|decreased|dropped|reached|hit",
        r"(?:\b(?:has|have)|['\u2019](?:ve|s))(?: (?:now|recently|since|just|finally|already|steadily|slowly))? "
        r"(?:(?:improved|grown|risen|fallen|gone|climbed|shrunk|increased|decreased|dropped) (?:up |down |back )?to"
        r"|(?<=now |ust |tly |lly )(?:reached|hit)) (?:(?:about|around|roughly|over|almost|nearly) )?[\d$\u20ac\u00a3]",
    ),
    Form(
        "changed",
        "delayed|put off|pulled forward|moved up|set back|reset",
        r"\b(?:delayed|put off|pulled forward|moved up|set back|reset|put back) (?:to|until|till|by)\b|\b"
        r"(?:is|was|got|been) (?:delayed|put off)\b",
    ),
    Form(
        "changed",
        "ported|switched over|settled on|converted|joined|took a job|started working|started at|started as",
        r"\b(?:ported|switched over|settled on|took (?:a|the|another) (?:job|position|role) (?:at|with|as)"
        r"|started (?:working )?(?:at|as|for) (?:a |an )?(?:new )?(?-i:[A-Z]|\w+er\b))",
    ),
    Form(
        "changed",
        "remarried|tied the knot|proposed|in together|swapped",
        r"\b(?:remarried|tied the knot|moved in together|swapped (?:sides|roles|rooms|places|days|shifts|seats))\b",
    ),
    Form(
        "changed",
        "turned|set|brought|took|dialed|scaled|turn",
        r"\b(?:turned|set|brought|took|dialed|scaled)\b[^,.;!?]{0,40}? (?:up|down|back) to "
        r"(?:about )?[\d$\u20ac\u00a3]",
    ),
    Form(
        "changed",
        "change|move|switch|update|rename|reschedule|shift|push|raise|lower",
        r"^(?:please )?(?:change|move|switch|update|rename|reschedule|shift|push|raise|lower) (?:the|my"
        r"|our)\b[^,.;!?]{0,60}? (?:in)?to\b",
    ),
    Form(
        "changed",
        "put me on|switched me|put us on|put me in|put us in",
        r"\b(?:put|switched|moved) (?:me|us) (?:on|in|onto|into|to)\b",
    ),
    Form(
        "changed",
        "reassigned|reallocated|rerouted|retitled|renumbered|repainted|relabel|redirected|reset",
        r"\bre(?:assigned|allocated|routed|titled|numbered|painted|labell?ed|directed)\b",
    ),
)
"""Meant so by themselves, the more special ones first."""

WEAK = (
    Form("changed", "instead|rather", r"\binstead of (?P<old>[^,;.!?]+)|\brather than (?P<old2>[^,;.!?]+)"),
    Form("changed", "instead", r"\binstead(?=[.,;!]|$)"),
    Form(
        "changed",
        "instead|rather",
        r"\b(?:decided|going|opted) (?:to go )?(?:on|with|for) (?P<old>\w+ ){1,3}(?:instead|rather)",
    ),
    Form(
        "changed",
        "sold|lost|left|quit|stopped|dropped|cancel|lease|swapped|switched",
        r"\b(?:i|we)(?:['\u2019]ve| have)? (?:just )?(?:sold|left|quit|stopped|dropped|cancelled|canceled"
        r"|lease|swapped|switched)\b",
    ),
    Form(
        "changed",
        "changed",
        r"\b(?:i|we)(?:['\u2019]ve| have)? changed (?:my|our)\b(?! (?:life|clothes|mind about nothing))",
    ),
    Form("changed", "become", r"\b(?:has|have) become\b"),
    Form("changed", "make", r"\b(?:can['\u2019]t|cannot) make \w+"),
    Form("changed", "rather", r"\bi(?:['\u2019]d rather| would rather)\b"),
)
"""Said in many other ways too."""
