"""Calls of the memory's own tools, and their results, are stored by no view: they repeat what is in the memory."""

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import wrap_tool_call
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from streetai_langchain.memory_traffic import NAMES, without_memory_traffic
from tests.langchain_plugin.agents import CONFIG, STYLES, Agent, calls, said, tide
from tests.langchain_plugin.conftest import DIARY, FACT, QUESTION, REPLY, spoken
from tests.langchain_plugin.scripted import ScriptedChatModel, script, text_of_prompt
from tests.langchain_plugin.ways import ainvoke, astream, invoke, stream

MARA = {"configurable": {"user_id": "mara", "session_id": "new"}}


def asking(name, said="", **arguments):
    """A message of the model that calls one tool of the memory."""
    return AIMessage(said, tool_calls=[{"name": name, "args": arguments, "id": f"call-{name}"}])


def everything(memory):
    """All that is stored of all messages, as one text."""
    return str([(one.content, one.metadata) for one in memory.messages()])


def forgetting(messages):
    """What a model does that is to forget: it searches, deletes the first result, and says so."""
    last = messages[-1]
    if isinstance(last, HumanMessage):
        return asking("search_memory", query="the draught")
    if last.text.startswith("["):
        return asking("forget", message_id=last.text[1:].partition("]")[0])
    return "It is forgotten."


@pytest.mark.parametrize("style", STYLES)
async def test_what_a_tool_has_forgotten_is_gone(streetai, diary, style):
    """6.5: If the search that found it were stored with the turn, it would be back before the user hears of it."""
    agent = Agent(streetai, model=ScriptedChatModel(reply=forgetting), tools=streetai.tools())

    await agent.run(style, "Please forget that.")

    assert "forty, so shallow" not in everything(diary)
    assert said(diary) == [("user", "Please forget that."), ("assistant", "It is forgotten.")]
    assert [one.type for one in agent.state()["messages"]] == ["human", "ai", "tool", "ai", "tool", "ai"]


@pytest.mark.parametrize("style", STYLES)
async def test_what_the_model_asks_the_memory_is_not_stored(streetai, diary, style):
    """6.5: Arguments repeat what was corrected, or noted; results nest. Other tools of the same message are stored."""
    both = asking("remember", text="Berth 31 is hers.")
    both.tool_calls.extend(calls("Kiel").tool_calls)
    agent = Agent(streetai, (both, REPLY), tools=[*streetai.tools(), tide])

    await agent.run(style, QUESTION)

    assert said(diary) == [
        ("user", QUESTION),
        ("assistant", ""),
        ("tool", "the tide in Kiel is one metre"),
        ("assistant", REPLY),
    ]
    assert everything(diary).count("Berth 31") == 1
    assert diary.stats()["turn_counter"] == 10


@pytest.mark.parametrize("style", ["invoke", "ainvoke"])
async def test_a_tool_by_another_name_is_known_by_its_mark(streetai, diary, style):
    """6.5: An app may rename the tools; the mark of a result is there after it came from a checkpoint."""
    search = streetai.tools()[0]
    search.name = "look_up"
    checkpointer = InMemorySaver()
    agent = Agent(
        streetai,
        (asking("look_up", query=QUESTION), ConnectionError("gone")),
        tools=[search],
        checkpointer=checkpointer,
    )
    with pytest.raises(ConnectionError):
        await agent.run(style, QUESTION)
    resumed = Agent(streetai, (REPLY,), tools=[search], checkpointer=checkpointer)
    await resumed.run(style, None)

    assert FACT.split(": ")[-1] in text_of_prompt(resumed.model.prompts[0][2:])
    assert said(diary) == [("user", QUESTION), ("assistant", REPLY)]


async def test_a_result_that_was_made_anew_is_known_by_its_name(streetai, diary):
    """6.5: A failed call, or a middleware that writes its own result, has no mark."""

    @wrap_tool_call
    async def plain(request, handler):
        found = await handler(request)
        return ToolMessage(found.text, tool_call_id=found.tool_call_id)

    broken = asking("update_message", mesage_id="x", text="Berth 13.")
    agent = Agent(
        streetai,
        (broken, asking("search_memory", query=QUESTION), REPLY),
        tools=streetai.tools(),
        middleware=[plain],
    )
    await agent.run("ainvoke", QUESTION)

    assert "Berth 13" in str(agent.state()["messages"])
    assert said(diary) == [("user", QUESTION), ("assistant", REPLY)]
    assert "Berth 13" not in everything(diary)


