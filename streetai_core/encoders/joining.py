"""Calls of a model from several threads at once, made fewer: those that wait are answered together.

A call takes milliseconds whatever its texts, so that eight short questions take half of the time together that they
take one by one. Nobody waits for others to come: whoever finds a processor idle begins at once, and only those that
have to wait for one go together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import TypeAlias

from streetai_core.encoders.base import InputKind
from streetai_core.forking import fork_safe_lock, renew_in_child
from streetai_core.types import Matrix
from streetai_core.workers import elsewhere

Embed: TypeAlias = Callable[[Sequence[str], InputKind], Matrix]
"""Embeds at least one text in one batch."""

MOST_TEXTS = 8
"""In a joined call. With 16 each takes a twentieth less, and the first of them waits twice as long."""


@dataclass(eq=False, slots=True)
class _Call:
    """What one thread wants, and what became of it."""

    texts: Sequence[str]
    kind: InputKind
    told: Event = field(default_factory=Event)
    """Set when there is an answer, or when it is this thread that has to make it."""
    batch: list[_Call] | None = None
    """The calls that this thread answers, its own first."""
    rows: Matrix | None = None
    error: Exception | None = None

    @property
    def is_answered(self) -> bool:
        return self.rows is not None or self.error is not None


class JoinedCalls:
    """Embeds as `embed` does, with at most `at_once` calls of it at a time.

    Args:
        embed: the model. What it gives for a text must not depend on the others in a batch, but for rounding.
        go_together: whether texts of these lengths, in characters, are quicker in one batch than in several.
        at_once: how many calls run at the same time, from 1.
    """

    def __init__(self, embed: Embed, go_together: Callable[[Sequence[int]], bool], at_once: int) -> None:
        self._embed = embed
        self._go_together = go_together
        self._at_once = at_once
        self._lock = fork_safe_lock()
        self._begin_anew()
        renew_in_child(self, JoinedCalls._begin_anew)

    def embed(self, texts: Sequence[str], kind: InputKind) -> Matrix:
        """Embeddings of at least one text, shape (len(texts), dim); errors as of the model.

        A call that fails with others is made again without them, so that nobody gets the error of another one's text.
        """
        call = _Call(texts, kind)
        with self._lock:
            if self._running < self._at_once:
                self._running += 1
                call.batch = [call]
            else:
                self._waiting.append(call)
        try:
            with elsewhere():
                if call.batch is None:
                    call.told.wait()
                if call.batch is not None:
                    self._run(call.batch)
        finally:
            # Not before this thread may compute again: where Python is what all wait for, the model need not hurry, and
            # more calls go together.
            self._leave(call)
        if call.error is not None:
            raise call.error
        if call.rows is None:
            raise RuntimeError("a joined call ended without an answer")
        return call.rows

    def _begin_anew(self) -> None:
        """Forget what runs and waits: after a fork the child has none of its parent's threads."""
        self._running = 0
        self._waiting: list[_Call] = []

    def _leave(self, call: _Call) -> None:
        """Let others have what a thread still has: its processor, or the place in the queue of one that gave up."""
        with self._lock:
            if call.batch is not None:
                # Left over only if this thread was interrupted.
                self._waiting[:0] = [one for one in call.batch[1:] if not one.is_answered]
                self._hand_over()
            elif call in self._waiting:
                self._waiting.remove(call)

    def _run(self, batch: Sequence[_Call]) -> None:
        try:
            rows = self._embed([text for one in batch for text in one.texts], batch[0].kind)
        except Exception as error:  # noqa: BLE001 - raised again by the threads that it belongs to
            if len(batch) > 1:
                for one in batch:
                    self._run([one])
                return
            batch[0].error = error
        else:
            start = 0
            for one in batch:
                one.rows = rows[start : start + len(one.texts)]
                start += len(one.texts)
        for one in batch:
            one.told.set()

    def _hand_over(self) -> None:
        """Give the processor to the thread that has waited longest, with what goes along; the lock is held."""
        if not self._waiting:
            self._running -= 1
            return
        first = self._waiting.pop(0)
        first.batch = [first]
        lengths = [len(text) for text in first.texts]
        for other in list(self._waiting):
            more = [*lengths, *(len(text) for text in other.texts)]
            if other.kind == first.kind and len(more) <= MOST_TEXTS and self._go_together(more):
                self._waiting.remove(other)
                first.batch.append(other)
                lengths = more
        first.told.set()
