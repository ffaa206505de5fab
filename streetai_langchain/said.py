"""What an input or an output of a classic chain says, as text; what says nothing is refused."""

from __future__ import annotations

from collections.abc import Iterator

from langchain_core.messages import BaseMessage, HumanMessage
from pydantic import ValidationError

from streetai_core.errors import InputError
from streetai_langchain.messages import text_of


def said_text(value: object, what: str, *, instead: str) -> str:
    """What was said, as text: of whatever LangChain's own memory takes, and of a message or several.

    Nothing else is made text of: a missing input would be the words "None" of the user for good.

    Args:
        value: the input or the output.
        what: which one it is, for the error.
        instead: what to do, for the error.

    Raises:
        InputError: it is neither text nor content blocks nor messages.
    """
    if _is_messages(value):
        return text_of(value)
    # What can be read only once is the chain's to read.
    if not isinstance(value, Iterator):
        try:
            # It knows best what a message can be made of.
            return str(HumanMessage(content=value).text)  # type: ignore[call-overload]  # that is what is asked here
        except ValidationError:
            pass
    raise InputError(
        f"{what} must be text, content blocks or messages, got {type(value).__name__}; nothing is stored. {instead}"
    )


def _is_messages(value: object) -> bool:
    """Whether it is a message, or several and nothing else."""
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(one, BaseMessage) for one in value)
    return isinstance(value, BaseMessage)
