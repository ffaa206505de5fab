"""`memory.wrap` round an agent: what it streams in any of its modes is the reply that `invoke` gives."""

import json
from operator import itemgetter

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, AgentState, before_model
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import BaseModel

from streetai_core.errors import InputError
from streetai_langchain.replies import reply_of
from streetai_langchain.streamed import Streamed
from tests.langchain_plugin import ways
from tests.langchain_plugin.agents import calls, tide
from tests.langchain_plugin.conftest import FACT, QUESTION, REPLY, spoken
from tests.langchain_plugin.scripted import ScriptedChatModel, script, text_of_prompt
from tests.learning import learning_steps

MARA = {"configurable": {"user_id": "mara", "session_id": "new"}}
ASKED = {"messages": [HumanMessage(QUESTION)]}
SAID = [("user", QUESTION), ("assistant", REPLY)]
MODES = ["updates", "messages", "values", ["updates", "messages"], ["values", "custom"], ["messages", "debug"]]


@tool(return_direct=True)
def chart(harbour: str) -> str:
    """A chart of a harbour, for the user's eyes."""
    return f"chart of {harbour}"


def wrapped(streetai, *replies, tools=(tide,), **options):
    """An agent without a memory of its own, in a wrapper."""
    return streetai.wrap(create_agent(ScriptedChatModel(reply=script(*replies)), list(tools), **options))


def learned(memory):
    """How often each signal was learned about, those that were."""
    return set(learning_steps(memory).values())


@pytest.mark.parametrize("version", ["v1", "v2", "v1 async", "v2 async"])
@pytest.mark.parametrize("subgraphs", [False, True])
@pytest.mark.parametrize("mode", MODES, ids=str)
async def test_every_stream_mode_stores_the_reply(diary, streetai, mode, subgraphs, version):
    """6.4: without this the stored reply is a printed message object, or there is none."""
    chat = wrapped(streetai, calls("Kiel", text="Let me look."), REPLY)
    options = {"stream_mode": mode, "subgraphs": subgraphs, "version": version.removesuffix(" async")}

    if version.endswith(" async"):
        assert [piece async for piece in chat.astream(ASKED, MARA, **options)]
    else:
        assert list(chat.stream(ASKED, MARA, **options))

    assert spoken(diary, "new") == SAID
    assert learned(diary) == {1}


@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.parametrize("mode", ["tasks", "debug", "checkpoints", "custom"])
def test_a_mode_that_does_not_tell_what_was_said(diary, streetai, mode, version):
    """6.4: the user's message is kept, and no printed event is stored as a reply."""
    list(wrapped(streetai, REPLY).stream(ASKED, MARA, stream_mode=mode, version=version))

    assert spoken(diary, "new") == SAID[:1]
    assert learned(diary) == set()


@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.parametrize("asynchronous", [False, True])
async def test_the_reply_is_among_the_messages_whatever_else_there_is(diary, streetai, asynchronous, version):
    """6.4: the state of an agent may have other keys, and `version="v2"` puts all of it into an object."""

    class Noting(AgentMiddleware):
        state_schema = type("Noted", (AgentState,), {"__annotations__": {"notes": list}})

    agent = create_agent(ScriptedChatModel(reply=script(REPLY)), [], middleware=[Noting()])
    chat = streetai.wrap(agent, input_key="messages")
    asked = {**ASKED, "notes": ["deep"]}

    if asynchronous:
        await chat.ainvoke(asked, MARA, version=version)
    else:
        chat.invoke(asked, MARA, version=version)

    assert spoken(diary, "new") == SAID
    assert learned(diary) == {1}


@pytest.mark.parametrize("way", [ways.invoke, ways.ainvoke, ways.stream, ways.astream], ids=lambda way: way.__name__)
async def test_where_the_reply_cannot_be_told_the_question_is_kept(diary, streetai, way):
    """6.8: the model was paid for, so what the user said is not lost beside the error that says what to do."""
    chat = streetai.wrap(RunnableLambda(lambda _: {"one": REPLY, "two": REPLY}))

    with pytest.raises(InputError, match="Set output_key"):
        await way(chat, QUESTION, MARA)

    assert spoken(diary, "new") == SAID[:1]


def test_an_agent_that_keeps_its_messages_is_refused(streetai):
    """6.4: it would keep what is put before the question, and send more each turn; the error says what to do."""
    with pytest.raises(InputError, match=r"memory\.middleware\(\)"):
        wrapped(streetai, REPLY, checkpointer=InMemorySaver())


STYLES = ("invoke", "ainvoke", "values", "values v2", "invoke v2")


