"""Other memories that call no model, where they are installed, measured by the same run with the same encoder.

Each is fed in the way its documentation shows, one message or exchange after the other, as `Author: text` where the
author is known, so that none is worse off for having no field for a name. None of them takes a token budget, so what
they find is sent best first while it fits (`streetai_core.evaluation.filling`). Where their own defaults would return a
handful of results whatever the budget, more are asked for; the settings are in the results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from streetai_core.encoders.base import Encoder
from streetai_core.evaluation.rivals.langchain import LangChainMemory
from streetai_core.evaluation.rivals.llamaindex import LlamaIndexMemory
from streetai_core.evaluation.rivals.mem0 import Mem0
from streetai_core.evaluation.rivals.memweave import Memweave
from streetai_core.evaluation.rivals.obstacles import no_extensions, not_installed
from streetai_core.evaluation.rivals.published import PublishedMemory
from streetai_core.evaluation.systems import System


@dataclass(frozen=True, slots=True)
class Rival:
    """Another memory."""

    module: str
    """What has to be importable."""
    pip: str
    """The line that installs it."""
    make: Callable[[Encoder], System]
    obstacle: Callable[[], str | None] = lambda: None
    """Why it would not do its best here although it is installed; `None` if it would."""

    @property
    def why_missing(self) -> str | None:
        """What to do before it can be compared; `None` if nothing. Nothing is imported."""
        return not_installed(self.module, self.pip) or self.obstacle()


RIVALS: Mapping[str, Rival] = {
    "streetai-memory": Rival("streetai", "pip install streetai-memory==0.2.0", PublishedMemory),
    "llamaindex": Rival("llama_index", "pip install 'streetai[llamaindex]'", LlamaIndexMemory),
    "langchain": Rival("langchain_classic", "pip install 'streetai[classic]'", LangChainMemory),
    "memweave": Rival("memweave", "pip install memweave==0.2.1 (needs Python 3.12)", Memweave, no_extensions),
    "mem0": Rival("mem0", "pip install mem0ai==2.2.1", Mem0),
}
"""All of them by name."""
