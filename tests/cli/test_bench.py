"""`streetai bench`: every command ends with figures or with one clear line, and goes on where it was stopped."""

import json
import os
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from streetai_core import Config
from streetai_core.cli import main
from tests.evaluation import recordings


@pytest.fixture
def bench(tmp_path):
    """Run a command of the group on the small data, with an encoder that needs no model."""

    def run(command, *arguments, data=None):
        source = [] if command == "speed" else ["--data", str(data or recordings.write(tmp_path))]
        cache = [] if command == "speed" else ["--embeddings", str(tmp_path / "embeddings")]
        always = ["--encoder", "hashing", "--out", str(tmp_path / "out"), *cache]
        return CliRunner().invoke(main, ["bench", command, *source, *always, *arguments])

    return run


def test_recall_prints_and_saves_figures(bench, tmp_path):
    """If it fails, `streetai bench recall` tells nobody anything."""
    done = bench("recall", "--budgets", "60,300", "--systems", "streetai,classic,bm25", "--units", "messages")
    assert (0, "") == (done.exit_code, done.stderr)
    for text in ("streetai", "classic", "bm25 messages", "at 60", "at 300", "rec@5", "MRR", "several", "tiny"):
        assert text in done.stdout
    report = json.loads((tmp_path / "out" / "recall.json").read_text(encoding="utf-8"))
    assert [60, 300] == report["budgets"]
    rows = (tmp_path / "out" / "recall-questions.jsonl").read_text(encoding="utf-8").splitlines()
    assert 3 * 6 == len(rows)
    assert not any(text in "".join(rows) for text in ("hazelnut", "Mara"))


def test_json_is_one_object_and_nothing_else(bench):
    """If it fails, a script cannot read the figures."""
    done = bench("recall", "--budgets", "60", "--systems", "streetai", "--json", "--limit-conversations", "1")
    report = json.loads(done.stdout)
    assert ("recall", ["harbour"], "") == (report["benchmark"], report["data"]["conversations"], done.stderr)
    assert 4 == report["systems"][0]["all"]["questions"]


def test_a_run_goes_on_with_what_is_there(bench, tmp_path):
    """If it fails, a run that was stopped is lost."""
    first = bench("recall", "--budgets", "60", "--systems", "streetai", "--json")
    parts = {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "parts").iterdir()}
    second = bench("recall", "--budgets", "60", "--systems", "streetai", "--json")
    assert json.loads(first.stdout)["systems"] == json.loads(second.stdout)["systems"]
    assert parts == {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "parts").iterdir()}


@pytest.mark.parametrize(
    ("name", "expected"),
    [("classic", Config.classic()), ("utf-8", Config(top_stacks=2)), ("utf-8-sig", Config(top_stacks=2))],
)
def test_the_settings_are_those_that_were_asked_for(bench, tmp_path, name, expected):
    """If it fails, the figures are about other settings; a file may have the mark that Windows puts in front."""
    path = tmp_path / "settings.json"
    path.write_text('{"top_stacks": 2}', encoding="utf-8" if name == "classic" else name)
    done = bench(
        "recall",
        "--budgets",
        "60",
        "--systems",
        "streetai",
        "--json",
        "--config",
        name if name == "classic" else str(path),
    )
    assert expected.to_dict() == json.loads(done.stdout)["systems"][0]["settings"]


def test_variants_are_compared_by_leaving_one_out(bench, tmp_path):
    """If it fails, settings are chosen on what they are measured on."""
    path = tmp_path / "grid.json"
    path.write_text('{"settings": {"decay_rate": [0.0, 0.5]}}', encoding="utf-8")
    done = bench("recall", "--budgets", "60", "--systems", "streetai", "--grid", str(path))
    assert 0 == done.exit_code
    assert "leave one out over streetai" in done.stdout
    assert "Held out harbour: best on the others was decay_rate=" in done.stdout


def test_systems_that_are_not_installed_are_named(bench, monkeypatch):
    """If it fails, a table without rivals looks as if there were none."""
    monkeypatch.setitem(sys.modules, "mem0", None)
    done = bench("recall", "--budgets", "60", "--systems", "streetai,mem0")
    assert "Not compared: mem0: not installed, pip install mem0ai" in done.stdout