@pytest.mark.parametrize("style", STYLES)
async def test_what_was_recalled_is_not_in_what_comes_back(diary, streetai, style):
    """6.4: an agent gives back its whole state: the window and the recalled block are no part of it."""
    model = ScriptedChatModel(reply=script("Good morning.", REPLY))
    chat = streetai.wrap(create_agent(model, []))
    chat.invoke({"messages": [HumanMessage("Hello.")]}, MARA)
    asked = HumanMessage(QUESTION, id="q-1")
    options = {"version": "v2"} if style.endswith("v2") else {}
    given = {"messages": [asked]}
    if style.startswith("values"):
        pieces = list(chat.stream(given, MARA, stream_mode="values", **options))
        output = pieces[-1]["data"] if options else pieces[-1]
    elif style == "ainvoke":
        output = await chat.ainvoke(given, MARA)
    else:
        output = chat.invoke(given, MARA, **options)
        output = output.value if options else output

    assert FACT.split(": ")[-1] in text_of_prompt(model.prompts[-1])
    assert "Hello." in text_of_prompt(model.prompts[-1])
    assert [(QUESTION, "q-1"), (REPLY, output["messages"][-1].id)] == [(one.text, one.id) for one in output["messages"]]
    assert output["messages"][0] == asked


@before_model
def redacting(state, _):
    """Addresses are taken out of the question, also where it has blocks, which LangChain's own redaction may leave."""
    question = state["messages"][-1]
    content = json.loads(json.dumps(question.content).replace("mara@example.com", "[REDACTED_EMAIL]"))
    return {"messages": [question.model_copy(update={"content": content})]}


@pytest.mark.parametrize("blocks", [False, True])
def test_what_a_chain_has_made_of_the_question_is_left_to_it(diary, streetai, blocks):
    """6.4: a redaction in the agent is not undone in its state; the recalled block is no part of that either."""
    model = ScriptedChatModel(reply=script(REPLY))
    chat = streetai.wrap(create_agent(model, [], middleware=[redacting]))
    text = f"{QUESTION} Write to mara@example.com."
    content = [{"type": "text", "text": text}] if blocks else text
    output = chat.invoke({"messages": [HumanMessage(content, id="q-1")]}, MARA)

    assert FACT.split(": ")[-1] in text_of_prompt(model.prompts[-1])
    asked = output["messages"][0]
    assert asked.id == "q-1"
    assert "recalled" not in asked.text
    assert asked.text == f"{QUESTION} Write to [REDACTED_EMAIL]."


