"""Replies and rewordings made without a model, from questions and their gold answers."""

from __future__ import annotations

import re

_OPENING = re.compile(
    r"^(?:(?:who|whom|whose|what|when|where|which|why|how(?: many| much| long| often| old)?|did|does|do|is|are|was|"
    r"were|has|have|had|can|could|will|would|should)\b[\s,]*)+",
    re.IGNORECASE,
)
"""The words that make a sentence a question."""


def terse(answer: str) -> str:
    """The answer alone."""
    return answer.strip()


def echoing(question: str, answer: str) -> str:
    """The question's words turned into a statement, with the answer."""
    return f"{statement(question)}: {answer.strip().rstrip('.')}."


def reworded(question: str) -> str:
    """The same question in another form: asked for as a topic, not with its question words and not in its order.

    Sentence halves change places at the middle; a model of meaning sees the same content in other words around it.
    """
    words = statement(question).split()
    middle = len(words) // 2
    return f"Please remind me of this once more: {' '.join([*words[middle:], *words[:middle]])}"


def statement(question: str) -> str:
    """The question without its question words and its mark; as it is if nothing else would be left."""
    plain = question.strip().rstrip("?").strip()
    rest = _OPENING.sub("", plain)
    return (rest or plain)[:1].upper() + (rest or plain)[1:]
