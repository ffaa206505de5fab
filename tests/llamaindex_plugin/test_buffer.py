"""`StreetAIChatMemoryBuffer`: how it is made, and what one turn does."""

import threading
import warnings

import pytest
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock, ToolCallBlock
from llama_index.core.llms import MockLLM
from llama_index.core.memory import BaseMemory, ChatMemoryBuffer
from llama_index.core.schema import QueryBundle
from llama_index.core.storage.chat_store import SimpleChatStore
from llama_index.core.utils import get_tokenizer

from streetai_core import Config
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import InputError
from streetai_llamaindex import StreetAIChatMemoryBuffer
from tests.llamaindex_plugin.conftest import (
    FACT,
    QUESTION,
    QUOTED,
    REPLY,
    SESSION,
    assistant,
    said,
    steps,
    talk,
    texts,
    user,
)

PNG = b"\x89PNG\r\n\x1a\n\x00\x01"
CALL = ChatMessage(role="assistant", blocks=[ToolCallBlock(tool_call_id="c1", tool_name="depth", tool_kwargs={})])
RESULT = ChatMessage(role="tool", content="3.5 m in Kiel", additional_kwargs={"tool_call_id": "c1"})


def clock(memory):
    """How far the memory's clock has gone."""
    return memory.registry.get(SESSION).why("?").turn


# ---------------------------------------------------------------------- making


def test_it_is_a_chat_memory_buffer(make):
    """Whatever takes LlamaIndex's memory takes this one."""
    assert isinstance(make(), ChatMemoryBuffer)
    assert isinstance(make(), BaseMemory)


def test_upstreams_parameters_in_upstreams_order(registry):
    """A call that was written for the stock buffer goes on working."""
    store = SimpleChatStore()
    memory = StreetAIChatMemoryBuffer.from_defaults(
        [user("hello")], None, store, "key", 77, str.split, registry=registry
    )
    assert (memory.token_limit, memory.chat_store, memory.session_id) == (77, store, "key")
    assert memory.tokenizer_fn == str.split
    assert memory.get_all() == store.get_messages("key") == [user("hello")]


def test_token_limit(make):
    """The limit is the stock one: 3000, or three quarters of the model's context window."""
    llm = MockLLM()
    assert make(token_limit=None).token_limit == ChatMemoryBuffer.from_defaults().token_limit == 3000
    assert make(token_limit=None, llm=llm).token_limit == ChatMemoryBuffer.from_defaults(llm=llm).token_limit
    assert make(token_limit=12, llm=llm).token_limit == 12
    assert make(token_limit=12).token_limit == 12


@pytest.mark.parametrize(
    "arguments",
    [
        {"token_limit": 0},
        {"token_limit": -1},
        {"token_limit": "3000"},
        {"unknown": 1},
        {"chat_history": [{"role": "user", "content": "Hello"}]},
        {"on_error": "log"},
        {"session_id": ""},
        {"session_id": "  "},
        {"session_id": "a\0b"},
        {"session_id": "a", "chat_store_key": "b"},
        {"recall_token_ratio": 1.5},
        {"insert_method": "assistant"},
        {"path": 7},
        {"config": Config()},
        {"embed_model": HashingEncoder()},
    ],
    ids=", ".join,
)
def test_wrong_arguments_raise(registry, arguments):
    """A mistake shows where it is made."""
    with pytest.raises(ValueError):  # noqa: PT011 - each has its own words; that it is refused is the point
        StreetAIChatMemoryBuffer.from_defaults(registry=registry, **{"session_id": SESSION, **arguments})


def test_a_missing_session_is_a_random_one(tmp_path, registry):
    """9.16: Two users who were given no session never share a memory; on a file the developer is told."""
    in_ram = [StreetAIChatMemoryBuffer.from_defaults() for _ in range(2)]
    assert in_ram[0].session_id != in_ram[1].session_id
    with pytest.warns(UserWarning, match="Give session_id="):
        one = StreetAIChatMemoryBuffer.from_defaults(path=tmp_path / "m.db")
    with pytest.warns(UserWarning, match="Give session_id="):
        other = StreetAIChatMemoryBuffer.from_defaults(registry=registry)
    assert one.session_id != other.session_id


