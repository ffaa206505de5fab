"""Finding by words: at once, from every handle and process, and also while the encoder fails."""

import logging
import subprocess
import sys

import numpy as np
import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import EncoderError
from streetai_core.stores.reference import ReferenceStore
from tests.encoders.failing import Breakable
from tests.recall.own_strategies import NewestFirst

FACT = "The Kestrel lies at berth 31."
QUESTION = "Where does the Kestrel lie?"


class Wayward(Breakable):
    """It also returns no vectors while it is told to, and counts the questions that it was asked to embed."""

    def __init__(self):
        super().__init__(HashingEncoder(dim=64))
        self.answer = None
        self.questions = 0

    def embed(self, texts, kind):
        """Fail, return what is no vectors, or embed."""
        self.questions += kind == "query"
        rows = super().embed(texts, kind)
        return rows if self.answer is None else self.answer


def by_words(memory, question=QUESTION):
    """What is found by words, best first, with how much the words count."""
    return [
        (hit.signal.content, round(hit.parts["words"], 9)) for hit in memory.retrieve(question) if hit.parts["words"]
    ]


def test_another_registry_finds_by_words_at_once(tmp_path):
    """What one worker was told, the next question to another one has to find, as it is now."""
    config = Config(strategy="keyword")
    path = tmp_path / "m.db"
    with (
        MemoryRegistry(path, encoder=HashingEncoder(), config=config) as writer,
        MemoryRegistry(path, encoder=HashingEncoder(), config=config) as reader,
    ):
        told, asked = writer.get("m"), reader.get("m")
        assert asked.retrieve(QUESTION) == []
        told.add_message("We talked about something else.", "user")
        (signal,) = told.add_message(FACT, "user", conversation_id="harbour")
        [(content, _), *_] = by_words(asked)
        assert content == FACT
        assert by_words(asked) == by_words(told)

        told.update_message(signal.parent_turn_id, "The Heron is on the slip.")
        assert by_words(asked) == []
        assert [content for content, _ in by_words(asked, "the heron")] == ["The Heron is on the slip."]

        told.delete_message(signal.parent_turn_id)
        assert by_words(asked, "the heron") == []


TELL = """
import sys
from streetai_core import MemoryRegistry
from streetai_core.encoders.hashing import HashingEncoder

with MemoryRegistry(sys.argv[1], encoder=HashingEncoder()) as registry:
    memory = registry.get("m")
    for line in sys.stdin:
        memory.add_message(line.strip(), "user", conversation_id=line)
        print([(hit.signal.content, round(hit.parts["words"], 9)) for hit in memory.retrieve(sys.argv[2])
               if hit.parts["words"]], flush=True)
"""


def test_another_process_finds_by_words_at_once(tmp_path):
    """Message by message, while the other one goes on; both find the same by the same words."""
    path = tmp_path / "m.db"
    other = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", TELL, str(path), QUESTION],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with MemoryRegistry(path, encoder=HashingEncoder()) as registry, other:
        memory = registry.get("m")
        for text in ("Tea is hot.", FACT, "The Kestrel was at berth 12 before.", "Who lies at berth 12 now?"):
            other.stdin.write(text + "\n")
            other.stdin.flush()
            assert other.stdout.readline() == f"{by_words(memory)}\n"
        assert FACT in [content for content, _ in by_words(memory)]
        other.stdin.close()
    assert other.returncode == 0


@pytest.fixture
def encoder():
    """An encoder that works until it is broken."""
    return Wayward()


def filled(encoder, config):
    """A memory with a fact and enough else."""
    memory = MemoryRegistry(ReferenceStore(), encoder=encoder, config=config).get("m")
    memory.add_message(FACT, "user", conversation_id="harbour")
    memory.add_messages([NewMessage(content=f"In week {n} we spoke of the weather.", role="user") for n in range(12)])
    return memory


def test_words_decide_alone_while_the_encoder_fails(encoder, caplog):
    """A model server that is down would make every chat fail; the log says why answers are worse."""
    memory = filled(encoder, Config())
    encoder.broken = True
    with caplog.at_level(logging.WARNING, logger="streetai_core"):
        hits = memory.retrieve(QUESTION)
        prompt = memory.build_prompt(QUESTION, conversation_id="new")
        why = memory.why(QUESTION)
    assert [hit.signal.content for hit in hits] == [FACT]
    assert hits[0].parts["meaning"] == hits[0].similarity == 0.0
    assert FACT in prompt.recalled_text
    assert [hit.signal.content for hit in why.hits] == [FACT]
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "answered by words alone" in caplog.text
    assert "the model is gone" in caplog.text

    encoder.broken = False
    caplog.clear()
    assert memory.retrieve(QUESTION)[0].parts["meaning"] > 0
    assert [record.getMessage() for record in caplog.records] == ["the encoder works again"]


@pytest.mark.parametrize("answer", [np.full((1, 64), np.nan), np.ones((1, 3)), "no vectors"])
def test_words_decide_alone_where_the_encoder_gives_no_vectors(encoder, answer, caplog):
    """One NaN of a model server, which is no fault of who asks, would make every chat fail as a failing one did."""
    memory = filled(encoder, Config())
    encoder.answer = answer
    with caplog.at_level(logging.WARNING, logger="streetai_core"):
        assert [hit.signal.content for hit in memory.retrieve(QUESTION)] == [FACT]
        assert FACT in memory.build_prompt(QUESTION, conversation_id="new").recalled_text
    assert "answered by words alone" in caplog.text


@pytest.mark.parametrize("config", [Config(strategy="vector"), Config.classic()])
def test_without_words_a_failing_encoder_is_an_error(encoder, config, caplog):
    """Nothing found because the model is down must not look like nothing remembered."""
    memory = filled(encoder, config)
    encoder.broken = True
    for ask in (memory.retrieve, memory.build_prompt, memory.why):
        with pytest.raises(EncoderError):
            ask(QUESTION)
    assert caplog.records == []


def test_finding_by_words_alone_never_embeds_a_question(encoder):
    """Whoever chose words would wait for the model, and pay for it, for nothing."""
    memory = filled(encoder, Config(strategy="keyword"))
    encoder.broken = True
    assert [hit.signal.content for hit in memory.retrieve(QUESTION)] == [FACT]
    assert FACT in memory.build_prompt(QUESTION, conversation_id="new").recalled_text
    assert encoder.questions == 0


@pytest.mark.parametrize("strategy", ["keyword", "hybrid"])
def test_words_find_in_all_stacks_where_a_question_has_no_vector(strategy):
    """No stack is near to it, so nothing at all would be found where only the nearest ones are searched."""
    encoder = Wayward()
    config = Config(direct_search=False, strategy=strategy)
    with MemoryRegistry(ReferenceStore(), encoder=encoder, config=config) as registry:
        memory = registry.get("m")
        memory.add_message(FACT, "user")
        encoder.broken = True
        assert [hit.signal.content for hit in memory.retrieve(QUESTION)] == [FACT]
        assert memory.why(QUESTION).hits
        assert [hit.signal.content for hit in memory.retrieve(QUESTION, strategy=NewestFirst())] == [FACT]