def test_tokens_prints_and_saves_figures(bench, tmp_path):
    """If it fails, `streetai bench tokens` tells nobody anything."""
    done = bench("tokens", "--budget", "200", "--learn")
    assert (0, "") == (done.exit_code, done.stderr)
    assert "harbour: how prompts grow" in done.stdout
    report = json.loads((tmp_path / "out" / "tokens.json").read_text(encoding="utf-8"))
    assert (200, True, Config().to_dict()) == (report["budget"], report["learn"], report["config"])
    assert 8 == len((tmp_path / "out" / "tokens-turns.jsonl").read_text(encoding="utf-8").splitlines())


def test_a_budget_that_messages_alone_are_over_is_told(bench):
    """If it fails, the largest prompt is over the budget of the table's title, and nothing says why."""
    done = bench("tokens", "--budget", "1")
    assert (0, "") == (done.exit_code, done.stderr)
    told = "Over the budget are 8 of 8 prompts: the message alone costs more, and was sent alone"
    assert told in done.stdout.splitlines()
    assert "Over the budget" not in bench("tokens", "--budget", "200").stdout


def test_learning_prints_and_saves_figures(bench, tmp_path):
    """If it fails, `streetai bench learning` tells nobody anything."""
    done = bench("learning", "--turns", "4")
    assert (0, "") == (done.exit_code, done.stderr)
    for text in ("terse", "echoing", "After 4 turns", "evidence demoted"):
        assert text in done.stdout
    report = json.loads((tmp_path / "out" / "learning.json").read_text(encoding="utf-8"))
    assert {"terse", "echoing"} == set(report["credit"])


def test_absence_prints_and_saves_figures(bench, tmp_path):
    """If it fails, `streetai bench absence` tells nobody anything."""
    done = bench("absence")
    assert (0, "") == (done.exit_code, done.stderr)
    assert "strangers not found" in done.stdout
    report = json.loads((tmp_path / "out" / "absence.json").read_text(encoding="utf-8"))
    assert (6, 4) == (report["all"]["questions"], report["all"]["strangers"])


def strict(text):
    """The value of a JSON text, without the NaN that only Python takes for JSON."""
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


@pytest.mark.parametrize(
    ("command", "figure"),
    [
        (["absence"], lambda report: report["all"]["auroc_of_score"]),
        (["learning", "--turns", "0"], lambda report: report["credit"]["terse"]["auroc"]),
    ],
    ids=["absence", "learning"],
)
def test_a_figure_of_which_nothing_was_measured_is_null(bench, tmp_path, command, figure):
    """If it fails, programs that read the results stop at a NaN: one conversation, in which every hit is evidence."""
    values = recordings.document()
    alone = values["conversations"][1]
    alone |= {"messages": alone["messages"][:1], "qa": alone["qa"][:1]}
    data = recordings.write(tmp_path, values | {"conversations": [alone]})
    assert figure(strict(bench(*command, "--json", data=data).stdout)) is None
    assert figure(strict((tmp_path / "out" / f"{command[0]}.json").read_text(encoding="utf-8"))) is None
    told = bench(*command, data=data).stdout
    assert " - " in told
    assert ("no other one has questions" in " ".join(told.split())) is (command == ["absence"])


def test_speed_prints_and_saves_figures(bench, tmp_path):
    """If it fails, `streetai bench speed` tells nobody anything."""
    done = bench("speed", "--sizes", "30", "--repeats", "2")
    assert (0, "") == (done.exit_code, done.stderr)
    for text in ("retrieve", "build_prompt", "post_process", "times the encoder"):
        assert text in done.stdout
    assert 7 == len(json.loads((tmp_path / "out" / "speed.json").read_text(encoding="utf-8"))["timings"])


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--config", "nothing.json"], "cannot read the settings"),
        (["--grid", "nothing.json"], "cannot read the grid"),
        (["--systems", "zep"], "there is no system zep; known are streetai, classic"),
        (["--units", "pages"], "there is no kind of units pages"),
        (["--budgets", "many"], "is not a list of whole numbers"),
        (["--budgets", "0,500"], "at least 1"),
        (["--systems", ","], "at least one name"),
    ],
)
def test_what_cannot_be_used_ends_with_one_line(bench, arguments, named):
    """If it fails, a slip in a command ends in a traceback."""
    done = bench("recall", *arguments)
    assert (2, "") == (done.exit_code, done.stdout)
    assert named in done.stderr
    assert 1 == len(done.stderr.splitlines())


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--systems", "zep"], "'--systems': there is no system zep"),
        (
            ["--systems", "streetai", "--published", "nowhere"],
            "'--published': there is no streetai-memory in 'nowhere'",
        ),
        (["--published", "nowhere"], "--published and --data go with --systems"),
    ],
)
def test_systems_that_cannot_be_timed_end_with_one_line(bench, arguments, named):
    """If it fails, a slip in a name is told as if a run had failed."""
    done = bench("speed", *arguments)
    assert (2, "", 1) == (done.exit_code, done.stdout, len(done.stderr.splitlines()))
    assert named in done.stderr