@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream], ids=lambda way: way.__name__)
async def test_in_a_wrapped_chain(streetai, diary, way):
    """6.5: Also where the app itself calls the tools, between two calls of the chain."""
    search, *_ = streetai.tools()
    call = asking("search_memory", "Let me look.", query="boat")
    chat = streetai.wrap(ScriptedChatModel(reply=script(call, asking("search_memory", query="draught"), REPLY)))
    said_so_far = [HumanMessage(QUESTION)]
    while not isinstance(said_so_far[-1], AIMessage) or said_so_far[-1].tool_calls:
        reply = await way(chat, said_so_far, MARA)
        results = [search.invoke({**one, "type": "tool_call"}, MARA) for one in reply.tool_calls]
        said_so_far += [reply, *results]

    assert said_so_far[2].text.startswith("[")
    assert spoken(diary, "new") == [("user", QUESTION), ("assistant", "Let me look."), ("assistant", REPLY)]
    assert diary.stats()["turn_counter"] == 10


async def test_a_wrapped_agent_stores_none_of_it(streetai, diary):
    """6.5: The messages that it gives back are the app's, and have all."""
    agent = create_agent(ScriptedChatModel(reply=forgetting), streetai.tools())
    given = streetai.wrap(agent).invoke({"messages": [HumanMessage("Forget it.")]}, MARA)

    assert [one.type for one in given["messages"]] == ["human", "ai", "tool", "ai", "tool", "ai"]
    assert spoken(diary, "new") == [("user", "Forget it."), ("assistant", "It is forgotten.")]


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_a_transcript_has_it_and_nothing_recalls_it(streetai, diary, asynchronous):
    """6.5: A history is all that a loop of one's own may have: without results its model would ask for ever."""
    search, *_ = streetai.tools()
    call = asking("search_memory", query="the draught")
    result = search.invoke({**call.tool_calls[0], "type": "tool_call"}, MARA)
    turn = [HumanMessage(QUESTION), call, result, AIMessage(REPLY)]
    history = streetai.chat_history("new", user_id="mara")
    if asynchronous:
        for message in turn:
            await history.aadd_messages([message])
    else:
        history.add_messages(turn)

    assert streetai.chat_history("new", user_id="mara").messages == turn
    assert not [one for one in diary.signals if one.content.startswith("[")]
    assert [hit.signal.role for hit in diary.retrieve(DIARY[2][1], limit=20)].count("tool") == 0


def test_every_form_of_a_call_is_taken_out():
    """6.5: Providers repeat the arguments in blocks of the content and beside it."""
    raw = {"id": "1", "type": "function", "function": {"name": "forget", "arguments": '{"message_id": "secret"}'}}
    other = {"id": "2", "type": "function", "function": {"name": "tide", "arguments": "{}"}}
    message = AIMessage(
        [
            {"type": "text", "text": "Let me see."},
            {"type": "tool_use", "id": "1", "name": "forget", "input": {"message_id": "secret"}},
            {"type": "function_call", "call_id": "1", "name": "forget", "arguments": "secret"},
            {"type": "tool_use", "id": "2", "name": "tide", "input": {}},
        ],
        tool_calls=[
            {"name": "forget", "args": {"message_id": "secret"}, "id": "1"},
            {"name": "tide", "args": {}, "id": "2"},
        ],
        invalid_tool_calls=[{"name": "remember", "args": "secret", "id": None, "error": None}],
        additional_kwargs={"tool_calls": [raw, other], "function_call": {"name": "forget", "arguments": "secret"}},
    )
    [left] = without_memory_traffic([message])

    assert "secret" not in repr(left)
    assert [call["id"] for call in left.tool_calls] == ["2"]
    assert left.additional_kwargs == {"tool_calls": [other]}
    assert [block["type"] for block in left.content] == ["text", "tool_use"]
    assert "secret" in repr(message)


def test_the_names_are_those_of_the_tools(streetai):
    """6.5: A tool that is added and not named here would be stored where its mark is lost."""
    assert {tool.name for tool in streetai.tools()} == NAMES


def test_messages_without_it_are_the_same():
    """6.5: Nothing else is changed or copied."""
    messages = [HumanMessage(QUESTION), calls("Kiel"), ToolMessage("1 m", tool_call_id="call-Kiel"), AIMessage(REPLY)]

    assert all(one is other for one, other in zip(without_memory_traffic(messages), messages, strict=True))


async def test_the_state_of_a_run_keeps_the_results(streetai, diary):
    """6.9: The model needs them; only what is stored is without them."""
    agent = Agent(streetai, (asking("search_memory", query=QUESTION), REPLY), tools=streetai.tools())
    await agent.run("ainvoke", QUESTION)

    assert agent.graph.get_state(CONFIG).values["messages"][2].artifact == {"streetai_tool": "search_memory"}
