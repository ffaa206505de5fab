"""Many runs at once on one memory object, and an event loop that is never blocked."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from langchain_classic.chains import ConversationChain
from langchain_core.messages import AIMessage

from streetai_core.encoders import HashingEncoder
from streetai_langchain import StreetAIMemory
from tests.langchain_plugin.conftest import seed, spoken
from tests.langchain_plugin.scripted import ScriptedChatModel

# The chain that is tested here is deprecated, and in wide use: it warns when it is made, and only then.
pytestmark = pytest.mark.filterwarnings(
    "ignore:The class `ConversationChain` was deprecated:langchain_core._api.deprecation.LangChainDeprecationWarning"
)

RUNS = 100
TOPICS = ("boat Pelikan", "dish with peanuts", "sister Lena in Gdansk", "harbour of Kiel")


def question(number):
    """A question of its own for each run, on one of four topics that are in the diary."""
    return f"Question {number}: what about the {TOPICS[number % len(TOPICS)]}?"


def answer(messages):
    """The reply to the question at the end of a prompt of `ConversationChain`."""
    asked = messages[-1].text.rsplit("Human: ", 1)[1].removesuffix("\nAI:")
    return f"Answer to <{asked}>"


async def test_a_hundred_runs_are_not_mixed_up(diary, streetai):
    """Threads and tasks on one chain: each reply follows its question, each run learns from its own recall, once."""
    turns = []
    memory = streetai.classic("new", user_id="mara", on_turn=turns.append)
    chain = ConversationChain(llm=ScriptedChatModel(reply=answer), memory=memory)
    loop = asyncio.get_running_loop()

    with ThreadPoolExecutor(8) as pool:
        results = await asyncio.gather(
            *(
                chain.ainvoke({"input": question(number)})
                if number % 2
                else loop.run_in_executor(pool, chain.invoke, {"input": question(number)})
                for number in range(RUNS)
            )
        )

    expected = {question(number): f"Answer to <{question(number)}>" for number in range(RUNS)}
    assert {result["input"]: result["response"] for result in results} == expected
    said = spoken(diary, "new")
    assert {human[1]: ai[1] for human, ai in zip(said[::2], said[1::2], strict=True)} == expected
    assert [role for role, _ in said] == ["user", "assistant"] * RUNS

    counts = {}
    assert len(turns) == RUNS
    for turn in turns:
        assert turn.reply == expected[turn.question]
        assert turn.prompt.messages[-1]["content"].endswith(turn.question)
        recalled = [hit.signal.signal_id for hit in turn.prompt.retrieved]
        assert [update["signal_id"] for update in turn.updates] == recalled
        for name in recalled:
            counts[name] = counts.get(name, 0) + 1
    assert counts
    assert {name: len(diary.history(name)) for name in counts} == counts


class HeldEncoder(HashingEncoder):
    """The hashing encoder, which waits before one text until it is let go."""

    def __init__(self):
        super().__init__()
        self.held = ""
        self.entered = threading.Event()
        self.free = threading.Event()

    def hold(self, text):
        """Wait when this text comes."""
        self.entered.clear()
        self.free.clear()
        self.held = text

    def embed(self, texts, kind):
        """Wait, then embed. A loop that is blocked can never let it go, so the wait ends in an error."""
        if self.held in texts:
            self.entered.set()
            if not self.free.wait(timeout=60):
                raise TimeoutError("nobody let the encoder go: the event loop is blocked")
        return super().embed(texts, kind)


async def while_held(encoder, text, work):
    """Run `work` with an encoder that goes on after `text` only when the loop has turned many times meanwhile."""
    encoder.hold(text)
    task = asyncio.ensure_future(work)
    while not encoder.entered.is_set():  # noqa: ASYNC110 - it is set on another thread, if all is well
        await asyncio.sleep(0)
    for _ in range(100):
        await asyncio.sleep(0)
    assert not task.done()
    encoder.free.set()
    return await task


async def test_the_event_loop_goes_on_while_the_encoder_works(tmp_path):
    """Recall, storing, learning and a history's writing all leave the loop free."""
    encoder = HeldEncoder()
    errors = []
    turns = []
    with StreetAIMemory(tmp_path / "memory.db", embeddings=encoder, on_error=errors.append) as streetai:
        seed(streetai.registry)
        memory = streetai.classic("new", user_id="mara", on_turn=turns.append)
        question = "What is the draught of my boat?"
        asked = {"input": question}

        loaded = await while_held(encoder, question, memory.aload_memory_variables(asked))
        # A short reply is stored as one chunk, and learned from sentence by sentence.
        stored, learned = "One metre. And forty.", "As you said."
        await while_held(encoder, stored, memory.asave_context({**asked, **loaded}, {"response": stored}))
        reply = f"{learned} One metre."
        await while_held(encoder, learned, memory.asave_context({**asked, **loaded}, {"response": reply}))
        history = streetai.chat_history("other", user_id="mara")
        await while_held(encoder, "Ahoy, captain", history.aadd_messages([AIMessage("Ahoy, captain")]))

        assert await history.aget_messages() == [AIMessage("Ahoy, captain")]
    assert [bool(turn.updates) for turn in turns] == [True, True]
    assert errors == []
