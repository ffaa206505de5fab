"""Many calls at once through one client."""

import asyncio
import random
import re

import pytest

from streetai_core.adapters.openai import with_memory, with_memory_async
from tests.adapters.conformance.openai_rows import sdk_client
from tests.adapters.wire.answers import Answer
from tests.event_loop import PATIENCE, all_busy, never_blocked
from tests.seeds import seeded

CALLS = 200
USERS = 20

SECRET = re.compile(r"secret of (user\d+)")


@seeded
async def test_two_hundred_calls_leak_nothing(chat, registry, seed):
    """Every user is told only what is the user's, streamed or not, and each turn is stored whole."""
    order = random.Random(seed)
    for number in range(USERS):
        memory = registry.get(f"user{number}")
        memory.add_message(f"The secret of user{number} lies at berth {number}.", "user", conversation_id="long ago")
    chat.otherwise = lambda received: Answer(
        "Heard: " + " ".join(sorted(set(SECRET.findall(" ".join(received.texts)))))
    )
    client = with_memory_async(sdk_client(chat.url, asynchronous=True, timeout=120), registry=registry)
    completions = client.chat.completions

    async def call(number):
        user = f"user{number % USERS}"
        messages = [{"role": "user", "content": f"Question {number}: at which berth lies the secret of {user}?"}]
        ids = {"memory_id": user, "conversation_id": f"thread {number}"}
        if number % 2:
            reply = await completions.create(model="m", messages=messages, **ids)
            return number, user, reply.choices[0].message.content, client.memory_turn(reply)
        stream = await completions.create(model="m", messages=messages, stream=True, **ids)
        text = "".join([chunk.choices[0].delta.content or "" async for chunk in stream])
        return number, user, text, client.memory_turn(stream)

    numbers = order.sample(range(CALLS), CALLS)
    with never_blocked() as blocking:
        done = await asyncio.gather(*map(call, numbers))
    assert blocking == []
    for number, user, text, turn in done:
        assert f"Heard: {user}" == text.strip()
        memory = registry.get(user)
        asked, reply = memory.messages(conversation_id=f"thread {number}")
        assert (asked.message_id, reply.message_id) == (turn.user_message_id, turn.assistant_message_id)
        assert reply.content.strip() == text.strip()
    assert [1 + 2 * CALLS // USERS] * USERS == [
        len(registry.get(f"user{number}").messages()) for number in range(USERS)
    ]
    await client.close()


async def test_what_was_asked_is_stored_if_it_is_cancelled_before_the_recall(chat, registry):
    """On a busy server questions wait for a thread, and who hangs up meanwhile has asked all the same."""
    client = with_memory_async(sdk_client(chat.url, asynchronous=True), memory_id="mara", registry=registry)
    asked = [{"role": "user", "content": "Where does my boat lie?"}]
    with all_busy(registry.executor) as waits:
        task = asyncio.ensure_future(client.chat.completions.create(model="m", messages=asked))
        await asyncio.wait_for(waits.wait(), PATIENCE)
        task.cancel()
        await asyncio.sleep(0)  # it is told, and hands over what was asked
    with pytest.raises(asyncio.CancelledError):
        await task

    assert [("user", "Where does my boat lie?")] == [(one.role, one.content) for one in client.memory.messages()]
    assert chat.received == []
    await client.close()


def test_two_sessions_alternate_on_one_client(chat, registry):
    """Each has its own history, window and recall."""
    client = with_memory(sdk_client(chat.url), registry=registry)
    chat.otherwise = lambda received: Answer(
        "Heard: " + " ".join(re.findall(r"\w+ lies in \w+", " ".join(received.texts)))
    )
    for name, harbour in (("Mara", "Kiel"), ("Jonas", "Husum")):
        messages = [{"role": "user", "content": f"{name}s boat lies in {harbour}."}]
        client.chat.completions.create(model="m", messages=messages, memory_id=name)
    for _ in range(3):
        for name, harbour in (("Mara", "Kiel"), ("Jonas", "Husum")):
            messages = [{"role": "user", "content": "Where does my boat lie?"}]
            reply = client.chat.completions.create(model="m", messages=messages, memory_id=name)
            text = reply.choices[0].message.content
            assert harbour in text
            assert ({"Kiel", "Husum"} - {harbour}).isdisjoint(text.split())
    client.close()
