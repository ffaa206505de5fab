"""From texts to vectors: of new messages, of those that were stored while the encoder failed, and of all anew."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

import numpy as np

from streetai_core.aio import twin
from streetai_core.encoders.absent import AbsentEncoder
from streetai_core.encoders.base import Encoder
from streetai_core.encoders.refusal import refused, works
from streetai_core.errors import EncoderError, EncoderMismatchError, ModelFileError, RefusedTextsError
from streetai_core.observing.observer import observed
from streetai_core.planning.embedding import plan_embedding, plan_reencode
from streetai_core.planning.preparing import Known, Prepared, Progress, encode_all, prepare
from streetai_core.planning.writing import Addition, check_encoder, plan_add
from streetai_core.recall.looking import check_there
from streetai_core.state import MemoryState
from streetai_core.stores.base import WriteTransaction
from streetai_core.stores.types import Changes, MessageQuery
from streetai_core.types import Matrix, NewMessage, Vector
from streetai_core.verbs.renewing import Renewing
from streetai_core.verbs.stored import messages_named, messages_of, replacing_in, texts_of

KnownVectors = dict[tuple[str, int], Vector]
"""What is embedded so far, by the token of the memory, which is another one when everything was forgotten, and key."""


def vectors_in(prepared: Sequence[Prepared | None]) -> Matrix | None:
    """The vectors of messages that are about to be stored, shape (n, dim); `None` if there are none."""
    fresh = [item.vectors for item in prepared if item is not None]
    return np.concatenate(fresh) if fresh else None


class Embedding(Renewing):
    """What embeds the texts of a memory, those of new messages for storing them."""

    def _prepared(
        self,
        messages: Sequence[NewMessage],
        now: datetime,
        progress: Progress | None = None,
        known: Known | None = None,
    ) -> list[Prepared | None]:
        """Messages checked, cut and embedded; `now` is the time of those without one. Needs no lock."""
        around = self._around
        found = self._ready(messages, around.encoder, now, progress, known)
        around.outage.answered()
        self._find_common(vectors_in(found))
        return found

    def _ready(
        self,
        messages: Sequence[NewMessage],
        encoder: Encoder,
        now: datetime,
        progress: Progress | None,
        known: Known | None,
    ) -> list[Prepared | None]:
        """Messages ready to be stored, with the vectors of an encoder."""
        around = self._around
        return prepare(
            messages,
            encoder=encoder,
            config=self.config,
            counter=around.counter,
            now=now,
            progress=progress,
            known=known,
        )

    def _to_store(
        self,
        messages: Sequence[NewMessage],
        progress: Progress | None = None,
        known: Known | None = None,
        *,
        embed_later: bool = False,
    ) -> list[Prepared | None]:
        """New messages checked, cut and embedded; without vectors if the encoder is out of order, or is to come later.

        They get them beside the next messages, when it works again. Beside them words are brought up to date, too.

        Raises:
            EncoderError: the encoder failed, and they could not be found without it, or it may be set up wrong.
        """
        # Before the encoder is asked: one that fails may take minutes to do so.
        now = self._around.clock()
        if embed_later and not self._meaning_decides:
            return self._ready(messages, AbsentEncoder(self._around.encoder), now, progress, known)
        try:
            prepared = self._prepared(messages, now, progress, known)
        except EncoderError as error:
            if not self._is_outage(error):
                raise
            around, absent = self._around, AbsentEncoder(self._around.encoder)
            around.outage.failed(
                error,
                f"{len(messages)} messages are stored without vectors, and found by their words until it works again",
                stored=len(messages),
            )
            prepared = self._ready(messages, absent, now, progress, known)
        else:
            self._catch_up()
        self._renew_some()
        return prepared

    def _plan_add(
        self, transaction: WriteTransaction, state: MemoryState, prepared: Sequence[Prepared | None]
    ) -> Addition:
        """The plan that stores those messages that are not there yet."""
        ids = [item.message.message_id for item in prepared if item is not None and item.message.message_id]
        known = messages_named(transaction, ids)
        around = self._around
        return plan_add(
            state,
            prepared,
            known,
            replacing=replacing_in(transaction, state, self._common(state, vectors_in(prepared))),
            words=transaction.words,
            encoder=around.encoder,
            config=self.config,
        )

    @property
    def _meaning_decides(self) -> bool:
        """Whether what has no vector is not found."""
        return self.config.ranking == "product" or self.config.strategy == "vector"

    def _is_outage(self, error: EncoderError) -> bool:
        """Whether an encoder has failed that works at other times, and words find something too."""
        if isinstance(error, EncoderMismatchError | ModelFileError) or self._meaning_decides:
            return False
        encoder = self._around.encoder
        if encoder.has_worked:
            return True
        with self._coherent.reading() as (_, state):
            made_by = None if state is None else state.head.encoder
        with suppress(EncoderError):
            return made_by is not None and encoder.made(made_by)
        return False

    def _catch_up(self) -> None:
        """Give some signals their vectors that could not be embedded when they were stored: the encoder works again.

        One thread of a process does so at a time.
        """
        late = self._open.late
        if not late.lock.acquire(blocking=False):
            return
        try:
            late.stored()
            self._beside(
                late.waiting,
                self._embed_some,
                "signals that were stored while the encoder failed have no vectors yet",
                # In an outage, when the new messages had their vectors out of the cache, that was told before.
                level=logging.DEBUG if self._around.outage.lasts else logging.WARNING,
            )
        finally:
            late.lock.release()

    def _embed_some(self) -> int | None:
        """Embed the newest signals that have no vector, in a transaction of their own.

        Returns:
            How many got one; `None` if none waits for one.
        """
        encoder, late = self._around.encoder, self._open.late
        # Whose the other vectors are, that of a framework may have to embed something to tell: before anybody waits.
        self._to_compare()
        with self._coherent.reading() as (transaction, state):
            if state is None:
                return None
            check_encoder(state.head, encoder)
            keys = late.next(state)
            if not keys:
                return None
            token = state.head.token
            sequences = state.columns.column("sequence")[state.columns.rows(keys)].tolist()
            every = texts_of(state, messages_of(transaction, list(dict.fromkeys(sequences))).values())
        try:
            vectors = encode_all([every[key] for key in keys], encoder, self.config)
        except EncoderError:
            late.failed(keys)
            raise
        embedded = {key: row for row, key in enumerate(keys) if vectors[row].any()}
        late.embedded(meaningless=set(keys) - embedded.keys())
        fresh = vectors[list(embedded.values())]
        self._find_common(fresh)

        def plan(transaction: WriteTransaction, now: MemoryState) -> tuple[Changes | None, int]:
            check_encoder(now.head, encoder)
            # Another process may have been quicker, or somebody has deleted or edited the message.
            left = [key for key in embedded if key in now.columns.without_vector]
            # Or forgotten everything, and begun anew with the same keys.
            if not left or now.head.token != token:
                return None, 0
            sequences = now.columns.column("sequence")[now.columns.rows(left)].tolist()
            return plan_embedding(
                now,
                left,
                vectors[[embedded[key] for key in left]],
                messages=messages_of(transaction, list(dict.fromkeys(sequences))),
                replacing=replacing_in(transaction, now, self._common(now, fresh)),
                words=transaction.words,
                config=self.config,
            ), len(left)

        if not embedded:
            return 0
        with self._coherent.written(plan) as (count, _):
            return count

    @observed(lambda signals: {"signals": signals}, "write")
    def reencode(self, *, only_missing: bool = False, progress: Progress | None = None) -> int:
        """Embed the whole memory anew with this registry's encoder; weights, texts and clocks stay.

        Args:
            only_missing: embed what has no vector yet, because the encoder failed when it was stored, and nothing else.
                It is done in steps, each of which stays; and what it has helped to answer is kept, which goes with the
                old vectors else.
            progress: called with (signals embedded so far, signals in all).

        Returns:
            How many signals got a new vector.

        Raises:
            RefusedTextsError: the model works, and refuses some texts, which the error names. With `only_missing` all
                others have their vectors; else nothing was changed.
            EncoderError: the model failed.
            EncoderMismatchError: `only_missing`, and the other vectors are of another encoder.
        """
        if only_missing:
            return self._completed(progress)
        known: KnownVectors = {}
        # Each time that others were quicker, and what they have stored is embedded too.
        while (count := self._reencoded(known, progress)) is None:
            pass
        return count

    def _completed(self, progress: Progress | None) -> int:
        """How many signals that had no vector got one."""
        late = self._open.late
        with late.lock:
            late.try_all()
            done, whole = 0, self._lacking()
            refusal: EncoderError | None = None
            while True:
                try:
                    count = self._embed_some()
                except (EncoderMismatchError, ModelFileError):
                    raise
                except EncoderError as error:
                    if not works(self._around.encoder):
                        raise
                    # It is among fewer next time, and alone in the end.
                    refusal = error
                    continue
                if count is None:
                    break
                done += count
                if progress is not None:
                    progress(min(done, whole), whole)
            failed = late.refused
        if failed:
            self._refuse(failed, done, "All others have their vectors. These are found by their words", refusal)
        return done

    def _refuse(self, keys: Collection[int], embedded: int, so: str, cause: EncoderError | None) -> None:
        """Tell whose texts the model refuses.

        Raises:
            RefusedTextsError: some of these signals are still there.
        """
        with self._coherent.reading() as (transaction, state):
            if state is None:
                return
            there = [key for key in keys if key in state.columns]
            sequences = sorted(set(state.columns.column("sequence")[state.columns.rows(there)].tolist()))
            ids = tuple(message.message_id for message in messages_of(transaction, sequences).values())
        if ids:
            so = f"{so}; edit or forget them, or embed the memory with another encoder."
            raise RefusedTextsError(self.memory_id, ids, embedded, so) from cause

    def _lacking(self) -> int:
        """How many signals have no vector."""
        with self._coherent.reading() as (_, state):
            return 0 if state is None else len(state.columns.without_vector)

    def _reencoded(self, known: KnownVectors, progress: Progress | None) -> int | None:
        """How many signals got a new vector; `None` if others have written meanwhile, and some would not have one.

        What is embedded is put with what is `known`, so that the next time only what is new has to be.
        """
        with self._coherent.reading() as (transaction, state):
            if state is None or not len(state.columns):
                return 0
            token = state.head.token
            messages = transaction.messages(MessageQuery())
            check_there({one.sequence: one for one in messages}, state.columns.column("sequence").tolist())
            texts = texts_of(state, messages)
        self._embed_unknown(token, texts, known, progress)

        def plan(_: WriteTransaction, now: MemoryState) -> tuple[Changes | None, int | None]:
            keys = [key for key in texts if key in now.columns]
            # Keys begin anew in a memory in which everything was forgotten meanwhile.
            if now.head.token != token or len(keys) != len(now.columns):
                return None, None
            encoder = self._around.encoder
            vectors = np.array([known[token, key] for key in keys], dtype=np.float32).reshape(-1, encoder.dim)
            return plan_reencode(now, keys, vectors, encoder=encoder, config=self.config), len(keys)

        with self._coherent.written(plan) as (count, _):
            # The arrays have another width now.
            self._coherent.forget()
            return count

    def _embed_unknown(
        self, token: str, texts: Mapping[int, str], known: KnownVectors, progress: Progress | None
    ) -> None:
        """Embed those of the texts of a memory's signals whose vectors are not known yet.

        Raises:
            RefusedTextsError: the model works, and refuses some of them.
            EncoderError: it failed.
        """
        encoder = self._around.encoder
        keys = [key for key in texts if (token, key) not in known]
        before = len(texts) - len(keys)

        def further(done: int, _: int) -> None:
            if progress is not None:
                progress(before + done, len(texts))

        try:
            vectors = encode_all([texts[key] for key in keys], encoder, self.config, further)
        except EncoderError as error:
            # If it works for all others it is none of the model's faults.
            failed = [keys[one] for one in refused([texts[key] for key in keys], encoder)]
            self._refuse(failed, 0, "The memory is as it was", error)
            raise
        known |= {(token, key): vector for key, vector in zip(keys, vectors, strict=True)}

    areencode = twin(reencode, writes=True)