def test_making_one_does_no_io(tmp_path):
    """A web server that makes a memory for each request opens no file before it is needed."""
    with warnings.catch_warnings():
        memory = StreetAIChatMemoryBuffer.from_defaults(
            [user(FACT)], path=tmp_path / "memory.db", session_id=SESSION, embed_model=HashingEncoder()
        )
    assert list(tmp_path.iterdir()) == []
    assert memory.get_all() == [user(FACT)]
    memory.close()


def test_an_empty_memory_is_true(make):
    """9.13: Engines write `memory or default`; an empty one must not be replaced."""
    assert make()
    assert (make() or "default") != "default"


# ----------------------------------------------------------------------- turns


def test_put_then_get(memory):
    """9.2: What `SimpleChatEngine` and agents do: put, get, put."""
    before = clock(memory)
    memory.put(user(QUESTION))
    shown = memory.get()
    assert QUOTED in shown[-1].content
    assert shown[-1].content.endswith(f"\n\n{QUESTION}")
    memory.put(assistant(REPLY))
    assert said(memory)[-2:] == [("user", QUESTION), ("assistant", REPLY)]
    assert clock(memory) == before + 2
    assert steps(memory) == len(memory.last_turn.hits)


def test_get_then_put(memory):
    """9.2: What `ContextChatEngine` does: get with the question, put, put; the same turn."""
    before = clock(memory)
    shown = memory.get(input=QUESTION)
    assert (shown[-1].role, QUOTED in shown[-1].content) == ("user", True)
    assert QUESTION not in shown[-1].content
    memory.put(user(QUESTION))
    memory.put(assistant(REPLY))
    assert said(memory)[-2:] == [("user", QUESTION), ("assistant", REPLY)]
    assert clock(memory) == before + 2
    assert steps(memory) == len(memory.last_turn.hits) > 0


@pytest.mark.parametrize("asked", [QUESTION, user(QUESTION), QueryBundle(QUESTION)], ids=["str", "message", "query"])
def test_forms_of_the_question(memory, asked):
    """9.3: Recall works for whatever an engine gives as input, with arguments that nobody knows."""
    assert QUOTED in memory.get(asked, unknown=1)[-1].content


@pytest.mark.parametrize("asked", [None, 7, [QUESTION], {"a": 1}], ids=str)
def test_no_question(memory, asked):
    """9.3: Without a question, and the last one answered, a read is the plain window; nothing raises."""
    assert memory.get(asked) == memory.get()
    assert all("[recalled" not in message.content for message in memory.get(asked))


def test_the_last_user_message_is_the_question(make):
    """9.3: A history that ends with a question, as `run(chat_history=...)` sets it, is recalled for."""
    memory = make()
    talk(memory)
    history = [*memory.get_all(), user(QUESTION)]
    memory.set(history)
    assert QUOTED in memory.get()[-1].content
    memory.put(assistant(REPLY))
    assert memory.last_turn.outcome == "answered"
    assert said(memory).count(("user", QUESTION)) == 1


def test_reading_after_the_answer(memory):
    """9.4: The read that ends an agent's run recalls nothing, learns nothing, and moves no clock."""
    memory.put(user(QUESTION))
    memory.get()
    memory.put(assistant(REPLY))
    before = (clock(memory), steps(memory), memory.last_turn)
    for _ in range(3):
        assert texts(memory.get())[-2:] == [("user", QUESTION), ("assistant", REPLY)]
    assert (clock(memory), steps(memory), memory.last_turn) == before


def test_an_agents_turn(memory):
    """9.1: Question, reads at each step, and one batch with calls, results and answer: one turn."""
    before = clock(memory)
    memory.put(user(QUESTION))
    for _ in range(3):
        assert QUOTED in memory.get(input=QUESTION)[-1].content
    memory.put_messages([CALL, RESULT, assistant(REPLY)])
    memory.get()
    assert memory.get_all()[-4:] == [user(QUESTION), CALL, RESULT, assistant(REPLY)]
    assert clock(memory) == before + 2
    assert steps(memory) == len(memory.last_turn.hits) > 0


def test_tool_steps_are_seen_in_the_middle_of_a_turn(memory):
    """9.1: At a handoff the next agent sees the first one's steps, and the recalled text where it was."""
    memory.put(user(QUESTION))
    first = memory.get()
    memory.put_messages([CALL, RESULT])
    shown = memory.get()
    assert shown[-2:] == [CALL, RESULT]
    assert shown[-3] is first[-1]
    assert memory.last_turn.outcome == "open"


