"""`StreetAIRetriever`: documents from the right memory, in every way that LangChain asks."""

import json

import pytest
from langchain_core.documents import Document
from pydantic import ValidationError

from streetai_core import Config, MemoryRegistry, PostProcessor, RecallFilter, Strategy
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import InputError, ProcessorError
from streetai_langchain import StreetAIMemory, StreetAIRetriever
from tests.langchain_plugin.conftest import DIARY, QUESTION, seed
from tests.langchain_plugin.ways import WAYS

MARA = {"configurable": {"user_id": "mara", "session_id": "s1"}}
DRAUGHT = DIARY[2][1]


@pytest.mark.parametrize("way", WAYS)
async def test_every_way_finds_the_same(diary, streetai, way):
    """6.3, 6.4: The session comes from the run's config, whoever passes it on."""
    documents = await way(streetai.retriever(), QUESTION, MARA)

    assert len(documents) == 4
    assert documents[0].page_content == DRAUGHT
    assert [document.id for document in documents] == [
        document.id for document in streetai.retriever("x", user_id="mara").invoke(QUESTION)
    ]


async def test_a_batch_has_a_session_for_each_item(diary, streetai):
    """6.3: Neither the thread pool nor the event loop mixes them up."""
    streetai.registry.get("anna").add_message("My boat has a draught of two metres.", "user")
    configs = [MARA, {"configurable": {"thread_id": "anna"}}] * 10

    for found in (
        streetai.retriever(k=1).batch([QUESTION] * 20, configs),
        await streetai.retriever(k=1).abatch([QUESTION] * 20, configs),
    ):
        assert [document.page_content for [document] in found] == [DRAUGHT, "My boat has a draught of two metres."] * 10


def test_a_document_says_where_it_is_from(diary, streetai):
    """The id is the signal's; the metadata has what a later step needs to filter, to show, and to learn."""
    [document] = streetai.retriever(k=1).invoke(QUESTION, MARA)

    message = diary.messages()[2]
    [hit] = diary.retrieve(QUESTION, limit=1)
    assert document == Document(
        id=hit.signal.signal_id,
        page_content=DRAUGHT,
        metadata={
            "signal_id": hit.signal.signal_id,
            "message_id": message.message_id,
            "score": hit.score,
            "replaced": False,
            "parts": dict(hit.parts),
            "role": "user",
            "author": None,
            "created_at": "2026-03-02T09:30:00+00:00",
            "conversation_id": "diary",
            "source": "user",
            "trust": 1.0,
            "writer": None,
            "start": 0,
            "end": len(DRAUGHT),
            "session": "s1",
            "memory_id": "mara",
        },
    )
    assert sum(document.metadata["parts"].values()) == pytest.approx(document.metadata["score"])


def test_a_document_says_that_it_holds_no_more(registry, streetai):
    """If it fails, a chain of one's own gives a model two berths, and neither knows which one holds."""
    old, new = "My boat lies at berth 31.", "My boat doesn't lie at berth 31 any more, it has moved to berth 12."
    for text in (old, new):
        registry.get("mara").add_message(text, "user")
    documents = streetai.retriever(k=2).invoke("Where does my boat lie?", MARA)
    assert {document.page_content: document.metadata["replaced"] for document in documents} == {old: True, new: False}


def test_a_document_says_where_its_text_comes_from(diary, streetai):
    """A filter or a citation needs the source: what a file says is not what the user said."""
    text = "Berth 31 has nine metres of water. " * 40
    diary.add_message(f"{text}The key hangs behind the bar.", "user", source="document", writer="harbour.md", trust=0.5)
    [document] = streetai.retriever(k=1).invoke("Where does the key hang behind the bar?", MARA)
    metadata = document.metadata
    assert (metadata["role"], metadata["source"]) == ("user", "document")
    assert (metadata["trust"], metadata["writer"]) == (0.5, "harbour.md")
    message = diary.messages()[-1]
    assert message.content[metadata["start"] : metadata["end"]].strip() == document.page_content != message.content
    assert json.loads(json.dumps(metadata)) == metadata


@pytest.mark.parametrize(
    "config", [Config(), Config(min_similarity=0.9), Config(max_thinking_space=2), Config.classic()]
)
@pytest.mark.parametrize("k", [1, 3, 6, 8, 50, 2**63])
async def test_exactly_k_documents_if_there_are_as_many(tmp_path, config, k):
    """6.12: The memory's own thresholds do not make them fewer; the best come first."""
    with MemoryRegistry(tmp_path / "memory.db", config=config, encoder=HashingEncoder()) as registry:
        memory = seed(registry)
        available = min(k, len(memory.signals))
        streetai = StreetAIMemory(registry)
        made = streetai.retriever(k=k).invoke(QUESTION, MARA)

        assert len({document.id for document in made}) == len(made) == available
        scores = [document.metadata["score"] for document in made]
        assert scores == sorted(scores, reverse=True)
        assert streetai.retriever().invoke(QUESTION, MARA, k=k) == made
        assert await streetai.retriever().ainvoke(QUESTION, MARA, k=k) == made


def test_reading_changes_nothing(diary, streetai):
    """No tick, no learning, and no memory for a session that has never said anything."""
    before = (diary.stats(), diary.signals)
    streetai.retriever().invoke(QUESTION, MARA)

    assert (diary.stats(), diary.signals) == before
    assert streetai.retriever("nobody").invoke(QUESTION) == []
    assert streetai.retriever("nobody", user_id="mara").invoke(" ") == []
    assert streetai.registry.ids() == ["mara"]