def test_instructions_behind_the_question_are_not_stored(diary, streetai):
    """6.4: nor the beginning of a reply that the model is to go on with; nobody has said them."""
    chat = streetai.wrap(ScriptedChatModel(reply=script(REPLY)))
    chat.invoke([HumanMessage(QUESTION), SystemMessage("Answer in JSON."), AIMessage("{")], MARA)

    assert spoken(diary, "new") == SAID


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_a_node_of_a_graph_has_its_conversation_in_the_state(diary, streetai, asynchronous):
    """6.4: what the state has is sent once, in each step of a loop with tools, and all of it is stored."""
    model = ScriptedChatModel(reply=script(calls("Kiel"), "One metre.", calls("Aarhus"), REPLY))
    graph = StateGraph(MessagesState)
    node = RunnableLambda(itemgetter("messages")) | streetai.wrap(model) | (lambda reply: {"messages": [reply]})
    graph.add_node("model", node)
    graph.add_node("tools", ToolNode([tide]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    chat = graph.compile(checkpointer=InMemorySaver())
    config = {"configurable": {"user_id": "mara", "thread_id": "new"}}
    for question in ("How deep is Kiel?", QUESTION):
        if asynchronous:
            await chat.ainvoke({"messages": [HumanMessage(question)]}, config)
        else:
            chat.invoke({"messages": [HumanMessage(question)]}, config)

    state = chat.get_state(config).values["messages"]
    turn = ["human", "ai", "tool", "ai"]
    assert turn * 2 == [one.type for one in state]
    assert [turn[:1], turn[:3], [*turn, *turn[:1]], [*turn, *turn[:3]]] == [
        [one.type for one in prompt] for prompt in model.prompts
    ]
    assert FACT.split(": ")[-1] in text_of_prompt(model.prompts[-1])
    assert ["recalled" in one.text for one in state] == [False] * 8
    stored = [(one.role, one.content) for one in diary.messages(conversation_id="new")]
    assert [({"human": "user", "ai": "assistant"}.get(one.type, one.type), one.text) for one in state] == stored
    # One lesson for each of the two replies, and none for a call of a tool.
    assert max(learned(diary)) == 2


def test_examples_in_an_input_stand_beside_the_window(diary, streetai):
    """6.4: messages that are not of the conversation do not mean that the app sends it along."""
    model = ScriptedChatModel(reply=script("Hello.", REPLY))
    chat = streetai.wrap(model)
    chat.invoke("Good morning!", MARA)
    chat.invoke([HumanMessage("2 + 2?"), AIMessage("4"), HumanMessage(QUESTION)], MARA)

    assert "Good morning!" in text_of_prompt(model.prompts[-1])
    assert "2 + 2?" in text_of_prompt(model.prompts[-1])
    assert ["Good morning!", "Hello.", QUESTION, REPLY] == [text for _, text in spoken(diary, "new")]


@pytest.mark.parametrize("mode", ["updates", "messages", "values"])
def test_an_agent_that_is_cut_before_its_reply(diary, streetai, mode):
    """6.4, 6.8: the user's message is kept; a tool call without its result would be refused by every provider."""
    chat = wrapped(streetai, calls("Kiel"), REPLY)
    pieces = chat.stream(ASKED, MARA, stream_mode=mode)
    next(pieces)
    next(pieces)
    pieces.close()
    streetai.registry.later.wait()

    assert spoken(diary, "new") == SAID[:1]
    assert learned(diary) == set()


def test_an_agent_that_is_cut_in_its_reply(diary, streetai):
    """6.4: what the user has read is kept, marked as partial."""
    chat = wrapped(streetai, REPLY)
    pieces = chat.stream(ASKED, MARA, stream_mode="messages")
    read = [next(pieces)[0].text, next(pieces)[0].text]
    pieces.close()
    streetai.registry.later.wait()

    assert spoken(diary, "new") == [SAID[0], ("assistant", "".join(read))]
    assert diary.messages(conversation_id="new")[1].metadata["partial"] is True
    assert learned(diary) == set()


@pytest.mark.parametrize("style", ["invoke", "updates", "messages", "values"])
def test_an_agent_that_ends_with_a_tool_has_no_reply(diary, streetai, style):
    """6.8: the model's call is not stored without the tool's result; the result is nobody's reply."""
    call = calls("Kiel")
    call.tool_calls[0]["name"] = "chart"
    chat = wrapped(streetai, call, tools=(chart,))

    if style == "invoke":
        chat.invoke(ASKED, MARA)
    else:
        list(chat.stream(ASKED, MARA, stream_mode=style))

    assert spoken(diary, "new") == SAID[:1]
    assert learned(diary) == set()


class Boat(BaseModel):
    """A boat."""

    about: str


@pytest.mark.parametrize("style", ["invoke", "updates", "values", ["messages", "updates"]], ids=str)
def test_a_structured_answer_is_the_reply_where_its_key_is_given(diary, streetai, style):
    """6.4: it is not a message, and it is the same for a stream as for `invoke`."""
    call = AIMessage("", tool_calls=[{"name": "Boat", "args": {"about": REPLY}, "id": "b"}])
    agent = create_agent(ScriptedChatModel(reply=script(call)), [], response_format=ToolStrategy(Boat))
    chat = streetai.wrap(agent, output_key="structured_response")

    if style == "invoke":
        chat.invoke(ASKED, MARA)
    else:
        list(chat.stream(ASKED, MARA, stream_mode=style))

    assert spoken(diary, "new") == [SAID[0], ("assistant", json.dumps({"about": REPLY}))]
    assert learned(diary) == {1}


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([("a", "b"), ("c",)], "abc"),
        ([{"answer": {"text": "yes"}}], '{"text": "yes"}'),
        ([{"answer": {"messages": "yes"}}], '{"messages": "yes"}'),
        ([{"step": None}, {"other": {"messages": [HumanMessage("a")]}}, {"last": None}], None),
        ([{"answer": None}, {"answer": "yes"}], "yes"),
        ([], None),
    ],
    ids=str,
)
def test_pieces_that_only_look_like_a_graph_s(pieces, text):
    """6.4: pairs, dicts of dicts and steps without a change are what they are."""
    streamed = Streamed(None)
    for piece in pieces:
        streamed.add(piece)

    reply = streamed.reply()
    assert (None if reply is None else reply.text) == text


def test_the_last_word_of_messages():
    """6.8: the model's last message, unless a tool spoke after it; a call that the caller is to carry out counts."""
    call = calls("Kiel")
    result = ToolMessage("one metre", tool_call_id="call-Kiel")
    said = reply_of({"messages": [HumanMessage("?"), call, result, call]}, None)

    assert said is call
    assert reply_of({"messages": [HumanMessage("?"), call, result]}, None) is None
    assert reply_of({"raw": AIMessage(REPLY), "parsed": None, "parsing_error": None}, None).text == REPLY
    assert reply_of([HumanMessage("?")], None) is None
    assert reply_of([], None) is None