def test_an_answered_question_again(memory):
    """9.2: The user asks the same again after the answer: another turn, with a recall and a step of its own."""
    for _ in range(2):
        memory.put(user(QUESTION))
        memory.get()
        memory.put(assistant(REPLY))
    assert said(memory).count(("user", QUESTION)) == 2
    assert max(len(memory.registry.get(SESSION).history(hit.signal.signal_id)) for hit in memory.last_turn.hits) == 2


def test_a_retry_is_the_same_turn(memory):
    """9.6: The model failed and the user tries again: one message in the history, one step."""
    before = clock(memory)
    for _ in range(3):
        memory.put(user(QUESTION))
        memory.get()
    memory.put(assistant(REPLY))
    assert said(memory).count(("user", QUESTION)) == 1
    assert (clock(memory), steps(memory)) == (before + 2, len(memory.last_turn.hits))


@pytest.mark.parametrize("nothing", [assistant(""), assistant(" \n"), assistant("Thought: which boat?\nAction: tide")])
def test_a_retry_after_a_reply_that_says_nothing(memory, nothing):
    """9.6: The same turn, and another message: the model is asked it again, and the two replies are not in a row."""
    before = clock(memory)
    memory.put(user(QUESTION))
    memory.get()
    memory.put(nothing)
    memory.put(user(QUESTION))
    asked = memory.get()
    assert [one.role.value for one in asked[-3:]] == ["user", "assistant", "user"]
    assert "[recalled" in asked[-1].content
    memory.put(user(QUESTION))
    memory.put(assistant(REPLY))
    assert memory.get_all()[-4:] == [user(QUESTION), nothing, user(QUESTION), assistant(REPLY)]
    assert (clock(memory), steps(memory)) == (before + 2, len(memory.last_turn.hits))


def test_a_retry_with_another_image(memory):
    """9.6: It is another message, and the one that recalled text stands beside."""
    first, second = (
        ChatMessage(role="user", blocks=[TextBlock(text=QUESTION), ImageBlock(image=PNG, detail=detail)])
        for detail in ("low", "high")
    )
    for message in (first, second):
        memory.put(message)
        asked = memory.get()
    assert memory.get_all()[-2:] == [first, second]
    assert "[recalled" in asked[-1].blocks[0].text
    assert asked[-1].blocks[1:] == second.blocks
    assert str(asked).count("[end of recalled") == 1


def test_a_retry_after_a_restart_is_the_same_turn(tmp_path):
    """9.6: The process died before the reply; the next one asks again: one message in the history."""
    encoder = HashingEncoder()
    for attempt in range(2):
        memory = StreetAIChatMemoryBuffer.from_defaults(
            path=tmp_path / "m.db", session_id=SESSION, embed_model=encoder, token_limit=400
        )
        if attempt == 0:
            talk(memory)
        memory.put(user(QUESTION))
        assert QUOTED in memory.get()[-1].content
        if attempt == 1:
            memory.put(assistant(REPLY))
            assert said(memory).count(("user", QUESTION)) == 1
            assert steps(memory) == len(memory.last_turn.hits) > 0
        memory.close()
        del memory


def test_an_abandoned_turn_teaches_nothing(memory):
    """9.6: The reply never came: what was recalled is neither praised nor blamed for the next reply."""
    memory.put(user(QUESTION))
    memory.get()
    abandoned = memory.last_turn
    memory.put(user("Something else: who won the cup?"))
    memory.get()
    memory.put(assistant("Nobody knows."))
    core = memory.registry.get(SESSION)
    later = {hit.signal.signal_id for hit in memory.last_turn.hits}
    left = [hit for hit in abandoned.hits if hit.signal.signal_id not in later]
    assert left
    assert all(not core.history(hit.signal.signal_id) for hit in left)


