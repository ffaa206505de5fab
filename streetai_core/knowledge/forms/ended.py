"""Words that say that something is no longer so."""

from __future__ import annotations

from streetai_core.knowledge.forms.form import Form

_SOMEBODY_HAS = (
    r"(?:^|\b(?:(?:i|we|they|he|she|it)(?:['\u2019](?:ve|d|m|re|s))?|has|have|had|and i) )(?:(?:have|has|had"
    r"|just|recently|finally|now|also|already|both|since|decided to|had to|was|were|got|been)\s+)*"
)
"""Who gives something up, with auxiliaries and adverbs before the verb; nobody at the beginning of a sentence."""

STRONG = (
    Form("ended", "longer", r"\b(?:no longer|not any longer)\b(?P<old> [^,;.!?]+)?"),
    Form(
        "ended",
        "more|longer",
        r"(?:\b(?:not|no|never|cannot|without|nor)|n['\u2019]t)\b(?P<old> (?:[^.;!?]|\.(?=\w)){0,80}?)\b"
        r"(?:any ?more|any longer)\b",
    ),
    Form(
        "ended",
        "quit|stopped|gave up|given up|give up|dropped|rid of|gone off|lost interest|given away|parted|grown",
        _SOMEBODY_HAS + r"(?:quit(?:ting)?|stopped (?=\w+ing\b)|g[ai]ven? up(?: on)?|dropped out of|got rid of|gone off"
        r"|lost interest in|given away|parted with|grown out of)(?P<old> [^,;.!?]+)",
    ),
    Form(
        "ended",
        "sold|traded",
        _SOMEBODY_HAS
        + r"(?:sold|traded in|traded)\b(?P<old> (?:the|my|our)\b[^,;.!?]*?)(?= and | to | for |[,;.!?]|$)",
    ),
    Form(
        "ended",
        "left|dropped|ditched|returned|cancelled|canceled",
        _SOMEBODY_HAS
        + r"(?:left|dropped|ditched|returned|cancelled|canceled)(?P<old> (?:(?-i:[A-Z])\w+|(?:my|our|the) "
        r"(?:job|company|firm|team|band|choir|club|party|church|city|country|old \w+)))\b(?! the)",
    ),
    Form(
        "ended",
        "broke|split up|divorced|fell out|moved out|laid off|fired|over now|gone|died|passed",
        r"\b(?:broke up|split up|broken up|(?:got|am|are|['\u2019]m|['\u2019]re|is) divorced|fell out with"
        r"|moved out|(?:was|were|got|been) (?:laid off|fired)|is over now|is gone|habit is gone|died in"
        r"|passed away)\b|\b(?:has|have) gone(?=[.,;!]| as well\b| too\b|$)"
        r"|\b(?:is|are) no more(?=[.,;!]|$)",
    ),
    Form("ended", "away", r"\b(?:give|gave|giving|given) (?P<old>(?:my|our|the) [\w ]{2,30}) away\b"),
    Form(
        "ended",
        "bye",
        r"\b(?:bye[- ]bye(?: to)?|goodbye to),? (?P<old>(?:the |my |our )?[\w'\u2019]+(?: \w+)?)(?=[.,;!]|$)",
    ),
    Form("ended", "no more", r"\bno more (?P<old>[^,;.!?]+) for (?:me|us)\b"),
    Form(
        "ended",
        "is over",
        r"\b(?:the )?(?P<old>internship|course|contract|project|engagement|relationship) is over\b",
    ),
    Form(
        "ended",
        "stepped down|resign|walked away|parted ways|handed in|redundant|let go|sacked|last day|widowed|dumped|evicted",
        r"\b(?:stepped down (?:as|from)|resigned (?:as|from)|walked away from|parted ways with|handed in my notice"
        r"|made redundant|(?:was|were|got|been) (?:let go|sacked|evicted|dumped|widowed)|my last day (?:at"
        r"|with)|dumped (?:me|him|her|them))\b(?P<old> [^,;.!?]+)?",
    ),
    Form(
        "ended",
        "ditched|scrapped|donated|threw|phased out|moved off|moved away|cut out|got out of|crashed|"
        "totalled|totaled|wrecked|stolen",
        r"\b(?:i|we)(?:['\u2019]ve| have)? (?:just |finally |already )?(?:ditched|scrapped|donated|threw "
        r"(?:out|away)|phased out|moved (?:off|away from)|cut out(?! (?:\w+ ){0,3}(?:bits|parts?|lines|rest)\b)"
        r"|got out of|crashed|totall?ed|wrecked) (?P<old>[^,;.!?]+?)(?= and |[,;.!?]|$)"
        r"|\b(?:was|were|got|been) (?:stolen|wrecked|totall?ed)\b",
    ),
    Form(
        "ended",
        "tired of|fed up|sick of|over with|it's over|we're over|phase",
        r"\b(?:grew tired of|(?:am|['\u2019]m|got) (?:tired of|fed up with|sick of)|over my \w+ phase|"
        r"(?:it|we)(?:['\u2019]s|['\u2019]re| is| are) over\b(?! \w+ (?:years|miles|the)))"
        r"(?P<old> [^,;.!?]+)?",
    ),
    Form(
        "ended",
        "had to|have to|decided to|going to",
        r"\b(?:had|have|decided|going) to (?:drop|quit|cancel|give up|sell|stop|leave|abandon|close"
        r"|return)(?P<old> [^,;.!?]+)",
    ),
    Form(
        "ended",
        "terminated|ended|cancelled|canceled|closed",
        r"\b(?:i|we)(?:['\u2019]ve| have)? (?:just |already )?(?:terminated|ended|closed) (?P<old>(?:my"
        r"|our|the) [^,;.!?]+?)(?= and |[,;.!?]|$)",
    ),
    Form(
        "ended",
        "off",
        r"\b(?:took|taken) (?:me|us) off (?P<old>[^,;.!?]+?)(?= and |[,;.!?]|$)",
    ),
)
"""Meant so by themselves, the more special ones first."""
