"""The transcript of a conversation as a LangChain chat history."""

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage, ToolMessage

from streetai_core.errors import InputError
from streetai_langchain import StreetAIChatMessageHistory
from tests.langchain_plugin.conftest import spoken

CALL = {"name": "depth", "args": {}, "id": "c1"}
TOOL_TURN = [
    HumanMessage("How deep is it in Kiel?"),
    AIMessage("", tool_calls=[CALL, {**CALL, "id": "c2"}]),
    ToolMessage("4 m", tool_call_id="c1"),
    ToolMessage("5 m", tool_call_id="c2"),
    AIMessage("Four to five metres."),
]
SHORT_TURN = [HumanMessage("Thanks!"), AIMessage("Any time.")]


def history(registry, conversation_id="s1", **options):
    """A new handle."""
    return StreetAIChatMessageHistory(registry.get("mara"), conversation_id, **options)


def test_messages_come_back_in_order(registry):
    """6.2, 6.8: A transcript is what was added, in the order it was added, whoever reads it."""
    history(registry).add_messages(TOOL_TURN)
    history(registry).add_user_message("Thanks!")
    history(registry).add_ai_message("Any time.")

    assert history(registry).messages == TOOL_TURN + SHORT_TURN
    assert str(history(registry)).endswith("Human: Thanks!\nAI: Any time.")


async def test_async_twins_do_the_same(registry):
    """6.6: Adding, reading and clearing on the event loop are the same as without."""
    await history(registry).aadd_messages([*TOOL_TURN, AIMessageChunk("Bye.", id="run-1", chunk_position="last")])

    assert await history(registry).aget_messages() == [*TOOL_TURN, AIMessage("Bye.", id="run-1")]
    await history(registry).aclear()
    assert await history(registry).aget_messages() == []


def test_what_can_be_read_only_once_is_stored(registry):
    """Such as a generator: LangChain's history in RAM takes it, and here nothing came of it."""
    history(registry).add_messages(HumanMessage(text) for text in ("Ahoy!", "Is it deep?"))

    assert spoken(registry.get("mara"), "s1") == [("user", "Ahoy!"), ("user", "Is it deep?")]


def test_nothing_to_add_is_no_write(registry):
    """An empty list does not even make the database."""
    history(registry).add_messages([])

    assert registry.ids() == []


def test_a_batch_is_stored_whole_or_not_at_all(registry):
    """6.11: One thing in it that is no message keeps the others out."""
    with pytest.raises(InputError):
        history(registry).add_messages([HumanMessage("one"), "two"])

    assert history(registry).messages == []


def test_a_handle_keeps_its_view_until_it_writes(registry):
    """6.11: What another handle adds does not move the messages under a run that has begun."""
    mine, other = history(registry), history(registry)
    assert mine.messages == []

    other.add_messages(SHORT_TURN)
    assert mine.messages == []

    mine.add_messages([HumanMessage("Bye.")])
    assert mine.messages == [*SHORT_TURN, HumanMessage("Bye.")]


def test_the_list_is_the_callers_own(registry):
    """6.11: Changing the list that was handed out does not change the view."""
    handle = history(registry)
    handle.messages.append(HumanMessage("smuggled"))

    assert handle.messages == []


def test_clear_deletes_its_own_conversation_only(registry):
    """6.11: Another session of the same user, and the one without an id, stay."""
    for conversation_id in ("s1", "s2", None):
        history(registry, conversation_id).add_messages(SHORT_TURN)
    handle = history(registry, "s1")
    assert handle.messages == SHORT_TURN

    handle.clear()

    assert handle.messages == []
    assert history(registry, "s2").messages == SHORT_TURN
    assert history(registry, None).messages == SHORT_TURN


@pytest.mark.parametrize(
    ("window", "start"),
    [
        (1, 5),  # only "Any time." would be left: the exchange it answers is given whole
        (2, 5),
        (3, 5),
        (4, 5),  # would begin with a tool result
        (6, 5),
        (7, 0),
        (100, 0),
    ],
)
def test_a_window_begins_with_the_user(registry, window, start):
    """6.8: Of what does not fit, no half exchange is left over."""
    history(registry).add_messages(TOOL_TURN + SHORT_TURN)

    assert history(registry, window=window).messages == (TOOL_TURN + SHORT_TURN)[start:]


@pytest.mark.parametrize("window", [1, 2, 3, 4])
def test_a_long_exchange_is_given_whole(registry, window):
    """6.8: The newest exchange is never cut, so tool results keep their calls."""
    history(registry).add_messages(SHORT_TURN + TOOL_TURN)

    assert history(registry, window=window).messages == TOOL_TURN


def test_a_transcript_that_fits_is_given_as_it_is(registry):
    """A short transcript may begin with the app's own words."""
    opening = [SystemMessage("Be brief."), AIMessage("Ahoy!"), HumanMessage("Hello")]
    history(registry).add_messages(opening)

    assert history(registry, window=3).messages == opening
    assert history(registry, window=2).messages == opening[2:]


def test_a_transcript_without_a_user_is_given_whole(registry):
    """Where no exchange can be told, nothing is cut."""
    alone = [AIMessage("one"), AIMessage("two"), AIMessage("three")]
    history(registry).add_messages(alone)

    assert history(registry, window=2).messages == alone


@pytest.mark.parametrize("window", [0, -1, 2.5, True, "3"])
def test_a_window_is_a_whole_number_from_one(registry, window):
    """6.7: Other windows are refused when the handle is made."""
    with pytest.raises(InputError, match="window must be"):
        history(registry, window=window)


def test_a_memory_must_be_a_memory(registry):
    """6.7: A registry in its place is refused when the handle is made."""
    with pytest.raises(InputError, match=r"streetai_core\.Memory"):
        StreetAIChatMessageHistory(registry, "s1")
    with pytest.raises(InputError, match="conversation_id"):
        history(registry, "")


def test_the_classic_memory_reads_what_a_history_stored(registry, streetai):
    """Blocks are shown as their text, and tool traffic is left out, in both forms."""
    history(registry).add_messages(
        [
            HumanMessage([{"type": "text", "text": "What boat is this?"}, {"type": "image", "url": "https://a.b/c"}]),
            AIMessage("A sloop.", id="lc_run--1"),
            *TOOL_TURN,
        ]
    )
    text = streetai.classic("s1", user_id="mara").load_memory_variables({"input": "And now?"})["history"]
    messages = streetai.classic("s1", user_id="mara", return_messages=True).load_memory_variables({"input": "And now?"})

    assert text == ("Human: What boat is this?\nAI: A sloop.\nHuman: How deep is it in Kiel?\nAI: Four to five metres.")
    assert messages["history"] == [
        HumanMessage("What boat is this?"),
        AIMessage("A sloop."),
        HumanMessage("How deep is it in Kiel?"),
        AIMessage("Four to five metres."),
    ]


def test_a_history_reads_what_the_classic_memory_stored(registry, streetai):
    """A turn of a chain is part of the transcript."""
    streetai.classic("s1", user_id="mara", human_name="Mara").save_context({"input": "Ahoy"}, {"response": "Hello"})

    human, ai = history(registry).messages
    assert (type(human), human.content, human.name) == (HumanMessage, "Ahoy", "Mara")
    assert (type(ai), ai.content) == (AIMessage, "Hello")
    assert spoken(registry.get("mara"), "s1") == [("user", "Ahoy"), ("assistant", "Hello")]
