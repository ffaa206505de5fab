"""What an output parser at the end of a chain makes of its output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jsonpatch  # a dependency of langchain-core, which makes the patches with it
from langchain_core.output_parsers import BaseCumulativeTransformOutputParser, BaseLLMOutputParser
from langchain_core.runnables import Runnable, RunnableSequence, RunnableWithFallbacks
from langchain_core.runnables.base import RunnableBindingBase

from streetai_langchain.replies import added


def is_parsed(chain: Runnable[Any, Any]) -> bool:
    """Whether a chain's output is what a parser made of the reply: a dict of it is one answer, not several outputs."""
    return isinstance(_last(chain), BaseLLMOutputParser)


def joining(chain: Runnable[Any, Any]) -> Callable[[Any, Any], Any]:
    """How what a chain has streamed so far, `None` before the first piece, and its next piece make the output so far.

    Pieces are added up, but those of a parser of JSON are each all that is known, or tell what has changed: a list
    would have its first items again with each further one.
    """
    last = _last(chain)
    if not isinstance(last, BaseCumulativeTransformOutputParser):
        return added
    return _changed if last.diff else _whole


def _whole(_before: Any, piece: Any) -> Any:
    return piece


def _changed(before: Any, piece: Any) -> Any:
    """`piece` is a JSON patch (RFC 6902), as `JsonOutputParser(diff=True)` gives it."""
    return jsonpatch.apply_patch(before, piece)


def _last(chain: Runnable[Any, Any]) -> Runnable[Any, Any]:
    """The last step of a chain, without what is bound to it."""
    while isinstance(chain, RunnableSequence | RunnableBindingBase | RunnableWithFallbacks):
        if isinstance(chain, RunnableSequence):
            chain = chain.last
        else:
            chain = chain.bound if isinstance(chain, RunnableBindingBase) else chain.runnable
    return chain
