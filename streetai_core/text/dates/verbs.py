"""The words by which a sentence shows whether it looks back or forward."""

from __future__ import annotations

import re

from streetai_core.text.alternation import any_of
from streetai_core.text.dates.vocabulary import VOCABULARY

HINT, COPULA, ABLE, BASE, PRESENT, CLEAR = range(6)
"""How clearly a cue tells the time: by chance, by "is", by "can", by a verb that may be or is in the present, by
itself."""

KINDS = {
    "present": (1, PRESENT),
    "gets": (1, PRESENT),
    "can": (1, ABLE),
    "base": (1, BASE),
    "having": (1, BASE),
    "doing": (1, CLEAR),
    "governed": (1, CLEAR),
    "governing": (1, CLEAR),
    "forward": (1, CLEAR),
    "backward": (-1, CLEAR),
    "copula": (1, COPULA),
    "able": (1, HINT),
    "hint": (1, HINT),
    "past": (-1, HINT),
    "short": (1, CLEAR),
    "end": (0, CLEAR),
}
"""Sign and strength of each kind of cue."""

GOVERNING = frozenset({"having", "governing", "governed", "gets", "able", "can", "short"})
"""Kinds of cues behind which something is yet to be done: "will be closed", "wants it shipped"."""

_PHRASES = {
    "present": "i've got|you've got|we've got|they've got|he's got|she's got|it's got|have got|has got|has a|has an"
    "|has my|has our|has no|have you got|have we got|have they got|has he got|has she got|who's got|starts|begins|ends"
    "|leaves|opens|arrives|comes|returns|turns|closes|expires|finishes|goes|departs|resumes|reopens|happens|kicks"
    "|takes effect|takes place",
    "gets": "gets|stays|remains|keeps|has me|has us",
    "having": "have a|have an|have my|have our|have no",
    "base": "begin|leave|open|arrive|come",  # behind "did" they are the past
    "governing": "will|won't|gonna|going to|shall|need|needs|want|wants|wanna|should|must|would|might|have to|has to"
    "|supposed to|about to|have decided to|has decided to|i've decided to|we've decided to|they've decided to",
    "forward": "registered for|enrolled|ticket for|tickets for|appointment for|reservation for|plan|plans|planning"
    "|planned|can't wait|looking forward|upcoming|coming up|slated|due|deadline|hope|hopes|hoping|lets|let's|see you"
    "|excited for|excited about|headed to|headed for|headed up|headed out|headed back|headed down|headed over|invited"
    "|booked|remind|ready for|join me|could we|do you want",
    "backward": "was|were|wasn't|weren't|didn't|couldn't|hadn't|did|had|used to|have been|has been|been|went|met|got"
    "|saw|took|made|came|bought|found|gave|told|said|thought|felt|left|won|lost|ran|ate|drove|flew|wrote|read|sent|spent"
    "|began|broke|brought|built|caught|chose|drank|fell|fought|forgot|grew|heard|held|hurt|kept|knew|led|paid|put|quit"
    "|rode|sang|sank|stole|shook|shot|hid|dug|drew|blew|bit|rang|rose|struck|swept|swore|tore|wept|lit|laid|lent|meant"
    "|hit|cut|shut|split|sat|slept|sold|spoke|stood|swam|taught|threw|understood|woke|wore|became|ago|bled|clung|crept"
    "|dealt|dreamt|fled|flung|forgave|froze|knelt|leapt|learnt|mistook|outgrew"
    "|overheard|overslept|rebuilt|redid|shone|shrank|slid|snuck|spat|spilt|sprang|spun|stank|stung|swung|trod"
    "|withdrew|wove|burnt|bent",
    "can": "can|can't|cannot",
    "able": "get|stay|remain|keep",
    "hint": "maybe|free|by",
    "past": "since|just",
}
PHRASES = {
    written: kind
    for kind, phrases in _PHRASES.items()
    for phrase in phrases.split("|")
    for written in (phrase, phrase.replace("'", "\u2019"))
}
"""Kind of each phrase, with either apostrophe."""

_TIMES = any_of(
    word
    for word, (kind, _) in VOCABULARY.items()
    if kind in {"weekday", "month", "season", "quarter", "day", "unit", "part"}
)

