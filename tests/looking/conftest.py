"""The bundled conversation in a memory with the real model."""

import pytest

from streetai_core import MemoryRegistry
from streetai_core.evaluation.conversations import sample_conversation
from streetai_core.stores.reference import ReferenceStore


@pytest.fixture(scope="module")
def harbour(real_encoder):
    """The memory; nobody changes it."""
    memory = MemoryRegistry(ReferenceStore(), encoder=real_encoder).get("mara")
    memory.add_messages(sample_conversation().messages)
    return memory
