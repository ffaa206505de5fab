"""What Anthropic's client can do, it can do with a memory."""

import pytest
from anthropic import Anthropic, AsyncAnthropic, InternalServerError, beta_tool

from streetai_core import MemoryRegistry
from streetai_core.adapters.anthropic import with_memory, with_memory_async
from streetai_core.adapters.anthropic_codec import AnthropicMessages
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import InputError
from tests.adapters.held import Held
from tests.adapters.wire import anthropic_api
from tests.adapters.wire.answers import Answer
from tests.adapters.wire.server import served

ASKED = {"model": "m", "max_tokens": 100}
EPHEMERAL = {"type": "ephemeral"}


@pytest.fixture
def registry(tmp_path):
    """Memories of one test."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder(), durability="fast") as registry:
        yield registry


@pytest.fixture
def wire():
    """The API on this machine."""
    with served(anthropic_api) as wire:
        yield wire


@pytest.fixture
def client(wire, registry):
    """A client with a memory."""
    with with_memory(Anthropic(base_url=wire.url, api_key="none", max_retries=0), "mara", registry=registry) as client:
        yield client


def user(content):
    """The messages of a call that says one thing."""
    return [{"role": "user", "content": content}]


def said(memory):
    """What a memory has."""
    return [(one.role, one.content) for one in memory.messages()]


def recollections(registry):
    """A memory with something to recall, said elsewhere."""
    memory = registry.get("mara")
    memory.add_message("My boat lies at berth thirty-one.", role="user", conversation_id="long ago")
    for number in range(12):
        memory.add_message(f"Chapter {number} of the logbook was dull, as always.", "user", conversation_id="long ago")
    return memory


def test_it_is_still_the_sdks_client(client):
    """With all its resources."""
    assert isinstance(client, Anthropic)
    assert client.api_key == "none"
    assert client.models is client.models
    assert client.with_options(timeout=3).timeout == 3


def test_what_is_no_chat_call_passes_untouched(client, wire, registry):
    """Tokens are counted of what the app gives."""
    recollections(registry)
    assert client.messages.count_tokens(model="m", messages=user("My boat?")).input_tokens == len("My boat?")
    assert not wire.received


def test_helper_events_come_as_they_are(client, wire):
    """Texts, snapshots and the final message are those of the SDK's own helper."""
    plain = Anthropic(base_url=wire.url, api_key="none", max_retries=0)
    heard = []
    for one in (client, plain):
        wire.answers.append(Answer("It lies at berth thirty-one.", thinking="They mean the boat."))
        with one.messages.stream(**ASKED, messages=user("Where does my boat lie?")) as stream:
            events = [(event.type, getattr(event, "snapshot", None)) for event in stream]
            heard.append(
                (events, stream.get_final_text(), [block.type for block in stream.get_final_message().content])
            )
    plain.close()
    assert heard[0] == heard[1]
    assert "text" in dict(heard[0][0])


@pytest.mark.parametrize("read", ["text_stream", "until_done", "get_final_message"])
def test_a_helper_is_stored_however_it_is_read(client, wire, read):
    """When it has come to its end."""
    wire.answers.append(Answer("It lies at berth thirty-one."))
    with client.messages.stream(**ASKED, messages=user("Where does my boat lie?")) as stream:
        if read == "text_stream":
            assert "".join(stream.text_stream) == "It lies at berth thirty-one."
        else:
            getattr(stream, read)()
        assert client.memory_turn(stream).finished
        assert client.memory_turn(stream.get_final_message()) == client.memory_turn(stream)
    assert [("user", "Where does my boat lie?"), ("assistant", "It lies at berth thirty-one.")] == said(client.memory)


def test_a_helper_that_is_left_keeps_what_was_read(client, wire):
    """As partial."""
    wire.answers.append(Answer("It lies at berth thirty-one."))
    with client.messages.stream(**ASKED, messages=user("Where does my boat lie?")) as stream:
        first = next(stream.text_stream)
    (_, reply) = client.memory.messages()
    assert (first, True) == (reply.content, reply.metadata["partial"])


