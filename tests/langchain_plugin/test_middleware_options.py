"""`memory.middleware()`: where recalled text goes, what is sent, other middlewares, apps without a checkpointer."""

import json
import subprocess
import sys

import pytest
from langchain.agents.middleware import ModelRetryMiddleware, PIIMiddleware, SummarizationMiddleware, dynamic_prompt
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from streetai_core import NewMessage
from streetai_core.errors import InputError
from streetai_langchain import StreetAIMemory
from streetai_langchain.agent_turns import as_new_messages, opened, reply_of, unsaved, with_answer_said
from streetai_langchain.sessions import Session
from tests.langchain_plugin.agents import CONFIG, Agent, calls, lessons, said, tide
from tests.langchain_plugin.conftest import FACT, QUESTION, REPLY
from tests.langchain_plugin.scripted import ScriptedChatModel, script, text_of_prompt

IMAGE = {"type": "image", "url": "https://example.org/boat.png"}


def test_in_the_system_message(streetai, diary):
    """After the app's own text; the conversation stays as it is."""
    agent = Agent(streetai, (REPLY,), {"inject": "system"}, agent_options={"system_prompt": "Be brief."})
    agent.graph.invoke({"messages": [HumanMessage(QUESTION)]}, CONFIG)

    [[system, human]] = agent.model.prompts
    assert system.text.startswith("Be brief.\n\n[recalled ")
    assert FACT in system.text
    assert human.text == QUESTION


def test_as_a_system_message_of_its_own(streetai, diary):
    """Where the app has none; and as a block more where its content is a list."""
    agent = Agent(streetai, (REPLY,), {"inject": "system"})
    agent.graph.invoke({"messages": [HumanMessage(QUESTION)]}, CONFIG)
    assert agent.model.prompts[0][0].text.startswith("[recalled ")

    block = {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}
    agent = Agent(
        streetai, (REPLY,), {"inject": "system"}, agent_options={"system_prompt": SystemMessage(content=[block])}
    )
    agent.graph.invoke({"messages": [HumanMessage(QUESTION)]}, {"configurable": {"thread_id": "t2", "user_id": "mara"}})
    first, second = agent.model.prompts[0][0].content
    assert first == block
    assert FACT in second["text"]


@pytest.mark.parametrize("style", ["invoke", "ainvoke"])
async def test_after_a_system_message_that_is_written_anew(streetai, diary, style):
    """6.5: In the order that the README gives, a prompt that depends on the run does not take the place of it."""

    @dynamic_prompt
    def skipper(_):
        return "You are a skipper."

    agent = Agent(streetai, (REPLY,), {"inject": "system"}, middleware=[skipper])
    await agent.run(style, QUESTION)

    system = agent.model.prompts[0][0]
    assert system.text.startswith("You are a skipper.\n\n[recalled ")
    assert FACT in system.text


def test_beside_a_question_with_an_image(streetai, diary):
    """The recalled text is a block before the others, which stay the same."""
    content = [{"type": "text", "text": QUESTION}, IMAGE]
    agent = Agent(streetai, (REPLY,))
    agent.graph.invoke({"messages": [HumanMessage(content=content)]}, CONFIG)

    [[human]] = agent.model.prompts
    assert FACT in human.content[0]["text"]
    assert human.content[1:] == content
    assert said(diary)[0] == ("user", QUESTION)


def test_a_question_without_text_is_stored_and_recalls_nothing(streetai, diary):
    """An image alone: the request is as it was."""
    agent = Agent(streetai, (REPLY,))
    agent.graph.invoke({"messages": [HumanMessage(content=[IMAGE])]}, CONFIG)

    assert agent.model.prompts == [agent.state()["messages"][:1]]
    assert said(diary) == [("user", ""), ("assistant", REPLY)]


def test_what_the_request_has_is_not_recalled(streetai, diary):
    """6.5: The conversation stands in the state; only what does not is quoted."""
    agent = Agent(streetai, ("Noted, the mast.", REPLY))
    agent.graph.invoke({"messages": [HumanMessage("The mast of my boat is as high as its draught is deep.")]}, CONFIG)
    agent.graph.invoke({"messages": [HumanMessage(QUESTION)]}, CONFIG)

    assert text_of_prompt(agent.model.prompts[1]).count("as its draught is deep") == 1
    assert FACT in agent.model.prompts[1][-1].text


