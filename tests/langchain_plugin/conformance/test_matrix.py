"""Every view in every style of call: one recall, one constant tick, one lesson, the exact messages, equal prompts.

A cell is two messages of each user, one after the other. The first is answered, cut, failed on, or answered after a
tool; the second is answered. What was seen is compared with what the view says it stores, and with what `invoke` did.
"""

import re
from collections import Counter
from dataclasses import dataclass
from threading import get_ident

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders import HashingEncoder
from streetai_core.encoders.cache import CachedEncoder
from streetai_core.stores.sqlite import SqliteStore
from streetai_langchain import StreetAIMemory
from tests.asked import Asked
from tests.langchain_plugin.agents import calls
from tests.langchain_plugin.conformance.styles import COLUMNS, OFF_THE_LOOP, PIECES
from tests.langchain_plugin.conformance.views import TRAFFIC, VIEWS, conversation
from tests.langchain_plugin.conftest import DIARY, spoken
from tests.langchain_plugin.scripted import ScriptedChatModel, text_of_prompt
from tests.langchain_plugin.ways import all_ended
from tests.learning import learning_steps

# The classes that are tested here are deprecated, and in wide use: they warn when they are made, and only then.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{what}:langchain_core._api.deprecation.LangChainDeprecationWarning")
    for what in ("The class `ConversationChain` was", "RunnableWithMessageHistory is deprecated")
]

QUESTIONS = ("What is the draught of my boat?", "When does my sister Lena visit me?")
REPLIES = ("The draught of your boat is one metre forty.", "Your sister Lena visits you every summer.")
PARTIAL = " ".join(REPLIES[0].split(" ")[:PIECES])
"""How far the reply gets that is cut: a piece is a word."""

FAILURE = "no answer"


class WatchedEncoder(CachedEncoder):
    """The hashing encoder, which notes where it works."""

    def __init__(self, threads):
        super().__init__(HashingEncoder())
        self._threads = threads

    def encode(self, texts, kind="document"):
        """Note the thread, then encode."""
        self._threads.add(get_ident())
        return super().encode(texts, kind)


class WatchedStore(SqliteStore):
    """A real file, which notes where it is read and written."""

    def __init__(self, path, threads):
        super().__init__(path)
        self._threads = threads

    def reading(self, memory_id):
        """Note the thread, then read."""
        self._threads.add(get_ident())
        return super().reading(memory_id)

    def writing(self, memory_id):
        """Note the thread, then write."""
        self._threads.add(get_ident())
        return super().writing(memory_id)


@dataclass(frozen=True)
class Turn:
    """What was seen of one message of each user."""

    asked: list
    """The questions that memories were asked."""
    prompts: list
    """What the model was sent, of all users, sorted; the random mark of the fence taken out."""
    heard: list
    """What each user read; `None` if the model failed."""
    stored: list
    """What was added to each user's conversation."""
    elsewhere: list
    """What was added to the rest of each user's memory."""
    ticks: list
    """How far each user's clock went on."""
    lessons: list
    """How often something was learned about each text of each user's memory."""


class Application:
    """A view with a model, and memories that have heard the diary."""

    def __init__(self, view, column, streetai, *, asked, threads):
        self.view, self.column, self.streetai = view, column, streetai
        self.asked, self.threads = asked, threads
        self.model = ScriptedChatModel(reply=self.reply)
        self.runnable = view.build(streetai, self.model, tools=column.event == "tools")
        self.memories = [streetai.registry.get(user) for user in view.users]
        for memory in self.memories:
            memory.add_messages([NewMessage(content=text, role=role, conversation_id="diary") for role, text in DIARY])

    def reply(self, messages):
        """What the model says to the question that stands last in its prompt."""
        text = text_of_prompt(messages)
        number = max((0, 1), key=lambda one: text.rfind(QUESTIONS[one]))
        if number == 0 and self.column.event == "failed":
            raise ConnectionError(FAILURE)
        if number == 0 and self.column.event == "tools" and messages[-1].type != "tool":
            return calls("Kiel")
        return REPLIES[number]

    async def turn(self, style, question):
        """Send a message of each user, and look."""
        before = [_look(memory, user) for memory, user in zip(self.memories, self.view.users, strict=True)]
        self.asked.questions.clear()
        self.model.prompts.clear()
        self.threads.clear()
        runs = [(self.view.value(question), self.view.config(self.streetai, user)) for user in self.view.users]
        with self.view.around(self.streetai):
            try:
                pieces = await style(self.view, self.runnable, runs)
                heard = ["".join(self.view.said(piece) for piece in one) for one in pieces]
            except ConnectionError:
                heard = None
        if style in OFF_THE_LOOP and self.column.name not in self.view.on_the_loop:
            assert get_ident() not in self.threads
        self.streetai.registry.later.wait()
        after = [_look(memory, user) for memory, user in zip(self.memories, self.view.users, strict=True)]
        seen = list(zip(before, after, strict=True))
        return Turn(
            asked=list(self.asked.questions),
            prompts=sorted(_comparable(prompt) for prompt in self.model.prompts),
            heard=heard,
            stored=[new[0][len(old[0]) :] for old, new in seen],
            elsewhere=[new[1] - old[1] for old, new in seen],
            ticks=[new[2] - old[2] for old, new in seen],
            lessons=[dict(new[3] - old[3]) for old, new in seen],
        )


