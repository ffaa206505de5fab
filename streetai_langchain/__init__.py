"""StreetAI Memory for LangChain.

from langchain_classic.chains import ConversationChain
from streetai_langchain import StreetAIMemory

with StreetAIMemory("memory.db") as memory:
    chain = ConversationChain(llm=model, memory=memory.classic("session-1"))
    chain.invoke({"input": "I am vegetarian."})

Importing this needs langchain-core only; what is built on another package is imported when its name is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from streetai_core.errors import MissingExtraError

if TYPE_CHECKING:
    from streetai_langchain.callbacks import StreetAICallbackHandler
    from streetai_langchain.chat_history import StreetAIChatMessageHistory
    from streetai_langchain.classic import StreetAIChainMemory, Turn
    from streetai_langchain.memory import StreetAIMemory
    from streetai_langchain.middleware import StreetAIMemoryMiddleware
    from streetai_langchain.retrievers import StreetAIRetriever
    from streetai_langchain.runnables import StreetAIRunnable

__all__ = [
    "StreetAICallbackHandler",
    "StreetAIChainMemory",
    "StreetAIChatMessageHistory",
    "StreetAIMemory",
    "StreetAIMemoryMiddleware",
    "StreetAIRetriever",
    "StreetAIRunnable",
    "Turn",
]

_MODULES = {
    "StreetAICallbackHandler": "streetai_langchain.callbacks",
    "StreetAIChainMemory": "streetai_langchain.classic",
    "StreetAIChatMessageHistory": "streetai_langchain.chat_history",
    "StreetAIMemory": "streetai_langchain.memory",
    "StreetAIMemoryMiddleware": "streetai_langchain.middleware",
    "StreetAIRetriever": "streetai_langchain.retrievers",
    "StreetAIRunnable": "streetai_langchain.runnables",
    "Turn": "streetai_langchain.classic",
}


def __getattr__(name: str) -> object:
    """Import the module of a public name at its first use.

    Raises:
        MissingExtraError: the name needs a package that is not installed.
    """
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(_MODULES[name])
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "langchain_core":
            raise
        raise MissingExtraError("langchain-core", "langchain") from error
    value = globals()[name] = getattr(module, name)
    return value


def __dir__() -> list[str]:
    """The public names, imported or not."""
    return sorted({*globals(), *__all__})