def test_thinking_passes_and_is_not_stored(client, wire):
    """The app gives it back with the calls, signed as it came."""
    wire.answers += [
        Answer("I look.", thinking="They mean the boat.", calls=(("call-1", "tide", {"at": "Kiel"}),)),
        Answer("Two metres."),
    ]
    tools = [{"name": "tide", "input_schema": {"type": "object"}}]
    thinking = {"type": "enabled", "budget_tokens": 1024}
    messages = user("Is there enough water?")
    reply = client.messages.create(**ASKED, messages=messages, tools=tools, thinking=thinking)
    messages += [
        {"role": "assistant", "content": reply.content},
        *user([{"type": "tool_result", "tool_use_id": "call-1", "content": [{"type": "text", "text": "2 m"}]}]),
    ]
    client.messages.create(**ASKED, messages=(one for one in messages), tools=tools, thinking=thinking)
    assert "thinking" == wire.last.body["messages"][1]["content"][0]["type"]
    assert [
        ("user", "Is there enough water?"),
        ("assistant", "I look."),
        ("tool", "2 m"),
        ("assistant", "Two metres."),
    ] == said(client.memory)


def test_cache_markers_stay_where_they_are(client, wire, registry):
    """In the system text, the tools and the messages; the recalled text gets none."""
    recollections(registry)
    tools = [{"name": "tide", "input_schema": {"type": "object"}, "cache_control": EPHEMERAL}]
    system = [{"type": "text", "text": "Be brief.", "cache_control": EPHEMERAL}]
    content = [{"type": "text", "text": "Where does my boat lie?", "cache_control": EPHEMERAL}]
    client.messages.create(**ASKED, system=system, tools=tools, messages=user(content))
    body = wire.last.body
    recalled, asked = body["messages"][0]["content"]
    assert "berth thirty-one" in recalled["text"]
    assert "cache_control" not in recalled
    assert (system, tools, content) == (body["system"], body["tools"], [asked])


@pytest.mark.parametrize("stream", [False, True])
def test_the_beginning_of_a_reply_is_part_of_it(client, wire, stream):
    """If it fails, the memory has half of what was said, and the history that the app sends is never known again."""
    wire.answers += [Answer(status=500), Answer('"berth": 31}'), Answer("Yes.")]
    asked = [*user("Where is my boat? JSON."), {"role": "assistant", "content": '{"boat": 1,'}]
    with pytest.raises(InternalServerError):
        client.messages.create(messages=asked, **ASKED)
    assert said(client.memory) == [("user", "Where is my boat? JSON.")]

    answer = client.messages.create(messages=asked, stream=stream, **ASKED)
    if stream:
        list(answer)
    client.messages.create(messages=user("Is that so?"), **ASKED)
    assert said(client.memory) == [
        ("user", "Where is my boat? JSON."),
        ("assistant", '{"boat": 1,"berth": 31}'),
        ("user", "Is that so?"),
        ("assistant", "Yes."),
    ]
    assert wire.last.texts == ["Where is my boat? JSON.", '{"boat": 1,"berth": 31}', "Is that so?"]
    assert client.memory.stats()["turn_counter"] == 4


@pytest.mark.parametrize("stream", [False, True])
def test_a_reply_that_pauses_teaches_nothing_before_its_end(client, wire, registry, stream):
    """The provider's own tools take long, and the app sends what came of the reply back: still one lesson."""
    memory = recollections(registry)
    asked = {**ASKED, "stream": stream}
    wire.answers += [Answer("Let me look at thirty-one.", stop="pause_turn"), Answer("Berth thirty-one.")]
    messages = user("Which berth has my boat?")
    paused = client.messages.create(messages=messages, **asked)
    if stream:
        list(paused)
    again = [*messages, {"role": "assistant", "content": "Let me look at thirty-one."}]
    last = client.messages.create(messages=again, **asked)
    if stream:
        list(last)
    assert said(memory)[-3:] == [
        ("user", "Which berth has my boat?"),
        ("assistant", "Let me look at thirty-one."),
        ("assistant", "Berth thirty-one."),
    ]
    assert [client.memory_turn(one).partial for one in (paused, last)] == [True, False]
    assert [bool(client.memory_turn(one).updates) for one in (paused, last)] == [False, True]


