"""What concerns every memory of a database: whether its vectors are the encoder's, and embedding it anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from streetai_core.encoders.base import Encoder
from streetai_core.errors import EncoderError, RefusedTextsError, StoreError
from streetai_core.memory import Memory
from streetai_core.planning.preparing import Progress
from streetai_core.stores.base import Store
from streetai_core.upkeep.doctor import examine
from streetai_core.upkeep.health import SEVERITIES, Finding, Health, MemoryHealth
from streetai_core.verbs.verifying import SAME


def health_of(path: str, encoder: Encoder, memory_of: Callable[[str], Memory]) -> Health:
    """What `examine` finds in a database, and whether each memory's vectors are those that the encoder makes today.

    Args:
        path: of the database.
        encoder: with which its memories are used.
        memory_of: opens one, without displacing those in use.
    """
    try:
        health = examine(path, encoder=encoder.fingerprint)
        problems = [_disagreement(memory, memory_of) for memory in health.memories if memory.whole]
    except EncoderError as error:
        health = examine(path)
        problems = [
            Finding(
                severity="problem",
                what=f"the encoder cannot be used: {error}",
                advice="Mend that; until then questions are answered by words alone, and nothing can be stored.",
            )
        ]
    found = [*(one for one in problems if one is not None), *health.findings]
    return replace(health, findings=tuple(sorted(found, key=lambda one: SEVERITIES.index(one.severity))))


def reencode_each(
    ids: Sequence[str], store: Store, encoder: Encoder, memory_of: Callable[[str], Memory], progress: Progress | None
) -> list[str]:
    """Embed memories anew; see `MemoryRegistry.reencode_all`.

    Args:
        ids: of the memories.
        store: where they are.
        encoder: that of which they shall have their vectors.
        memory_of: opens one.
        progress: called with (memories looked at so far, memories in all).

    Returns:
        The ids of those that got new vectors.

    Raises:
        EncoderError: the model failed.
        RefusedTextsError, StoreError: the first that a memory raised, after all others were done.
    """
    done: list[str] = []
    failed: StoreError | RefusedTextsError | None = None
    fingerprint = encoder.fingerprint
    for number, memory_id in enumerate(ids, 1):
        try:
            with store.reading(memory_id) as transaction:
                head = transaction.head
            if head is not None and head.encoder is not None:
                complete = head.encoder == fingerprint
                if memory_of(memory_id).reencode(only_missing=complete) or not complete:
                    done.append(memory_id)
        except (StoreError, RefusedTextsError) as error:
            failed = failed or error
        if progress is not None:
            progress(number, len(ids))
    if failed is not None:
        raise failed
    return done


def _disagreement(health: MemoryHealth, memory_of: Callable[[str], Memory]) -> Finding | None:
    """The finding about vectors that the encoder would not make today, though it has the same name."""
    try:
        agreement = memory_of(health.memory_id).encoder_agreement()
    except StoreError:
        # Damaged or locked since it was examined a moment ago; the next examination says so.
        return None
    if agreement is None or agreement >= SAME:
        return None
    return Finding(
        severity="problem",
        what=f"the encoder {health.encoder!r} has other weights than the one of this name that made the vectors of "
        f"memory {health.memory_id!r} (cosine {agreement:.3f})",
        advice=f"Use the old one, or embed anew with: registry.get({health.memory_id!r}).reencode()",
        memory_id=health.memory_id,
    )
