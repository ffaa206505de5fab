"""Two hundred runs of twenty users at once on classic memories and chat histories of one facade."""

import pytest
from langchain_classic.chains import ConversationChain
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import ConfigurableFieldSpec
from langchain_core.runnables.history import RunnableWithMessageHistory

from tests.langchain_plugin.load import (
    RUNS,
    RUNS_OF_A_USER,
    answer,
    at_once,
    check_learning,
    check_prompts,
    check_transcripts,
    clock,
    conversation,
    plant,
    planted,
    question,
    reply,
    user,
)
from tests.langchain_plugin.scripted import ScriptedChatModel

# Both classes that are tested here are deprecated, and in wide use: they warn when they are made, and only then.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{what}:langchain_core._api.deprecation.LangChainDeprecationWarning")
    for what in ("The class `ConversationChain` was", "RunnableWithMessageHi")
]

PROMPT = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{input}")])


async def test_a_classic_memory_of_each_conversation(streetai, registry):
    """A user hears of somebody else, or a turn is lost, doubled or learned from twice, when chains overlap."""
    plant(registry)
    model = ScriptedChatModel(reply=reply)
    chains = {
        (user(number), conversation(number)): ConversationChain(
            llm=model, memory=streetai.classic(conversation(number), user_id=user(number))
        )
        for number in range(RUNS // 2)
    }

    outputs = await at_once(
        lambda number: chains[user(number), conversation(number)].invoke({"input": question(number)}),
        lambda number: chains[user(number), conversation(number)].ainvoke({"input": question(number)}),
    )

    assert [output["response"] for output in outputs] == [answer(number) for number in range(RUNS)]
    check_prompts(model.prompts)
    check_transcripts(registry)
    check_learning(registry)
    assert clock(registry) == {2 * RUNS_OF_A_USER}


async def test_one_classic_memory_for_all_runs(streetai, registry):
    """Runs of one user on one memory object take each other's recall for their own."""
    plant(registry)
    turns = []
    memory = streetai.classic("talk", user_id=user(0), on_turn=turns.append)
    chain = ConversationChain(llm=ScriptedChatModel(reply=reply), memory=memory)

    outputs = await at_once(
        lambda number: chain.invoke({"input": question(number)}),
        lambda number: chain.ainvoke({"input": question(number)}),
    )

    right = {question(number): answer(number, owner=0) for number in range(RUNS)}
    assert {output["input"]: output["response"] for output in outputs} == right
    said = registry.get(user(0)).messages(conversation_id="talk")
    assert [message.role for message in said] == ["user", "assistant"] * RUNS
    assert {asked.content: replied.content for asked, replied in zip(said[::2], said[1::2], strict=True)} == right

    taught = {}
    assert sorted(turn.question for turn in turns) == sorted(right)
    for turn in turns:
        assert turn.reply == right[turn.question]
        assert turn.prompt.messages[-1]["content"].endswith(turn.question)
        recalled = [hit.signal.signal_id for hit in turn.prompt.retrieved]
        assert [update["signal_id"] for update in turn.updates] == recalled
        for name in recalled:
            taught[name] = taught.get(name, 0) + 1
    assert taught
    assert {name: len(registry.get(user(0)).history(name)) for name in taught} == taught


@pytest.mark.parametrize("keyed", [True, False], ids=["keyed", "raw model"])
async def test_a_chat_history_keeps_every_transcript(streetai, registry, keyed):
    """A turn is lost, doubled or torn apart when two runs of a conversation overlap, or another user reads it."""
    for number in range(RUNS // 2):
        streetai.chat_history(conversation(number), user_id=user(number)).add_messages(
            [HumanMessage(planted(number)), AIMessage("Noted.")]
        )
    model = ScriptedChatModel(reply=reply)
    chat = RunnableWithMessageHistory(
        PROMPT | model if keyed else model,
        lambda user_id, thread_id: streetai.chat_history(thread_id, user_id=user_id),
        history_factory_config=[
            ConfigurableFieldSpec(id="user_id", annotation=str),
            ConfigurableFieldSpec(id="thread_id", annotation=str),
        ],
        **({"input_messages_key": "input", "history_messages_key": "history"} if keyed else {}),
    )

    def given(number):
        asked = {"input": question(number)} if keyed else [HumanMessage(question(number))]
        return asked, {"configurable": {"user_id": user(number), "thread_id": conversation(number)}}

    outputs = await at_once(lambda number: chat.invoke(*given(number)), lambda number: chat.ainvoke(*given(number)))

    assert [output.text for output in outputs] == [answer(number) for number in range(RUNS)]
    check_prompts(model.prompts)
    check_transcripts(registry, past=(planted, lambda _: "Noted."))
