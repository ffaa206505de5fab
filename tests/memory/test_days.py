"""The day on which something was said is that of who said it."""

import time
from datetime import datetime, timedelta, timezone

import pytest

from streetai_core import MemoryRegistry, RecallFilter
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import InputError
from streetai_core.recall.processors import RecentFirst
from streetai_core.transfer import export_memory, import_file

DENVER = timezone(timedelta(hours=-6), "MDT")
EVENING = datetime(2026, 5, 4, 20, 0, tzinfo=DENVER)
"""In UTC it is the fifth."""
SAID = "I bought a boat today, the yawl."
SOLD = "I sold the boat yesterday."


@pytest.fixture
def path(tmp_path):
    """A file in which something was said in an evening of Denver, and something else a day later."""
    path = tmp_path / "m.db"
    with opened(path) as registry:
        memory = registry.get("m")
        memory.add_message(SAID, "user", message_id="yawl", created_at=EVENING)
        memory.add_message("I bought a boat, the dinghy.", "user", created_at=EVENING + timedelta(days=1))
        memory.add_message(SOLD, "user", created_at=EVENING + timedelta(days=9))
    return path


def opened(path, now=EVENING):
    """A registry whose clock stands still."""
    return MemoryRegistry(path, encoder=HashingEncoder(), clock=lambda: now)


def test_a_message_keeps_its_time_of_day(path):
    """Whoever shows it would show another day than the one on which it was written."""
    with opened(path) as registry:
        message = registry.get("m").messages()[0]
        assert message.created_at == EVENING
        assert message.created_at.isoformat() == "2026-05-04T20:00:00-06:00"


def test_a_prompt_names_the_day_of_who_said_it(path):
    """The model would tell the user that it was a day later."""
    with opened(path) as registry:
        block = registry.get("m").build_prompt("What about the yawl?", conversation_id="new").recalled_text
    day, said = block.splitlines()[1:3]
    assert (day, said.endswith(SAID)) == ("2026-05-04", True)


def time_of(memory, question, **options):
    """Which boats the time that a question names speaks for."""
    return spoken_for(memory.retrieve(question, limit=10, strategy="keyword", **options))


def spoken_for(hits):
    """What was said of hits that have something from the time."""
    return {hit.signal.content for hit in hits if hit.parts["time"] > 0}


@pytest.mark.parametrize("zone", [timezone.utc, DENVER, timezone(timedelta(hours=9), "JST")])
def test_a_question_about_a_day_finds_what_was_said_on_it(path, zone):
    """Whatever the zone of the machine, a written date is the writer's."""
    with opened(path, now=(EVENING + timedelta(days=40)).astimezone(zone)) as registry:
        assert time_of(registry.get("m"), "Which boat was bought on 4 May 2026?") == {SAID}


def test_yesterday_of_a_question_is_the_day_before_that_of_the_clock(path):
    """At ten in the evening of Denver the fifth is still today, though it is the sixth in UTC."""
    with opened(path, now=EVENING + timedelta(hours=26)) as registry:
        assert time_of(registry.get("m"), "Which boat was bought yesterday?") == {SAID}


def test_yesterday_in_a_message_is_the_day_before_it_was_said(path):
    """Of the thirteenth in Denver it is the twelfth; by UTC it would be the thirteenth."""
    with opened(path, now=EVENING + timedelta(days=40)) as registry:
        assert time_of(registry.get("m"), "Which boat was sold on 12 May 2026?") == {SOLD}
        assert time_of(registry.get("m"), "Which boat was sold on 14 May 2026?") == set()


def test_an_edit_keeps_the_day(path):
    """Its time is read from the file, where a zone's name is not kept."""
    with opened(path, now=EVENING + timedelta(days=40)) as registry:
        memory = registry.get("m")
        memory.update_message("yawl", "I bought a lovely boat today.")
        assert time_of(memory, "Which boat was bought on 4 May 2026?") == {"I bought a lovely boat today."}


def test_it_goes_into_an_export_and_out_of_it(path, tmp_path):
    """Another machine has another zone."""
    with opened(path) as registry:
        export_memory(registry, "m", tmp_path / "m.jsonl")
    with opened(tmp_path / "other.db") as registry:
        import_file(registry, tmp_path / "m.jsonl")
        assert registry.get("m").messages()[0].created_at.isoformat() == "2026-05-04T20:00:00-06:00"


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone of this system cannot be set for one program")
def test_without_a_time_a_message_is_of_this_machines_day(tmp_path, monkeypatch):
    """A program on a laptop would date each evening a day too late."""
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "JST-9")
        time.tzset()
        with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
            memory = registry.get("m")
            memory.add_message("It rains.", "user")
            assert memory.messages()[0].created_at.utcoffset() == timedelta(hours=9)
    time.tzset()


