"""What Google's client can do, it can do with a memory."""

import asyncio

import pytest
from google import genai
from google.genai import types

from streetai_core import MemoryRegistry
from streetai_core.adapters.gemini import with_memory, with_memory_async
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import InputError
from tests.adapters.conformance.gemini_rows import sdk_client
from tests.adapters.held import Held
from tests.adapters.wire import gemini_api
from tests.adapters.wire.answers import Answer
from tests.adapters.wire.server import served

QUESTION = "Is there water for my boat?"


@pytest.fixture
def registry(tmp_path):
    """Memories of one test."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder(), durability="fast") as registry:
        yield registry


@pytest.fixture
def wire():
    """The API on this machine."""
    with served(gemini_api) as wire:
        yield wire


@pytest.fixture
def client(wire, registry):
    """A client with a memory."""
    with with_memory(sdk_client(wire.url), "mara", registry=registry) as client:
        yield client


@pytest.fixture
def memory(registry):
    """A memory with something to recall, said elsewhere."""
    memory = registry.get("mara")
    memory.add_message("My boat lies at berth thirty-one.", role="user", conversation_id="long ago")
    for number in range(12):
        memory.add_message(f"Chapter {number} of the logbook was dull, as always.", "user", conversation_id="long ago")
    return memory


def said(memory):
    """What a memory has of the conversation without an id."""
    return [(one.role, one.content) for one in memory.messages(conversation_id=None)]


def tide(at: str) -> str:
    """Depth of water in a harbour."""
    return f"2 m at {at}"


def with_tools():
    """The configuration of a call whose functions the SDK runs."""
    return types.GenerateContentConfig(tools=[tide])


def called(at, call_id=None):
    """A reply that calls the function."""
    return Answer("", calls=((call_id, "tide", {"at": at}),))


def recalled_in(contents):
    """Whether recalled text stands in contents of the SDK's."""
    return "berth thirty-one" in "".join(part.text or "" for content in contents for part in content.parts)


def test_it_is_still_the_sdks_client(client):
    """In both of its faces, with all its resources."""
    assert isinstance(client, genai.Client)
    assert isinstance(client.aio, type(genai.Client(api_key="none").aio))
    assert isinstance(client.models, genai.models.Models)
    assert client.files is client.files
    assert client.models is client.models
    assert client.vertexai is False


def test_a_client_of_the_apps_own_class_stays_one(registry):
    """With what the app has given it."""

    class Own(genai.Client):
        """An application's."""

        label = "ours"

    client = with_memory(Own(api_key="none"), "mara", registry=registry)
    assert isinstance(client, Own)
    assert ("ours", "mara") == (client.label, client.with_options().memory.memory_id)


def test_what_is_no_chat_call_passes_untouched(client, wire, memory):
    """Tokens are counted of what the app gives."""
    before = said(memory)
    assert client.models.count_tokens(model="m", contents="My boat?").total_tokens == len("My boat?")
    assert not wire.received
    assert before == said(memory)


@pytest.mark.parametrize("call_id", [None, "call-1"])
@pytest.mark.parametrize("streams", [False, True])
def test_functions_that_the_sdk_runs_are_one_turn(client, wire, memory, streams, call_id):
    """One recall, in each request the same; one lesson; all that was said, once; nothing of it in the SDK's history."""
    wire.answers += [called("Kiel", call_id), called("Husum", call_id and "call-2"), Answer("Two metres at your boat.")]
    request = {"model": "m", "contents": QUESTION, "config": with_tools()}
    if streams:
        *_, response = client.models.generate_content_stream(**request)
    else:
        response = client.models.generate_content(**request)
    assert [
        ("user", QUESTION),
        ("assistant", ""),
        ("tool", "2 m at Kiel"),
        ("assistant", ""),
        ("tool", "2 m at Husum"),
        ("assistant", "Two metres at your boat."),
    ] == said(memory)
    assert ["berth thirty-one" in one.texts[0] for one in wire.received] == [True] * 3
    assert not recalled_in(response.automatic_function_calling_history)
    turn = client.memory_turn(response)
    assert turn.updates
    assert 13 + 2 == memory.stats()["turn_counter"]


