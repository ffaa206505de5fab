"""The client stays the client that it was."""

import gc
import inspect
import operator
import subprocess
import sys
import weakref

import httpx
import pytest
from openai import AsyncOpenAI, NotFoundError, OpenAI
from openai.resources.chat.completions import Completions

from streetai_core import MemoryRegistry
from streetai_core.adapters.openai import with_memory, with_memory_async
from streetai_core.errors import InputError
from tests.adapters.conformance.openai_rows import sdk_client
from tests.adapters.wire.answers import Answer

HELLO = [{"role": "user", "content": "My boat lies in Kiel."}]


def stored(registry, memory_id="mara"):
    """What a memory has."""
    return [(one.role, one.content) for one in registry.get(memory_id).messages()]


def test_it_is_a_client_of_the_sdk(registry):
    """Attributes, classes and options are those of the client that was given, which stays as it is."""
    plain = sdk_client("http://127.0.0.1:1", organization="org", default_headers={"x-app": "1"})
    assert isinstance(plain.chat.completions, Completions)
    client = with_memory(plain, "mara", registry=registry)
    assert isinstance(client, OpenAI)
    assert isinstance(client.chat.completions, Completions)
    assert isinstance(client.beta.chat.completions, Completions)
    assert (client.organization, client.base_url, client.timeout) == (plain.organization, plain.base_url, plain.timeout)
    assert client.chat.completions is client.chat.completions
    assert client.models is client.models
    assert not hasattr(plain, "memory")
    assert type(plain) is OpenAI
    assert client.memory is registry.get("mara")
    assert client.registry is registry
    plain.close()


def test_copies_keep_the_memory(chat, registry):
    """`with_options` and `copy` take the SDK's options, and another memory or conversation."""
    client = with_memory(sdk_client(chat.url), "mara", registry=registry, conversation_id="c1")
    patient = client.with_options(timeout=7, max_retries=1)
    assert (patient.timeout, patient.max_retries) == (7, 1)
    patient.chat.completions.create(model="m", messages=HELLO)
    other = client.copy(memory_id="jonas", conversation_id=None)
    other.chat.completions.create(model="m", messages=HELLO)
    assert ["c1", "c1"] == [one.conversation_id for one in registry.get("mara").messages()]
    assert [None, None] == [one.conversation_id for one in registry.get("jonas").messages()]
    client.close()


def test_every_way_to_the_calls_has_the_memory(chat, registry):
    """Through `beta`, and through the client's own `with_raw_response`."""
    client = with_memory(sdk_client(chat.url), "mara", registry=registry)
    client.beta.chat.completions.create(model="m", messages=HELLO, memory_id="jonas")
    raw = client.with_raw_response.chat.completions.create(model="m", messages=HELLO, memory_id="ida")
    assert "200" in str(raw.http_response.status_code)
    with client.with_streaming_response.chat.completions.create(model="m", messages=HELLO) as response:
        assert response.parse().choices[0].message.content == "Noted."
    assert ["ida", "jonas", "mara"] == registry.ids()
    assert client.memory_turn(raw.parse()) == client.memory_turn(raw)
    client.close()


def test_other_calls_pass_untouched(chat, registry):
    """What is no chat call is none of the memory's business."""
    client = with_memory(sdk_client(chat.url), registry=registry)
    with pytest.raises(Exception, match="400"):
        client.embeddings.create(model="m", input="My boat lies in Kiel.")
    assert chat.received[0].body["input"] == "My boat lies in Kiel."
    assert registry.ids() == []
    chat.invalid.clear()  # the server speaks one API only
    client.close()


def test_beta_responses_have_the_memory(responses, registry):
    """In an SDK that has them."""
    client = with_memory(sdk_client(responses.url), "mara", registry=registry)
    if not hasattr(client.beta, "responses"):
        pytest.skip("this version of the SDK has no beta of the Responses API")
    response = client.beta.responses.create(model="m", input="My boat lies in Kiel.", memory_id="jonas")
    assert stored(registry, "jonas") == [("user", "My boat lies in Kiel."), ("assistant", "Noted.")]
    assert client.memory_turn(response).finished
    client.close()


def test_ids_are_not_sent_where_a_response_goes_on(registry):
    """The SDK asks for it by another verb; the ids would stand in its headers, which servers log."""
    sent = []

    def answer(request):
        sent.append(request)
        return httpx.Response(404, json={"error": {"message": "no such response"}})

    plain = OpenAI(api_key="none", http_client=httpx.Client(transport=httpx.MockTransport(answer)), max_retries=0)
    client = with_memory(plain, registry=registry)
    options = {"memory_id": "mara@example.com", "conversation_id": "doctor"}
    with pytest.raises(NotFoundError), client.responses.stream(response_id="resp_1", **options) as stream:
        list(stream)
    assert [request.method for request in sent] == ["GET"]
    assert not any("streetai" in name for name in sent[0].headers)
    client.close()


async def test_ids_are_not_sent_where_a_response_goes_on_of_an_async_client(registry):
    """The same."""
    sent = []

    def answer(request):
        sent.append(request)
        return httpx.Response(404, json={"error": {"message": "no such response"}})

    through = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    client = with_memory_async(AsyncOpenAI(api_key="none", http_client=through, max_retries=0), registry=registry)
    with pytest.raises(NotFoundError):
        async with client.responses.stream(response_id="resp_1", memory_id="mara@example.com") as stream:
            _ = [event async for event in stream]
    assert [request.method for request in sent] == ["GET"]
    assert not any("streetai" in name for name in sent[0].headers)
    await client.close()


