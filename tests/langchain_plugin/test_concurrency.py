"""Two hundred runs of twenty users at once on one wrapped chain, one retriever, one handler, one set of tools."""

from operator import itemgetter

from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from streetai_langchain.tools import NOTES
from tests.langchain_plugin.load import (
    RUNS,
    RUNS_OF_A_USER,
    USERS,
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
    secret,
    secrets_in,
    user,
)
from tests.langchain_plugin.scripted import ScriptedChatModel
from tests.langchain_plugin.ways import astream, total

WITH_BOTH = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{documents}\n\n{input}")])
WITH_DOCUMENTS = ChatPromptTemplate.from_template("{documents}\n\n{question}")


def config(number, **more):
    """User and conversation of a run."""
    return {"configurable": {"user_id": user(number), "thread_id": conversation(number)}, **more}


async def test_a_wrapped_chain_mixes_nobody_up(streetai, registry):
    """A user hears of somebody else, or a turn is lost, doubled or learned from twice, when runs overlap."""
    plant(registry)
    model = ScriptedChatModel(reply=reply)
    documents = RunnableLambda(itemgetter("input")) | streetai.retriever(k=2)
    chain = RunnablePassthrough.assign(documents=documents) | WITH_BOTH | model
    chat = streetai.wrap(chain, input_key="input", memory_key="history")

    def in_thread(number):
        asked = {"input": question(number)}
        return chat.invoke(asked, config(number)) if number % 3 else total(chat.stream(asked, config(number)))

    async def as_task(number):
        asked = {"input": question(number)}
        return await (chat.ainvoke(asked, config(number)) if number % 3 else astream(chat, asked, config(number)))

    outputs = await at_once(in_thread, as_task)

    assert [output.text for output in outputs] == [answer(number) for number in range(RUNS)]
    check_prompts(model.prompts)
    check_transcripts(registry)
    check_learning(registry)
    assert clock(registry) == {2 * RUNS_OF_A_USER}


async def test_a_retriever_finds_the_asking_user_s_documents_only(streetai, registry):
    """A user's documents show up in the prompt of another when one retriever serves both."""
    plant(registry)
    retriever = streetai.retriever(k=3)

    found = await at_once(
        lambda number: retriever.invoke(question(number), config(number)),
        lambda number: retriever.ainvoke(question(number), config(number)),
    )

    for number, documents in enumerate(found):
        assert len(documents) == 3
        assert documents[0].page_content == planted(number)
        assert secrets_in(" ".join(document.page_content for document in documents)) == {secret(number)}
        sources = {(document.metadata["memory_id"], document.metadata["session"]) for document in documents}
        assert sources == {(user(number), conversation(number))}
    assert clock(registry) == {0}


async def test_a_handler_teaches_each_memory_its_own_runs(streetai, registry):
    """A memory learns from another user's reply, twice from one run, or loses a step that overlaps with another."""
    plant(registry)
    model = ScriptedChatModel(reply=reply)
    given = {"documents": streetai.retriever(k=2), "question": RunnablePassthrough()}
    chain = given | WITH_DOCUMENTS | model | StrOutputParser()
    callbacks = [streetai.callback_handler()]

    def in_thread(number):
        asked, given = question(number), config(number, callbacks=callbacks)
        return chain.invoke(asked, given) if number % 3 else total(chain.stream(asked, given))

    async def as_task(number):
        asked, given = question(number), config(number, callbacks=callbacks)
        return await (chain.ainvoke(asked, given) if number % 3 else astream(chain, asked, given))

    outputs = await at_once(in_thread, as_task)

    assert outputs == [answer(number) for number in range(RUNS)]
    check_prompts(model.prompts)
    check_learning(registry)
    assert clock(registry) == {0}
    assert len(callbacks[0].runs) == 0


def note(number):
    """What the model remembers in the end."""
    return f"Note {number} of {secret(number)}."


def use_of_tools(number, foreign):
    """What a model does with its tools: name and arguments one after the other; each is answered with the result.

    Args:
        number: of the run; in each third the note is deleted at last.
        foreign: the id of a message in another user's memory.

    Returns:
        What the search, the correction, the two attempts at the foreign message and the deletion gave.
    """
    kept = yield "remember", {"text": f"Draft {number}."}
    own = kept.removeprefix("Remembered as [").removesuffix("].")
    found = yield "search_memory", {"query": question(number)}
    updated = yield "update_message", {"message_id": own, "text": note(number)}
    refused = [
        (yield "forget", {"message_id": foreign}),
        (yield "update_message", {"message_id": foreign, "text": "Gone."}),
    ]
    forgotten = (yield "forget", {"message_id": own}) if number % 3 == 0 else None
    return found, updated, refused, forgotten


async def test_tools_look_after_the_asking_user_s_memory_only(streetai, registry):
    """A model reads, changes or deletes what another user has said, or a note is lost when runs overlap."""
    plant(registry)
    tools = {tool.name: tool for tool in streetai.tools()}
    foreign = [registry.get(user(number + 1)).messages()[0].message_id for number in range(USERS)]

    def in_thread(number):
        script, answered = use_of_tools(number, foreign[number % USERS]), None
        while True:
            try:
                name, arguments = script.send(answered)
            except StopIteration as end:
                return end.value
            answered = tools[name].invoke(arguments, config(number))

    async def as_task(number):
        script, answered = use_of_tools(number, foreign[number % USERS]), None
        while True:
            try:
                name, arguments = script.send(answered)
            except StopIteration as end:
                return end.value
            answered = await tools[name].ainvoke(arguments, config(number))

    for number, (found, updated, refused, forgotten) in enumerate(await at_once(in_thread, as_task)):
        assert secrets_in(found) == {secret(number)}
        assert updated == "Updated."
        assert all(text.startswith("There is no message with the id") for text in refused)
        assert forgotten == ("Forgotten." if number % 3 == 0 else None)
    for number in range(USERS):
        memory = registry.get(user(number))
        notes = [message.content for message in memory.messages(conversation_id=NOTES)]
        assert sorted(notes) == sorted(note(one) for one in range(number, RUNS, USERS) if one % 3)
        assert memory.messages()[0].content == planted(number)
    assert clock(registry) == {0}