async def test_who_asks_says_where(path):
    """One server has users in many zones, and one clock: what was yesterday in Denver is the day before in Tokyo."""
    at = EVENING + timedelta(hours=26)
    question = "Which boat was bought yesterday?"
    with opened(path, now=at.astimezone(timezone.utc)) as registry:
        memory = registry.get("m")
        assert time_of(memory, question, asked_at=at) == {SAID}
        assert time_of(memory, question) == {"I bought a boat, the dinghy."}
        for asked, found in ((at, SAID), (None, "I bought a boat, the dinghy.")):
            for prompt in (
                memory.build_prompt(question, conversation_id="new", asked_at=asked),
                await memory.abuild_prompt(question, conversation_id="new", asked_at=asked),
            ):
                assert spoken_for(prompt.retrieved) == {found}
            assert spoken_for(memory.why(question, asked_at=asked).hits) == {found}


def test_a_time_of_asking_that_is_none(path):
    """It would end in an error of Python's, or be ignored where nothing is stored yet."""
    with opened(path) as registry:
        for memory in (registry.get("m"), registry.get("new")):
            for ask in (memory.retrieve, memory.build_prompt, memory.why):
                with pytest.raises(InputError, match="asked_at must be a datetime, got str"):
                    ask("Which boat?", asked_at="yesterday")
                far = datetime.max.replace(tzinfo=timezone(timedelta(hours=-1)))
                with pytest.raises(InputError, match="asked_at is outside the years 1 to 9999"):
                    ask("Which boat?", asked_at=far)
                with pytest.raises(InputError, match="until is outside the years 1 to 9999"):
                    ask("Which boat?", wanted=RecallFilter(until=far))
    with opened(path, now="noon") as registry, pytest.raises(InputError, match="that clock gives must be a datetime"):
        registry.get("m").retrieve("Which boat?")


def test_a_clock_without_a_zone_is_in_utc(tmp_path):
    """So is a message's time without one; a post-processor that compares the two ended in an error of Python's."""
    with opened(tmp_path / "m.db", now=datetime(2026, 5, 4, 20, 0)) as registry:  # noqa: DTZ001 - what is tested
        memory = registry.get("m")
        memory.add_message(SAID, "user")
        (hit,) = memory.retrieve("Which boat?", processors=[RecentFirst(half_life=1.0)])
        assert hit.parts["recency"] == pytest.approx(0.1)
        assert memory.forget(everything=True).erased_at == datetime(2026, 5, 4, 20, 0, tzinfo=timezone.utc)


@pytest.mark.parametrize("question", ["What did I say last Saturday?", "What did I say last week?"])
def test_a_time_is_not_found_by_the_words_that_count_it(tmp_path, question):
    """What somebody said in March of "last week" was not said last week."""
    with MemoryRegistry(tmp_path / "m.db", clock=lambda: EVENING) as registry:
        memory = registry.get("m")
        memory.add_message("I moved to Porto last week.", "user", created_at=EVENING - timedelta(days=60))
        for days in range(50, 20, -1):
            memory.add_message(f"Sail {days} is mended.", "user", created_at=EVENING - timedelta(days=days))
        memory.add_message("The dentist wants to make a crown.", "user", created_at=EVENING - timedelta(days=2))
        assert memory.retrieve(question)[0].signal.content == "The dentist wants to make a crown."


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ('Who wrote the song "Yesterday"?', "Paul McCartney wrote Yesterday in a dream."),
        ("What was on new year's day?", "On New Year's Day we swam in the sea."),
    ],
)
def test_names_of_things_and_days_are_looked_for(tmp_path, question, answer):
    """They have words that count a time elsewhere."""
    with MemoryRegistry(tmp_path / "m.db", clock=lambda: EVENING) as registry:
        memory = registry.get("m")
        memory.add_message(answer, "user", created_at=EVENING - timedelta(days=400))
        for days in range(50, 20, -1):
            memory.add_message(f"Sail {days} is new.", "user", created_at=EVENING - timedelta(days=days))
        memory.add_message("The dentist wants to make a crown.", "user", created_at=EVENING - timedelta(days=1))
        assert memory.retrieve(question, strategy="keyword")[0].signal.content == answer


def test_who_gives_nothing_but_a_time_looks_for_its_words(path):
    """In a search of words, "yesterday" is one."""
    with opened(path) as registry:
        hits = registry.get("m").retrieve("yesterday", strategy="keyword", limit=1)
    assert [hit.signal.content for hit in hits] == [SOLD]