@pytest.mark.parametrize("command", ["recall", "tokens", "learning"])
def test_a_wrong_data_file_is_refused_by_field(bench, tmp_path, command):
    """If it fails, the author of a data file has to search for the mistake."""
    values = recordings.document()
    values["conversations"][1]["messages"][2]["role"] = "human"
    done = bench(command, data=recordings.write(tmp_path, values))
    assert 1 == done.exit_code
    assert "conversations[1].messages[2].role must be one of" in done.stderr
    assert 1 == len(done.stderr.splitlines())


def with_wrong_dates(folder, *dates):
    """The small data with these for the first dates."""
    values = recordings.document()
    for message, date in zip(values["conversations"][0]["messages"], dates, strict=False):
        message["date"] = date
    return recordings.write(folder, values)


WITH_DATA = {
    "recall": ["--budgets", "60", "--systems", "streetai"],
    "tokens": [],
    "learning": ["--turns", "0"],
    "absence": [],
    "speed": ["--systems", "streetai", "--sizes", "20", "--repeats", "2"],
}
"""Each command that reads conversations, as quick as it can be."""


@pytest.mark.parametrize("command", list(WITH_DATA))
def test_dates_that_are_ignored_are_told_and_saved(bench, tmp_path, monkeypatch, command):
    """If it fails, figures about when something was are of messages without a date, and nobody knows."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    data = with_wrong_dates(tmp_path, "3.2.2026", "yesterday")
    source = ["--data", str(data)] if command == "speed" else []
    done = bench(command, *source, *WITH_DATA[command], "--json", data=data)
    assert 0 == done.exit_code
    told = [
        f"conversations[0].messages[{number}].date is a date in no known form and is ignored, write it like "
        f'2026-03-02: "{date}"'
        for number, date in enumerate(["3.2.2026", "yesterday"])
    ]
    assert [f"Warning: {line}" for line in told] == done.stderr.splitlines()
    assert told == json.loads(done.stdout)["data"]["warnings"]


def test_of_many_wrong_dates_the_first_are_told_and_the_others_counted(bench, tmp_path):
    """If it fails, a thousand dates in one wrong form push everything else off the screen."""
    data = with_wrong_dates(tmp_path, *["some day"] * 8)
    done = bench("tokens", data=data)
    lines = done.stderr.splitlines()
    assert 4 == len(lines)
    assert "Warning: and 5 more, which are in the results" == lines[-1]
    saved = json.loads((tmp_path / "out" / "tokens.json").read_text(encoding="utf-8"))
    assert 8 == len(saved["data"]["warnings"])


@pytest.mark.parametrize(("command", "columns"), [("recall", 80), ("learning", 80), ("learning", 150), ("tokens", 80)])
def test_tables_can_be_read_on_a_terminal(streetai, terminal, tmp_path, command, columns):
    """If it fails, numbers and names are broken in their middle: "100." and "0" below it."""
    recordings.write(tmp_path)
    more = {"recall": ["--systems", "streetai,classic,bm25"], "learning": ["--turns", "4"]}.get(command, [])
    words = ["bench", command, "--data", "tiny.json", "--encoder", "hashing", "--embeddings", "cache", *more]
    piped = streetai(*words).stdout
    code, shown = terminal(*words, columns=columns, NO_COLOR="1")
    assert 0 == code
    tables = shown[shown.rindex(piped[:20]) :]
    assert max(map(len, tables.splitlines())) <= columns
    assert set(piped.replace("\u2500", "").split()) == set(tables.replace("\u2500", "").split())


def changed(folder, change):
    """The small data with something changed in each conversation."""
    values = recordings.document()
    for conversation in values["conversations"]:
        change(conversation)
    return recordings.write(folder, values)


def without_evidence(conversation):
    """Questions are there, and nobody knows what answers them."""
    for question in conversation["qa"]:
        question["evidence"] = []


def without_answers(conversation):
    """Evidence is named, and replies cannot be simulated."""
    for question in conversation["qa"]:
        question["a"] = " "


def without_users(conversation):
    """Nobody asks for anything."""
    for message in conversation["messages"]:
        message["role"] = "assistant"


@pytest.mark.parametrize(
    ("command", "change", "missing"),
    [
        ("recall", without_evidence, 'names its evidence. Each needs "q" and "evidence"'),
        ("recall", lambda conversation: conversation.pop("qa"), "streetai bench tokens needs no questions"),
        ("learning", without_evidence, "names its evidence"),
        ("learning", without_answers, 'with evidence has an answer, "a"'),
        ("absence", without_evidence, "names its evidence"),
        ("tokens", without_users, "has the role user"),
    ],
)
def test_data_on_which_nothing_can_be_measured_are_refused(bench, tmp_path, command, change, missing):
    """If it fails, a run ends well with tables that have no figure in them."""
    done = bench(command, *WITH_DATA[command], data=changed(tmp_path, change))
    assert (1, "") == (done.exit_code, done.stdout)
    error = done.stderr.splitlines()[-1]
    assert error.startswith(f"Error: there is nothing to measure {command} on: no ")
    assert "the 2 conversations of 'tiny'" in error
    assert missing in error
    assert not (tmp_path / "out").exists()


def test_tokens_need_no_questions(bench, tmp_path):
    """If it fails, who has only conversations cannot measure what a memory saves."""
    done = bench("tokens", data=changed(tmp_path, lambda conversation: conversation.pop("qa")))
    assert (0, "") == (done.exit_code, done.stderr)


def test_conversations_that_are_left_out_are_not_measured_on(bench, tmp_path):
    """If it fails, a quick look at a conversation without questions shows empty tables."""
    values = recordings.document()
    values["conversations"][0].pop("qa")
    data = recordings.write(tmp_path, values)
    assert 0 == bench("absence", data=data).exit_code
    done = bench("absence", "--limit-conversations", "1", data=data)
    assert 1 == done.exit_code
    assert "no question about the conversation of 'tiny' names its evidence" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal that only interrupts a child")
def test_ctrl_c_says_where_to_go_on(tmp_path):
    """If it fails, who interrupts gets a traceback, and does not know that the work is kept."""
    # The process interrupts itself when the memory of the second conversation is made: nothing depends on time.
    probe = (
        "import os, signal, sys\n"
        "folders = []\n"
        "def watch(event, arguments):\n"
        "    if event == 'tempfile.mkdtemp':\n"
        "        folders.append(arguments[0])\n"
        "        if len(folders) == 2:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.addaudithook(watch)\n"
        "from streetai_core.cli import main\n"
        "main(prog_name='streetai')\n"
    )
    arguments = ["bench", "recall", "--data", str(recordings.write(tmp_path)), "--systems", "streetai"]
    arguments += ["--encoder", "hashing", "--embeddings", "cache", "--out", "out", "--budgets", "60"]
    done = subprocess.run(
        [sys.executable, "-c", probe, *arguments],
        cwd=tmp_path,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert 128 + signal.SIGINT == done.returncode
    assert "Interrupted. What is done is in out; the same command goes on from there." in done.stderr
    assert "Traceback" not in done.stderr
    assert 1 == len(list((tmp_path / "out" / "parts").iterdir()))
    assert 1 == len(list((tmp_path / "cache").glob("*.npz")))


def test_help_waits_for_nothing_slow():
    """If it fails, `streetai --help` takes a second."""
    probe = (
        "import sys; sys.argv = ['streetai', 'bench', 'recall', '--help']\n"
        "from streetai_core.cli import main\n"
        "try: main()\n"
        "finally: print([name for name in sys.modules if name.startswith(('rich', 'fastembed', 'llama', 'langchain'))])"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False)
    assert (0, "[]") == (done.returncode, done.stdout.splitlines()[-1])