async def test_two_memories_at_once(tmp_path, registry, streetai, diary):
    """Each recalls, stores and learns for itself, under its own name."""
    with StreetAIMemory(tmp_path / "other.db", embeddings=registry.encoder) as other:
        team = other.registry.get("team")
        team.add_messages(
            [NewMessage(content=f"Boat number {n} of our fleet has a draught of {n} feet.", role="user") for n in "123"]
        )
        agent = Agent(streetai, (calls("Kiel"), REPLY), middleware=[other.middleware(user_id="team", name="fleet")])
        await agent.run("astream", QUESTION)

        for prompt in agent.model.prompts:
            assert prompt[0].text.count("[recalled ") == 2
            assert FACT in prompt[0].text
            assert "of our fleet" in prompt[0].text
        assert said(team) == said(diary)
        assert len(said(diary)) == 4
        assert set(lessons(team)) == set(lessons(diary)) == {1}
        assert set(agent.state()["streetai"]) == {"fleet", "StreetAIMemoryMiddleware"}
        with pytest.raises(AssertionError, match="duplicate"):
            Agent(streetai, (), middleware=[other.middleware()])


async def test_retries_of_the_model_are_one_turn(streetai, diary):
    """6.1: Another middleware calls the model again; the requests are the same."""
    agent = Agent(
        streetai,
        (ConnectionError("gone"), ConnectionError("gone"), REPLY),
        middleware=[ModelRetryMiddleware(max_retries=2, initial_delay=0, jitter=False)],
    )
    await agent.run("ainvoke", QUESTION)

    assert agent.prompts[0] == agent.prompts[1] == agent.prompts[2]
    assert said(diary) == [("user", QUESTION), ("assistant", REPLY)]
    assert set(lessons(diary)) == {1}


@pytest.mark.parametrize("keep", [1, 2])
async def test_a_summary_in_place_of_the_history_loses_nothing(streetai, diary, keep):
    """What LangChain's summarisation takes out of the state is stored; the summary, which nobody said, is not."""
    agent = Agent(streetai, ("Hello.", calls("Kiel"), calls("Kiel"), REPLY), middleware=[summarising(keep)])
    await agent.run("invoke", "Good morning!")
    await agent.run("invoke", QUESTION)

    assert agent.state()["messages"][0].text.endswith("They talked.")
    texts = said(diary)
    assert texts[:3] == [("user", "Good morning!"), ("assistant", "Hello."), ("user", QUESTION)]
    assert texts[-1] == ("assistant", REPLY)
    assert "They talked" not in str(texts)
    assert set(lessons(diary)) == {1}


def summarising(keep):
    """LangChain's summarisation, from the fourth message on."""
    return SummarizationMiddleware(
        ScriptedChatModel(reply=lambda _: "They talked."), trigger=("messages", 4), keep=("messages", keep)
    )


@pytest.mark.parametrize("checkpointer", [True, False])
async def test_a_summary_within_the_first_turn_loses_no_question(streetai, diary, checkpointer):
    """Nothing is stored yet, and the question is in the summary only; so is each one where the agent keeps no state."""
    options = {} if checkpointer else {"checkpointer": None}
    agent = Agent(streetai, (calls("Kiel", "Aarhus"), REPLY), middleware=[summarising(1)], **options)
    await agent.run("invoke", QUESTION)

    texts = said(diary)
    assert [("user", QUESTION), ("assistant", "")] == texts[:2]
    assert ["user", "assistant", "tool", "tool", "assistant"] == [role for role, _ in texts]
    assert "They talked" not in str(texts)


@pytest.mark.parametrize("style", ["invoke", "astream"])
@pytest.mark.parametrize("loops", [(), (calls("Kiel", "Aarhus"),)], ids=len)
async def test_what_was_redacted_is_stored_as_it_was_redacted(streetai, diary, style, loops):
    """The state has it redacted only after the memory was asked; a summary may take it away before it is stored."""
    redacting = PIIMiddleware("email", strategy="redact")
    replies = [one for number in range(3) for one in (*loops, f"Noted, number {number}.")]
    agent = Agent(streetai, tuple(replies), middleware=[redacting, summarising(1)])
    for number in range(3):
        await agent.run(style, f"Number {number}: write to mara@example.com.")

    asked = [text for role, text in said(diary) if role == "user"]
    assert [f"Number {number}: write to [REDACTED_EMAIL]." for number in range(3)] == asked
    record = agent.state()["streetai"]["StreetAIMemoryMiddleware"]
    assert "@" not in record["question"]


