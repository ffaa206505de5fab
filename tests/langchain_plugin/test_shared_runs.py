"""Several facades over one database: a run that has a handler of each is learned from once."""

from contextlib import ExitStack

import pytest
from langchain_core.runnables import RunnableParallel

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_core.stores.reference import ReferenceStore
from streetai_langchain import StreetAICallbackHandler, StreetAIMemory
from streetai_langchain.open_runs import runs_of
from tests.langchain_plugin.conftest import QUESTION, REPLY, seed
from tests.langchain_plugin.test_callbacks import MARA, chain, lessons, once, speaker
from tests.langchain_plugin.ways import abatch, ainvoke, astream, batch, invoke, stream


@pytest.fixture(params=["one registry", "two registries on one file", "two registries on one store"])
def facades(request, tmp_path):
    """Two facades over one database."""
    with ExitStack() as stack:
        path = ReferenceStore() if "store" in request.param else tmp_path / "memory.db"
        registries = [
            stack.enter_context(MemoryRegistry(path, encoder=HashingEncoder()))
            for _ in range(1 if request.param == "one registry" else 2)
        ]
        seed(registries[0])
        yield StreetAIMemory(registries[0]), StreetAIMemory(registries[-1])


@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream, batch, abatch])
async def test_handlers_of_two_facades_learn_once(facades, way):
    """6.10: two parts of an application that do not know of each other attach their handlers to one run."""
    first, second = facades
    config = {**MARA, "callbacks": [first.callback_handler(), second.callback_handler()]}
    with second.track():
        assert await way(chain(first, speaker()), QUESTION, config) == REPLY

    assert lessons(first.registry.get("mara")) == once(first)
    assert len(first._runs) == len(second._runs) == 0


async def test_two_databases_each_learn_of_their_own(tmp_path):
    """6.10: equal ids of memories in two files are two memories, and neither learns of the other's documents."""
    with ExitStack() as stack:
        opened = [
            stack.enter_context(StreetAIMemory(tmp_path / f"{name}.db", embeddings=HashingEncoder())) for name in "ab"
        ]
        memories = [seed(streetai.registry) for streetai in opened]
        both = RunnableParallel(a=opened[0].retriever(k=2), b=opened[1].retriever(k=2)) | (
            lambda found: found["a"] + found["b"]
        )
        config = {**MARA, "callbacks": [streetai.callback_handler() for streetai in opened]}
        await ainvoke(chain(opened[0], speaker(), both), QUESTION, config)

        assert [lessons(memory) for memory in memories] == [once(streetai) for streetai in opened]


def test_a_table_lives_as_long_as_somebody_has_it(tmp_path):
    """6.10: a handler of one's own shares it with the facade's, and nothing is left when all are gone."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder()) as registry:
        streetai = StreetAIMemory(registry)
        assert StreetAICallbackHandler(registry).runs is streetai.callback_handler().runs is runs_of(registry.store)
    with MemoryRegistry(tmp_path / "other.db", encoder=HashingEncoder()) as other:
        assert runs_of(other.store) is not streetai.callback_handler().runs