_BE = any_of(
    phrase.replace("'", mark)
    for phrase in ("i'm", "you're", "we're", "they're", "he's", "she's", "it's", "that's", "there's", "am", "is", "are")
    for mark in "'\u2019"
)
_WHO = "i|you|we|they|he|she|it|(?:the|my|our|your) [a-z]+"
"""Whoever stands behind the verb in a question: "is the office closed"."""

_HAS_GOT = r"(?:he|she|it)['\u2019]s got (?!married|engaged|divorced|fired|sacked|promoted|better|worse)"
_ABOUT_TO_BE = "getting|having|coming|going|moving|flying|arriving|leaving|visiting|hosting"
"""What somebody does behind "my sister's", where no noun would stand."""

_BEING = (
    rf"(?P<copula>(?!{_HAS_GOT}){_BE}|[a-z]+['\u2019]s(?= (?:closed|shut|sold out|{_ABOUT_TO_BE})\b))"
    rf"(?: (?:(?:{_WHO}) )?"
    r"(?:(?:not|also|just|still|now|only|all|both|probably|[a-z]{2,9}ly) ){0,2}(?:(?P<governed>getting|having)"
    r"|(?P<present>closed|shut|set|sold out|fixed|required|needed|allowed|grounded|cancell?ed)"
    r"|(?P<doing>(?!(?:no|any|some|every)thing |morning|evening|during|spring)[a-z]+ing)))?"
)
"""A verb of being, and what somebody is doing or what is done. "Is closed" tells of what goes on."""

_DONE = (
    r"had (?:all |almost |already |nearly |just |never )?[a-z]+(?:ed|en|ne|wn|ght|nt|ad|ft|ld)"
    r"|(?:should|must|would|could|might|may)(?:n['\u2019]t)? have (?:come|become|[a-z]+(?:ed|en|ne|wn|ght|nt|ft|ld|st))"
)
"""What had been done, or must have been."""

_MOVED = (
    r"(?:moved|pushed|shifted|changed|delayed|postponed|bumped|put off|slipped|brought|extended)"
    r" (?:[a-z'\u2019]+ ){0,4}?"
    rf"(?:to|until|till?)(?= (?:(?:the|early|mid|late|end|of|next|this) )*(?:[0-9]|(?:{_TIMES})\b))"
)
"""Moved to a time, and not to a town."""

_GOT = (
    r"got (?:an?|my|our|another|the) (?:\w+ )?(?:appointment|interview|exam|test|meeting|flight|viewing|reservation"
    r"|booking|tickets?|date|gig|shift|game|match|show|check-?up|scan)\b"
)
"""Who has got these has them before him."""

_ASKED = r"(?:promised|agreed|offered|vowed|volunteered|accepted|asked|told) (?:(?:me|us|him|her|them|you) )?to"

CUE = re.compile(
    rf"(?<![a-z0-9])(?:{_BEING}"
    rf"|(?=[abcdeghimoprstvw])(?:(?P<done>{_DONE})|(?P<forward>{_MOVED}|signed (?:\w+ )?up for|(?:re)?schedul\w+"
    rf"|intend\w*|expect\w*|{_GOT}|closed(?<![a-z,] closed)(?= (?:until|till|from|between)\b))"
    rf"|(?P<governing>{_ASKED})|(?P<base>end(?<!the end)|start(?<!the start)))"
    rf"|(?P<phrase>{any_of(PHRASES)})|(?P<backward>\w{{2,}}(?<![eE])ed))(?!\w)"
    r"|['\u2019](?P<short>ll\b|d (?!(?:never|already|just|had|better|all)\b|[a-z]+(?:ed|en|ne|wn|ght|nt|ft)\b))"
    r"|(?P<end>[.!?\n;])"
)
"""A cue; the group that matched last is its kind, or `phrase`, whose kind is in the table."""


def kind_of(match: re.Match[str]) -> str:
    """The kind of a cue that was found."""
    kind = match.lastgroup or ""
    return PHRASES[match.group()] if kind == "phrase" else "backward" if kind == "done" else kind