@pytest.mark.parametrize("streams", [False, True])
def test_a_chat_keeps_what_was_said(client, wire, memory, streams):
    """And not what was recalled; a reply that was streamed is one, however the chat keeps it."""
    chat = client.chats.create(model="m", config=with_tools())

    def say(words):
        return list(chat.send_message_stream(words))[-1] if streams else chat.send_message(words)

    wire.answers += [called("Kiel", "call-1"), Answer("Two metres at your boat."), Answer("At berth thirty-one.")]
    say(QUESTION)
    turn = client.memory_turn(say("And where does my boat lie?"))
    assert [
        ("user", QUESTION),
        ("assistant", ""),
        ("tool", "2 m at Kiel"),
        ("assistant", "Two metres at your boat."),
        ("user", "And where does my boat lie?"),
        ("assistant", "At berth thirty-one."),
    ] == said(memory)
    spoken = [content for content in chat.get_history() if content.role == "user"]
    assert not recalled_in(spoken)
    assert turn.assistant_message_id == memory.messages()[-1].message_id


def test_a_chat_that_streams_goes_on(client, wire):
    """The SDK keeps each piece of a reply as a content: old exchanges are left out with all of them."""
    chat = client.chats.create(model="m")
    for number in range(8):
        wire.answers.append(Answer(f"Chapter {number} was as dull as ever. " * 24))
        list(chat.send_message_stream(f"Read chapter {number} to me."))
    sent = wire.last.body["contents"]
    assert sent[0]["role"] == "user"
    assert sum(content["role"] == "user" for content in sent) < 6
    assert len(chat.get_history()) > len(sent)


def test_functions_of_a_chat_that_streams_go_with_their_responses(client, wire):
    """Neither a call nor its response is left over."""
    chat = client.chats.create(model="m", config=with_tools())
    for number in range(8):
        wire.answers += [called(f"Kiel {number}"), Answer(f"At pier {number} there are two metres. " * 24)]
        list(chat.send_message_stream(f"How deep is it at pier {number}?"))
    assert sum("functionCall" in content["parts"][0] for content in wire.last.body["contents"]) < 6


def test_a_reply_without_words_goes_with_its_exchange(client, wire):
    """Thoughts alone would stand at the beginning, where the API takes the user only."""
    contents = []
    for number in range(8):
        wire.answers.append(
            Answer(f"Chapter {number} was dull. " * 40) if number else Answer("", thinking="Hm.", stop="MAX_TOKENS")
        )
        contents.append({"role": "user", "parts": [{"text": f"Read chapter {number} to me."}]})
        contents.append(client.models.generate_content(model="m", contents=contents).candidates[0].content)
    assert len(wire.last.body["contents"]) < 10


def test_a_chat_can_have_a_memory_of_its_own(client, registry):
    """Two chats of one client, of two users."""
    first = client.chats.create(model="m", memory_id="jonas", conversation_id="c1")
    second = client.chats.create(model="m")
    for chat in (first, second, first):
        chat.send_message("Hello.")
    assert 4 == len(registry.get("jonas").messages(conversation_id="c1"))
    assert 2 == len(registry.get("mara").messages())


def test_a_chat_stream_that_is_closed_leaves_what_was_read(client, wire):
    """At once, and as partial."""
    wire.answers.append(Answer("It lies at berth thirty-one."))
    stream = client.chats.create(model="m").send_message_stream("Where does my boat lie?")
    first = next(stream)
    stream.close()
    (_, reply) = client.memory.messages()
    assert (first.text, True) == (reply.content, reply.metadata["partial"])
    assert client.memory_turn(stream).partial


