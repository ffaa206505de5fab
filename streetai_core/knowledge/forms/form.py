"""One form in which English says that something changed."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

CueKind: TypeAlias = Literal["ended", "changed", "now", "corrected", "undone"]
"""`ended`: no longer so. `changed`: from one value to another. `now`: the value from now on. `corrected`: what was said
was wrong. `undone`: an announcement or a wish is taken back."""


class Form(NamedTuple):
    """A pattern and what a text must have for it to be tried."""

    kind: CueKind
    needs: str
    """Lower-case words, with bars between them, of which one is in every text that fits: a quick look spares most texts
    the pattern."""
    pattern: str
    """A regular expression, read without regard to case; its group `old` or `old2` is the old value."""
