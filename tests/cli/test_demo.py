"""`streetai demo` on short conversations, with the real chain, the real encoder and a real file."""

import json
import re
import shlex
import sqlite3
from contextlib import closing
from datetime import datetime, timezone

import pytest

from streetai_core import MemoryRegistry
from streetai_langchain.demo.settings import CONFIG, HALF_LIFE_TURNS
from tests.cli.conftest import SHORT, message, objects, write

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def transcript(database, memory_id="chat"):
    """What a database holds of a memory: role, content, name and conversation of each message."""
    with MemoryRegistry(database) as registry:
        return [
            message(one.content, one.role, name=one.name, conversation_id=one.conversation_id)
            for one in registry.get(memory_id).messages()
        ]


def plain(rows):
    """Rows of a conversation file as `transcript` gives them."""
    return [
        message(row["content"], row["role"], name=row.get("name"), conversation_id=row.get("conversation_id"))
        for row in rows
    ]


@pytest.fixture
def chat(tmp_path):
    """The short conversation in a file."""
    return write(tmp_path / "chat.jsonl", SHORT)


def test_the_first_run_shows_every_turn(invoke, chat, tmp_path):
    """Sessions, questions, tokens, what was recalled, replies, and the figures at the end; nothing on stderr."""
    done = invoke("demo", "--input", chat)
    assert (0, "") == (done.exit_code, done.stderr)
    for expected in (
        "chat  6 messages in 2 sessions",
        "Memory file: streetai-demo-chat.db  (named after the conversation, only for it)",
        "first  2026-03-02 ─",
        "second ─",
        "   1  Mara: My boat Kittiwake draws 1.35 metres.",
        "   3  Mara: How deep does Kittiwake lie in the water?",
        "the whole history",
        "score = meaning + words + context: author, time, ",
        "2026-03-02  Mara       My boat Kittiwake",
        "reply    She draws 1.35 metres.",
        "Stored: 6 messages as ",
        "sqlite3 streetai-demo-chat.db .tables",
    ):
        assert expected in done.stdout
    assert plain(SHORT) == transcript(tmp_path / "streetai-demo-chat.db")


def test_times_of_the_file_are_the_times_of_the_memory(invoke, chat, tmp_path):
    """An exchange is stored at the time of its reply in the file."""
    invoke("demo", "--input", chat)
    with MemoryRegistry(tmp_path / "streetai-demo-chat.db") as registry:
        stored = registry.get("chat").messages()
    assert [datetime(2026, 3, 2, 17, 5, tzinfo=timezone.utc)] * 2 == [one.created_at for one in stored[:2]]


def test_json_is_one_object_a_turn_and_a_summary(invoke, chat):
    """The numbers of the turns add up to those of the summary, and the pieces recalled are whole."""
    done = invoke("demo", "--input", chat, "--json")
    assert (0, "") == (done.exit_code, done.stderr)
    *turns, summary = objects(done)
    assert [("turn", 1), ("turn", 2), ("turn", 3)] == [(turn["kind"], turn["turn"]) for turn in turns]
    assert [row["content"] for row in SHORT[::2]] == [turn["question"] for turn in turns]
    assert [row["content"] for row in SHORT[1::2]] == [turn["reply"] for turn in turns]
    for key in ("tokens_sent", "tokens_full_history", "tokens_received", "characters_received"):
        assert sum(turn[key] for turn in turns) == summary[key]
    assert (0, 3, 0) == (summary["stored_before"], summary["turns"], summary["stored_without_a_turn"])
    assert ["first", "second"] == [session["conversation_id"] for session in summary["sessions"]]
    assert 6 == summary["stored"]["messages"]
    best = turns[2]["recalled"][0]
    assert ("Mara", "first", SHORT[0]["content"]) == (best["name"], best["conversation_id"], best["content"])
    assert best["score"] == pytest.approx(sum(best["parts"].values()), abs=1e-5)
    learned = {update["signal_id"]: update["action"] for update in turns[2]["learned"]}
    assert "boost" == learned[best["signal_id"]]
    assert 1 <= summary["boosts"]


def test_it_prints_the_command_of_a_page_that_reckons_as_it_does(invoke, chat):
    """A database keeps no settings, and the demo has its own: others would show other figures."""
    done = invoke("demo", "--input", chat, "--db", "a b.db")
    invoke("demo", "--input", write(chat.parent / "other.jsonl", SHORT[:2]), "--db", "a b.db")
    [told] = [line.partition("streetai ")[2] for line in done.stdout.splitlines() if "streetai report" in line]
    page = invoke(*shlex.split(told), "-o", "-", "--no-savings").stdout
    assert f"A weight halves in {HALF_LIFE_TURNS} turns" in page
    assert SHORT[0]["content"] in page
    assert f"Config(decay_rate={CONFIG.decay_rate})" in page


