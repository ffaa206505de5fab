"""Each command on databases, with right and with wrong input."""

import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
from contextlib import closing

import pytest
from click.testing import CliRunner

from streetai_core import MemoryRegistry
from streetai_core.cli import main
from streetai_core.cli.transferring import _FORMATS
from streetai_core.encoders import HashingEncoder
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.testing.store_reading import comparable
from streetai_core.transfer import FORMATS, memory_digest
from tests.cli.memories import LINE, SAID, fill, line_file
from tests.outdated import outdate, words_in

QUESTION = "Which boat draws how much?"

READING = {
    "ls": ["ls", "m.db"],
    "show": ["show", "m.db"],
    "show one": ["show", "m.db", "--message", "m0"],
    "search": ["search", "m.db", QUESTION],
    "why": ["why", "m.db", QUESTION, "--message", "m2"],
    "stats": ["stats", "m.db"],
}
"""Commands that only look."""

CHANGING = {
    "edit": ["edit", "m.db", "m0", "My boat Kittiwake draws 1.45 metres.", "--yes"],
    "forget message": ["forget", "m.db", "--message", "m0", "--yes"],
    "forget conversation": ["forget", "m.db", "--conversation", "first", "--yes"],
    "forget the rest": ["forget", "m.db", "--no-conversation", "--yes"],
    "forget author": ["forget", "m.db", "--author", "Mara", "--yes"],
    "forget everything": ["forget", "m.db", "--everything", "--yes"],
    "reembed": ["reembed", "m.db", "--encoder", "hashing"],
    "renew": ["renew", "m.db"],
    "export": ["export", "m.db", "-o", "out.jsonl"],
    "import": ["import", "m.db", "lines.jsonl", "--memory", "mara"],
}
"""Commands that write something."""

ALL = READING | CHANGING

WRONG_FILES = {
    "missing": "there is no file",
    "folder": "folder",
    "text": "not a database",
    "foreign": "m.db",
    "damaged": "damaged",
    "empty": "no memory yet",
}
"""What can be wrong with a database, and what is said of it."""


def spoil(path, how):
    """Put something in the place of a database."""
    if how == "folder":
        path.mkdir()
    elif how == "text":
        path.write_text("This is no database, and it is long enough to be one. " * 20, encoding="utf-8")
    elif how == "foreign":
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE somebody (elses)")
        connection.close()
    elif how == "damaged":
        fill(path)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE memories SET next_turn = next_turn + 1")
        connection.close()
    elif how == "empty":
        path.touch()


@pytest.fixture(scope="session")
def database(tmp_path_factory):
    """A database of one memory, to be copied."""
    return fill(tmp_path_factory.mktemp("database") / "m.db")


@pytest.fixture
def there(tmp_path, database):
    """A folder with a database of one memory, and a file to import."""
    shutil.copy(database, tmp_path / "m.db")
    line_file(tmp_path / "lines.jsonl")
    return tmp_path


@pytest.mark.parametrize("name", list(ALL))
def test_right_input(there, invoke, name):
    """Exit code 0, something on stdout, nothing on stderr; no escape codes of what was said."""
    result = invoke(*ALL[name])
    assert (0, "") == (result.exit_code, result.stderr)
    assert result.stdout
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize("name", list(ALL))
def test_json(there, invoke, name):
    """With --json stdout is one JSON value and nothing else."""
    result = invoke(*ALL[name], "--json")
    assert (0, "") == (result.exit_code, result.stderr)
    assert isinstance(json.loads(result.stdout), dict | list)


@pytest.mark.parametrize("name", list(ALL))
def test_a_url_is_no_file(there, invoke, name):
    """What writes would make a folder with the name of the server; the password in it is not printed."""
    before = sorted(there.iterdir())
    command, _, *others = ALL[name]
    result = invoke(command, "postgresql://ada:hush@localhost/x", *others)
    assert (1, "") == (result.exit_code, result.stdout)
    assert "only files can be used so far" in result.stderr
    assert "hush" not in result.stderr
    assert before == sorted(there.iterdir())