async def test_a_session_of_the_call_wins_over_the_retriever_s_own(diary, streetai):
    """6.3: And that one over the config's."""
    bound = streetai.retriever("nobody")

    assert bound.invoke(QUESTION, {"configurable": {"session_id": "mara"}}) == []
    assert bound.invoke(QUESTION, session_id="mara")[0].page_content == DRAUGHT
    assert (await bound.ainvoke(QUESTION, user_id="mara"))[0].page_content == DRAUGHT


@pytest.mark.parametrize("way", WAYS)
async def test_without_a_session_it_raises(diary, streetai, way):
    """6.3: A shared default would be everybody's memory."""
    with pytest.raises(InputError, match="configurable"):
        await way(streetai.retriever(), QUESTION, {})


async def test_what_cannot_be_asked_raises(diary, streetai):
    """6.7, 6.12: Wrong arguments are mistakes of the application, which it has to see."""
    retriever = streetai.retriever("s1", user_id="mara")
    for k in (0, -1, 1.5, True, "3"):
        with pytest.raises(InputError, match="k must be"):
            retriever.invoke(QUESTION, k=k)
        with pytest.raises(ValidationError):
            streetai.retriever(k=k)
    with pytest.raises(InputError, match="must be a str"):
        await retriever.ainvoke({"question": QUESTION})
    with pytest.raises(InputError, match="session_id"):
        retriever.invoke(QUESTION, session_id=" ")
    with pytest.raises(InputError, match="user_id"):
        streetai.retriever(user_id="")


async def test_a_failing_memory_gives_no_documents(registry):
    """6.7: The chain goes on, and `on_error` is told."""
    errors = []
    retriever = StreetAIMemory(registry, on_error=errors.append).retriever("s1")
    registry.close()

    assert retriever.invoke(QUESTION) == []
    assert await retriever.ainvoke(QUESTION) == []
    assert [type(error).__name__ for error in errors] == ["ClosedError"] * 2


async def test_it_finds_by_the_strategy_of_the_settings(tmp_path):
    """6.7: Also by one of the app's own; one that fails costs the documents, and no reply."""
    errors = []

    class NewestFirst(Strategy):
        broken = False

        def score(self, known):
            if self.broken:
                raise KeyError("berth")
            return known.sequence

    newest = NewestFirst()
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), config=Config(strategy=newest)) as registry:
        seed(registry)
        retriever = StreetAIMemory(registry, on_error=errors.append).retriever("s1", user_id="mara", k=2)
        for documents in (retriever.invoke(QUESTION), await retriever.ainvoke(QUESTION)):
            assert [one.page_content for one in documents] == [text for _, text in DIARY[:-3:-1]]
            assert [list(one.metadata["parts"]) for one in documents] == [["NewestFirst"]] * 2
        newest.broken = True
        assert retriever.invoke(QUESTION) == await retriever.ainvoke(QUESTION) == []
    assert ["NewestFirst.score raised KeyError" in str(error) for error in errors] == [True, True]


async def test_a_failing_processor_gives_no_documents(tmp_path):
    """6.7: `on_error` gets an error of the library that names it, as of a strategy; the chain goes on."""
    errors = []

    class Slip(PostProcessor):
        def process(self, found):
            raise KeyError("berth")

    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), processors=[Slip()]) as registry:
        seed(registry)
        retriever = StreetAIMemory(registry, on_error=errors.append).retriever("s1", user_id="mara", k=2)
        assert retriever.invoke(QUESTION) == await retriever.ainvoke(QUESTION) == []
    assert [type(error) for error in errors] == [ProcessorError] * 2
    assert all("Slip.process raised KeyError" in str(error) for error in errors)


def test_it_is_not_serialised(streetai):
    """6.13: LangChain would not load a class that is not its own, so it must not pretend to be loadable."""
    assert not StreetAIRetriever.is_lc_serializable()


@pytest.mark.parametrize("way", WAYS)
async def test_what_is_searched_and_how_can_be_told(diary, streetai, way):
    """As of any vector store's retriever: by role, metadata or day; of the retriever, or of one call."""
    diary.add_message("My boat was built in Nexø.", "user", metadata={"topic": "yard"})
    wanted = RecallFilter(metadata={"topic": "yard"})

    documents = await way(streetai.retriever(wanted=wanted, strategy="keyword"), "Which boat?", MARA)

    assert [document.page_content for document in documents] == ["My boat was built in Nexø."]
    assert documents[0].metadata["parts"]["meaning"] == 0.0


def test_a_call_can_search_otherwise(diary, streetai):
    """What is given for a call wins over what the retriever has."""
    retriever = streetai.retriever(wanted=RecallFilter(roles=["assistant"]), strategy="vector")
    [document] = retriever.invoke(QUESTION, MARA, wanted=RecallFilter(roles=["user"]), strategy="hybrid", k=1)
    assert document.page_content == DRAUGHT
    assert {document.metadata["role"] for document in retriever.invoke(QUESTION, MARA)} == {"assistant"}


@pytest.mark.parametrize("wrong", [{"wanted": {"topic": "yard"}}, {"strategy": "nearest"}])
def test_what_is_no_filter_or_strategy_is_refused(diary, streetai, wrong):
    """A failing memory gives no documents, which is what a mistake would look like."""
    with pytest.raises(ValidationError):
        streetai.retriever(**wrong)
    with pytest.raises(InputError, match=next(iter(wrong))):
        streetai.retriever().invoke(QUESTION, MARA, **wrong)