def test_the_second_run_plays_nothing_and_still_remembers(invoke, chat, tmp_path):
    """Everything is there already, the last questions are asked again, and nothing is stored."""
    invoke("demo", "--input", chat)
    database = tmp_path / "streetai-demo-chat.db"
    before = transcript(database)
    done = invoke("demo", "--input", chat)
    assert (0, "") == (done.exit_code, done.stderr)
    assert "6 messages already in streetai-demo-chat.db, nothing is played twice." in done.stdout
    assert "   ?  Mara: How deep does Kittiwake lie in the water?" in done.stdout
    assert "Mara       My boat Kittiwake" in done.stdout
    *asked, summary = objects(invoke("demo", "--input", chat, "--json"))
    assert ["asked again"] * 3 == [one["kind"] for one in asked]
    assert [row["content"] for row in SHORT[::2]] == [one["question"] for one in asked]
    assert SHORT[0]["content"] in [piece["content"] for piece in asked[2]["recalled"]]
    assert (6, 0) == (summary["stored_before"], summary["turns"])
    assert before == transcript(database)


def test_a_longer_file_goes_on(invoke, tmp_path):
    """What was added to the file since is played, with the numbers of the file."""
    write(tmp_path / "chat.jsonl", SHORT[:4])
    invoke("demo", "--input", "chat.jsonl")
    chat = write(tmp_path / "chat.jsonl", SHORT)
    *turns, summary = objects(invoke("demo", "--input", chat, "--json"))
    assert [3] == [turn["turn"] for turn in turns]
    assert 4 == summary["stored_before"]
    assert plain(SHORT) == transcript(tmp_path / "streetai-demo-chat.db")


@pytest.mark.parametrize("others", [[], ["--json"]])
def test_another_conversation_in_the_file_is_refused(invoke, chat, tmp_path, others):
    """If the memory does not begin like the file, nothing is played and nothing is lost, until --fresh."""
    invoke("demo", "--input", chat)
    write(chat, [message("Another beginning.", conversation_id="first"), *SHORT[1:]])
    done = invoke("demo", "--input", chat, *others)
    assert (1, "") == (done.exit_code, done.stdout)
    assert done.stderr.startswith("Error: the memory 'chat' in the database is of another conversation: message 1 of")
    assert "--fresh" in done.stderr
    assert plain(SHORT) == transcript(tmp_path / "streetai-demo-chat.db")


def test_fresh_forgets_this_conversation_only(invoke, chat, tmp_path):
    """Two conversations in one database: --fresh plays one again and leaves the other."""
    other = write(tmp_path / "other.jsonl", SHORT[:2])
    for path in (chat, other):
        invoke("demo", "--input", path, "--db", "both.db")
    done = invoke("demo", "--input", chat, "--db", "both.db", "--fresh")
    assert 0 == done.exit_code
    assert "Forgot the 6 messages of an earlier run." in done.stdout
    assert "Stored: 6 messages as " in done.stdout
    assert plain(SHORT) == transcript(tmp_path / "both.db")
    assert plain(SHORT[:2]) == transcript(tmp_path / "both.db", "other")


def test_fresh_asks_before_it_forgets_what_the_conversation_does_not_have(invoke, chat, tmp_path):
    """A memory of the user's own whose id is the name of the file was erased without a word."""
    with MemoryRegistry(tmp_path / "memory.db") as registry:
        registry.get("chat").add_message("I never eat hazelnuts.", role="user")
        registry.get("chat").add_message(SHORT[0]["content"], role="user", conversation_id="first")
    there = transcript(tmp_path / "memory.db")
    fresh = ("demo", "--input", chat, "--db", "memory.db", "--fresh")
    for answer in ("", "n\n"):
        done = invoke(*fresh, typed=answer)
        assert (1, "") == (done.exit_code, done.stdout)
        assert (
            "memory 'chat' of memory.db has 2 messages, of which 1 message is not of this conversation. "
            "Forget it for good? [y/N]" in done.stderr
        )
        assert there == transcript(tmp_path / "memory.db")
    assert 0 == invoke(*fresh, "--yes").exit_code
    assert plain(SHORT) == transcript(tmp_path / "memory.db")