@pytest.mark.parametrize("how", list(WRONG_FILES))
@pytest.mark.parametrize("name", list(ALL))
def test_a_wrong_database(tmp_path, invoke, name, how):
    """One line that says what is wrong, exit code 1, and the file is as it was."""
    path = tmp_path / "m.db"
    spoil(path, how)
    line_file(tmp_path / "lines.jsonl")
    new = name == "import" and how in {"missing", "empty"}
    listed = how == "empty" and name in {"ls", "reembed", "renew"}
    before = path.read_bytes() if path.is_file() else None
    result = invoke(*ALL[name], *(["--encoder", "hashing"] if new else []))
    if new or listed:
        assert 0 == result.exit_code, result.output
        return
    assert 1 == result.exit_code, result.output
    assert 1 == result.stderr.count("\n")
    assert result.stderr.startswith("Error: ")
    assert WRONG_FILES[how] in result.stderr
    assert not result.stdout
    assert before == (path.read_bytes() if path.is_file() else None)
    assert how != "missing" or not path.exists()


@pytest.mark.parametrize("name", [name for name in ALL if name not in {"ls", "import"}])
def test_a_memory_that_is_not_there(there, invoke, name):
    """The error lists those that are."""
    result = invoke(*ALL[name], "--memory", "nobody")
    assert (1, "") == (result.exit_code, result.stdout)
    assert result.stderr == "Error: m.db has no memory 'nobody'; it has 'mara'\n"


@pytest.mark.parametrize("name", [name for name in ALL if name not in {"ls", "import", "reembed", "renew"}])
def test_several_memories_need_a_choice(tmp_path, invoke, name):
    """Nothing is guessed; with a choice the command works."""
    fill(tmp_path / "m.db", ("mara", "ben"))
    result = invoke(*ALL[name])
    assert (1, "") == (result.exit_code, result.stdout)
    assert result.stderr == "Error: m.db has 2 memories; choose one with --memory: 'ben', 'mara'\n"
    assert 0 == invoke(*ALL[name], "--memory", "ben").exit_code


@pytest.mark.parametrize("name", [name for name in ALL if name not in {"ls", "import"}])
def test_a_memory_beside_a_damaged_one(tmp_path, invoke, name):
    """It is used as if it were alone; the other one says how it may be saved."""
    fill(tmp_path / "m.db", ("mara", "ben"))
    with closing(sqlite3.connect(tmp_path / "m.db")) as connection, connection:
        connection.execute("UPDATE memories SET crc = crc + 1 WHERE memory_id = 'mara'")
    assert 0 == invoke(*ALL[name], "--memory", "ben").exit_code
    result = invoke("stats", "m.db", "--memory", "mara")
    assert result.exit_code == 1
    assert "streetai salvage" in result.stderr