async def test_a_run_that_goes_on_after_a_redaction_is_the_same_turn(streetai, diary, recalls):
    """The question in the state is another text than the one that the memory was asked with."""
    redacting = PIIMiddleware("email", strategy="redact")
    agent = Agent(streetai, (calls("Kiel"), ConnectionError("gone"), REPLY), middleware=[redacting])
    with pytest.raises(ConnectionError):
        await agent.run("invoke", "How deep? Write to mara@example.com.")
    agent.graph.invoke(None, CONFIG)

    assert len(recalls) == 1
    assert [role for role, _ in said(diary)] == ["user", "assistant", "tool", "assistant"]


async def test_an_app_that_sends_its_history_along(streetai, diary):
    """6.2: Without a checkpointer, with new ids each time: each turn is stored once."""
    agent = Agent(streetai, tuple(f"Answer number {n}" for n in range(4)), checkpointer=None)
    history = []
    for number in range(4):
        history.append(("user", f"Question number {number}"))
        await agent.run("ainvoke", {"messages": list(history)})
        history.append(("assistant", f"Answer number {number}"))

    assert said(diary) == history


async def test_an_unanswered_question_of_such_an_app(streetai, diary):
    """6.2: The model failed, and the app sends the question along with the next one."""
    agent = Agent(streetai, (ConnectionError("gone"), REPLY), checkpointer=None)
    with pytest.raises(ConnectionError):
        await agent.run("invoke", {"messages": [("user", "Hello?")]})
    await agent.run("invoke", {"messages": [("user", "Hello?"), ("user", QUESTION)]})

    assert said(diary) == [("user", "Hello?"), ("user", QUESTION), ("assistant", REPLY)]


@pytest.mark.parametrize("kept", [True, False])
async def test_a_message_that_comes_twice_is_stored_once(streetai, diary, kept):
    """6.2: With the id that the app gave it, whether the agent keeps its state or not; learned from once, too."""
    options = {} if kept else {"checkpointer": None}
    reply = AIMessage(REPLY, id="reply-1")
    agent = Agent(streetai, (reply, reply), **options)
    asked = {"messages": [HumanMessage(QUESTION, id="question-1")]}
    turn = diary.stats()["turn_counter"]

    await agent.run("invoke", asked)
    await agent.run("ainvoke", asked)

    assert said(diary) == [("user", QUESTION), ("assistant", REPLY)]
    assert diary.stats()["turn_counter"] == turn + 2
    assert set(lessons(diary)) == {1}


async def test_another_reply_to_the_same_message_teaches_nothing(streetai, diary):
    """6.1: The question is asked again under its id: the second reply is stored, and the turn has had its lesson."""
    agent = Agent(streetai, (REPLY, "It is about one metre forty, I think."))
    asked = {"messages": [HumanMessage(QUESTION, id="question-1")]}
    await agent.run("invoke", asked)
    await agent.run("invoke", asked)

    assert [role for role, _ in said(diary)] == ["user", "assistant", "assistant"]
    assert set(lessons(diary)) == {1}


def test_messages_without_ids():
    """6.2: Not in an agent's state, but in a state of one's own: place and text name the turn."""
    messages = [HumanMessage("Hello?"), AIMessage("Hello."), HumanMessage(QUESTION), AIMessage(REPLY)]
    record = opened(messages[:3], 2, None, Session("mara", "t1"))
    other = opened(messages[:3], 2, None, Session("mara", "t2"))

    assert len({record["turn"], other["turn"], opened(messages[2:3], 0, None, Session("mara", "t1"))["turn"]}) == 3
    assert opened(messages[:3], 2, None, Session("mara", "t1")) == record
    assert unsaved(messages, record) == messages[2:]
    assert [new.ticks for new in as_new_messages(messages, "t1")] == [True] * 4
    assert reply_of(messages, structured=None) == REPLY
    assert reply_of([], structured=None) == ""


