"""Rules for times that a sentence is about, without a word that dates stand behind: "Christmas was quiet"."""

from __future__ import annotations

from itertools import chain, count, islice, takewhile

from streetai_core.text.dates.amounts import moved
from streetai_core.text.dates.placing import stands_alone
from streetai_core.text.dates.reader import Found, Reader
from streetai_core.text.dates.spans import TimeSpan

_WAS = frozenset({"was", "wasn", "were", "weren", "went", "turned"})
"""Verbs of what is over; a token ends at the apostrophe of "wasn't"."""

_WILL = frozenset({"will", "looks", "promises"})

_ALWAYS = frozenset({"always", "never", "usually", "often", "traditionally"})
_OF_EACH = (
    _ALWAYS
    | {"my", "his", "her", "their", "the", "a", "an", "for", "about", "when", "all", "more", "not", "so", "too", "very"}
    | {"over", "done", "overrated", "magical", "celebrated", "special", "sacred", "stressful", "better"}
)
"""Behind "Christmas is" they tell what it is each year ("for families"), or that it is over."""

_CHILDHOOD = frozenset({"kid", "kids", "child", "children", "childhood", "growing"})
_NEARBY = 10
"""Words in which these are looked for."""

_WORDS_OF_A_PLACE = 5
"""How far to look for the verb of "Easter at my aunt's was loud"."""

_NOT_SUBJECT = frozenset({"about", "like", "white", "every", "each", "merry", "happy", "called", "than"})
"""Words before a feast of which something else is said: "the best thing about Christmas was"."""

_WHOSE = frozenset({"my", "our", "your", "his", "her", "their"})
_ASKING = frozenset({"how", "what"})

_KEPT = frozenset({"spent", "celebrated", "hosted", "did", "spending", "celebrating", "hosting", "doing"})
_HAD = frozenset({"had", "having"})
_HAD_WHERE = frozenset({"at", "with", "here", "together", "alone", "without", "off"})
"""What stands behind a feast that somebody has, which may also be had in mind or in December."""

_TO_KEEP = frozenset({"spend", "celebrate", "host", "do"})
_HELPING = frozenset({"did", "will", "ll", "let's", "shall", "could", "can", "should", "might", "may", "must", "gonna"})
_BEFORE_TO = frozenset(
    {"going", "want", "wants", "wanted", "plan", "plans", "planning", "planned", "need", "needs", "have", "has", "had"}
    | {"supposed", "decided", "hoping", "get", "got", "gets", "offered", "promised", "agreed", "asked", "invited"}
)
"""Words before "to celebrate" that tell of one time; "used to" and "we love to" tell of all."""

_PERSONS = frozenset({"i", "we", "you", "they", "he", "she"})

_ALONE = frozenset(
    {"alone", "together", "again", "here", "there", "apart", "home", "early", "late", "later", "small", "big", "on"}
    | {"my", "the", "our", "a", "his", "her", "their", "just", "like", "without", "abroad", "online", "everyone"}
)
"""Words behind a feast that is kept: no noun of whose name it would be a part ("Christmas songs")."""

_MEALS = frozenset({"dinner", "lunch", "brunch", "breakfast"})
"""They are held on the feast."""

_TO_COME = frozenset({"going", "gonna", "looking", "shaping", "set", "full", "packed", "booked", "free"})
_GOING_ON = frozenset({"looking", "going", "shaping", "treating"})
"""What follows on "is your weekend"."""

_FRIDAY, _SATURDAY, _SUNDAY = 4, 5, 6


def feast(reader: Reader, index: int, behind: int) -> Found | None:
    """A feast that something is said of, or that is kept: "Thanksgiving was just me", "we're doing Easter at home"."""
    behind = behind + 1 if reader.word(behind) in _MEALS else behind
    sign = _said_of(reader, index, behind)
    of_year, today = reader.yearly(index), reader.anchor
    if sign < 0:
        return Found(reader.nearest(of_year, lambda span: span.start <= today), behind, fixed=False)
    if sign > 0:
        return Found(reader.nearest(of_year, lambda span: span.end >= today), behind, fixed=False)
    return Found(reader.occurrence(index, of_year), behind, fixed=False) if _is_kept(reader, index, behind) else None


def _said_of(reader: Reader, index: int, behind: int) -> int:
    """Whether a feast is said to have been (-1) or to come (1), 0 if neither."""
    if reader.word(index - 1) in _NOT_SUBJECT or reader.kind(index - 1) in {"ordinal", "every", "dash"}:
        return 0
    if _was_asked(reader, index, behind):
        return -1
    if reader.word(behind) == "at":
        behind = _behind_place(reader, behind)
    verb, following = reader.word(behind), reader.word(behind + 1)
    if verb == "is":
        return 0 if following in _OF_EACH else 1
    if following in _ALWAYS or _tells_of_childhood(reader, index):
        return 0
    return -1 if verb in _WAS else int(verb in _WILL)


