"""Whether the encoder is still the one that made the vectors."""

from __future__ import annotations

from streetai_core.aio import twin
from streetai_core.conductor import Conductor
from streetai_core.verbs.stored import messages_of, texts_of

SAME = 0.999
"""Cosine from which two vectors of one text come from the same weights; other hardware moves the last bits only."""


class Verifying(Conductor):
    """The verb that asks the encoder about a text that it knows."""

    def encoder_agreement(self) -> float | None:
        """Cosine of the newest stored vector with what the encoder makes of its text today, -1 to 1.

        A fingerprint cannot tell the weights of a model that runs elsewhere, or under an old name. Below 0.999 the
        stored vectors are not those of this encoder: call `reencode`.

        Returns:
            `None` if there is nothing to compare, or the fingerprints differ already.

        Raises:
            EncoderError: the model failed.
        """
        encoder = self._around.encoder
        with self._coherent.reading() as (transaction, state):
            if state is None or not len(state.columns):
                return None
            made_by = state.head.encoder
            # What has no vector tells nothing: it was stored while the encoder failed, or means nothing to it.
            compared = set(state.columns.keys.tolist()) - state.columns.without_vector
            if not compared:
                return None
            newest = max(compared)
            stored = state.columns.vectors_of(state.columns.rows([newest]))[0]
            sequences = state.columns.column("sequence")[state.columns.rows([newest])].tolist()
            text = texts_of(state, messages_of(transaction, sequences).values())[newest]
        # Here, where nobody waits for this memory: that of a framework may have to embed something to tell.
        if made_by != encoder.fingerprint:
            return None
        # Past the cache, which may have the vector from before.
        embedded = getattr(encoder, "wrapped", encoder).encode([text], "document")[0]
        return float(stored @ embedded)

    aencoder_agreement = twin(encoder_agreement)
