"""Gemini in Google's Vertex AI: the same client, with other paths and keys."""

import pytest
from google.auth.credentials import Credentials

from streetai_core import MemoryRegistry
from streetai_core.adapters.gemini import with_memory, with_memory_async
from streetai_core.encoders import HashingEncoder
from tests.adapters.conformance.driving import DRIVERS
from tests.adapters.conformance.gemini_rows import Chats, Models, sdk_client
from tests.adapters.wire import gemini_api
from tests.adapters.wire.answers import Answer
from tests.adapters.wire.server import served

BERTH = ("user", "My boat lies at berth thirty-one.")
ASKED = ("user", "Where does my boat lie?")


class Granted(Credentials):
    """Credentials that need no server."""

    def __init__(self, token):
        super().__init__()
        self.token = token

    def refresh(self, request):
        """They do not expire."""


ACCOUNTS = {
    "a key": lambda: {"vertexai": True, "api_key": "none"},
    "a project": lambda: {"vertexai": True, "project": "p", "location": "north", "credentials": Granted("none")},
}


@pytest.fixture(params=list(DRIVERS))
def driver(request):
    """Makes calls, on a loop or not."""
    made = DRIVERS[request.param]()
    yield made
    made.end()


@pytest.mark.parametrize("row", [Models(), Chats()], ids=lambda row: row.name)
@pytest.mark.parametrize("account", list(ACCOUNTS))
def test_every_call_has_the_memory(account, row, driver, tmp_path, monkeypatch):
    """Models and chats, streamed or not."""
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"):
        monkeypatch.delenv(name, raising=False)
    opened = MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder(), durability="fast")
    with served(gemini_api) as wire, opened as registry:
        plain = sdk_client(wire.url, **ACCOUNTS[account]())
        client = (with_memory_async if driver.asynchronous else with_memory)(plain, "mara", registry=registry)
        row.say(driver, client, "plain", [BERTH])
        wire.answers.append(Answer("At berth thirty-one."))
        heard = row.say(driver, client, "stream", [ASKED])
        assert BERTH[1] in wire.last.texts
        assert "publishers/google/models/m" in wire.last.path
        row.say(driver, client, "plain", [ASKED], memory_id="jonas")
        assert client.memory_turn(heard.response).assistant_message_id
        driver.close(client)
        said = [(one.role, one.content) for one in registry.get("mara").messages()]
        assert [BERTH, ("assistant", "Noted."), ASKED, ("assistant", "At berth thirty-one.")] == said
        assert 2 == len(registry.get("jonas").messages())
