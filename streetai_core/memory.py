"""One memory: all its verbs together."""

from __future__ import annotations

from streetai_core.errors import StreetAIError
from streetai_core.rendering import escaped, table
from streetai_core.verbs.explaining import Explaining
from streetai_core.verbs.forgetting import Forgetting
from streetai_core.verbs.guarding import Guarding
from streetai_core.verbs.hiding import Hiding
from streetai_core.verbs.learning import Learning
from streetai_core.verbs.looking import Looking
from streetai_core.verbs.prompting import Prompting
from streetai_core.verbs.verifying import Verifying
from streetai_core.verbs.writing import Writing


class Memory(Writing, Prompting, Explaining, Learning, Looking, Forgetting, Guarding, Hiding, Verifying):
    """Everything that one user, agent or tenant has said and heard.

    Get one from a `MemoryRegistry`. Making it does no I/O. Safe to use from several threads; other processes' writes
    are seen by the next call. Every verb has an async twin with an `a` in front.

    Every verb raises `StaleMemoryError` after the memory was reset, and a `StoreError` if the database fails; then
    nothing was changed.
    """

    def __repr__(self) -> str:
        return f"Memory({self.memory_id!r})"

    def _repr_html_(self) -> str:
        """For notebooks: what `stats` counts. A memory that cannot be read says so."""
        try:
            counted = self.stats()
        except StreetAIError as error:
            counted = {"memory_id": self.memory_id, "cannot be read": f"{type(error).__name__}: {error}"}
        return table((), [(escaped(name), escaped(value)) for name, value in counted.items()])