@pytest.mark.parametrize("name", list(ALL))
def test_an_emptied_memory(tmp_path, invoke, name):
    """A memory without messages is looked at, exported and forgotten like any other."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(64)) as registry:
        registry.get("mara").add_message("Gone.", role="user", message_id="gone")
        registry.get("mara").delete_message("gone")
    line_file(tmp_path / "lines.jsonl")
    result = invoke(*ALL[name])
    named = {"show one", "why", "edit", "forget message", "forget conversation", "forget the rest", "forget author"}
    assert int(name in named) == result.exit_code, result.output
    assert int(name in named) == result.stderr.count("\n")


USAGE = [
    ["show", "m.db", "--last", "0"],
    ["show", "m.db", "--message", "m0", "--last", "2"],
    ["search", "m.db"],
    ["search", "m.db", "x", "--limit", "many"],
    ["search", "m.db", "x", "--strategy", "guess"],
    ["why", "m.db", "x", "--misses", "-1"],
    ["edit", "m.db", "m0"],
    ["edit", "m.db", "m0", "-"],
    ["forget", "m.db"],
    ["forget", "m.db", "--everything", "--message", "m0"],
    ["forget", "m.db", "--conversation", "first", "--no-conversation"],
    ["import", "m.db"],
    ["import", "m.db", "lines.jsonl", "--format", "word"],
    ["export", "m.db", "--json"],
    ["reembed", "m.db", "--encoder", "none"],
    ["chat", "m.db"],
    ["chat", "m.db", "--model", "m", "--token-budget", "0"],
    ["stats", "m.db", "--nothing"],
    ["ls"],
    ["search", "m.db", "x", "--config", "none.json"],
    ["search", "m.db", "x", "--config", "lines.jsonl"],
    ["why", "m.db", "x", "--config", "{"],
    ["stats", "m.db", "--config", '{"strategy": "guess"}'],
    ["reembed", "none.db", "--config", '{"nothing": 1}'],
    ["chat", "m.db", "--model", "m", "--config", '{"nothing": 1}'],
    ["import", "m.db", "none.jsonl", "--memory", "mara", "--config", '{"nothing": 1}'],
    ["import", "m.db", "lines.jsonl", "--memory", ""],
    ["import", "m.db", "lines.jsonl", "--memory", "mara", "--conversation", "c" * 513],
]


@pytest.mark.parametrize("arguments", USAGE, ids=" ".join)
def test_usage_errors(there, invoke, arguments):
    """Exit code 2, one line that says what is wrong and where to read on, and the database is as it was."""
    before = (there / "m.db").read_bytes()
    result = invoke(*arguments)
    assert (2, "") == (result.exit_code, result.stdout)
    assert result.stderr.startswith("Error: ")
    assert result.stderr.endswith(f" Try 'main {arguments[0]} --help'.\n")
    assert 1 == result.stderr.count("\n")
    assert before == (there / "m.db").read_bytes()


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--config", "none.json", "'--config': cannot read the settings 'none.json'"),
        ("--config", "lines.jsonl", "'--config': Config: unknown settings"),
        ("--config", "[]", "'--config': cannot read the settings '[]'"),
        ("--config", "{", "'--config': the settings '{' are not JSON"),
        ("--config", "deep.json", "'--config': the settings 'deep.json' are not JSON"),
        ("--config", '{"strategy": "guess"}', "strategy must be 'hybrid'"),
        ("--limit", "0", "'--limit': 0 is not in the range"),
        ("--memory", "", "'--memory': memory_id must not be empty"),
    ],
)
def test_a_usage_error_names_the_option(there, invoke, option, value, said):
    """Who gave several knows which one to change."""
    (there / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    assert said in invoke("search", "m.db", "x", option, value).stderr


INPUT_ERRORS = [
    (["show", "m.db", "--message", "none"], "no message 'none'"),
    (["why", "m.db", "x", "--message", "none"], "'none'"),
    (["edit", "m.db", "none", "text", "--yes"], "no message 'none'"),
    (["edit", "m.db", "m0", "  ", "--yes"], "not blank"),
    (["forget", "m.db", "--message", "none", "--yes"], "'mara' has no message 'none', so nothing was erased"),
    (["forget", "m.db", "--conversation", "nope", "--yes"], "'mara' has no conversation 'nope', so nothing"),
    (["forget", "m.db", "--author", "Nobody", "--yes"], "'mara' has no messages by 'Nobody', so nothing"),
    (["export", "m.db", "-o", "lines.jsonl"], "--force"),
    (["export", "m.db", "-o", "m.db", "--force"], "the database itself"),
    (["export", "m.db", "-o", "./m.db-wal", "--force"], "a part of it"),
    (["report", "m.db", "-o", "m.db", "--force"], "the database itself"),
    (["export", "m.db", "-o", "no/such/folder.jsonl"], "cannot write"),
    (["import", "m.db", "none.json", "--memory", "mara"], "no file none.json"),
    (["import", "m.db", ".", "--memory", "mara"], ". is a folder"),
    (["import", "m.db", "m.db", "--memory", "mara"], "the database itself"),
    (["import", "m.db", "lines.jsonl"], "--memory"),
    (["import", "m.db", "lines.jsonl", "--memory", "mara", "--format", "claude"], "does not look like"),
]


@pytest.mark.parametrize(
    ("arguments", "said"), INPUT_ERRORS, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_input_errors(there, invoke, arguments, said):
    """One line that says what to do, exit code 1, and the database is as it was."""
    before = (there / "m.db").read_bytes()
    result = invoke(*arguments)
    assert (1, "") == (result.exit_code, result.stdout)
    assert said in result.stderr
    assert 1 == result.stderr.count("\n")
    assert before == (there / "m.db").read_bytes()


@pytest.mark.parametrize("name", ["backup", "export", "report", "salvage"])
def test_force_is_advised_where_there_is_such_an_option(there, invoke, name):
    """What a damaged file is saved into is never one that was there."""
    refused = invoke(name, "m.db", "-o", "lines.jsonl")
    assert (1, "") == (refused.exit_code, refused.stdout)
    assert "lines.jsonl is there already" in refused.stderr
    assert ("--force" in invoke(name, "--help").stdout) == ("--force" in refused.stderr)


def test_whose_memory_an_import_goes_into_is_never_guessed(there, invoke):
    """Also where there is only one, which may be another person's; the help promises nothing else."""
    refused = invoke("import", "m.db", "lines.jsonl")
    assert "--memory" in refused.stderr
    for command in ("import", "reembed", "renew"):
        assert "may be left out where the file has only one" not in " ".join(invoke(command, "--help").stdout.split())
    for command in ("reembed", "renew"):
        assert "all of them if it is left out" in " ".join(invoke(command, "--help").stdout.split())


