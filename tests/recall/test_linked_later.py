"""What could not be linked when it was written is linked as soon as that is possible."""

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import offline_available
from streetai_core.stores.types import MessageQuery
from streetai_core.text.marks import news_about
from tests.encoders.failing import Breakable
from tests.outdated import words_in
from tests.recall.test_old_histories import LONG_AGO, NOW, said

pytestmark = pytest.mark.skipif(not offline_available(), reason="the extra `offline` is not installed: no real encoder")

CHANGES = [
    pytest.param("I live in Lyon.", "I moved to Nice.", id="replaced"),
    pytest.param("I'm working on Project Lark, the app.", "They've killed Lark. I'm on the scanner.", id="news"),
]
TALK = [f"The {thing} was late again, number {number}." for number in range(15) for thing in ("ferry", "bus")]


@pytest.fixture
def encoder(real_encoder):
    """The real model, which works at first."""
    return Breakable(real_encoder)


@pytest.fixture
def registry(tmp_path, encoder):
    """An empty database."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=encoder) as opened:
        yield opened


def linked(registry, name="mara"):
    """What each message replaces, or has a mark for, by its text; with the texts of those."""
    rows = words_in(registry.store, name)
    with registry.store.reading(name) as view:
        texts = {message.sequence: message.content for message in view.messages(MessageQuery())}
    found = {}
    for sequence, row in rows.items():
        others = [*row.replaces, *(one for one in rows if news_about(one) in row.terms)]
        if others:
            found[texts[sequence]] = [texts[one] for one in others]
    return found


@pytest.mark.parametrize("breaks_at", ["neither", "older", "newer", "both"])
@pytest.mark.parametrize(("older", "newer"), CHANGES)
def test_an_old_history_that_comes_in_an_outage_is_linked_with_its_vectors(registry, encoder, older, newer, breaks_at):
    """With what was said since: by what that replaces, and what it brings news of."""
    memory = registry.get("mara")
    memory.add_messages([said("It rains.", NOW, 0)])
    encoder.broken = breaks_at in {"newer", "both"}
    memory.add_messages([said(newer, NOW, 1)])
    encoder.broken = breaks_at == "both"
    memory.add_messages([said(text, NOW, text) for text in TALK])
    encoder.broken = breaks_at in {"older", "both"}
    memory.add_messages([said(older, LONG_AGO, 2)])
    encoder.broken = False
    memory.reencode(only_missing=True)
    assert memory.stats()["without_vector"] == 0
    assert linked(registry) == {newer: [older]}


@pytest.mark.parametrize(("older", "newer"), CHANGES)
@pytest.mark.parametrize("turned", [False, True])
def test_an_outage_changes_nothing_of_what_comes_in_its_order(registry, encoder, older, newer, turned):
    """What is linked afterwards is what is linked without it, also over days."""
    found = []
    for name in ("mara", "nora"):
        memory = registry.get(name)
        for number, text in enumerate((newer, "It rains.", older) if turned else (older, "It rains.", newer)):
            encoder.broken = name == "nora" and number != 1
            memory.add_messages([said(text, NOW.replace(day=2 + 9 * number), number)])
        encoder.broken = False
        memory.reencode(only_missing=True)
        found.append(linked(registry, name))
    assert found[0] == found[1]
