"""Words rows by older rules, made anew: some beside each call that stores, or all at once, with those that are lost."""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import islice

import numpy as np

from streetai_core.aio import twin
from streetai_core.conductor import Conductor
from streetai_core.errors import StreetAIError
from streetai_core.index.words import WordIndex
from streetai_core.observing.observer import observed
from streetai_core.planning.preparing import Progress
from streetai_core.planning.renewing import plan_lost, plan_renewal
from streetai_core.planning.words import RULES
from streetai_core.state import MemoryState
from streetai_core.stores.base import WriteTransaction
from streetai_core.stores.types import Changes
from streetai_core.verbs.stored import messages_of

_log = logging.getLogger(__name__)

_SOME = 8
"""Messages whose words are made anew with one call that stores: four milliseconds, and four for the transaction."""

_MANY = 512
"""Messages whose words are made anew in one transaction where nothing else is done."""

_CHARACTERS = 250_000
"""Characters of the messages whose words are made anew in one transaction, a quarter of a second: whoever else stores
waits for it, and thirty documents of two megabytes take half a minute. A longer message has one of its own."""


class Renewing(Conductor):
    """What brings up to date how a memory's messages are found by their words, after the rules for it have changed."""

    def _beside(
        self,
        left: Callable[[MemoryState], object],
        work: Callable[[], object],
        why: str,
        *,
        level: int = logging.WARNING,
    ) -> None:
        """Do some of what is left to do from before, beside a call that stores.

        What fails is logged, and left for the next time: whoever stores a message has nothing to do with it. Where the
        memory cannot be read, the call itself fails, and says so.

        Args:
            left: what is left, as far as it is known, without a look at the store where possible; if nothing, that is
                all.
            work: does some of it.
            why: what the log says where that fails.
            level: at which it says so.
        """
        try:
            known = self._coherent.known or self._as_stored()
        except StreetAIError:
            return
        if known is None or not left(known):
            return
        try:
            work()
        except StreetAIError:
            _log.log(level, why, exc_info=True)

    def _renew_some(self) -> None:
        """Apply this version's rules for words to some messages that were stored under older ones."""
        self._beside(
            lambda state: state.words.count_before(RULES),
            lambda: self._renewed(_SOME),
            "messages that an older version has stored are not found by all of their words yet",
        )

    def _renewed(self, most: int) -> int:
        """Apply this version's rules for words to the newest messages stored under older ones, `most` at most.

        Returns:
            How many messages that were.
        """
        if not self._outdated():
            return 0

        def plan(transaction: WriteTransaction, state: MemoryState) -> tuple[Changes | None, int]:
            # Read under the lock: somebody may have edited a message, with rules that are old too.
            sequences = _some(state.words, most)
            if not sequences:
                return None, 0
            rows, messages = transaction.words(sequences), messages_of(transaction, sequences)
            return plan_renewal(state.head, rows, messages), len(rows)

        with self._coherent.written(plan) as (count, _):
            return count

    def _restored(self, most: int) -> int:
        """Make words rows that another program has deleted, or that a salvage could not save, `most` at most.

        Returns:
            How many messages had none.
        """
        with self._coherent.reading() as (_, state):
            if state is None or not _lost(state, 1):
                return 0

        def plan(transaction: WriteTransaction, state: MemoryState) -> tuple[Changes | None, int]:
            messages = messages_of(transaction, _lost(state, most))
            return (plan_lost(state.head, messages), len(messages)) if messages else (None, 0)

        with self._coherent.written(plan) as (count, _):
            return count

    def _outdated(self) -> int:
        """How many messages have words by older rules; those in quarantine are in no index, and do not count."""
        with self._coherent.reading() as (_, state):
            return 0 if state is None else state.words.count_before(RULES)

    @observed(lambda messages: {"messages": messages}, "write")
    def renew_words(self, *, progress: Progress | None = None) -> int:
        """Apply this version's rules for words and days to all messages that an older version has stored.

        That happens by itself, to some messages with each call that stores; this does it to all at once
        (`stats()["outdated_words"]`). It needs no encoder; weights, clocks and what replaces what stay. Interrupted, it
        goes on with the next call. What a newer version has stored is left alone. Messages that have lost their words,
        as `doctor` tells, get them again.

        Args:
            progress: called with (messages done so far, messages in all).

        Returns:
            How many messages were read anew.
        """
        done, every = 0, self._outdated()
        while count := self._renewed(_MANY) or self._restored(_MANY):
            done += count
            if progress is not None:
                progress(done, max(done, every))
        if done:
            # Most of what the index holds in RAM is of before now.
            self._coherent.forget()
        return done

    arenew_words = twin(renew_words, writes=True)


def _some(words: WordIndex, most: int) -> list[int]:
    """Sequences of the newest messages with words by older rules, `most` at most, ascending; fewer if they are long."""
    newest = words.told_before(RULES)[-most:]
    sizes = words.column("characters")[words.rows_of(newest)]
    fitting = int((np.cumsum(sizes[::-1]) <= _CHARACTERS).sum())
    some: list[int] = newest[-max(1, fitting) :].tolist()
    return some


def _lost(state: MemoryState, most: int) -> list[int]:
    """Sequences of messages with signals and without words, `most` at most; what is in quarantine is in no index."""
    said = np.setdiff1d(state.columns.column("sequence"), state.words.column("sequence"))
    lost = (sequence for sequence in said.tolist() if sequence not in state.hidden)
    return list(islice(lost, most))