@pytest.mark.skipif(
    not hasattr(types.FinishReason, "CONTINUATION"),
    reason="this version of the SDK does not ask for the rest of a reply",
)
def test_a_reply_of_several_requests_is_one(registry, memory):
    """The SDK asks for the rest of a reply that was too long; the provider gets the same contents again."""
    parts = ["It lies at ", "berth thirty-one."]

    class Api:
        """Breaks the first reply off."""

        faults, frames, failure = gemini_api.faults, gemini_api.frames, gemini_api.failure
        texts, side = gemini_api.texts, gemini_api.side

        @staticmethod
        def whole(answer, body, number):
            finished = "continuationToken" in body
            reply = gemini_api.whole(Answer(parts[finished], stop="STOP" if finished else "CONTINUATION"), body, number)
            if not finished:
                reply["candidates"][0]["continuationToken"] = "bW9yZQ=="
            return reply

    with served(Api) as wire, with_memory(sdk_client(wire.url), "mara", registry=registry) as client:
        response = client.models.generate_content(model="m", contents="Where does my boat lie?")
        assert "It lies at berth thirty-one." == response.text
        first, second = wire.received
        assert first.body["contents"] == second.body["contents"]
        assert "berth thirty-one" in first.texts[0]
        assert [("user", "Where does my boat lie?"), ("assistant", "It lies at berth thirty-one.")] == said(memory)
        assert client.memory_turn(response).updates


def test_a_stream_passes_piece_by_piece(registry):
    """The first text is there while the provider is still writing the second."""
    held = Held(gemini_api)
    held.free = 1
    with served(held.module) as wire, with_memory(sdk_client(wire.url), "mara", registry=registry) as client:
        wire.answers.append(Answer("Berth thirty-one."))
        stream = client.models.generate_content_stream(model="m", contents="Where?")
        assert next(stream).text == "Berth "
        assert not client.memory_turn(stream).finished
        held.go_on.release()
        assert [piece.text for piece in stream] == ["thirty-one."]
    assert [("user", "Where?"), ("assistant", "Berth thirty-one.")] == said(registry.get("mara"))


@pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning")  # the SDK's own
def test_both_faces_have_one_memory(wire, registry):
    """With the HTTP library that the SDK prefers for async calls."""

    async def talk(client):
        chat = client.aio.chats.create(model="m")
        first = await chat.send_message("Hello from a chat.")
        pieces = [piece async for piece in await client.aio.models.generate_content_stream(model="m", contents="Hi.")]
        assert client.aio.memory_turn(first).assistant_message_id
        assert client.memory_turn(pieces[-1]).assistant_message_id
        await client.aio.aclose()

    sdk = genai.Client(api_key="none", http_options={"base_url": wire.url})
    with with_memory(sdk, "mara", registry=registry) as client:
        asyncio.run(talk(client))
        client.models.generate_content(model="m", contents="Hello.")
    assert ["Hello from a chat.", "Hi.", "Hello."] == [
        text for role, text in said(registry.get("mara")) if role == "user"
    ]


def test_an_async_client_is_made_of_either_face(wire, tmp_path):
    """And closes the database that was opened for it."""

    async def talk(of):
        client = with_memory_async(of, "mara", registry=tmp_path / "memory.db")
        await client.models.generate_content(model="m", contents="Hello.")
        await client.aclose()

    sdk = sdk_client(wire.url)
    asyncio.run(talk(sdk))
    other = sdk_client(wire.url)
    asyncio.run(talk(other.aio))
    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder()) as registry:
        assert ["mara"] == registry.ids()


@pytest.mark.parametrize("wrong", [None, "client", genai.Client(api_key="none").aio])
def test_only_its_own_client_is_taken(wrong, registry):
    """The message names the function for the other face."""
    with pytest.raises(InputError, match=r"must be a google.genai.Client, got"):
        with_memory(wrong, "mara", registry=registry)
    with pytest.raises(InputError, match=r"must be a google.genai.Client, or its aio"):
        with_memory_async(7, "mara", registry=registry)


def test_a_client_has_one_memory(client):
    """Another one is another client."""
    with pytest.raises(InputError, match="has a memory already"):
        with_memory(client, "jonas")
    with pytest.raises(InputError, match="has a memory already"):
        with_memory_async(client.aio, "jonas")
    other = client.with_options(memory_id="jonas")
    assert ("jonas", "mara", "jonas") == (other.memory.memory_id, client.memory.memory_id, other.aio.memory.memory_id)