@pytest.mark.parametrize("name", [name for name in CHANGING if name.startswith(("edit", "forget"))])
@pytest.mark.parametrize(
    ("answer", "code"), [("y\n", 0), ("YES\n", 0), ("n\n", 1), ("\n", 1), ("", 1), ("\udcff\n", 1)]
)
def test_it_asks_before_it_acts(there, invoke, name, answer, code):
    """Only a yes changes anything; the question is no part of the output."""
    with MemoryRegistry(there / "m.db", encoder=HashingEncoder(64)) as registry:
        before = memory_digest(registry, "mara")
    arguments = [word for word in CHANGING[name] if word != "--yes"]
    os.chdir(there)
    result = CliRunner().invoke(main, arguments, input=answer.encode("utf-8", "surrogateescape"))
    assert code == result.exit_code, result.output
    assert "[y/N]" in result.stderr
    assert "[y/N]" not in result.stdout
    with MemoryRegistry(there / "m.db", encoder=HashingEncoder(64)) as registry:
        assert (before == memory_digest(registry, "mara")) == (code == 1)


@pytest.mark.parametrize("gone", [False, True])
def test_a_memory_goes_down_a_pipe(there, streetai, gone):
    """From one database into another, with all that was learned; and nothing comes of what is no memory."""
    exported = streetai("export", "m.db", "-o", "-")
    stream = exported.stdout[: len(exported.stdout) // 2] if gone else exported.stdout
    done = subprocess.run(
        streetai.command("import", "copy.db", "-"),
        cwd=there,
        env=streetai.environment(),
        input=stream,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (1 if gone else 0) == done.returncode, done.stderr
    assert 1 == (done.stderr if gone else done.stdout).count("\n")
    if not gone:
        digests = []
        for name in ("m.db", "copy.db"):
            with MemoryRegistry(there / name, encoder=HashingEncoder(64)) as registry:
                digests.append(memory_digest(registry, "mara"))
        assert digests[0] == digests[1]


def test_what_they_do(there, invoke):
    """The commands one after another."""
    assert SAID[0][1] in invoke("show", "m.db", "--conversation", "first").stdout
    assert 1 == len(json.loads(invoke("show", "m.db", "--last", "1", "--json").stdout))
    assert "No messages.\n" == invoke("show", "m.db", "--conversation", "none").stdout
    assert [] == json.loads(invoke("show", "m.db", "--conversation", "none", "--json").stdout)
    found = json.loads(invoke("search", "m.db", QUESTION, "--limit", "1", "--json").stdout)
    assert "m0" == found[0]["signal"]["parent_turn_id"]
    assert found[0]["score"] == pytest.approx(sum(found[0]["parts"].values()), abs=1e-6)
    why = json.loads(invoke("why", "m.db", QUESTION, "--message", "m2", "--json").stdout)
    assert "m2" == why["considered"][0]["hit"]["signal"]["parent_turn_id"]
    recalled, _, left_out = invoke("why", "m.db", QUESTION).stdout.partition("Left out:")
    assert "min_relevance" in recalled
    assert "min_relevance" in left_out
    assert left_out in invoke("why", "m.db", QUESTION, "--misses", str(2**63)).stdout
    one = json.loads(invoke("show", "m.db", "--message", "m0", "--json").stdout)
    assert one["signals"][0]["history"]
    assert 0 == invoke("edit", "m.db", "m0", "My boat Kittiwake draws 1.4567 metres.", "--yes").exit_code
    assert "1.4567" in invoke("show", "m.db", "--message", "m0").stdout
    assert 4 == json.loads(invoke("stats", "m.db", "--json").stdout)["messages"]
    assert 0 == invoke("forget", "m.db", "--conversation", "first", "--yes").exit_code
    assert 2 == json.loads(invoke("ls", "m.db", "--json").stdout)[0]["messages"]
    assert b"1.4567" not in (there / "m.db").read_bytes()


def test_counts_are_told_in_words(there, invoke):
    """What has faded is not lost, and which settings say so is told; programs get the names of the library."""
    names = json.loads(invoke("stats", "m.db", "--json").stdout)
    assert names["dead_signals"] == 0
    usual = invoke("stats", "m.db").stdout
    assert not [name for name in names if "_" in name and name in usual]
    assert re.search(r"signals that have faded +0 *\n", usual)
    assert "What has faded is kept, and a strong cue brings it back." in usual
    assert "Faded is told by Config(); a database keeps no settings, --config gives others." in usual
    fast = invoke("stats", "m.db", "--config", '{"decay_rate": 5, "revival_similarity": 0}').stdout
    assert re.search(r"signals that have faded +[1-9] *\n", fast)
    assert "cue" not in fast
    assert "Faded is told by Config(decay_rate=5, revival_similarity=0);" in fast


@pytest.mark.parametrize("settings", ["{", '{"nothing": 1}', '{"decay_rate": -1}', '{"signal_roles": 5}'])
def test_settings_on_the_line_are_checked(there, invoke, settings):
    """As those in a file are."""
    refused = invoke("stats", "m.db", "--config", settings)
    assert (2, "", 1) == (refused.exit_code, refused.stdout, refused.stderr.count("\n"))


def test_export_and_import(there, invoke):
    """Through a pipe and through a file the memory comes back, and nothing is overwritten unasked."""
    piped = invoke("export", "m.db")
    assert 0 == piped.exit_code
    (there / "piped.jsonl").write_text(piped.stdout, encoding="utf-8")
    assert "SHA-256" in piped.stderr
    written = json.loads(invoke("export", "m.db", "-o", "out.jsonl", "--json").stdout)
    assert (there / "out.jsonl").read_text(encoding="utf-8") == piped.stdout
    done = json.loads(invoke("import", "new.db", "piped.jsonl", "--json").stdout)
    assert (["mara"], written["digest"]) == (done["memory_ids"], done["digest"])
    assert 0 == invoke("search", "new.db", QUESTION).exit_code
    again = invoke("import", "new.db", "out.jsonl")
    assert "0 messages imported, 4 were there already" in again.stdout
    bare = invoke("export", "m.db", "-o", "out.jsonl", "--no-vectors", "--force")
    assert 0 == bare.exit_code
    assert 0 == invoke("import", "new.db", "out.jsonl", "--memory", "bare", "--encoder", "hashing").exit_code
    assert 0 == invoke("search", "new.db", QUESTION, "--memory", "bare").exit_code


def test_the_two_files_of_an_import_in_the_wrong_order(there, invoke):
    """As one says it, "import the notes into the database": the notes were a database that was corrupted."""
    line_file(there / "some.jsonl", LINE)
    for database in ("m.db", "new.db"):
        result = invoke("import", "some.jsonl", database, "--memory", "mara")
        assert 1 == result.exit_code
        assert "Error: some.jsonl is not a database. That comes first" in result.stderr
    assert not (there / "new.db").exists()


def test_documents_are_called_so(there, invoke):
    """What was attached to a message was shown as the user's own words."""
    attached = {"file_name": "map.txt", "extracted_content": "Berth 31 is by the crane."}
    said = {"uuid": "m", "sender": "human", "text": "Where is that?", "attachments": [attached]}
    (there / "talk.json").write_text(json.dumps({"uuid": "t", "chat_messages": [said]}), encoding="utf-8")
    assert 0 == invoke("import", "new.db", "talk.json", "--memory", "ada").exit_code
    assert ["document,", "user,"] == [
        line.split()[2] for line in invoke("show", "new.db").stdout.splitlines() if "conversation t" in line
    ]
    assert " document " in invoke("search", "new.db", "Where is berth 31?").stdout


def test_counts_of_one(there, invoke):
    """One message is no "1 messages"."""
    line_file(there / "some.jsonl", LINE)
    assert "1 message imported, 0 were there" in invoke("import", "new.db", "some.jsonl", "--memory", "ada").stdout
    assert "0 messages imported, 1 was there" in invoke("import", "new.db", "some.jsonl", "--memory", "ada").stdout
    assert "'ada': 1 message, 1 signal, SHA" in invoke("export", "new.db", "-o", "out.jsonl").stdout
    assert "ada: 1 message, 1 signal, 1 stack\n" in invoke("doctor", "new.db").stdout
    assert "ada: 1 message, 1 signal, 1 weight, 1 stack, 1 word" in invoke("salvage", "new.db", "-o", "s.db").stdout


def test_records_that_are_left_out_are_named(there, invoke):
    """On stderr with their numbers; exit code 1; the others are stored, with the encoder of the memory."""
    line_file(there / "some.jsonl", LINE, {"role": "nobody", "content": "x"}, LINE, *[{"role": 1, "content": ""}] * 30)
    result = invoke("import", "m.db", "some.jsonl", "--memory", "mara")
    assert 1 == result.exit_code
    assert "jsonl: 2 messages imported" in result.stdout
    named = result.stderr.splitlines()
    assert named[0].startswith("Record 2: ")
    assert "And 11 more; --json names all." == named[-1]
    done = invoke("import", "m.db", "some.jsonl", "--memory", "mara", "--json")
    assert 31 == len(json.loads(done.stdout)["rejected"])
    assert "hashing/1/64" == json.loads(invoke("stats", "m.db", "--json").stdout)["encoder"]


def test_reembedding(there, invoke):
    """Another encoder makes the vectors, once; a search with the wrong one names the command."""
    first = json.loads(invoke("reembed", "m.db", "--encoder", "hashing", "--json").stdout)
    assert ("hashing/1/64", "hashing/1/384", 4) == (first[0]["before"], first[0]["encoder"], first[0]["signals"])
    again = json.loads(invoke("reembed", "m.db", "--encoder", "hashing", "--json").stdout)
    assert 0 == again[0]["signals"]
    assert 0 == invoke("search", "m.db", QUESTION).exit_code
    with closing(sqlite3.connect(there / "m.db")) as connection, connection:
        made_by = connection.execute("SELECT encoder FROM memories").fetchone()
    connection.close()
    assert ("hashing/1/384",) == made_by


def test_reembedding_goes_on_after_a_text_that_is_refused(tmp_path, invoke, monkeypatch):
    """The other memories are done; what is refused is named, not quoted; exit code 1."""
    fill(tmp_path / "m.db", ("ada", "mara", "zoe"))
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(64)) as registry:
        for name in ("ada", "zoe"):
            registry.get(name).delete_message("m2")
            registry.get(name).delete_message("m3")
    embed = HashingEncoder.embed

    def embed_most(encoder, texts, kind):
        if any("hazelnuts" in text for text in texts):
            raise OSError("the model refuses a text")
        return embed(encoder, texts, kind)

    monkeypatch.setattr(HashingEncoder, "embed", embed_most)
    result = invoke("reembed", "m.db", "--encoder", "hashing", "--json")
    assert 1 == result.exit_code
    assert [("ada", [], 2), ("mara", ["m2", "m3"], 0), ("zoe", [], 2)] == [
        (one["memory_id"], one["refused"], one["signals"]) for one in json.loads(result.stdout)
    ]
    assert 1 == len(result.stderr.splitlines())
    assert "m2, m3" in result.stderr
    assert "hazelnuts" not in result.stderr
    again = invoke("reembed", "m.db", "--encoder", "hashing")
    assert (1, result.stderr) == (again.exit_code, again.stderr)


@pytest.mark.parametrize("as_json", [False, True])
def test_reembedding_tells_what_was_done_before_the_encoder_broke(tmp_path, invoke, monkeypatch, as_json):
    """What is done stays done, so it is told, and then why no more is."""
    fill(tmp_path / "m.db", ("ada", "mara", "zoe"))
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(64)) as registry:
        for name in ("m2", "m3"):
            registry.get("ada").delete_message(name)
    embed, calls = HashingEncoder.embed, []

    def embed_once(encoder, texts, kind):
        calls.append(texts)
        if len(calls) > 1:
            raise OSError("the model is gone")
        return embed(encoder, texts, kind)

    monkeypatch.setattr(HashingEncoder, "embed", embed_once)
    result = invoke("reembed", "m.db", "--encoder", "hashing", *["--json"][: int(as_json)])
    assert 1 == result.exit_code
    assert "the model is gone" in result.stderr
    assert 1 == result.stderr.count("\n")
    if as_json:
        assert [("ada", 2)] == [(one["memory_id"], one["signals"]) for one in json.loads(result.stdout)]
    else:
        assert "ada" in result.stdout
        assert "mara" not in result.stdout
    ids = [(one["memory_id"], one["encoder"]) for one in json.loads(invoke("ls", "m.db", "--json").stdout)]
    assert [("ada", "hashing/1/384"), ("mara", "hashing/1/64"), ("zoe", "hashing/1/64")] == ids


