"""OpenAI's models in other companies' clouds, through the clients that OpenAI's SDK has for them."""

import openai
import pytest
from openai import DefaultAsyncHttpxClient, DefaultHttpxClient

from streetai_core.adapters.openai import with_memory, with_memory_async
from tests.adapters.conformance.driving import DRIVERS
from tests.adapters.conformance.openai_rows import Chat, Responses
from tests.adapters.wire.answers import Answer
from tests.adapters.wire.server import served

BERTH = ("user", "My boat lies at berth thirty-one.")
ASKED = ("user", "Where does my boat lie?")

CLOUDS = {
    "azure": ("AzureOpenAI", "azure_endpoint", {"api_version": "1", "api_key": "none"}),
    "azure, a deployment": (
        "AzureOpenAI",
        "azure_endpoint",
        {"api_version": "1", "azure_deployment": "d", "azure_ad_token_provider": lambda: "none"},
    ),
    "bedrock": ("BedrockOpenAI", "base_url", {"api_key": "none", "aws_region": "eu-north-1"}),
}
"""By name: class, the argument for its URL, and the others."""


@pytest.fixture(params=list(DRIVERS))
def driver(request):
    """Makes calls, on a loop or not."""
    made = DRIVERS[request.param]()
    yield made
    made.end()


@pytest.mark.parametrize("row", [Chat(), Responses()], ids=lambda row: row.name)
@pytest.mark.parametrize("name", list(CLOUDS))
def test_every_call_has_the_memory(name, row, driver, registry):
    """The same client with other paths and keys; its copies too."""
    kind, argument, options = CLOUDS[name]
    kind = getattr(openai, ("Async" if driver.asynchronous else "") + kind, None)
    if kind is None:
        pytest.skip("this version of the SDK has no client for it")
    http = (DefaultAsyncHttpxClient if driver.asynchronous else DefaultHttpxClient)(verify=False)
    with served(row.api) as wire:
        plain = kind(**{argument: wire.url}, max_retries=0, http_client=http, **options)
        client = (with_memory_async if driver.asynchronous else with_memory)(plain, "mara", registry=registry)
        assert isinstance(client, kind)
        row.say(driver, client.with_options(timeout=9), "plain", [BERTH])
        wire.answers.append(Answer("At berth thirty-one."))
        heard = row.say(driver, client, "stream", [ASKED])
        assert BERTH[1] in wire.last.texts
        row.say(driver, client, "helper", [ASKED], memory_id="jonas")
        assert client.memory_turn(heard.response).assistant_message_id
        driver.close(client)
    said = [(one.role, one.content) for one in registry.get("mara").messages()]
    assert [BERTH, ("assistant", "Noted."), ASKED, ("assistant", "At berth thirty-one.")] == said
    assert 2 == len(registry.get("jonas").messages())