def _look(memory, user):
    """A user's conversation, how many other messages there are, the clock, and all lessons by text."""
    said = spoken(memory, conversation(user))
    steps = learning_steps(memory)
    lessons = Counter({signal.content: steps[signal.signal_id] for signal in memory.signals})
    return said, len(memory.messages()) - len(said), memory.stats()["turn_counter"], lessons


def _comparable(prompt):
    """A prompt as types, texts and tool calls, without what is another one in each database."""
    return [
        (one.type, re.sub(r"recalled [0-9]{8}", "recalled", one.text), str(getattr(one, "tool_calls", [])))
        for one in prompt
    ]


async def _run(view, column, folder):
    """Both turns of a cell, on a file of its own."""
    threads = set()
    store = WatchedStore(folder / "memory.db", threads)
    asked = Asked()
    with MemoryRegistry(store, encoder=WatchedEncoder(threads), observers=[asked]) as registry:
        streetai = StreetAIMemory(registry)
        application = Application(view, column, streetai, asked=asked, threads=threads)
        styles = (column.style, column.after)
        turns = [await application.turn(style, question) for style, question in zip(styles, QUESTIONS, strict=True)]
        await all_ended(streetai._runs)
    return turns


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """What the first style of an event did in a view, run once for all that are compared with it."""
    known = {}

    async def reference(view, event):
        if (view.name, event) not in known:
            column = next(column for column in COLUMNS if column.event == event)
            known[view.name, event] = await _run(view, column, tmp_path_factory.mktemp("reference"))
        return known[view.name, event]

    return reference


def _sent(turn, number_of_users):
    """The texts of the diary that were sent to the model in a turn: what there is to learn about, once, for each user.

    They are of another conversation, so that they come by recall only.
    """
    prompts = [text for prompt in turn.prompts for _, text, _ in prompt]
    return [{text: 1 for _, text in DIARY if any(text in prompt for prompt in prompts)}] * number_of_users


def _expected(view, column, number):
    """What each user's conversation is to get from the first or the second message, and what the user hears."""
    event = column.event
    finished = event in {"answered", "tools"} or (event == "cut" and not view.cuts(column.style))
    if number == 0:
        if finished:
            return view.finished(QUESTIONS[0], REPLIES[0], TRAFFIC if event == "tools" else []), REPLIES[0]
        partial = PARTIAL if event == "cut" else ""
        return view.broken(QUESTIONS[0], partial, column.style), partial or None
    late = [] if finished else view.late(QUESTIONS[0])
    return [*late, *view.finished(QUESTIONS[1], REPLIES[1], [])], REPLIES[1]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.name)
@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
async def test_a_cell(view, column, tmp_path, reference):
    """6.1, 6.2, 6.4, 6.5, 6.6: whatever way in and however called, a turn costs, stores and teaches the same, once."""
    turns = await _run(view, column, tmp_path)

    many = len(view.users)
    for number, turn in enumerate(turns):
        stored, heard = _expected(view, column, number)
        assert turn.asked == ([QUESTIONS[number]] * many if view.recalls else [])
        assert turn.stored == [stored] * many
        assert turn.elsewhere == [0] * many
        assert turn.ticks == [len([said for said in stored if said not in TRAFFIC])] * many
        assert turn.heard == (None if heard is None else [heard] * many)
        learned = view.learns and heard in REPLIES
        assert turn.lessons == (_sent(turn, many) if learned else [{}] * many)
        assert all(turn.lessons) == learned

    if column.event != "cut" or view.cut_alike:
        assert turns == await reference(view, column.event)
    whole = await reference(view, "answered" if column.event == "cut" else column.event)
    assert turns[0].prompts == whole[0].prompts