def test_reembedding_with_an_encoder_that_never_works_has_nothing_to_tell(there, invoke, monkeypatch):
    """No empty table: the error alone."""

    def broken(encoder, texts, kind):
        raise OSError("the model is gone")

    monkeypatch.setattr(HashingEncoder, "embed", broken)
    result = invoke("reembed", "m.db", "--encoder", "hashing")
    assert (1, "", 1) == (result.exit_code, result.stdout, result.stderr.count("\n"))


def test_reembedding_goes_on_after_a_damaged_memory(tmp_path, invoke):
    """It comes to the others, which have nothing to do with it."""
    fill(tmp_path / "m.db", ("ada", "mara"))
    with closing(sqlite3.connect(tmp_path / "m.db")) as connection, connection:
        connection.execute("UPDATE messages SET content = 'Changed.' WHERE memory_key = 1 AND sequence = 0")
    connection.close()
    result = invoke("reembed", "m.db", "--encoder", "hashing", "--json")
    assert 1 == result.exit_code
    assert "damaged" in result.stderr
    assert [("hashing/1/64", 0), ("hashing/1/384", 4)] == [
        (one["encoder"], one["signals"]) for one in json.loads(result.stdout)
    ]


def test_renewing(tmp_path, invoke):
    """Of all memories what an older version has told, once; without a model."""
    fill(tmp_path / "m.db", ("mara", "ben"))
    with SqliteStore(tmp_path / "m.db") as store:
        expected = words_in(store, "mara")
        outdate(store, "mara")
    assert 4 == json.loads(invoke("stats", "m.db", "--memory", "mara", "--json").stdout)["outdated_words"]
    first = json.loads(invoke("renew", "m.db", "--json").stdout)
    assert first == [{"memory_id": "ben", "messages": 0}, {"memory_id": "mara", "messages": 4}]
    again = json.loads(invoke("renew", "m.db", "--memory", "mara", "--json").stdout)
    assert again == [{"memory_id": "mara", "messages": 0}]
    assert "mara" in invoke("renew", "m.db").stdout
    with SqliteStore(tmp_path / "m.db") as store:
        assert comparable(list(words_in(store, "mara").values())) == comparable(list(expected.values()))


