"""A failing engine: reported, and the chat goes on."""

import logging

import pytest
from llama_index.core.storage.chat_store import SimpleChatStore

from streetai_core import Config, MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import EncoderError, StoreError
from streetai_llamaindex import StreetAIChatMemoryBuffer
from tests.encoders.failing import Breakable
from tests.llamaindex_plugin.conftest import FACT, QUESTION, QUOTED, REPLY, SESSION, assistant, said, steps, talk, user


@pytest.fixture(params=[Config(strategy="vector")])
def broken(request, tmp_path):
    """A memory that finds by meaning alone and has been talked to, its encoder, and the failures that were reported."""
    encoder, failures = Breakable(), []
    with MemoryRegistry(tmp_path / "memory.db", encoder=encoder, config=request.param) as registry:
        memory = StreetAIChatMemoryBuffer.from_defaults(
            registry=registry, session_id=SESSION, token_limit=400, on_error=failures.append
        )
        talk(memory)
        yield memory, encoder, failures


def test_the_chat_goes_on_without_the_model(broken, caplog):
    """9.14: While the embedding model is down the window has everything; afterwards nothing is missing in the file."""
    memory, encoder, failures = broken
    encoder.broken = True
    memory.put(user("How deep is it here?"))
    assert memory.get()[-1] == user("How deep is it here?")
    memory.put(assistant("Three metres."))
    memory.put(user(QUESTION))
    *_, asked, answered, last = memory.get()
    assert (asked, answered) == (user("How deep is it here?"), assistant("Three metres."))
    assert last.content.endswith(QUESTION)
    assert said(memory)[-1][1] == "Then day 19 was a rough one."
    assert failures
    assert all(isinstance(failure, EncoderError) for failure in failures)
    assert "the memory failed" in caplog.text
    assert memory.flush() is False

    encoder.broken = False
    memory.put(assistant(REPLY))
    assert said(memory)[-4:] == [
        ("user", "How deep is it here?"),
        ("assistant", "Three metres."),
        ("user", QUESTION),
        ("assistant", REPLY),
    ]
    assert memory.flush() is True


@pytest.mark.parametrize("broken", [Config()], indirect=True)
def test_where_words_find_something_too_the_chat_is_stored_without_the_model(broken, caplog):
    """9.14: Nothing waits in RAM for the model, and nothing has failed."""
    memory, encoder, failures = broken
    encoder.broken = True
    memory.put(user("How deep is it here?"))
    memory.get()
    memory.put(assistant("Three metres."))
    assert memory.flush() is True
    assert said(memory)[-2:] == [("user", "How deep is it here?"), ("assistant", "Three metres.")]
    assert failures == []
    assert "stored without vectors" in caplog.text


@pytest.mark.parametrize("broken", [Config.classic(min_chunk_chars=0, min_chunk_words=0)], indirect=True)
def test_a_reply_that_cannot_be_learned_from_is_stored(broken):
    """9.14: It held up all that was said after it, such as a long one that an embedding service refuses as a whole."""
    memory, encoder, failures = broken
    memory.put(user(QUESTION))
    assert QUOTED in memory.get()[-1].content
    # Stored as two chunks, which the encoder's cache knows, and learned from as a whole, which it does not.
    sentences = ("Your boat has a draught.", "It is one metre forty.")
    memory.registry.encoder.encode([*sentences, "Thank you."])
    encoder.broken = True
    memory.put_messages([assistant(" ".join(sentences)), user("Thank you.")])
    assert said(memory)[-2:] == [("assistant", " ".join(sentences)), ("user", "Thank you.")]
    assert [type(failure) for failure in failures] == [EncoderError]
    assert memory.flush() is True
    assert steps(memory) == 0


def test_flush(broken):
    """9.14: What a failure has left in RAM can be stored before the process ends."""
    memory, encoder, _ = broken
    encoder.broken = True
    memory.put(user("How deep is it here?"))
    encoder.broken = False
    assert memory.flush() is True
    assert said(memory)[-1] == ("user", "How deep is it here?")


def test_recall_fails_alone(make):
    """9.14: Recall fails, here on a tokenizer that cannot count a quote: the question is answered from the window."""
    failures = []

    def tokenizer(text):
        if "[recalled" in text:
            raise OverflowError("too strange a text")
        return text.split()

    memory = make(tokenizer_fn=tokenizer, on_error=failures.append, token_limit=200)
    talk(memory)
    memory.put(user(QUESTION))
    assert memory.get()[-1] == user(QUESTION)
    assert [type(failure) for failure in failures] == [OverflowError]
    memory.put(assistant(REPLY))
    assert said(memory)[-1] == ("assistant", REPLY)


