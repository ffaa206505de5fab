"""What `retrieve`, `build_prompt` and `why` take for one call: a strategy, a least score, a filter, post-processors."""

import pytest

from streetai_core import Config, MemoryRegistry, NewMessage, PostProcessor, RecallFilter
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import ConfigError, InputError

QUESTION = "Where does the boat number 3 lie?"
SAID = [
    NewMessage(content=f"The boat number {n} lies at berth {n * 7}.", role="user", conversation_id="then", name=name)
    for n, name in enumerate(["Mara", "Tom"] * 4)
]


class First(PostProcessor):
    """Leaves one hit."""

    def process(self, found):
        """The best."""
        return found.hits[:1]


@pytest.fixture
def registry(tmp_path):
    """A registry with one memory."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), processors=[First()]) as opened:
        opened.get("m").add_messages(SAID)
        yield opened


CALLS = {
    "retrieve": lambda memory, **given: memory.retrieve(QUESTION, **given),
    "build_prompt": lambda memory, **given: memory.build_prompt(QUESTION, conversation_id="now", **given).retrieved,
    "why": lambda memory, **given: memory.why(QUESTION, **given).hits,
}


@pytest.mark.parametrize("call", CALLS)
def test_processors_of_a_call_take_the_place_of_the_registrys(registry, call):
    """If it fails, an app needs a second registry to ask once without its reranker."""
    memory = registry.get("m")
    assert len(CALLS[call](memory)) == 1
    assert len(CALLS[call](memory, processors=())) > 1


@pytest.mark.parametrize("call", CALLS)
def test_a_filter(registry, call):
    """If it fails, what `retrieve` finds with a filter can be neither sent nor explained."""
    hits = CALLS[call](registry.get("m"), wanted=RecallFilter(names=["Tom"]), processors=())
    assert hits
    assert {hit.signal.name for hit in hits} == {"Tom"}


@pytest.mark.parametrize("call", CALLS)
def test_a_strategy(registry, call):
    """By words alone, a hit has no part for its meaning; a strategy that does not exist is named."""
    memory = registry.get("m")
    assert any(hit.parts.get("meaning") for hit in CALLS[call](memory, processors=()))
    hits = CALLS[call](memory, strategy="keyword", processors=())
    assert hits
    assert not any(hit.parts.get("meaning") for hit in hits)
    with pytest.raises(ConfigError, match="strategy"):
        CALLS[call](memory, strategy="mine")


@pytest.mark.parametrize("call", ["retrieve", "build_prompt"])
@pytest.mark.parametrize("processors", [(), [First()]])
def test_a_least_score(registry, call, processors):
    """If it fails, an app that wants sure hits only gets others, or none."""
    memory = registry.get("m")
    best = CALLS[call](memory, processors=())[0]
    assert [hit.signal for hit in CALLS[call](memory, min_score=best.score - 1e-6, processors=processors)] == [
        best.signal
    ]
    assert not CALLS[call](memory, min_score=best.score + 1, processors=processors)
    with pytest.raises(InputError, match="min_score"):
        CALLS[call](memory, min_score="high")


@pytest.mark.parametrize("call", CALLS)
def test_the_published_pipeline_has_one_strategy(tmp_path, call):
    """Said, not passed over."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), config=Config.classic()) as registry:
        memory = registry.get("m")
        memory.add_messages(SAID)
        with pytest.raises(InputError, match="published pipeline"):
            CALLS[call](memory, strategy="vector")