def test_the_wrong_encoder_is_told_what_to_do(tmp_path, invoke):
    """An encoder that cannot be made from its name."""

    class Other(HashingEncoder):
        @property
        def fingerprint(self):
            return "other/1"

    with MemoryRegistry(tmp_path / "m.db", encoder=Other(64)) as registry:
        registry.get("mara").add_message("My boat.", role="user")
    line_file(tmp_path / "lines.jsonl")
    for arguments in (["search", "m.db", "boat"], ["import", "m.db", "lines.jsonl", "--memory", "mara"]):
        result = invoke(*arguments)
        assert (1, "") == (result.exit_code, result.stdout)
        assert result.stderr.endswith("Embed it anew with: streetai reembed m.db --memory mara\n")
    assert 0 == invoke("reembed", "m.db", "--encoder", "hashing").exit_code
    assert 0 == invoke("search", "m.db", "boat").exit_code


def test_commands_to_copy_are_safe_to_copy(tmp_path, invoke):
    """If it fails, whoever follows the advice runs what a user of the app has put into the id of a memory."""

    class Other(HashingEncoder):
        @property
        def fingerprint(self):
            return "other/1"

    name, harmful = "my $(boat).db", "$(touch pwned); `x` 'y'"
    with MemoryRegistry(tmp_path / name, encoder=Other(64)) as registry:
        registry.get(harmful).add_message("My boat.", role="user")
    told = invoke("search", name, "boat").stderr.partition("with: ")[2]
    assert ["streetai", "reembed", name, "--memory", harmful] == shlex.split(told)
    line_file(tmp_path / "; lines.jsonl")
    told = invoke("import", "; lines.jsonl", "m.db", "--memory", "mara").stderr.partition("imported: ")[2]
    assert ["streetai", "import", "DATABASE", "; lines.jsonl"] == shlex.split(told)


