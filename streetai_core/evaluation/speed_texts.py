"""What memories are filled with when they are timed: made-up texts, or those of recorded conversations."""

from __future__ import annotations

import random
from typing import Protocol

from streetai_core.encoders.base import Encoder
from streetai_core.errors import InputError
from streetai_core.evaluation.datasets import Dataset
from streetai_core.evaluation.embedding_cache import DiskCachedEncoder
from streetai_core.evaluation.speed import made_up_texts
from streetai_core.evaluation.speed_vectors import RecordedEncoder, TopicEncoder


class TimedTexts(Protocol):
    """Texts and their vectors, the same at every call."""

    @property
    def name(self) -> str:
        """What a report calls them."""

    def stored(self, count: int) -> list[str]:
        """What a memory is filled with."""

    def fresh(self, count: int, seed: str) -> list[str]:
        """What is added or asked then; none of it is among what is stored."""

    def encoder(self, size: int) -> Encoder:
        """What embeds them, without a model, for memories of `size` texts."""


class MadeUpTexts:
    """Made-up words; vectors by a formula, so that no model takes part."""

    name = "topics"

    def stored(self, count: int) -> list[str]:
        """No two of them are equal."""
        return made_up_texts(count)

    def fresh(self, count: int, seed: str) -> list[str]:
        """None of them is stored."""
        return made_up_texts(count, seed=seed)

    def encoder(self, size: int) -> Encoder:
        """The formula."""
        return TopicEncoder(size)


class RecordedTexts:
    """Messages of recorded conversations, in their order; where more are needed, again with their words shuffled.

    Args:
        dataset: the conversations.
        encoder: encodes all messages, before anything is timed.

    Raises:
        InputError: there is no message.
    """

    def __init__(self, dataset: Dataset, encoder: DiskCachedEncoder) -> None:
        self.name = f"{dataset.name}, {encoder.fingerprint}"
        self._said = [message.text for recording in dataset.recordings for message in recording.messages]
        if not self._said:
            raise InputError("the conversations have no messages to fill a memory with")
        self._vectors = encoder.encode(self._said)
        self._source = encoder.fingerprint
        encoder.save()

    def stored(self, count: int) -> list[str]:
        """As they were said, and then in another order of words, round after round."""
        rounds = 1 + count // len(self._said)
        later = (_shuffled(text, f"{turn}") for turn in range(1, rounds) for text in self._said)
        return [*self._said, *later][:count]

    def fresh(self, count: int, seed: str) -> list[str]:
        """Any of them in another order of words, with a word of their own."""
        chosen = random.Random(seed)  # noqa: S311 - not for secrets
        return [f"{_shuffled(chosen.choice(self._said), seed)} {seed} {number}" for number in range(count)]

    def encoder(self, size: int) -> Encoder:  # noqa: ARG002 - what was said is for any size
        """The vectors of what was said."""
        return RecordedEncoder(self._said, self._vectors, self._source)


def _shuffled(text: str, seed: str) -> str:
    words = text.split()
    random.Random(f"{seed} {text}").shuffle(words)  # noqa: S311 - not for secrets
    return " ".join(words)
