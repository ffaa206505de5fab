"""What a read hands out: window and recalled text, within the limit."""

import pytest
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock, ToolCallBlock
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.storage.chat_store import SimpleChatStore

from streetai_core import NewMessage
from tests.llamaindex_plugin.conftest import FACT, LIMIT, QUESTION, QUOTED, REPLY, SESSION, assistant, talk, texts, user

PNG = b"\x89PNG\r\n\x1a\n\x00\x01"


def size(memory, messages):
    """Tokens as the stock buffer counts them."""
    return len(memory.tokenizer_fn(" ".join(str(message.content) for message in messages)))


@pytest.mark.parametrize(("limit", "initial"), [(120, 0), (200, 20), (400, 0), (550, 70)])
@pytest.mark.parametrize("method", ["user", "system"])
@pytest.mark.parametrize("put_first", [True, False])
def test_window_and_recall_fit_together(make, limit, initial, method, put_first):
    """9.9: The prompt never gets longer than the limit, whatever is recalled, and recall never more than its share."""
    memory = make(token_limit=limit, insert_method=method)
    talk(memory)
    if put_first:
        memory.put(user(QUESTION))
    shown = memory.get(QUESTION, initial_token_count=initial)
    assert size(memory, shown) <= limit - initial
    recalled = memory.last_turn.recalled_text
    assert len(memory.tokenizer_fn(recalled)) <= (limit - initial) * memory.recall_token_ratio
    assert sum(recalled in message.content for message in shown) == (1 if recalled else len(shown))
    if limit >= 400:
        assert QUOTED in recalled
        assert len(shown) > 4
    if recalled:
        roles = [message.role.value for message in shown]
        assert roles[0] == ("system" if method == "system" else "user")


def test_recall_ratio_of_zero(make):
    """Recall can be turned off; what is said is stored all the same."""
    memory = make(recall_token_ratio=0)
    talk(memory)
    memory.put(user(QUESTION))
    assert memory.last_turn.recalled_text == ""
    assert memory.get()[-1].content == QUESTION


def test_nothing_to_recall_is_the_stock_prompt(make):
    """9.9: With an empty engine the prompt is the stock one, to the letter."""
    memory, stock = make(token_limit=60), ChatMemoryBuffer.from_defaults(token_limit=60)
    for number in range(10):
        for message in (user(f"zxq{number} " * 3), assistant(f"plugh{number} " * 3)):
            memory.put(message)
            stock.put(message)
        assert memory.get() == stock.get()


def test_what_is_shown_is_not_recalled(make):
    """9.9: The user's own words of a moment ago are not quoted back beside themselves."""
    memory = make(token_limit=3000)
    talk(memory)
    memory.registry.get(SESSION).add_message(f"{FACT}", "user", conversation_id="elsewhere")
    memory.put(user(QUESTION))
    shown = memory.get()
    assert sum(message.content.count(FACT) for message in shown) == 1
    assert FACT not in memory.last_turn.recalled_text


def test_other_conversations_are_recalled(make):
    """What was said under the same id through the core, or LangChain, bears on the question too."""
    memory = make(token_limit=3000)
    memory.registry.get(SESSION).add_messages(
        [NewMessage(content=FACT, role="user"), NewMessage(content="It rained for days on end.", role="user")]
    )
    memory.put(user(QUESTION))
    assert QUOTED in memory.get()[-1].content


def test_initial_token_count(make):
    """9.9: A prefix that is over the limit alone is the stock error, with the stock words."""
    memory, stock = make(token_limit=50), ChatMemoryBuffer.from_defaults(token_limit=50)
    for one in (memory, stock):
        one.put(user("hello"))
        assert one.get(initial_token_count=40) == [user("hello")]
        with pytest.raises(ValueError, match=r"^Initial token count exceeds token limit$"):
            one.get(initial_token_count=51)


def test_tool_calls_are_counted(make):
    """9.9: A tool call of 3000 words does not go into a prompt of 500 tokens."""
    memory = make(token_limit=500)
    memory.put(user("find it"))
    call = ToolCallBlock(tool_call_id="c", tool_name="find", tool_kwargs={"text": "word " * 3000})
    memory.put_messages(
        [
            ChatMessage(role="assistant", blocks=[call]),
            ChatMessage(role="tool", content="found", additional_kwargs={"tool_call_id": "c"}),
            assistant("Here it is."),
        ]
    )
    memory.put(user("thanks"))
    shown = memory.get()
    assert len(shown) == 1
    assert shown[0].content.endswith("thanks")