def test_a_document_passes(client, wire):
    """With the question beside it; its bytes are not stored."""
    source = {"type": "text", "media_type": "text/plain", "data": "Berths: 1 to 40."}
    content = [{"type": "document", "source": source}, {"type": "text", "text": "How many berths?"}]
    client.messages.create(**ASKED, messages=user(content))
    assert content == wire.last.body["messages"][0]["content"]
    (asked, _) = client.memory.messages()
    assert ("How many berths?", ["document"]) == (asked.content, asked.metadata["attachments"])


def test_the_tool_runner_is_one_turn(client, wire, registry):
    """The SDK runs the tools; newer ones then send what is new only. There is one recall, and one lesson."""
    recollections(registry)

    @beta_tool
    def tide(at: str) -> str:
        """Depth of water.

        Args:
            at: the harbour.
        """
        return f"2 m at {at}"

    wire.answers += [Answer("", calls=(("call-1", "tide", {"at": "Kiel"}),)), Answer("Two metres at your boat.")]
    runner = client.beta.messages.tool_runner(**ASKED, tools=[tide], messages=user("Is there water for my boat?"))
    last = runner.until_done()
    turn = client.memory_turn(last)
    assert turn.updates
    assert [("user", "Is there water for my boat?"), ("assistant", ""), ("tool", "2 m at Kiel")] == said(client.memory)[
        -4:-1
    ]
    first, second = ([marked in one.texts[0] for marked in ("berth thirty-one", "water for")] for one in wire.received)
    assert first == [True, True]
    assert second == ([False, False] if "thread" in wire.last.body else first)


def test_a_stream_passes_event_by_event(registry):
    """The first text is there while the provider is still writing the second."""
    held = Held(anthropic_api)
    held.free = 4
    with served(held.module) as wire:
        client = with_memory(Anthropic(base_url=wire.url, api_key="none", max_retries=0), "mara", registry=registry)
        wire.answers.append(Answer("Berth thirty-one."))
        with client.messages.stream(**ASKED, messages=user("Where?")) as stream:
            texts = iter(stream.text_stream)
            assert next(texts) == "Berth "
            assert not client.memory_turn(stream).finished
            for _ in range(8):
                held.go_on.release()
            assert "".join(texts) == "thirty-one."
        client.close()
    assert [("user", "Where?"), ("assistant", "Berth thirty-one.")] == said(registry.get("mara"))


@pytest.mark.parametrize("wrong", [None, "client", AsyncAnthropic(api_key="none")])
def test_only_its_own_client_is_taken(wrong, registry):
    """The message names the function for the other kind."""
    with pytest.raises(InputError, match=r"must be an anthropic.Anthropic"):
        with_memory(wrong, "mara", registry=registry)
    hint = "use with_memory" if isinstance(wrong, Anthropic) else "must be"
    with pytest.raises(InputError, match=hint):
        with_memory_async(Anthropic(api_key="none") if wrong is None else 7, "mara", registry=registry)


def test_a_client_has_one_memory(client):
    """Another one is another client."""
    with pytest.raises(InputError, match="has a memory already"):
        with_memory(client, "jonas")
    other = client.with_options(memory_id="jonas")
    assert ("jonas", "mara") == (other.memory.memory_id, client.memory.memory_id)


def test_what_contains_itself_is_refused_by_the_sdk(client, wire):
    """As without a memory."""
    content = [{"type": "text", "text": "Hello."}]
    content.append(content)
    with pytest.raises((ValueError, RecursionError)):
        client.messages.create(**ASKED, messages=user(content))
    assert not wire.received


def test_a_reply_without_words_goes_with_its_exchange(client, wire):
    """Thoughts alone would stand at the beginning, where the API takes the user only."""
    history = []
    for number in range(8):
        wire.answers.append(
            Answer(f"Chapter {number} was dull. " * 40) if number else Answer("", thinking="Hm.", stop="max_tokens")
        )
        history += user(f"Read chapter {number} to me.")
        history.append({"role": "assistant", "content": client.messages.create(**ASKED, messages=history).content})
    assert len(wire.last.body["messages"]) < 10


def test_what_was_compacted_is_always_sent():
    """It stands for what was said before, which is nowhere else."""
    compacted = [{"type": "compaction", "content": "Everything."}, {"type": "text", "text": "Go on."}]
    messages = [*user("Hello."), {"role": "assistant", "content": compacted}, *user("And now?")]
    assert {1} == AnthropicMessages().read_request({"messages": messages}).whole