def test_a_damaged_memory_can_be_forgotten(there, invoke):
    """Nothing else can be done with it, and the others of the file are none the worse."""
    fill(there / "m.db", ("ben",))
    with closing(sqlite3.connect(there / "m.db")) as connection, connection:
        connection.execute("UPDATE messages SET content = 'Changed.' WHERE memory_key = 1 AND sequence = 0")
    connection.close()
    assert "damaged" in invoke("show", "m.db", "--memory", "mara").stderr
    # It is gone, but nobody can search the files for a text that cannot be read.
    forgotten = invoke("forget", "m.db", "--memory", "mara", "--everything", "--yes")
    assert 1 == forgotten.exit_code
    assert "not searched for all of it" in " ".join(forgotten.stdout.split())
    assert ["ben"] == [one["memory_id"] for one in json.loads(invoke("ls", "m.db", "--json").stdout)]
    assert 0 == invoke("show", "m.db").exit_code


def test_text_from_standard_input(there, invoke):
    """`edit -` takes the text from a pipe, whatever bytes it has."""
    os.chdir(there)
    result = CliRunner().invoke(main, ["edit", "m.db", "m0", "-", "--yes"], input=b"Two lines.\nThe second: \xff.\n")
    assert 0 == result.exit_code, result.output
    assert "Two lines.\nThe second: \ufffd.\n" == json.loads(invoke("show", "m.db", "--json").stdout)[0]["content"]