def test_what_is_no_exchange_is_stored_as_it_is(invoke, tmp_path):
    """System and tool messages, a user who writes twice, a reply to nobody: stored in order, with their fields."""
    when = "2026-03-02T18:04:00+00:00"
    rows = [
        message("Be brief.", "system", conversation_id="c", created_at=when),
        message("Are you there?", name="Mara", conversation_id="c", created_at=when),
        message("Which berth is free?", name="Mara", conversation_id="c"),
        message("Berth 12.", "assistant", name="Bosun", conversation_id="c"),
        message("By the way, low water is at noon.", "assistant", conversation_id="c", created_at=when),
        message('{"berth": 12}', "tool", conversation_id="c"),
        message("Thanks"),
    ]
    chat = write(tmp_path / "chat.jsonl", rows)
    done = invoke("demo", "--input", chat)
    assert (0, "") == (done.exit_code, done.stderr)
    assert "   ·  system (stored only): Be brief." in done.stdout
    assert "5 messages stored without a turn." in done.stdout
    assert plain(rows) == transcript(tmp_path / "streetai-demo-chat.db")
    with MemoryRegistry(tmp_path / "streetai-demo-chat.db") as registry:
        stored = registry.get("chat").messages()
    assert [when] * 3 == [stored[place].created_at.isoformat() for place in (0, 1, 4)]


def test_bad_lines_are_named_and_the_rest_plays(invoke, tmp_path):
    """Each bad line is on stderr with its number; stdout is clean JSON of the rest."""
    lines = [json.dumps(row).encode() for row in SHORT[:2]]
    (tmp_path / "chat.jsonl").write_bytes(b"\n".join([b"\x1b[2Jnoise", lines[0], b"\xff", b"", lines[1], b"[]"]))
    done = invoke("demo", "--input", "chat.jsonl", "--json")
    assert 0 == done.exit_code
    assert [
        "line 1: it is not JSON: Expecting value (column 1) (skipped)",
        "line 3: byte 1 of it is not UTF-8 (skipped)",
        "line 6: it must be a JSON object, not a list (skipped)",
    ] == done.stderr.splitlines()
    assert ["turn", "summary"] == [one["kind"] for one in objects(done)]


def test_a_file_of_something_else_fills_no_screen(invoke, tmp_path):
    """Each of its lines was named, of a database some hundreds."""
    (tmp_path / "chat.jsonl").write_text("noise\n" * 300, encoding="utf-8")
    *named, more, error = invoke("demo", "--input", "chat.jsonl").stderr.splitlines()
    assert 20 == len(named)
    assert "and 280 lines more (skipped)" == more
    assert error.startswith("Error: there is no message in chat.jsonl")


@pytest.mark.parametrize("content", [b"", b"\n\n", b"only noise"])
def test_a_file_without_messages_is_an_error(invoke, tmp_path, content):
    """Nothing to play is said, and no database is made."""
    (tmp_path / "chat.jsonl").write_bytes(content)
    done = invoke("demo", "--input", "chat.jsonl")
    assert (1, "") == (done.exit_code, done.stdout)
    assert "Error: there is no message in chat.jsonl; each line needs a role and a content" in done.stderr.splitlines()
    assert ["chat.jsonl"] == [path.name for path in tmp_path.iterdir()]


def test_a_missing_file_is_an_error(invoke, tmp_path):
    """One line names the file; a folder is no conversation either."""
    for name, reason in {"none.jsonl": "No such file or directory", ".": "Is a directory"}.items():
        done = invoke("demo", "--input", name)
        assert (1, "") == (done.exit_code, done.stdout)
        assert f"Error: cannot read the conversation {name!r}: {reason}\n" == done.stderr
    assert [] == list(tmp_path.iterdir())


def test_a_database_that_cannot_be_written_is_an_error(invoke, chat, tmp_path):
    """A folder, and a path below a file, cannot be a database: one line, exit code 1."""
    (tmp_path / "folder").mkdir()
    for database in ("folder", "chat.jsonl/below.db"):
        done = invoke("demo", "--input", chat, "--db", database, "--json")
        assert (1, "") == (done.exit_code, done.stdout)
        assert done.stderr.startswith("Error: ")
        assert 1 == done.stderr.count("\n")


@pytest.mark.parametrize("others", [[], ["--fresh"]])
def test_a_damaged_database_is_an_error_and_stays(invoke, chat, tmp_path, others):
    """What is no database of ours is neither used nor deleted, not even with --fresh."""
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(b"this is no database, but somebody may want it" * 100)
    done = invoke("demo", "--input", chat, "--db", damaged, *others)
    assert (1, "") == (done.exit_code, done.stdout)
    assert done.stderr.startswith("Error: ")
    assert 1 == done.stderr.count("\n")
    assert b"this is no database, but somebody may want it" * 100 == damaged.read_bytes()


