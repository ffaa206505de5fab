"""Two hundred chats of twenty guests at once on one file, half on threads and half as tasks."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.chat_engine import ContextChatEngine

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_llamaindex import StreetAIChatMemoryBuffer
from tests.llamaindex_plugin.engines import FRAMEWORK_WARNINGS, SYSTEM, index, replies, tide
from tests.llamaindex_plugin.scripted import Script, ScriptedChat, asked, said, text_of_prompt
from tests.llamaindex_plugin.styles import achat, astream_chat

pytestmark = FRAMEWORK_WARNINGS

GUESTS = 20
CHATS = 10
"""Of a guest, all at once on one memory object."""

THREADS = 32
"""More than there are processors, so that threads are interrupted everywhere."""

TOKEN_LIMIT = 400
"""For window and recalled text: less than what a guest has said before, so that the secret has to be recalled."""

DAYS = 14
"""Turns of a guest between telling the secret and asking for it: half as much again as `TOKEN_LIMIT`."""

_SECRET = re.compile(r"secret\d\dx")


class Guest:
    """A session: its memory, its engines and its model."""

    def __init__(self, registry, number):
        self.name = f"guest-{number:02}"
        self.secret = f"secret{number:02}x"
        self.failures = []
        self.script = Script(replies(self.answer))
        self.memory = StreetAIChatMemoryBuffer.from_defaults(
            registry=registry, session_id=self.name, token_limit=TOKEN_LIMIT, on_error=self.failures.append
        )
        # Its prompt ends with the question of the chat, whatever others have put into the memory meanwhile.
        retriever = index().as_retriever(similarity_top_k=1)
        llm = ScriptedChat(script=self.script)
        self.engine = ContextChatEngine.from_defaults(retriever, llm=llm, memory=self.memory, system_prompt=SYSTEM)
        self.runs = []
        told = [asked(f"My pass word for the pier is {self.secret}, keep it well."), said("I will.")]
        for day in range(DAYS):
            talk = f"On day {day} we painted plank number {day} of the shed behind the garden in dark green."
            told += [asked(talk), said(f"Plank {day} is done, the others will follow soon.")]
        self.memory.put_messages(told)

    def question(self, number):
        """A question of its own for each chat."""
        return f"What is my pass word for the pier? ({self.name}-{number})"

    def answer(self, question):
        """The only right reply to a question."""
        return f"It is {self.secret}, as you ask in <{question}>."

    def chat(self, number):
        """A chat on this thread: whole or streamed."""
        question = self.question(number)
        if number % 4:
            return question, self.engine.chat(question).response
        return question, "".join(self.engine.stream_chat(question).response_gen)

    async def achat(self, number):
        """A chat as a task: whole, streamed, or a run of an agent with a tool."""
        question = self.question(number)
        style = astream_chat if number % 4 == 1 else achat
        built = self.agent(question) if number % 3 == 0 else self.engine
        return question, await style(built, self.memory, question)

    def agent(self, question):
        """An agent for one question; of several questions in the memory, a model could not tell which is its own."""
        script = Script(replies(lambda _: self.answer(question), steps=1))
        self.runs.append(script)
        return FunctionAgent(tools=[tide], llm=ScriptedChat(script=script), system_prompt=SYSTEM)

    def lessons(self, registry):
        """What was learned about how the secret was told, oldest first."""
        core = registry.get(self.name)
        told = next(one for one in core.signals if self.secret in one.content)
        return [step.action for step in core.history(told.signal_id)]

    @property
    def read(self):
        """Everything that the model read for this guest, prompt by prompt."""
        return [text_of_prompt(prompt) for script in [self.script, *self.runs] for prompt in script.prompts]


async def test_two_hundred_chats_are_not_mixed_up(tmp_path):
    """9.16: No guest's prompt has another guest's words; each reply is stored once, each recall judged at most once."""
    loop = asyncio.get_running_loop()
    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder(), durability="fast") as registry:
        guests = await asyncio.to_thread(lambda: [Guest(registry, number) for number in range(GUESTS)])
        before = {guest.name: guest.lessons(registry) for guest in guests}
        with ThreadPoolExecutor(THREADS) as pool:
            results = await asyncio.gather(
                *(
                    guest.achat(number) if number % 2 else loop.run_in_executor(pool, guest.chat, number)
                    for number in range(CHATS)
                    for guest in guests
                )
            )
        assert len(results) == GUESTS * CHATS
        owners = {guest.question(number): guest for guest in guests for number in range(CHATS)}
        assert all(reply == owners[question].answer(question) for question, reply in results)
        assert [failure for guest in guests for failure in guest.failures] == []
        for guest in guests:
            # Its own secret is recalled, if not for each question: the same question of a chat beside it is nearer.
            assert set(_SECRET.findall("\n".join(guest.read))) == {guest.secret}
            core = registry.get(guest.name)
            spoken = [(one.role, one.content) for one in core.messages() if one.role != "tool" and one.content]
            for number in range(CHATS):
                question = guest.question(number)
                assert spoken.count(("user", question)) == 1
                assert spoken.count(("assistant", guest.answer(question))) == 1
                assert spoken.index(("user", question)) < spoken.index(("assistant", guest.answer(question)))
            assert core.stats()["turn_counter"] == 2 * (1 + DAYS + CHATS)
            # Judged by the replies of its own guest only, all of which have the secret in them.
            lessons = guest.lessons(registry)[len(before[guest.name]) :]
            assert 0 < len(lessons) <= CHATS
            assert "demote" not in lessons
