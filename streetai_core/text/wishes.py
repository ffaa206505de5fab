"""What somebody wants from now on ("Always use metric units.", "I'd rather take the train"), and for what it counts.

A request seldom has a word in common with a wish that bears on it, and embeddings bring "How tall is it?" no nearer to
metric units than to other talk. Known is how wishes are put: orders for always and never, for the future, for whenever
something is asked; how to be answered and called; what is preferred; and what binds every suggestion, as an allergy, a
habit or a tool does (`wish_forms`). English only.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from streetai_core.text.triggers import Triggers
from streetai_core.text.wish_forms import FORMS, NO_WISHES, START, STARTS

_LONGEST = 4000
"""Characters of a message that are looked at; what is longer is a document or code, and no wish of a person's."""

_TYPED = str.maketrans({"\u2019": "'", "\u02bc": "'"})
"""One apostrophe."""

_REMOVED = " \x02 "
"""Stands for what was taken out of a text, so that no order begins behind it."""


def states_wish(text: str) -> bool:
    """Whether a text says what its author wants from now on, and not only this once."""
    plain = text[:_LONGEST].translate(_TYPED)
    if not _has_form(plain):
        return False
    # Looked for last, because nearly no text is so far.
    wished, removed = _compiled("|".join(NO_WISHES)).subn(_REMOVED, plain)
    return not removed or _has_form(wished)


def _has_form(plain: str) -> bool:
    """Whether a wish is put in one of the forms."""
    rules = _rules()
    marked = START + rules.starts.sub(rf"\g<0>{START}", plain)
    return any(rules.forms[number].fits(plain, marked) for number in rules.triggers.of(marked.lower()))


class _Form(NamedTuple):
    """One way to put a wish."""

    form: str
    at_start: bool
    """Whether it is looked for where an order may begin only."""

    def fits(self, plain: str, marked: str) -> bool:
        """Whether it is in a text, or in the same with what orders begin behind."""
        return _compiled(self.form).search(marked if self.at_start else plain) is not None


class _Rules(NamedTuple):
    """What tells wishes."""

    triggers: Triggers
    """Which forms are worth trying."""
    forms: tuple[_Form, ...]
    starts: re.Pattern[str]
    """Behind what an order may begin."""


@cache
def _compiled(form: str) -> re.Pattern[str]:
    """A form, compiled when a text is first worth trying it on: all of them take a fifth of a second."""
    return re.compile(form, re.IGNORECASE)


@cache
def _rules() -> _Rules:
    """Compiled at the first use, because it takes a while."""
    cues = [[cue.replace("_", " ").replace("^", START) for cue in cues.split()] for cues, _ in FORMS]
    return _Rules(
        Triggers(cues),
        tuple(_Form(form, START in form) for _, form in FORMS),
        re.compile(STARTS, re.IGNORECASE),
    )