@pytest.mark.parametrize(
    ("reply", "stored", "learned"),
    [
        (assistant(REPLY), REPLY, True),
        (assistant("Empty Response"), "", False),
        (assistant(f"Thought: I can answer.\nAnswer: {REPLY}"), REPLY, True),
        (ChatMessage(role="assistant", blocks=[], additional_kwargs={"refusal": REPLY}), REPLY, True),
    ],
    ids=["words", "empty response", "trace", "refusal"],
)
def test_what_is_learned_and_remembered(memory, reply, stored, learned):
    """9.5: The answer of a trace counts and "Empty Response" does not; the window keeps both as they were."""
    before = clock(memory)
    memory.put(user(QUESTION))
    memory.get()
    memory.put(reply)
    assert said(memory)[-1] == ("assistant", stored)
    assert memory.get_all()[-1] == reply
    assert (memory.last_turn.outcome, bool(steps(memory))) == ("answered", learned)
    assert clock(memory) == before + 2


def test_a_greeting_and_afterthoughts(make):
    """Messages of the assistant that answer nothing are kept, and teach nothing."""
    memory = make()
    memory.put(assistant("Ahoy, what shall we talk about today?"))
    memory.put(user("Boats."))
    memory.put(assistant("Fine."))
    before = clock(memory)
    memory.put(assistant("And harbours?"))
    assert [text for _, text in texts(memory.get_all())] == [
        "Ahoy, what shall we talk about today?",
        "Boats.",
        "Fine.",
        "And harbours?",
    ]
    assert clock(memory) == before


def test_a_message_without_words(memory):
    """An image is asked about without words: it is kept, and recalled for by nothing."""
    picture = ChatMessage(role="user", blocks=[])
    memory.put(picture)
    assert memory.get()[-1] == picture
    memory.put(assistant("A fine boat."))
    assert memory.last_turn.hits == ()


def test_a_batch_with_whole_turns(make):
    """`put_messages` with questions and answers is a turn for each question."""
    memory = make()
    memory.put_messages([user("one"), assistant("1"), user("two"), CALL, RESULT, assistant("2")])
    assert memory.get_all() == [user("one"), assistant("1"), user("two"), CALL, RESULT, assistant("2")]
    assert (clock(memory), memory.last_turn.reply) == (4, "2")
    memory.put_messages([])
    assert clock(memory) == 4