async def test_async_methods_stay_coroutine_functions(registry):
    """Retries of other libraries ask whether they are."""
    plain = AsyncOpenAI(api_key="none")
    client = with_memory_async(plain, "mara", registry=registry)
    for path in ("chat.completions.create", "chat.completions.parse", "responses.create", "responses.parse"):
        method = operator.attrgetter(path)
        assert inspect.iscoroutinefunction(method(plain)) is inspect.iscoroutinefunction(method(client))
    await client.close()


def test_the_sdks_retries_are_one_call(chat, registry):
    """They happen inside of it."""
    client = with_memory(sdk_client(chat.url, max_retries=2), "mara", registry=registry)
    chat.answers += [Answer(status=500), Answer("Good.")]
    reply = client.chat.completions.create(model="m", messages=HELLO)
    assert [("user", HELLO[0]["content"]), ("assistant", "Good.")] == stored(registry)
    assert client.memory_turn(reply).assistant_message_id
    assert 2 == len(chat.received)
    client.close()


def test_a_response_from_elsewhere_has_no_turn(chat, registry):
    """Nothing is guessed."""
    client = with_memory(sdk_client(chat.url), "mara", registry=registry)
    plain = sdk_client(chat.url)
    client.chat.completions.create(model="m", messages=HELLO)
    foreign = plain.chat.completions.create(model="m", messages=HELLO)
    assert client.memory_turn(foreign) is None
    assert client.memory_turn(None) is None
    assert client.memory_turn("chatcmpl-0009") is None
    client.close()
    plain.close()


def test_an_id_that_two_responses_have_names_none(chat, registry):
    """Some servers give all their responses one id."""
    chat.api = type("SameId", (), {**vars(chat.api), "whole": staticmethod(same_id(chat.api.whole))})
    client = with_memory(sdk_client(chat.url), "mara", registry=registry)
    first, second = (client.chat.completions.create(model="m", messages=HELLO) for _ in range(2))
    turns = [client.memory_turn(one) for one in (first, second)]
    assert turns[0].turn_id != turns[1].turn_id
    assert client.memory_turn(first.model_copy()) is None
    client.close()


def same_id(whole):
    """A server that gives all its responses one id."""
    return lambda *arguments: {**whole(*arguments), "id": "same"}


def test_responses_are_not_kept_alive(chat, registry):
    """The record goes with the response."""
    client = with_memory(sdk_client(chat.url), "mara", registry=registry)
    response = client.chat.completions.create(model="m", messages=HELLO)
    gone = weakref.ref(response)
    del response
    gc.collect()
    assert gone() is None
    assert not client._streetai.interceptor._responses._by_object
    client.close()


def test_wrong_arguments_are_named(registry):
    """Where they are given, not at the first call."""
    plain, other = sdk_client("http://127.0.0.1:1"), AsyncOpenAI(api_key="none")
    wrong = [
        (lambda: with_memory(other, "mara"), "with_memory_async"),
        (lambda: with_memory_async(plain, "mara"), "use with_memory"),
        (lambda: with_memory("client", "mara"), "client must be"),
        (lambda: with_memory(plain, 7), "memory_id"),
        (lambda: with_memory(plain, ""), "memory_id"),
        (lambda: with_memory(plain, "mara", registry=7), "registry"),
        (lambda: with_memory(plain, "mara", registry=""), "path must be"),
        (lambda: with_memory(plain, "mara", registry=registry, conversation_id=" "), "conversation_id"),
        (lambda: with_memory(plain, "mara", registry=registry, token_budget=0), "token_budget"),
        (lambda: with_memory(plain, "mara", registry=registry, on_error="print"), "on_error"),
        (lambda: with_memory(with_memory(plain, "mara", registry=registry), "jonas"), "has a memory already"),
        (lambda: with_memory(plain, "mara", registry=registry).copy(memory_id=None), "memory_id"),
    ]
    for call, message in wrong:
        with pytest.raises(InputError, match=message):
            call()
    plain.close()


def test_a_registry_that_is_opened_here_is_closed_here(chat, tmp_path, monkeypatch):
    """Of a path, or of nothing: then it is the file `memory.db` in the current folder. Making a client does no I/O."""
    monkeypatch.chdir(tmp_path)
    client = with_memory(sdk_client(chat.url), "mara")
    assert list(tmp_path.iterdir()) == []
    client.close()
    with pytest.raises(Exception, match="closed"):
        client.registry.get("mara")
    with MemoryRegistry(tmp_path / "own.db") as own:
        with_memory(sdk_client(chat.url), "mara", registry=own).close()
        assert own.ids() == []
    assert with_memory(sdk_client(chat.url), "m", registry=tmp_path / "a.db").registry.store.path.endswith("a.db")


def test_the_core_needs_no_sdk():
    """It is imported by this adapter alone, and a missing one is an error that says what to install."""
    script = """
import sys
sys.modules["openai"] = None
import streetai_core
try:
    import streetai_core.adapters.openai
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "pip install 'streetai[openai]'" in done.stdout
