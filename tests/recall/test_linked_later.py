"""What could not be linked when it was written is linked as soon as that is possible."""

from contextlib import closing
from dataclasses import replace

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import offline_available
from streetai_core.stores import _sqlite
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


def by_mallory(message):
    """The message, of a writer who can be hidden."""
    return replace(message, writer="mallory")


@pytest.mark.parametrize("hidden", ["older", "newer", "both"])
@pytest.mark.parametrize("way", ["in order", "late"])
@pytest.mark.parametrize(("older", "newer"), CHANGES)
def test_what_was_in_quarantine_is_linked_when_it_is_released(registry, older, newer, hidden, way):
    """With what was said meanwhile, and with what was hidden beside it."""
    memory = registry.get("mara")
    memory.quarantine(writer="mallory")
    old, new = said(older, LONG_AGO, 0), said(newer, NOW, 1)
    old = by_mallory(old) if hidden in {"older", "both"} else old
    new = by_mallory(new) if hidden in {"newer", "both"} else new
    for message in (old, new) if way == "in order" else (new, old):
        memory.add_messages([message])
    memory.add_messages([said(text, NOW, text) for text in TALK])
    assert memory.release(writer="mallory") is True
    assert linked(registry) == {newer: [older]}


def test_a_change_that_comes_out_of_quarantine_stands_above_what_was_edited_meanwhile(registry):
    """As if it had never been hidden."""
    memory = registry.get("mara")
    memory.add_messages([said("It rains.", LONG_AGO, 0), by_mallory(said("I moved to Nice.", NOW, 1))])
    memory.quarantine(writer="mallory")
    memory.update_message("chat-0", "I live in Lyon.")
    memory.release(writer="mallory")
    first, second = memory.retrieve("Where do I live?")[:2]
    assert (first.signal.content, second.replaced) == ("I moved to Nice.", True)


def test_what_another_rule_hides_stays_apart(registry):
    """And is linked when that one is taken back too."""
    memory = registry.get("mara")
    memory.quarantine(writer="mallory")
    memory.quarantine(conversation="chat")
    memory.add_messages([by_mallory(said("I live in Lyon.", LONG_AGO, 0)), said("I moved to Nice.", NOW, 1, "new")])
    memory.release(writer="mallory")
    assert linked(registry) == {}
    memory.release(conversation="chat")
    assert linked(registry) == {"I moved to Nice.": ["I live in Lyon."]}


@pytest.mark.parametrize(("older", "newer"), CHANGES)
def test_what_was_linked_before_it_was_hidden_comes_back_as_it_was(registry, older, newer):
    """Nothing is written for it."""
    memory = registry.get("mara")
    memory.add_messages([by_mallory(said(older, LONG_AGO, 0)), said(newer, NOW, 1), said("It rains.", NOW, 2)])
    before = repr(words_in(registry.store, "mara"))
    memory.quarantine(writer="mallory")
    version = memory.version
    memory.release(writer="mallory")
    assert memory.version == version + 1
    assert repr(words_in(registry.store, "mara")) == before
    assert linked(registry) == {newer: [older]}


def test_a_word_is_as_rare_among_what_is_released_as_it_was(registry):
    """What is released together counts once."""
    memory = registry.get("mara")
    memory.quarantine(writer="mallory")
    birds = [by_mallory(said(f"Lark, day {day}.", LONG_AGO, day)) for day in range(5)]
    memory.add_messages([*birds, by_mallory(said("They've killed Lark. I'm on the scanner.", NOW, 5))])
    memory.release(writer="mallory")
    assert linked(registry) == {"They've killed Lark. I'm on the scanner.": [bird.content for bird in birds]}


def test_what_is_released_before_it_has_a_vector_is_linked_with_it(registry, encoder):
    """By vectors of zeros all would be as near."""
    memory = registry.get("mara")
    memory.add_messages([said("I moved to Nice.", NOW, 0)])
    memory.quarantine(writer="mallory")
    encoder.broken = True
    memory.add_messages([by_mallory(said("I live in Lyon.", LONG_AGO, 1))])
    memory.release(writer="mallory")
    assert linked(registry) == {}
    encoder.broken = False
    memory.reencode(only_missing=True)
    assert linked(registry) == {"I moved to Nice.": ["I live in Lyon."]}


def test_what_cannot_be_linked_is_released_all_the_same(registry, tmp_path, caplog):
    """Who takes a rule back has it taken back, whatever is wrong with a message."""
    memory = registry.get("mara")
    memory.add_messages([by_mallory(said("I live in Lyon.", LONG_AGO, 0)), said("I moved to Nice.", NOW, 1)])
    memory.quarantine(writer="mallory")
    with closing(_sqlite.connect((tmp_path / "memory.db").as_uri(), timeout=5)) as connection:
        connection.execute("UPDATE messages SET content = 'I live in Lyons.' WHERE sequence = 0")
    assert memory.release(writer="mallory") is True
    assert "not all that came back from quarantine is linked" in caplog.text
    assert memory.quarantined() == []
