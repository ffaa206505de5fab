"""Two hundred runs of twenty users at once, half on threads and half as tasks, and what must be true afterwards."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from streetai_core import NewMessage
from tests.langchain_plugin.conftest import DIARY
from tests.langchain_plugin.scripted import text_of_prompt

USERS = 20
RUNS = 200
RUNS_OF_A_USER = RUNS // USERS
CONVERSATIONS = RUNS_OF_A_USER // 2
"""Of a user; each has two runs, one on a thread and one as a task."""

_PATIENCE = 60
"""Seconds after which a thread stops waiting for the others: then the test fails instead of hanging."""

_SECRET = re.compile(r"secret\d\dx")
_QUESTION = re.compile(r"Question \d+: what is my secret word\?")


def user(number):
    """Whose run it is."""
    return f"user-{number % USERS:02}"


def secret(number):
    """A word that only this user has ever said."""
    return f"secret{number % USERS:02}x"


def conversation(number):
    """Which of the user's conversations a run is part of."""
    return f"conversation-{number // USERS % CONVERSATIONS}"


def question(number):
    """A question of its own for each run."""
    return f"Question {number}: what is my secret word?"


def answer(number, owner=None):
    """The only right reply: to the run's own question, with the secret of its own user (or `owner`) and of no other."""
    return f"Answer to <{question(number)}> is {secret(number if owner is None else owner)}."


def planted(number):
    """How a user's secret was said."""
    return f"My secret word is {secret(number)}, and it has to be kept well."


def secrets_in(text):
    """The secrets in a text."""
    return set(_SECRET.findall(text))


def reply(messages):
    """What the model says: the newest question, and every secret that it can see."""
    text = text_of_prompt(messages)
    return f"Answer to <{_QUESTION.findall(text)[-1]}> is {' '.join(sorted(secrets_in(text)))}."


def plant(registry):
    """Give each user a past with a secret in it: long enough that a selection of it costs less than all of it."""
    for number in range(USERS):
        said = [("user", planted(number)), ("assistant", "It is noted and will be kept well."), *DIARY]
        registry.get(user(number)).add_messages(
            [NewMessage(content=text, role=role, conversation_id="past") for role, text in said]
        )


async def at_once(in_thread, as_task):
    """Run `in_thread(number)` for half of the numbers on as many threads, `await as_task(number)` for the others.

    Each user has as many runs on threads as tasks. The threads begin at the same moment, the tasks meanwhile.

    Returns:
        What the runs gave back, by number.
    """
    together = Barrier(RUNS // 2)
    loop = asyncio.get_running_loop()

    def begin(number):
        together.wait(timeout=_PATIENCE)
        return in_thread(number)

    with ThreadPoolExecutor(RUNS // 2) as pool:
        return await asyncio.gather(
            *(
                as_task(number) if number // USERS % 2 else loop.run_in_executor(pool, begin, number)
                for number in range(RUNS)
            )
        )


def check_prompts(prompts, calls=1):
    """Each run has sent its prompts, and each prompt has the secret of the user that asks, and no other."""
    asked = []
    for prompt in prompts:
        text = text_of_prompt(prompt)
        asked.append(_QUESTION.findall(text)[-1])
        number = int(asked[-1].split()[1].removesuffix(":"))
        assert secrets_in(text) == {secret(number)}
    assert sorted(asked) == sorted([question(number) for number in range(RUNS)] * calls)


def check_transcripts(registry, past=()):
    """Each conversation has the turns of its runs and nothing else: whole, in order, each once.

    Args:
        registry: where the memories are.
        past: of the number of a run what each of its conversations had before, as texts.
    """
    for number in range(USERS):
        memory = registry.get(user(number))
        for first in range(number, RUNS // 2, USERS):
            said = [(one.role, one.content) for one in memory.messages(conversation_id=conversation(first))]
            before = [text(number) for text in past]
            assert [text for _, text in said[: len(before)]] == before
            turns = said[len(before) :]
            assert [role for role, _ in turns] == ["user", "assistant"] * 2
            pairs = [(asked, replied) for (_, asked), (_, replied) in zip(turns[::2], turns[1::2], strict=True)]
            assert sorted(pairs) == sorted((question(one), answer(one)) for one in (first, first + RUNS // 2))
    assert registry.ids() == [user(number) for number in range(USERS)]


def check_learning(registry):
    """Each run has taught its own user's memory about the secret, once; no step has overwritten another."""
    for number in range(USERS):
        memory = registry.get(user(number))
        signals = memory.signals
        [secret_signal] = [one for one in signals if one.content == planted(number)]
        assert len(memory.history(secret_signal.signal_id)) == RUNS_OF_A_USER
        for signal in signals:
            steps = memory.history(signal.signal_id)
            assert len(steps) <= RUNS_OF_A_USER
            assert [one.old_weight for one in steps[1:]] == [one.new_weight for one in steps[:-1]]


def clock(registry):
    """How far the clocks of the users have come since `plant`, as a set: all should have come as far."""
    planted_turns = 2 + len(DIARY)
    return {registry.get(user(number)).stats()["turn_counter"] - planted_turns for number in range(USERS)}
