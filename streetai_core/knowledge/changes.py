"""Which older statement a newer one replaces: rules, no model, nothing is read or written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from streetai_core.knowledge.clauses import STATE_STEMS, Clause, clauses
from streetai_core.knowledge.statements import LEAST_SIMILARITY, Likeness, Statement, of_pair
from streetai_core.knowledge.swaps import may_retell, retold, swap_beginning, swapped
from streetai_core.knowledge.updates import tells_update, updated

_MOST_CANDIDATES = 20
"""Older statements that are looked at, the most similar ones."""

_SIMILARITY, _SHARED, _ASPECT, _OLD_VALUE, _UNIT, _KIND = 0.5, 0.4, 0.3, 0.25, 0.2, 0.05
"""What each sign adds to the strength of a link announced by a cue; chosen on written conversations."""

_DAMPING = 0.5
"""Added to the number of words that could be shared: one word in common says less than three of three."""

_ONE_OFF = frozenset({"today", "tonight", "yesterday"})
"""What is cancelled "today" goes on tomorrow."""

_ALIKE = 0.85
"""Share of the best strength from which a second candidate counts as replaced too: the same fact told twice."""

_RETOLD = 0.7
"""The least similarity of a fact told anew in other order or denied: two remarks on one subject stay below."""

_FOREIGN = 0.02
"""What each word of the older subject costs that the newer statement lacks: of two like ones the closer one counts."""

_OF_STATES = frozenset({"changed", "now", "ended"})
"""Kinds of cue that speak of states; plans and announcements can be undone and corrected too."""

_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)$")

_OTHER_VALUE = 0.15
"""What an older statement loses that has another number, or lacks the name, from which something is said to change."""

_EVENT = 0.15
"""What an older statement loses that tells an event: what happened stays true, whatever changes."""

_UNKNOWN = 0.5
"""The similarity of two older statements, which nobody has measured."""

_SEVERAL = 2
"""Shared words by which a weak cue in a sentence about a thing means the same thing."""

_STRONG_LEAST, _WEAK_LEAST = 0.43, 0.5
"""The least strength of a link after a strong and after a weak cue."""

_OF_THE_PAST = 1 / 3
"""Share of the words of what "used to" be so that an older statement has, to be what is over: who used to live in Nice
may live in Lyon."""

_SWAP, _SWAP_SIMILARITY, _SWAP_CUE = 0.6, 0.4, 0.1
"""The strength of a swap of values, what similarity adds to it, and what a cue adds."""


@dataclass(frozen=True, slots=True)
class _Match:
    """How well one clause of the newer statement fits one of the older."""

    strength: float
    new: Clause | None = None
    old: Clause | None = None


_NO_MATCH = _Match(0.0)


_ANY = Likeness()


def likenesses(newer: Statement) -> tuple[Likeness, ...]:
    """What the statements that `newer` can replace are like: each is like one of these; none if it can replace none.

    Most messages can replace nothing that was said before; by their likeness that is seen without looking at vectors.
    """
    if not newer.has_facts:
        return ()
    found = []
    for clause in clauses(newer.text):
        if clause.cue:
            return (_ANY,)
        beginning = swap_beginning(clause)
        if beginning:
            found.append(Likeness(tuple(beginning.split())))
        if may_retell(clause):
            found.append(Likeness(clause.topic_words, _RETOLD))
    return (_ANY,) if tells_update(newer) else tuple(found)


def link(newer: Statement, candidates: Sequence[tuple[Statement, float]]) -> list[tuple[int, float]]:
    """The candidates that `newer` replaces, as (index, strength), the surest first; mostly none or one.

    Args:
        newer: what is said now.
        candidates: older statements with the cosine of their embedding to the newer one's, the most similar first;
            twenty of them are looked at.
    """
    if not newer.has_facts:
        return []
    return _by_form(newer, candidates) or updated(newer, candidates)


def _by_form(newer: Statement, candidates: Sequence[tuple[Statement, float]]) -> list[tuple[int, float]]:
    """The candidates that `newer` replaces by how it says so, or by saying the same with another value."""
    said = [one for one in clauses(newer.text) if one.cue or swap_beginning(one) or may_retell(one)]
    if not said:
        return []
    least = LEAST_SIMILARITY if any(clause.cue for clause in said) else _RETOLD
    beginnings = [beginning for clause in said if (beginning := swap_beginning(clause))]
    matches = [
        (index, match)
        for index, (older, similarity) in enumerate(candidates[:_MOST_CANDIDATES])
        if (similarity >= least or _begins_alike(beginnings, older.text) or any(one.old_value for one in said))
        and (match := _match(newer, said, older, similarity)).strength > 0
    ]
    matches.sort(key=lambda pair: -pair[1].strength)
    best = matches[0][1] if matches else _NO_MATCH
    return [(index, min(1.0, match.strength)) for index, match in matches if match is best or _told_with(best, match)]


def _begins_alike(beginnings: Sequence[str], text: str) -> bool:
    """Whether a value swap is possible at all: a quick look that spares most texts being read closely."""
    lowered = text.lower()
    return any(beginning in lowered for beginning in beginnings)


def _match(newer: Statement, said: Sequence[Clause], older: Statement, similarity: float) -> _Match:
    """The pair of clauses that fits best, of those of the newer statement that can replace any."""
    if not newer.may_outdo(older):
        return _NO_MATCH
    words = len(newer.text.split()) * len(older.text.split())
    pairs = (
        _Match(_strength(new, old, of_pair(similarity, len(new.words) * len(old.words) / words)), new, old)
        for new in said
        for old in clauses(older.text)
    )
    return max(pairs, key=lambda match: match.strength, default=_NO_MATCH)


def _told_with(best: _Match, match: _Match) -> bool:
    """Whether a second candidate tells the same fact as the best one, earlier, again or with an older value."""
    if match.strength < _ALIKE * best.strength or best.new is None or best.old is None or match.old is None:
        return False
    first, second = best.old, match.old
    if _about_self(first) != _about_self(second):
        return False
    known = first.content | best.new.content
    foreign = second.topic - known or (second.names - known if second.cue is None else set())
    repeated = bool(first.names) and first.names == second.names and bool(first.aspects & second.aspects)
    if not foreign or repeated or swapped(second, first):
        return True
    return any(
        later.cue is not None and _strength(later, earlier, _UNKNOWN) > 0
        for later, earlier in ((second, first), (first, second))
    )


def _about_self(clause: Clause) -> bool:
    return clause.subject.owner == "self" or (clause.subject.owner == "thing" and clause.subject.speaks_of_self)


def _strength(new: Clause, old: Clause, similarity: float) -> float:
    """The sum of the signs that the newer clause replaces the older one; 0.0 below the least that counts."""
    again = swapped(new, old) or (similarity >= _RETOLD and retold(new, old))
    if not (again or new.cue) or not _same_owner(new, old) or new.is_of_another(old):
        return 0.0
    announced = _announced(new, old, similarity) if new.cue and old.content else 0.0
    return max(announced, _SWAP + _SWAP_SIMILARITY * similarity) + _SWAP_CUE * (announced > 0) if again else announced


def _announced(new: Clause, old: Clause, similarity: float) -> float:
    """How sure a newer clause with a cue of change replaces the older one; 0.0 below the least that counts."""
    aloof = new.subject.owner == "thing" and not new.subject.speaks_of_self
    strong = new.cue is not None and new.cue.strong
    if (
        (similarity < LEAST_SIMILARITY and not _names_old(new, old))
        or (aloof and _once(new))
        or _restates(new, old)
        or _of_another(new, old)
    ):
        return 0.0
    numbers = _numbers(old)
    changed = _numbers(new) & {_cardinal(word) for word in new.old_value}
    if changed and not numbers:
        return 0.0
    if not strong and not _plain_topic(new, old, aloof=aloof):
        return 0.0
    topic = len(new.topic) if aloof else min(len(new.topic), len(old.topic))
    signs = (
        (_SIMILARITY, similarity),
        (_SHARED, len(new.topic & old.topic) / (topic + _DAMPING)),
        (_KIND, bool(new.values & old.values)),
        (_ASPECT, bool(new.aspects & old.aspects) * (1.0 if old.state else 0.5)),
        (_OLD_VALUE, bool(new.old_value & old.content) or _named(new, old)),
        (_UNIT, bool(new.units & old.units)),
        (-_OTHER_VALUE, bool(changed) and not changed & numbers),
        (-_OTHER_VALUE, bool(new.old_value & new.names) and not new.old_value & old.content),
        (-_OTHER_VALUE, _ends_another(new, old)),
        (-_EVENT, not (old.state or new.old_value & old.valued) and new.cue is not None and new.cue.kind in _OF_STATES),
        (-_FOREIGN, len(old.topic - new.content)),
    )
    strength = sum(weight * float(sign) for weight, sign in signs)
    return strength if strength >= (_STRONG_LEAST if strong else _WEAK_LEAST) else 0.0


def _ends_another(new: Clause, old: Clause) -> bool:
    """Whether the newer clause says of something else that it is over: "I sold the car", and the older has a bike."""
    ended = new.cue is not None and new.cue.kind == "ended"
    return ended and bool(new.old_value) and not new.content & old.content


def _numbers(clause: Clause) -> frozenset[str]:
    """The numbers and dates in a clause, in lower case and as they are counted."""
    return frozenset(
        _cardinal(word) for word, kind in zip(clause.lowered, clause.kinds, strict=True) if kind in {"number", "date"}
    )


def _cardinal(word: str) -> str:
    """A number as it is counted: "15" for "15th"."""
    return _ORDINAL.sub("", word)


def _of_another(new: Clause, old: Clause) -> bool:
    """Whether the newer clause says that something is over, which the older one does not tell."""
    if new.cue is None or new.cue.kind != "now" or not new.cue.old:
        return False
    over = new.old_value - STATE_STEMS or new.old_value
    return len(over & old.content) < _OF_THE_PAST * len(over)


def _once(clause: Clause) -> bool:
    """Whether a clause tells what is so for a day; "as of today" tells what begins."""
    return any(
        word in _ONE_OFF and not (place and clause.lowered[place - 1] in {"of", "from", "starting"})
        for place, word in enumerate(clause.lowered)
    )


def _plain_topic(new: Clause, old: Clause, *, aloof: bool) -> bool:
    """Whether two clauses are plainly about one subject, as a weak cue needs it; similarity alone is not enough."""
    common = new.topic & old.topic
    if len(common) >= _SEVERAL or new.units & old.units or _named(new, old) or new.old_value & old.content:
        return True
    if aloof:
        return bool(common) and common == new.topic and bool(new.values & old.values)
    return bool(common) or bool(new.aspects & old.aspects and old.state)


def _names_old(new: Clause, old: Clause) -> bool:
    """Whether the older clause has all of a value that is said to be over: "no longer 30 September"."""
    return len(new.old_value & old.valued) >= _SEVERAL


def _named(new: Clause, old: Clause) -> bool:
    """Whether a name of one stands in the other; at the beginning of a sentence names cannot be told from nouns."""
    return bool(new.names & old.content or new.content & old.names)


def _restates(new: Clause, old: Clause) -> bool:
    """Whether the newer clause says the older one again: it has all its words, and both affirm or both deny.

    So "I'm back in Graz" brings "I live in Graz" back instead of replacing it.
    """
    if new.cue is None or new.negated != old.negated or new.cue.kind == "ended":
        return False
    if new.lowered == old.lowered:
        return True
    if (old.cue is not None and old.cue.kind == "ended") or new.old_value & old.content or new.valued - old.valued:
        return False
    if new.cue.kind == "undone":
        return old.topic | old.valued <= new.topic | new.valued
    return new.content == old.content and (not new.cue.strong or new.cue.kind == "now")


def _same_owner(new: Clause, old: Clause) -> bool:
    """Whether the newer statement can be about what the older one is about."""
    mine, theirs = new.subject, old.subject
    if theirs.owner == "other" or (mine.owner == "other" and not mine.speaks_of_self):
        return False
    if mine.owner == "self" and theirs.owner == "thing" and new.old_value & old.valued:
        return True
    if theirs.owner == "person":
        return bool(theirs.words & new.content) or (mine.speaks_of_self and bool(old.names & new.content))
    if theirs.owner == "thing" and not (theirs.speaks_of_self and mine.speaks_of_self):
        return bool(theirs.words & new.content) and 2 * len(old.topic & new.topic) >= len(old.topic)
    if mine.speaks_of_self or mine.owner == "self":
        return True
    return bool((new.content if mine.owner == "thing" else mine.words) & old.content)