def test_a_foreign_database_stays_as_it_is(invoke, chat, tmp_path):
    """The tables of another program's database are still there afterwards."""
    with closing(sqlite3.connect(tmp_path / "foreign.db")) as connection, connection:
        connection.execute("CREATE TABLE boats (name TEXT)")
        connection.execute("INSERT INTO boats VALUES ('Kittiwake')")
    connection.close()
    invoke("demo", "--input", chat, "--db", "foreign.db")
    connection = sqlite3.connect(tmp_path / "foreign.db")
    assert [("Kittiwake",)] == connection.execute("SELECT name FROM boats").fetchall()
    connection.close()


def test_a_budget_is_kept(invoke, chat):
    """No prompt is larger than --token-budget."""
    *turns, _ = objects(invoke("demo", "--input", chat, "--json", "--token-budget", "30"))
    assert 3 == len(turns)
    assert all(turn["tokens_sent"] <= 30 == turn["token_budget"] for turn in turns)


def test_a_budget_that_is_too_small_stores_nothing(invoke, chat, tmp_path):
    """The turn that failed is not stored, so that it can be played with a larger budget."""
    done = invoke("demo", "--input", chat, "--json", "--token-budget", "5")
    assert (1, "") == (done.exit_code, done.stdout)
    assert done.stderr.startswith("Error: token_budget is 5, but the new message alone cost")
    assert 1 == done.stderr.count("\n")
    assert [] == transcript(tmp_path / "streetai-demo-chat.db")
    assert 3 == objects(invoke("demo", "--input", chat, "--json"))[-1]["turns"]


HOSTILE = "[bold red]loud[/bold red] [/] [link=http://x.invalid]l[/link] :boat: \x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J \u202eback \ud800 \x00"  # noqa: E501 - one string


@pytest.fixture
def hostile(tmp_path):
    """A conversation that tries to draw on the terminal wherever it can."""
    return write(
        tmp_path / "hostile.jsonl",
        [
            message(HOSTILE, name=HOSTILE[:70], conversation_id="[red]\x1b[31m"),
            message(HOSTILE, "assistant", name=HOSTILE[:70], conversation_id="[red]\x1b[31m"),
            message(HOSTILE, "system", conversation_id="[red]\x1b[31m"),
            message("What was loud and red?", conversation_id="two"),
            message("The title.", "assistant", conversation_id="two"),
        ],
    )


def test_hostile_content_is_shown_as_text(invoke, hostile):
    """Markup is not interpreted and no control character gets through, in both runs."""
    for _ in range(2):
        done = invoke("demo", "--input", hostile)
        assert (0, "") == (done.exit_code, done.stderr)
        assert "[bold red]loud[/bold red] [/] [link=http" in done.stdout
        assert all(character.isprintable() for character in done.stdout.replace("\n", ""))
    assert "[red] [31m" in invoke("demo", "--input", hostile, "--fresh").stdout


def test_hostile_content_on_a_terminal(invoke, hostile, terminal):
    """On a terminal the only escape codes are colours, and none of them is the content's."""
    code, output = terminal("demo", "--input", hostile)
    assert 0 == code
    assert COLOURS.search(output)
    assert all(character.isprintable() for character in COLOURS.sub("", output).replace("\r\n", ""))
    assert "red\x1b[0m" not in output.replace("\x1b[1mred\x1b[0m", "")


def test_hostile_content_in_json_is_ascii(invoke, hostile):
    """JSON lines have no raw control characters, and give back the text."""
    done = invoke("demo", "--input", hostile, "--json")
    assert done.stdout.isascii()
    assert all(character.isprintable() for character in done.stdout.replace("\n", ""))
    assert HOSTILE == objects(done)[0]["question"]


def test_no_color(chat, terminal):
    """With NO_COLOR there is not one escape code, even on a terminal."""
    code, output = terminal("demo", "--input", chat, NO_COLOR="1")
    assert 0 == code
    assert "\x1b" not in output
    assert "━" in output


def test_lines_fit_the_terminal(chat, terminal):
    """No line of a turn and of the table, which has colours, is wider than it; lines with paths to copy may be."""
    _, output = terminal("demo", "--input", chat, columns=60)
    assert "\x1b" in output
    turns = COLOURS.sub("", output).partition("first  2026")[2].partition("The model received")[0]
    assert 60 >= max(len(line) for line in turns.split("\r\n")[1:])
