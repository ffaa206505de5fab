"""What an output parser at the end of a chain makes of its output."""

from __future__ import annotations

from typing import Any

from langchain_core.output_parsers import BaseCumulativeTransformOutputParser, BaseLLMOutputParser
from langchain_core.runnables import Runnable, RunnableSequence, RunnableWithFallbacks
from langchain_core.runnables.base import RunnableBindingBase


def is_parsed(chain: Runnable[Any, Any]) -> bool:
    """Whether a chain's output is what a parser made of the reply: a dict of it is one answer, not several outputs."""
    return isinstance(_last(chain), BaseLLMOutputParser)


def gives_whole(chain: Runnable[Any, Any]) -> bool:
    """Whether each piece that a chain streams is its output as far as it is known, as with a parser of JSON.

    Such pieces must not be added up: a list would have its first items again with each further one.
    """
    last = _last(chain)
    return isinstance(last, BaseCumulativeTransformOutputParser) and not last.diff


def _last(chain: Runnable[Any, Any]) -> Runnable[Any, Any]:
    """The last step of a chain, without what is bound to it."""
    while isinstance(chain, RunnableSequence | RunnableBindingBase | RunnableWithFallbacks):
        if isinstance(chain, RunnableSequence):
            chain = chain.last
        else:
            chain = chain.bound if isinstance(chain, RunnableBindingBase) else chain.runnable
    return chain