def test_three_threads_at_once(memory):
    """9.7: Three threads ask before the first is answered: each reply is judged against its own recall."""
    barrier = threading.Barrier(3)
    questions = {
        QUESTION: "one metre forty",
        "Which wind came on day 3?": "day 3",
        "Was day 5 a rough one?": "day 5",
    }
    found = {}

    def chat(question, word):
        memory.put(user(question))
        barrier.wait()
        memory.get()
        barrier.wait()
        memory.put(assistant(f"It was {word}, I am sure."))
        found[question] = memory.conversation.turns.own()

    threads = [threading.Thread(target=chat, args=pair) for pair in questions.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {question: turn.question for question, turn in found.items()} == {one: one for one in questions}
    assert {turn.reply for turn in found.values()} == {f"It was {word}, I am sure." for word in questions.values()}
    assert steps(memory) == sum(len(turn.hits) for turn in found.values())


def test_last_turn(memory):
    """What was recalled for the last question, why, and what became of it, can be looked at."""
    assert memory.last_turn is None
    memory.put(user(QUESTION))
    memory.get()
    turn = memory.last_turn
    assert (turn.query, turn.reply, turn.outcome) == (QUESTION, "", "open")
    assert turn.hits[0].signal.content == FACT
    assert sum(turn.hits[0].parts.values()) == pytest.approx(turn.hits[0].score)
    assert turn.recalled_text in memory.get()[-1].content
    memory.put(assistant(REPLY))
    assert (memory.last_turn.reply, memory.last_turn.outcome) == (REPLY, "answered")


def test_sessions_do_not_see_each_other(make, memory):
    """9.16: Another user on the same file is never quoted this one's words, nor forgets them by a reset."""
    other = make("tom")
    other.put(user(QUESTION))
    assert [message.content for message in other.get()] == [QUESTION]
    assert other.last_turn.hits == ()
    other.reset()
    assert len(memory.get_all()) == 42


@pytest.mark.parametrize("chat_store", [None, SimpleChatStore])
@pytest.mark.parametrize("copies", ["none", "shallow", "deep"])
def test_another_session_can_be_set(make, copies, chat_store):
    """9.16: A server with one memory for all users, told before each call whose it is, as the stock buffer may be."""
    failures = []
    memory = make("mara", on_error=failures.append, **({} if chat_store is None else {"chat_store": chat_store()}))
    memory.put(user(FACT))
    if copies == "none":
        other = memory
        other.chat_store_key = "tom"
    else:
        other = memory.model_copy(update={"chat_store_key": "tom"}, deep=copies == "deep")
    other.put(user(QUESTION))
    assert (other.session_id, other.conversation.session_id) == ("tom", "tom")
    assert [message.content for message in other.get()] == [QUESTION]
    assert (said(other, "mara"), said(other, "tom")) == ([("user", FACT)], [("user", QUESTION)])
    assert memory.get_all() == [user(QUESTION if copies == "none" else FACT)]
    other.registry.close()
    other.put(assistant(REPLY))
    assert failures


def test_the_history_of_a_session_stays_with_it(make):
    """9.16: What one user's memory was made with is not said in another's, though it was not stored yet."""
    memory = make("mara", chat_history=[user(FACT)])
    other = memory.model_copy(update={"chat_store_key": "tom"})
    assert (other.get_all(), memory.get_all()) == ([], [user(FACT)])


@pytest.mark.parametrize("session", ["", None, "a\x00b"])
def test_a_session_that_cannot_be_set(memory, session):
    """9.16: Nobody else's memory is used in its place."""
    memory.chat_store_key = session
    with pytest.raises(InputError):
        memory.put(user(QUESTION))
    with pytest.raises(InputError):
        memory.get()


def test_restart(tmp_path):
    """9.12: A new process with the same path and session goes on where the last one stopped."""
    options = {"path": tmp_path / "m.db", "session_id": SESSION, "token_limit": 400}
    memory = StreetAIChatMemoryBuffer.from_defaults(embed_model=HashingEncoder(), **options)
    talk(memory)
    memory.put_messages([user("deep?"), CALL, RESULT, assistant("Deep.")])
    everything, window = memory.get_all(), memory.get()
    memory.close()
    again = StreetAIChatMemoryBuffer.from_defaults(embed_model=HashingEncoder(), **options)
    assert (again.get_all(), again.get()) == (everything, window)
    again.close()


def test_close(tmp_path):
    """After `close` the file is free, and using the memory again opens it again."""
    memory = StreetAIChatMemoryBuffer.from_defaults(
        path=tmp_path / "m.db", session_id=SESSION, embed_model=HashingEncoder()
    )
    memory.put(user(FACT))
    memory.close()
    memory.close()
    assert [path.name for path in tmp_path.iterdir()] == ["m.db"]
    assert memory.get_all() == [user(FACT)]
    memory.close()


@pytest.mark.parametrize("wrong", ["hello", None, 5, {"role": "user", "content": "hello"}], ids=str)
async def test_wrong_messages_raise(make, wrong):
    """What is no message is named, and nothing is stored."""
    memory = make()
    with pytest.raises(InputError, match=f"got {type(wrong).__name__}"):
        memory.put(wrong)
    with pytest.raises(InputError, match=f"got {type(wrong).__name__}"):
        await memory.aput(wrong)
    assert memory.get_all() == []


async def test_a_message_without_content_says_nothing(make):
    """As upstream: it has no blocks, and nobody is held to have said "None"."""
    memory = make()
    memory.put(ChatMessage(role="user", content=None))
    await memory.aput(ChatMessage(role="assistant", content=None))
    assert [(message.content, message.blocks) for message in memory.get_all()] == [(None, [])] * 2
    assert [one.content for one in memory.registry.get(memory.session_id).messages()] == ["", ""]


async def test_a_block_whose_text_was_set_to_none(make):
    """Upstream looks at it only when it makes the block; putting it was an error of Python's."""
    memory = make()
    message = user("hello")
    message.blocks[0].text = None
    with pytest.raises(InputError, match="TextBlock"):
        memory.put(message)
    with pytest.raises(InputError, match="TextBlock"):
        await memory.aput(message)
    assert memory.get_all() == []


def test_another_tokenizer_can_be_set(make):
    """9.9: As the other settings it counts from then on, also where a message was counted before."""
    memory = make(tokenizer_fn=str.split, token_limit=12)
    memory.put_messages([user("one two three"), assistant("four five"), user("six")])
    assert len(memory.get()) == 3
    memory.tokenizer_fn = list
    assert texts(memory.get()) == [("user", "six")]


def test_default_tokenizer_without_network(make):
    """Counting needs no download."""
    assert make().tokenizer_fn("a b") == get_tokenizer()("a b")
