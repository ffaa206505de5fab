"""Lists that come page by page pass through a client with a memory, also from the resources that it has changed."""

from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from tests.adapters.conformance.anthropic_rows import Messages
from tests.adapters.conformance.driving import DRIVERS
from tests.adapters.conformance.gemini_rows import Models
from tests.adapters.conformance.openai_rows import Chat
from tests.adapters.wire.server import served

NAMES = ["a", "b", "c"]


def openais(path):
    """One stored completion, after the one that is named."""
    name = following(path, "after")
    return {"object": "list", "data": [{"id": name, "object": "chat.completion"}], "has_more": name != NAMES[-1]}


def anthropics(path):
    """One batch, after the one that is named."""
    name = following(path, "after_id")
    return {"data": [{"id": name}], "has_more": name != NAMES[-1], "first_id": name, "last_id": name}


def googles(path):
    """One model, and which is next."""
    name = following(path, "pageToken")
    return {"models": [{"name": name}], **({} if name == NAMES[-1] else {"nextPageToken": name})}


def following(path, argument):
    """The name after the one in a path, or the first."""
    (before,) = parse_qs(urlsplit(path).query).get(argument, [None])
    return NAMES[0 if before is None else NAMES.index(before) + 1]


LISTS = [
    pytest.param((Chat(), openais, lambda client: client.chat.completions.list(), "id"), id="openai"),
    pytest.param((Messages(), anthropics, lambda client: client.messages.batches.list(), "id"), id="anthropic"),
    pytest.param((Models(), googles, lambda client: client.models.list(), "name"), id="gemini"),
]


@pytest.mark.parametrize("driving", list(DRIVERS))
@pytest.mark.parametrize("listing", LISTS)
def test_all_pages_come(driving, listing, tmp_path):
    """One after the other, as they are asked for; the memory has nothing to do with it."""
    row, listed, call, field = listing
    driver = DRIVERS[driving]()
    opened = MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder(), durability="fast")
    with served(SimpleNamespace(**vars(row.api), listed=listed)) as wire, opened as registry:
        client = row.client(wire.url, asynchronous=driver.asynchronous, memory_id="mara", registry=registry)
        assert NAMES == [getattr(one, field) for one in driver.each(driver.wait(call(client)))]
        driver.close(client)
        assert registry.ids() == []
    driver.end()
