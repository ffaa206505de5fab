"""Anthropic's models in other companies' clouds, through the clients that Anthropic's SDK has for them."""

import importlib.util
import inspect
from dataclasses import dataclass
from typing import Any

import anthropic
import pytest
from anthropic import DefaultAsyncHttpxClient, DefaultHttpxClient

from streetai_core import MemoryRegistry
from streetai_core.adapters.anthropic import with_memory, with_memory_async
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import InputError
from tests.adapters.conformance.anthropic_rows import BetaMessages, Messages
from tests.adapters.conformance.driving import DRIVERS
from tests.adapters.wire import anthropic_api
from tests.adapters.wire.answers import Answer
from tests.adapters.wire.anthropic_clouds import BEDROCK, VERTEX
from tests.adapters.wire.server import served

HAS_AMAZONS_LIBRARY = importlib.util.find_spec("boto3") is not None
"""The SDK needs it to read Bedrock's streams, and to sign a request."""

TAKES_A_KEY = "api_key" in inspect.signature(anthropic.AnthropicBedrock).parameters
"""Newer versions of the SDK need not sign a request."""

OPTIONS = {
    "Bedrock": {"aws_region": "eu-north-1"},
    "BedrockMantle": {"aws_region": "eu-north-1", "api_key": "none"},
    "Vertex": {"region": "north", "project_id": "p", "access_token": "none"},
    "Foundry": {"api_key": "none"},
    "AWS": {"aws_region": "eu-north-1", "api_key": "none", "workspace_id": "w"},
    "GoogleCloud": {"token_provider": lambda: "none", "workspace_id": "w"},
}
"""By cloud: how a client is made, besides its URL."""

APIS = {"Bedrock": BEDROCK, "Vertex": VERTEX}
"""By cloud: what it speaks, if not what Anthropic itself does."""

BERTH = ("user", "My boat lies at berth thirty-one.")
ASKED = ("user", "Where does my boat lie?")
LONG = Answer("Your boat lies at berth thirty-one of the old harbour.")

STYLES = ("plain", "raw", "stream", "helper", "raw stream", "streaming response")


def sdk_client(cloud, url, *, asynchronous=False, **more):
    """A client of the SDK, without retries. It loads no certificates, which take most of the time to make one."""
    kind = getattr(anthropic, f"{'Async' if asynchronous else ''}Anthropic{cloud}")
    options = OPTIONS[cloud]
    if cloud == "Bedrock":
        keys = ("api_key",) if TAKES_A_KEY else ("aws_access_key", "aws_secret_key")
        options = options | dict.fromkeys(keys, "none")
    http = (DefaultAsyncHttpxClient if asynchronous else DefaultHttpxClient)(verify=False)
    return kind(base_url=url, max_retries=0, http_client=http, **options, **more)


@dataclass
class Bench:
    """What a test works with."""

    cloud: str
    wire: Any
    driver: Any
    registry: MemoryRegistry
    plain: Any
    client: Any
    row = Messages()

    def say(self, style, items, *, client=None, **more):
        """Make a call."""
        return self.row.say(self.driver, client or self.client, style, items, **more)

    def stored(self, memory_id="mara", **options):
        """What the memory has: (role, text) of each message."""
        return [(one.role, one.content) for one in self.registry.get(memory_id).messages(**options)]

    def needs_amazons_library(self, style):
        """Skip what the SDK itself cannot do here."""
        streams = "stream" in style.split() or style == "helper"
        if self.cloud == "Bedrock" and not HAS_AMAZONS_LIBRARY and (streams or not TAKES_A_KEY):
            pytest.skip("boto3 is not installed, without which the SDK cannot call Bedrock like this")
        if self.cloud == "Bedrock":
            self.driver.unguarded()  # the SDK reads Amazon's description of the service on the loop


