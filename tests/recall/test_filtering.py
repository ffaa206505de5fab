"""Filters by time: days, and moments in whatever zone."""

import json
import re
import sqlite3
from datetime import date, datetime, timedelta, timezone

import pytest

from streetai_core import MemoryRegistry, NewMessage, RecallFilter
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import InputError
from streetai_core.stores.sqlite import SqliteStore

DENVER = timezone(timedelta(hours=-7))
WALKS = {
    "noon": datetime(2026, 5, 4, 12, 0, tzinfo=timezone.utc),
    "evening": datetime(2026, 5, 4, 20, 0, tzinfo=timezone.utc),
    "night": datetime(2026, 5, 4, 20, 0, tzinfo=DENVER),
    "next day": datetime(2026, 5, 5, 9, 30, tzinfo=timezone.utc),
}


@pytest.fixture
def memory(tmp_path):
    """Four walks at different times."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        memory = registry.get("m")
        for name, moment in WALKS.items():
            memory.add_message(f"I took a walk: {name}.", "user", name=name, created_at=moment)
        yield memory


def found(memory, **bounds):
    """Which walks are recalled under a filter, in the order in which they were taken."""
    hits = memory.retrieve("walk", wanted=RecallFilter(**bounds))
    return sorted((hit.signal.name for hit in hits), key=list(WALKS).index)


def test_a_day_is_one_where_it_was_said(memory):
    """By days of UTC the evening of Denver was of the day after."""
    day = date(2026, 5, 4)
    assert found(memory, since=day, until=day) == ["noon", "evening", "night"]
    assert found(memory, since=date(2026, 5, 5)) == ["next day"]


@pytest.mark.parametrize("zone", [timezone.utc, DENVER, timezone(timedelta(hours=14))])
def test_moments_are_compared_in_whatever_zone_they_are_given(memory, zone):
    """Time and zone of a bound were ignored: whole days were let in, or left out, that nobody asked for."""
    noon, evening, night, _ = (moment.astimezone(zone) for moment in WALKS.values())
    second = timedelta(seconds=1)
    assert found(memory, since=noon, until=evening) == ["noon", "evening"]
    assert found(memory, since=noon + second, until=night - second) == ["evening"]
    assert found(memory, since=evening + second) == ["night", "next day"]
    assert found(memory, until=night) == ["noon", "evening", "night"]


def test_a_moment_without_a_zone_is_in_utc(memory):
    """As the times of messages are."""
    bare = datetime(2026, 5, 4, 13)  # noqa: DTZ001 - that is what it is about
    assert found(memory, since=bare, until=date(2026, 5, 4)) == ["evening", "night"]


def test_a_span_that_ends_before_it_begins_is_refused():
    """By the moment where both bounds are moments, and by the day where one is a day."""
    begin = datetime(2026, 5, 4, 12, tzinfo=DENVER)
    with pytest.raises(InputError, match="since"):
        RecallFilter(since=begin, until=datetime(2026, 5, 4, 18, tzinfo=timezone.utc))
    with pytest.raises(InputError, match="since"):
        RecallFilter(since=datetime(2026, 5, 5, 20, tzinfo=DENVER), until=date(2026, 5, 4))
    assert RecallFilter(since=begin, until=date(2026, 5, 4)).until == date(2026, 5, 4)
    with pytest.raises(InputError, match="9999"):
        RecallFilter(until=datetime.max.replace(tzinfo=DENVER))


def test_prompts_take_such_a_filter_too(memory):
    """They recall by another path."""
    wanted = RecallFilter(since=WALKS["evening"], until=WALKS["evening"])
    block = memory.build_prompt("When was the walk?", wanted=wanted, conversation_id="other").recalled_text
    assert "evening" in block
    assert "noon" not in block


def test_what_comes_later_and_what_goes(memory):
    """Moments are read once and kept: additions, edits and deletions must show all the same."""
    until = WALKS["evening"]
    assert found(memory, until=until) == ["noon", "evening"]
    memory.add_message("I took one walk more.", "user", name="next day", created_at=WALKS["noon"], message_id="more")
    (noon,) = (one for one in memory.messages() if one.name == "noon")
    memory.update_message(noon.message_id, "I took a long walk at noon.")
    assert found(memory, until=until) == ["noon", "evening", "next day"]
    memory.delete_messages([noon.message_id, "more"])
    assert found(memory, until=until) == ["evening"]


def test_texts_are_read_once_and_not_all_at_once(tmp_path):
    """Each question with a moment read the texts of all that was said on its day."""
    asked = []

    def opener(uri, **options):
        connection = sqlite3.connect(uri, **options)
        connection.set_trace_callback(asked.append)
        return connection

    def read():
        """How many messages were read by their numbers, each time."""
        of_messages = [one for one in asked if "FROM messages" in one]
        lists = [re.search(r"sequence IN \(SELECT value FROM json_each\('(.*?)'\)", one) for one in of_messages]
        asked.clear()
        return [len(json.loads(one[1])) for one in lists if one]

    noon = WALKS["noon"]
    store = SqliteStore(tmp_path / "m.db", opener=opener)
    with MemoryRegistry(store, encoder=HashingEncoder()) as registry:
        memory = registry.get("m")
        memory.add_messages([NewMessage(content=f"Walk {n}.", role="user", created_at=noon) for n in range(1500)])
        wanted = RecallFilter(since=noon - timedelta(hours=1), until=noon + timedelta(hours=1))
        asked.clear()
        memory.retrieve("walk", limit=5, wanted=wanted)
        first = read()
        assert first[:2] == [1024, 476]
        memory.retrieve("which walk", limit=5, wanted=wanted)
        assert read() == first[2:]
