"""StreetAI Memory for LlamaIndex.

from streetai_llamaindex import StreetAIChatMemoryBuffer

memory = StreetAIChatMemoryBuffer.from_defaults(path="memory.db", session_id="user-42")
engine = index.as_chat_engine(chat_mode="context", memory=memory)
engine.chat("What did I say about my dog?")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from streetai_core.errors import MissingExtraError

if TYPE_CHECKING:
    from streetai_llamaindex.block import StreetAIMemoryBlock
    from streetai_llamaindex.buffer import StreetAIChatMemoryBuffer
    from streetai_llamaindex.chat_store import StreetAIChatStore
    from streetai_llamaindex.handlers import StreetAICallbackHandler
    from streetai_llamaindex.instrumentation import StreetAIInstrumentation
    from streetai_llamaindex.memory import StreetAIMemory
    from streetai_llamaindex.retriever import StreetAIRetriever
    from streetai_llamaindex.turns import TurnReport

__all__ = [
    "StreetAICallbackHandler",
    "StreetAIChatMemoryBuffer",
    "StreetAIChatStore",
    "StreetAIInstrumentation",
    "StreetAIMemory",
    "StreetAIMemoryBlock",
    "StreetAIRetriever",
    "TurnReport",
]

_MODULES = {
    "StreetAICallbackHandler": "streetai_llamaindex.handlers",
    "StreetAIChatMemoryBuffer": "streetai_llamaindex.buffer",
    "StreetAIChatStore": "streetai_llamaindex.chat_store",
    "StreetAIInstrumentation": "streetai_llamaindex.instrumentation",
    "StreetAIMemory": "streetai_llamaindex.memory",
    "StreetAIMemoryBlock": "streetai_llamaindex.block",
    "StreetAIRetriever": "streetai_llamaindex.retriever",
    "TurnReport": "streetai_llamaindex.turns",
}


def __getattr__(name: str) -> object:
    """Import the module of a public name at its first use: LlamaIndex takes more than a second.

    Raises:
        MissingExtraError: LlamaIndex is not installed.
    """
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(_MODULES[name])
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "llama_index":
            raise
        raise MissingExtraError("llama-index-core", "llamaindex") from error
    value = globals()[name] = getattr(module, name)
    return value


def __dir__() -> list[str]:
    """The public names, imported or not."""
    return sorted({*globals(), *__all__})