@pytest.fixture(params=list(DRIVERS))
def bench(request, cloud, tmp_path):
    """A client of the cloud with a memory; in the end nothing invalid has been sent."""
    if not hasattr(anthropic, f"Anthropic{cloud}"):
        pytest.skip("this version of the SDK has no client for it")
    driver = DRIVERS[request.param]()
    opened = MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder(), durability="fast")
    with served(APIS.get(cloud, anthropic_api)) as wire, opened as registry:
        plain = sdk_client(cloud, wire.url, asynchronous=driver.asynchronous)
        wrap = with_memory_async if driver.asynchronous else with_memory
        client = wrap(plain, "mara", registry=registry)
        try:
            yield Bench(cloud, wire, driver, registry, plain, client)
            driver.close(client)
        finally:
            driver.end()


@pytest.fixture(params=list(OPTIONS))
def cloud(request):
    """The name of a cloud, as it stands in the names of its clients."""
    return request.param


@pytest.mark.parametrize("style", STYLES)
def test_every_call_has_the_memory(bench, style):
    """Recalled before, stored after, with its record; the client is still one of its cloud."""
    bench.needs_amazons_library(style)
    memory = bench.registry.get("mara")
    memory.add_message(BERTH[1], role="user", conversation_id="long ago")
    for number in range(12):
        memory.add_message(f"Chapter {number} of the logbook was dull, as always.", "user", conversation_id="long ago")
    bench.wire.answers.append(LONG)
    heard = bench.say(style, [ASKED])
    assert LONG.text == heard.text
    assert "berth thirty-one" in bench.wire.last.texts[-1]
    assert [ASKED, ("assistant", LONG.text)] == bench.stored(conversation_id=None)
    turn = bench.client.memory_turn(heard.response)
    assert (turn.finished, turn.partial, bool(turn.updates)) == (True, False, True)
    assert isinstance(bench.client, type(bench.plain))


@pytest.mark.parametrize("style", ["plain", "helper"])
def test_calls_copies_and_beta_name_their_memory(bench, style):
    """And the client that was given has none."""
    bench.needs_amazons_library(style)
    copied = bench.client.with_options(timeout=7, memory_id="ida")
    assert isinstance(copied, type(bench.plain))
    assert copied.timeout == 7
    bench.say(style, [BERTH], memory_id="jonas", conversation_id="c1")
    bench.say(style, [BERTH], client=copied)
    bench.say(style, [ASKED], client=copied, memory_id="zoe")
    BetaMessages().say(bench.driver, bench.client, "plain", [BERTH], conversation_id="c2")
    bench.say(style, [ASKED], client=bench.plain)
    assert ["ida", "jonas", "mara", "zoe"] == bench.registry.ids()
    assert [BERTH, ("assistant", "Noted.")] == bench.stored("jonas", conversation_id="c1")
    assert [BERTH, ("assistant", "Noted.")] == bench.stored("mara", conversation_id="c2")
    assert [BERTH, ("assistant", "Noted.")] == bench.stored("ida")
    bench.driver.close(copied)  # of older versions it has connections of its own
    assert not hasattr(bench.plain, "memory")
    assert not any("streetai" in name for one in bench.wire.received for name in one.headers)


def test_a_stream_that_is_closed_or_breaks_leaves_what_was_read(bench):
    """Not a word more, and marked."""
    bench.needs_amazons_library("stream")
    bench.wire.answers += [LONG, Answer(LONG.text, cut_after=7)]
    heard = bench.say("stream", [ASKED], take=3)
    (_, closed) = bench.registry.get("mara").messages()
    assert (heard.text, True) == (closed.content, closed.metadata["partial"])
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever the HTTP library calls it
        bench.say("stream", [BERTH])
    (*_, broken) = bench.registry.get("mara").messages()
    assert LONG.text.startswith(broken.content)
    assert broken.metadata["partial"]
    assert len(broken.content) > 5


@pytest.mark.parametrize("cloud", ["Bedrock", "Vertex"], indirect=True)
def test_only_its_own_kind_is_taken(bench):
    """The message names the function for the other kind."""
    wrong = with_memory if bench.driver.asynchronous else with_memory_async
    with pytest.raises(InputError, match=r"use with_memory"):
        wrong(bench.plain, "mara", registry=bench.registry)
    with pytest.raises(InputError, match="has a memory already"):
        (with_memory_async if bench.driver.asynchronous else with_memory)(bench.client, "jonas")