def test_a_long_transcript_is_read_as_far_as_it_is_shown(make):
    """9.9: Of thousands of messages those that fit are read and counted, not all of them at each turn."""
    memory = make(token_limit=1000)
    memory.set([one for number in range(200) for one in (user(f"short {number}"), assistant(f"yes {number}"))])
    shown = memory.get()
    assert 120 < len(shown) < 400
    assert shown[-1].content == "yes 199"
    assert size(memory, shown) <= 1000 < size(memory, memory.get_all()[-len(shown) - 8 :])


def test_the_same_copies_for_the_whole_turn(memory):
    """9.13: An agent writes its state into the question it was given, and finds it there after a tool step."""
    memory.put(user(QUESTION))
    shown = memory.get()
    shown[-1].blocks[0].text = f"Current state: sailing\n\n{shown[-1].blocks[0].text}"
    again = memory.get(input=QUESTION)
    assert all(one is other for one, other in zip(shown, again, strict=True))
    assert memory.get_all()[-1] == user(QUESTION)
    memory.put(assistant(REPLY))
    assert memory.get_all()[-2] == user(QUESTION)
    memory.put(user("and now?"))
    assert all("Current state" not in str(message.content) for message in memory.get())


def test_copies_in(make):
    """9.13: What the application does with its message afterwards does not change what was said."""
    memory = make()
    message = user("as it was")
    memory.put(message)
    message.blocks[0].text = "changed"
    history = [user("one"), assistant("1")]
    assert memory.get_all() == [user("as it was")]
    memory.set(history)
    history.append(user("two"))
    history[0].blocks[0].text = "changed"
    memory.get_all()[0].blocks[0].text = "changed"
    assert memory.get_all() == [user("one"), assistant("1")]


def test_an_image_beside_the_question(memory):
    """Recalled text stands before the words; the image stays where it was, and in the store as it was."""
    message = ChatMessage(role="user", blocks=[TextBlock(text=QUESTION), ImageBlock(image=PNG)])
    memory.token_limit = 700
    memory.put(message)
    recalled, *rest = memory.get()[-1].blocks
    assert QUOTED in recalled.text
    assert rest == message.blocks
    assert memory.get_all()[-1] == message


def test_recalled_text_is_never_stored(memory):
    """What was quoted is not taken for something that was said."""
    memory.put(user(QUESTION))
    assert "[recalled" in memory.get()[-1].content
    memory.put(assistant(REPLY))
    assert all("[recalled" not in message.content for message in memory.registry.get(SESSION).messages())
    assert all("[recalled" not in message.content for message in memory.get_all())


def test_in_the_system_message(make):
    """Recalled text can stand in front, for providers that want one user message only."""
    memory = make(insert_method="system")
    talk(memory)
    memory.put(user(QUESTION))
    shown = memory.get()
    assert (shown[0].role, QUOTED in shown[0].content) == ("system", True)
    assert shown[-1] == user(QUESTION)
    assert memory.get()[0] is shown[0]


def test_window_from_the_chat_store_of_the_user(make):
    """The window is what the application's store has; recall knows what was said through this memory."""
    store = SimpleChatStore()
    memory = make(chat_store=store)
    talk(memory)
    memory.put(user(QUESTION))
    shown = memory.get()
    assert QUOTED in shown[-1].content
    assert store.get_messages(SESSION)[-1] == user(QUESTION)
    memory.put(assistant(REPLY))
    assert texts(store.get_messages(SESSION))[-2:] == [("user", QUESTION), ("assistant", REPLY)]
    assert memory.last_turn.outcome == "answered"
    store.delete_messages(SESSION)
    assert memory.get() == memory.get_all() == []
    assert QUOTED in memory.get(QUESTION)[-1].content


def test_retry_with_the_chat_store_of_the_user(make):
    """9.6: A retry is one message in the application's store too, unless the application has taken it out."""
    store = SimpleChatStore()
    memory = make(chat_store=store)
    for _ in range(2):
        memory.put(user(QUESTION))
    assert store.get_messages(SESSION) == [user(QUESTION)]
    store.delete_last_message(SESSION)
    memory.put(user(QUESTION))
    assert store.get_messages(SESSION) == [user(QUESTION)]


def test_first_message(make):
    """9.9: A greeting of the assistant's does not open the prompt; it can be recalled, and is in the history."""
    memory = make(token_limit=LIMIT)
    memory.put(assistant("Ahoy!"))
    memory.put(user("hello"))
    (sent,) = memory.get()
    quoted, _, said = str(sent.content).rpartition("\n\n")
    assert (sent.role, said) == (user("hello").role, "hello")
    assert not quoted or "\nassistant: Ahoy!\n[end of recalled " in quoted
    assert memory.get_all() == [assistant("Ahoy!"), user("hello")]
