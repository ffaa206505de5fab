"""What a command says where there is little to say: a sentence, never an empty table."""

from datetime import datetime, timedelta, timezone

import pytest
from click.testing import CliRunner

from streetai_core import MemoryRegistry
from streetai_core.cli import main
from streetai_core.encoders import HashingEncoder
from tests.cli.memories import fill


@pytest.fixture
def here(invoke, tmp_path):
    """A folder with a database of one memory, in which commands run."""
    fill(tmp_path / "m.db")
    return invoke


def test_nothing_is_said_in_words(here):
    """A head without rows looks like a failure."""
    assert here("search", "m.db", "   ").stdout == "Nothing was found.\n"
    assert here("search", "m.db", "   ", "--json").stdout == "[]\n"
    assert here("why", "m.db", "   ").stdout == "Recalled:\n  nothing\nLeft out:\n  nothing\n"
    with MemoryRegistry("empty.db", encoder=HashingEncoder(16)) as registry:
        registry.get("m").add_message("Gone soon.", "user")
        registry.forget("m")
    assert here("ls", "empty.db").stdout == "No memory yet.\n"
    assert here("ls", "empty.db", "--json").stdout == "[]\n"


def test_times_are_those_of_the_place_where_it_was_said(here):
    """To the minute, with the distance from UTC: without it, what was said later elsewhere looked earlier."""
    with MemoryRegistry("far.db", encoder=HashingEncoder(64)) as registry:
        for hours in (0, -7):
            zone = timezone(timedelta(hours=hours))
            said = datetime(2026, 3, 1, 18, 0, 59, tzinfo=timezone.utc).astimezone(zone)
            registry.get("ada").add_message("I moor at berth 31.", role="user", created_at=said, conversation_id="c")
    assert "2026-03-01 11:00-07:00" in here("ls", "far.db").stdout
    assert '"last_said": "2026-03-01T11:00:59-07:00"' in here("ls", "far.db", "--json").stdout
    first, _, second = [line for line in here("show", "far.db").stdout.splitlines() if line][:3]
    assert first.startswith("2026-03-01 18:00+00:00 user, turn 0")
    assert second.startswith("2026-03-01 11:00-07:00 user, turn 1")
    assert "2026-03-01 11:00-07:00" in here("search", "far.db", "Which berth do I moor at?").stdout


@pytest.mark.parametrize(
    "said",
    [
        "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "Bharat: \u0915\u094d\u200d\u0937",
        "We: 👩\u200d👩\u200d👧!",
    ],
)
def test_what_joins_and_parts_letters_stays(here, said):
    """Invisible, and part of the word: with a space in its place Persian is misspelt, and a family falls apart."""
    with MemoryRegistry("words.db", encoder=HashingEncoder(64)) as registry:
        registry.get("ada").add_message(said, role="user", name="Ali\u200cReza", message_id="m\u202e\x1b")
    assert said in here("show", "words.db").stdout
    found = here("search", "words.db", said).stdout
    assert said in found
    assert "Ali\u200cReza" in found
    assert not {"\u202e", "\x1b"} & {*found, *here("show", "words.db").stdout}


def test_one_is_not_several(here):
    """In numbers with their nouns."""
    with MemoryRegistry("one.db", encoder=HashingEncoder(64)) as registry:
        registry.get("ada").add_message("I moor at berth 31.", role="user", message_id="only")
    assert "1 memory with 1 message, " in here("backup", "one.db", "-o", "copy.db").stdout
    told = here("forget", "one.db", "--message", "only", "--yes").stdout
    assert "Forgotten: 1 message.\n" in told
    assert told.endswith(" files: nothing of it was found.\n")


def test_a_file_that_is_there_names_the_option(here):
    """One that replaces it, the same with all commands."""
    assert here("backup", "m.db", "-o", "copy.db").exit_code == 0
    for command in (
        ("backup", "m.db", "-o", "copy.db"),
        ("restore", "copy.db", "-o", "m.db"),
        ("export", "m.db", "-o", "copy.db"),
        ("report", "m.db", "-o", "copy.db", "--no-savings"),
    ):
        refused = here(*command)
        assert refused.exit_code == 1
        assert "--force" in refused.stderr
        assert here(*command, "--force").exit_code == 0


@pytest.mark.parametrize("answer", ["n\n", "", "y\n"])
def test_an_answer_from_a_pipe_leaves_a_line_of_its_own(here, answer):
    """A question and what follows are two lines."""
    asked = CliRunner().invoke(main, ["edit", "m.db", "m0", "Another text."], input=answer)
    question, *others = asked.stderr.splitlines()
    assert question.endswith("[y/N] ")
    assert [line.partition(":")[0] for line in others] == ([] if answer == "y\n" else ["Error"])