class Boat:
    """A structured response."""


@pytest.mark.parametrize("earlier", [Boat(), {"about": REPLY}])
def test_the_answer_of_an_earlier_turn_takes_no_result_away(earlier):
    """LangChain 1.2 leaves it in the state: what a tool gave that has ended a later run was taken for another one."""
    asked = HumanMessage("And the chart?")
    call = AIMessage("", tool_calls=[{"name": "chart", "args": {"harbour": "Kiel"}, "id": "c"}])
    turn = [asked, call, ToolMessage("chart of Kiel", tool_call_id="c")]
    assert with_answer_said(turn, structured=earlier) == turn
    assert reply_of(turn, structured=earlier) == ""

    answer = AIMessage("", tool_calls=[{"name": "Boat", "args": {"about": REPLY}, "id": "c"}])
    said = with_answer_said([asked, answer, ToolMessage("Returning", tool_call_id="c", id="r")], structured=earlier)
    assert said == [asked, AIMessage(json.dumps({"about": REPLY}), id="r")]


def test_other_calls_stand_beside_an_answer():
    """A model may call a tool and give its answer in one message."""
    calls_both = [{"name": "tide", "args": {}, "id": "t"}, {"name": "Boat", "args": {"about": REPLY}, "id": "c"}]
    tide_told = ToolMessage("low", tool_call_id="t")
    turn = [AIMessage("Let me see.", tool_calls=calls_both), tide_told, ToolMessage("Returning", tool_call_id="c")]
    first, *rest = with_answer_said(turn, structured=Boat())
    assert (first.text, [call["id"] for call in first.tool_calls]) == ("Let me see.", ["t"])
    assert rest == [tide_told, AIMessage(json.dumps({"about": REPLY}))]


@pytest.mark.parametrize("style", ["invoke", "ainvoke"])
async def test_a_run_without_a_session_is_refused(streetai, diary, style):
    """6.3: Loudly: there is no memory that all could share."""
    agent = Agent(streetai, (REPLY,), checkpointer=None)
    with pytest.raises(InputError, match="thread_id"):
        await agent.run(style, QUESTION, {})
    assert agent.model.prompts == []


async def test_bound_to_a_session(streetai, diary):
    """6.3: The run has to name none, and if it names one, the middleware's wins."""
    agent = Agent(streetai, (REPLY, REPLY), {"session_id": "bound", "user_id": "mara"}, checkpointer=None)
    await agent.run("invoke", QUESTION, {})
    await agent.run("ainvoke", QUESTION)

    assert len(said(diary, "bound")) == 4
    assert said(diary, "t1") == []


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"inject": "assistant"}, "inject"),
        ({"window": 0}, "window"),
        ({"window": True}, "window"),
        ({"token_budget": -1}, "token_budget"),
        ({"name": " "}, "name"),
        ({"session_id": ""}, "session_id"),
        ({"user_id": 7}, "user_id"),
    ],
)
def test_wrong_options(streetai, options, match):
    """6.7: Each is named when the middleware is made."""
    with pytest.raises(InputError, match=match):
        streetai.middleware(**options)


def test_options_of_the_facade_are_defaults(streetai):
    """The budget; and a run without messages does nothing."""
    streetai.token_budget = 100
    assert streetai.middleware()._recall._token_budget == 100
    assert streetai.middleware(token_budget=50)._recall._token_budget == 50


IMPORTS = """
import sys
sys.modules["langchain"] = None  # as if it were not installed
from streetai_core.errors import MissingExtraError
from streetai_langchain import StreetAIMemory
memory = StreetAIMemory("never-made.db")
try:
    memory.middleware()
except MissingExtraError as error:
    print(error)
"""


def test_without_langchain_the_error_says_what_to_install(tmp_path):
    """Only the middleware needs it."""
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=False)
    assert "pip install 'streetai[agents]'" in done.stdout, done.stderr


def test_making_one_does_no_io(tmp_path):
    """6.6: Neither the middleware nor the agent makes a file."""
    with StreetAIMemory(tmp_path / "memory.db") as streetai:
        Agent(streetai, (), {"session_id": "s"}, tools=[tide], model=ScriptedChatModel(reply=script()))
        assert list(tmp_path.iterdir()) == []