def test_a_closed_pipe_is_quiet(there, streetai):
    """`streetai export | head -1` and the like end without a word."""
    for arguments in (["ls", "m.db"], ["export", "m.db"], ["export", "m.db", "--no-vectors"]):
        with streetai.start(*arguments) as process:
            process.stdout.close()
            assert "" == process.stderr.read()
            assert 1 == process.wait()


def test_no_colours_where_nobody_wants_them(there, terminal):
    """On a terminal there is colour or bold, under NO_COLOR there is no escape code."""
    code, shown = terminal("ls", "m.db")
    assert 0 == code
    assert "mara" in shown
    assert "\x1b[" not in terminal("ls", "m.db", NO_COLOR="1")[1]


def test_why_can_be_read_on_a_narrow_terminal(there, terminal):
    """A table with a column for each part would have three characters left for a text."""
    code, shown = terminal("why", "m.db", QUESTION, columns=80)
    assert 0 == code
    lines = shown.splitlines()
    assert max(map(len, lines)) <= 80
    at = next(number for number, line in enumerate(lines) if re.fullmatch(r" +-?\d\.\d{3}  [A-Z].+\.", line))
    assert re.match(r" {9}\w+ -?\d\.\d{3} \+ ", lines[at + 1])
    assert "reach min_relevance" in shown


@pytest.mark.parametrize("columns", [10, 20])
def test_tables_lose_nothing_on_a_very_narrow_terminal(there, terminal, columns):
    """If it fails, columns that have no room are not shown at all, or nothing is."""
    code, shown = terminal("ls", "m.db", columns=columns)
    assert (0, ["memory: mara", "messages: 4", "turns: 4"]) == (code, shown.splitlines()[:3])
    assert "encoder: hashing/1/64" in shown
    code, shown = terminal("search", "m.db", QUESTION, "--limit", "1", columns=columns)
    assert 0 == code
    assert [True] * 5 == [name in shown for name in ("score: ", "said: ", "by: Mara", f"text: {SAID[0][1]}", "m0")]


def test_a_bar_on_a_terminal_only(there, terminal, invoke):
    """Long work shows how far it is, and leaves nothing behind."""
    code, shown = terminal("import", "m.db", "lines.jsonl", "--memory", "mara")
    assert 0 == code
    assert "Importing" in shown
    assert "Importing" not in invoke("import", "m.db", "lines.jsonl", "--memory", "mara").stderr


COMMANDS = [
    *("chat", "edit", "export", "forget", "import", "ls", "reembed", "renew", "search", "show", "stats", "why"),
]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_an_example(invoke, name):
    """And the example is a command that exists, with options that it has."""
    shown = invoke(name, "--help").stdout
    example = re.sub(r"\s+", " ", shown[shown.index("Example: ") :])
    assert f"streetai {name} " in example
    for option in re.findall(r" (--[a-z-]+)", example):
        assert option in shown.partition("Options:")[2]


def test_the_formats_are_those_of_the_library():
    """They are written twice so that --help need not import the readers."""
    assert FORMATS == _FORMATS
