"""Many users at once on one wrapped chain and one retriever, in threads and on an event loop."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from tests.langchain_plugin.scripted import ScriptedChatModel, text_of_prompt
from tests.langchain_plugin.ways import ainvoke, astream, total

RUNS = 200
USERS = 20
FACTS = 3
TEMPLATE = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{documents}\n{input}")])


def question(number):
    """A question of its own for each run."""
    return f"Question {number} of user-{number % USERS}: which harbour is mine?"


def config(number):
    """User and conversation of a run; a conversation has one run."""
    return {"configurable": {"user_id": f"user-{number % USERS}", "thread_id": f"thread-{number}"}}


async def test_two_hundred_runs_of_twenty_users_are_not_mixed_up(streetai):
    """Every prompt holds its own user's past only, every reply is stored once beside its question, all clocks agree."""
    for user in range(USERS):
        memory = streetai.registry.get(f"user-{user}")
        for fact in range(FACTS):
            memory.add_message(f"The harbour of user-{user} is harbour {user}-{fact}.", "user", conversation_id="facts")
    model = ScriptedChatModel(reply=lambda messages: f"Answer to <{messages[-1].text.splitlines()[-1]}>")
    documents = RunnableLambda(lambda asked: asked["input"]) | streetai.retriever(k=2)
    chain = RunnablePassthrough.assign(documents=documents) | TEMPLATE | model
    chat = streetai.wrap(chain, input_key="input", memory_key="history")
    loop = asyncio.get_running_loop()

    def stream(number):
        return total(chat.stream({"input": question(number)}, config(number)))

    def invoke(number):
        return chat.invoke({"input": question(number)}, config(number))

    def run(number):
        asked = {"input": question(number)}
        if number % 4 < 2:
            return (ainvoke if number % 4 else astream)(chat, asked, config(number))
        return loop.run_in_executor(pool, invoke if number % 4 == 2 else stream, number)

    with ThreadPoolExecutor(8) as pool:
        outputs = await asyncio.gather(*(run(number) for number in range(RUNS)))

    assert [output.text for output in outputs] == [f"Answer to <{question(number)}>" for number in range(RUNS)]
    assert len(model.prompts) == RUNS
    for prompt in model.prompts:
        text = text_of_prompt(prompt)
        owner = text.rsplit(" of ", 1)[1].split(":")[0]
        others = {f"user-{user}" for user in range(USERS)} - {owner}
        words = set(text.replace(":", " ").replace("'", " ").split())
        assert owner in words
        assert not words & others
    for user in range(USERS):
        memory = streetai.registry.get(f"user-{user}")
        assert memory.stats()["turn_counter"] == FACTS + 2 * RUNS // USERS
        for number in range(user, RUNS, USERS):
            said = [message.content for message in memory.messages(conversation_id=f"thread-{number}")]
            assert said == [question(number), f"Answer to <{question(number)}>"]
    assert streetai.registry.ids() == sorted(f"user-{user}" for user in range(USERS))