def test_a_closed_engine(broken):
    """9.14: The application closed the engine too early: replies still come, from what is in RAM."""
    memory, _, failures = broken
    memory.get()
    memory.registry.close()
    memory.put(user(QUESTION))
    shown = memory.get()
    memory.put(assistant(REPLY))
    assert shown[-1] == user(QUESTION)
    assert len(shown) > 4
    assert memory.get_all()[-1] == assistant(REPLY)
    assert failures


def test_a_damaged_file(tmp_path):
    """9.14: The file is no database: the chat goes on in RAM, and the failure says what it is."""
    path, failures = tmp_path / "memory.db", []
    path.write_bytes(b"this is no database, but a long enough text to be taken for one" * 100)
    memory = StreetAIChatMemoryBuffer.from_defaults(
        path=path, session_id=SESSION, embed_model=HashingEncoder(), on_error=failures.append
    )
    memory.put(user("hello"))
    assert memory.get() == [user("hello")]
    memory.put(assistant("hi"))
    assert memory.get_all() == [user("hello"), assistant("hi")]
    assert failures
    assert all(isinstance(failure, StoreError) for failure in failures)
    memory.close()


def test_another_encoders_file(tmp_path):
    """9.14: A file that was made with another model is not mixed up: the failure says which, the chat goes on."""
    failures = []
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(dim=64)) as registry:
        registry.get(SESSION).add_message(FACT, "user", conversation_id=SESSION)
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        memory = StreetAIChatMemoryBuffer.from_defaults(registry=registry, session_id=SESSION, on_error=failures.append)
        memory.put(user(QUESTION))
        assert memory.get() == [user(FACT), user(QUESTION)]
    assert "hashing/1/64" in str(failures[0])


def test_on_error_fails_too(broken, caplog):
    """9.14: A reporting function with a bug does not end the chat."""
    memory, encoder, _ = broken
    memory.conversation.on_error = lambda _: 1 / 0
    encoder.broken = True
    memory.put(user("How deep is it here?"))
    assert memory.get()[-1] == user("How deep is it here?")
    assert "on_error failed" in caplog.text


class Down(SimpleChatStore):
    """A store of the application's that is out of order."""

    def get_messages(self, key):
        """Fail."""
        raise ConnectionError("no route to the store")

    def add_message(self, key, message, idx=None):
        """Fail."""
        raise ConnectionError("no route to the store")


def test_the_chat_store_of_the_user_fails(make, caplog):
    """9.14: The application's store is down: the engine still stores and recalls."""
    failures = []
    talk(make())
    memory = make(chat_store=Down(), on_error=failures.append)
    with caplog.at_level(logging.WARNING):
        memory.put(user(QUESTION))
        [shown] = memory.get()
    assert QUOTED in shown.content
    assert said(memory)[-1] == ("user", QUESTION)
    assert {type(failure) for failure in failures} == {ConnectionError}


def test_an_engine_that_cannot_be_opened(tmp_path):
    """9.14: A saved memory whose embedding model is not there any more: the chat goes on, nothing is overwritten."""
    failures = []
    memory = StreetAIChatMemoryBuffer.from_defaults(
        path=tmp_path / "m.db", session_id=SESSION, embed_model=HashingEncoder()
    )
    memory.put(user(FACT))
    data = {**memory.to_dict(), "engine": {**memory.to_dict()["engine"], "engine": "gone", "encoder": "mine:v2"}}
    lost = StreetAIChatMemoryBuffer.from_dict(data, on_error=failures.append)
    lost.put(user("hello"))
    assert lost.get() == [user("hello")]
    assert "from_dict(data, embed_model=...)" in str(failures[0])
    assert said(memory) == [("user", FACT)]
    memory.close()


def test_a_question_that_is_put_again_while_nothing_can_be_stored_is_shown_once(tmp_path):
    """9.14: As often as it is tried, as with a file that can be opened."""
    memory = StreetAIChatMemoryBuffer.from_defaults(path=tmp_path, session_id=SESSION, embed_model=HashingEncoder())
    for _ in range(3):
        memory.put(user(QUESTION))
        assert memory.get(QUESTION) == [user(QUESTION)]
    memory.put(assistant(REPLY))
    assert memory.get_all() == [user(QUESTION), assistant(REPLY)]