def _behind_place(reader: Reader, index: int) -> int:
    """The index behind where a feast is held ("at my aunt's"), if it is told what it was there; else the same index."""
    for at in range(index + 1, index + _WORDS_OF_A_PLACE):
        if not reader.word(at):
            break
        if reader.word(at) in _WAS or reader.word(at) in _WILL:
            return at
    return index


def _tells_of_childhood(reader: Reader, index: int) -> bool:
    """Whether words round a token tell that it was so year after year: "as a kid", "growing up"."""
    before = (reader.word(at) for at in range(max(0, index - _NEARBY), index))
    behind = takewhile(bool, map(reader.word, count(index)))  # up to the end, which is an empty word
    return not _CHILDHOOD.isdisjoint(chain(before, islice(behind, _NEARBY)))


def _was_asked(reader: Reader, index: int, behind: int) -> bool:
    """Whether it is asked how a time was: "how was your Christmas"."""
    verb = _before_whose(reader, index)
    if reader.word(verb) == "did" and reader.word(behind) == "go":
        return reader.word(verb - 1) == "how"
    asked = reader.word(verb) in _WAS and reader.word(verb - 1) in _ASKING
    return asked and (reader.word(behind) == "like" or stands_alone(reader, behind))


def _before_whose(reader: Reader, index: int) -> int:
    """The index of the word before a token and the "your" or "the" that belongs to it."""
    return index - 2 if reader.word(index - 1) in _WHOSE or reader.kind(index - 1) == "the" else index - 1


def _is_kept(reader: Reader, index: int, behind: int) -> bool:
    """Whether somebody spends, celebrates or hosts a feast, once and not each year."""
    at = _before_whose(reader, index)
    verb, before = reader.word(at), reader.word(at - 1)
    following = reader.word(behind)
    doing = verb.startswith("spen") and following.endswith("ing")  # "spent Easter skiing", but "did Easter baking"
    if not (doing or following in _ALONE or following in _HAD_WHERE or stands_alone(reader, behind)):
        return False
    if verb in _KEPT or (verb in _HAD and following in _HAD_WHERE):
        return before not in _ALWAYS
    if verb not in _TO_KEEP:
        return False
    if before == "to":
        return reader.word(at - 2) in _BEFORE_TO
    return before in _HELPING or (before in _PERSONS and reader.word(at - 2) in _HELPING)


def stretch(reader: Reader, index: int) -> Found | None:
    """The week or weekend that something is said of: "the weekend was quiet", "how is your week looking"."""
    unit = reader.word(index).removesuffix("'s")
    if unit not in {"week", "weekend"}:
        return None
    if reader.word(index - 1) == "all":
        return Found(_all_of(reader, unit, reader.direction(index)), index + 1, fixed=False)
    at = index - 1 if reader.word(index - 1) == "whole" else index
    before = _before_whose(reader, at)
    opens = before == at - 1 and not reader.word(before).isalnum() and reader.token(index).titled
    if (before == at - 1 and not opens) or reader.kind(before) == "side":
        return None
    sign = _stretch_said_of(reader, index, before)
    return Found(_stretch(reader, unit, sign), index + 1, fixed=False) if sign else None


def _all_of(reader: Reader, unit: str, sign: int) -> TimeSpan:
    """The one of which somebody tells that it went on all through it; on a Monday that is the last one."""
    if unit == "week":
        return moved(reader.today, unit, -1 if sign < 0 and not reader.today.weekday() else 0)
    return moved(reader.today, unit, -1 if sign < 0 and reader.today.weekday() < _SATURDAY else 0)


def _stretch_said_of(reader: Reader, index: int, before: int) -> int:
    at_verb = index if reader.word(index).endswith("'s") else index + 1
    verb, following = reader.word(at_verb), reader.word(at_verb + 1)
    if verb in _WAS or following == "been" or _was_asked(reader, index, index + 1):
        return 0 if following in _ALWAYS else -1
    if verb in _WILL or ((verb == "is" or at_verb == index) and following in _TO_COME):
        return 1
    if verb == "look" and reader.word(before) == "does":
        return 1
    asked = reader.word(before) == "how's" or (reader.word(before) == "is" and reader.word(before - 1) == "how")
    return int(asked and (verb in _GOING_ON or stands_alone(reader, index + 1)))


def _stretch(reader: Reader, unit: str, sign: int) -> TimeSpan:
    """The one just past, which is this one when it ends, or the one that is or comes, which is the next one then."""
    today = reader.today
    weekday = today.weekday()
    if sign < 0:
        return moved(today, unit, 0 if weekday >= (_FRIDAY if unit == "week" else _SUNDAY) else -1)
    return moved(today, unit, 1 if weekday >= (_SATURDAY if unit == "week" else _SUNDAY) else 0)
