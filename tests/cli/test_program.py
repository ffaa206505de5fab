"""The program: its commands come from packages, a broken one harms no other, and it ends with one clear line."""

import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from streetai_core import MemoryRegistry, __version__
from streetai_core.cli import main
from streetai_core.encoders.hashing import HashingEncoder
from streetai_langchain.demo import demo
from tests.cli.conftest import OUR_COMMANDS, ROOT

OTHERS = [
    "breaks",
    "chatters",
    "dashes",
    "demo",
    "fails",
    "gone",
    "interrupted",
    "misnamed",
    "not-a-command",
    "warns",
    "works",
]
"""Commands of packages."""

FULL = Path("/dev/full")

COMMANDS = sorted([*OTHERS, *main.commands])


def test_version():
    """`--version` tells the version of the library."""
    result = CliRunner().invoke(main, ["--version"])
    assert (0, f"streetai, version {__version__}\n") == (result.exit_code, result.stdout)


def test_our_commands_are_declared():
    """What these tests install is what pyproject.toml says."""
    name, _, target = OUR_COMMANDS.partition(" = ")
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'[project.entry-points."streetai.commands"]\n{name} = "{target}"' in declared
    assert '[project.scripts]\nstreetai = "streetai_core.cli:main"' in declared


def test_names_are_listed_without_importing(installed, monkeypatch):
    """The names come from the packages' metadata; not even a broken package is touched."""
    monkeypatch.syspath_prepend(installed)
    monkeypatch.delitem(sys.modules, "other_commands", raising=False)
    assert COMMANDS == main.list_commands(None)
    assert "other_commands" not in sys.modules


def test_the_program_starts_without_langchain(streetai):
    """Neither the version nor the help of the demo need what only a run of the demo needs."""
    probe = (
        "import sys; sys.argv = ['streetai', 'demo', '--help']\n"
        "from streetai_core.cli import main\n"
        "try: main()\n"
        "finally: print([name for name in sys.modules if name.startswith(('langchain', 'fastembed', 'rich'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe], env=streetai.environment(), capture_output=True, text=True, check=False
    )
    assert (0, "[]") == (done.returncode, done.stdout.splitlines()[-1])


def test_help_lists_all_commands(invoke):
    """Broken commands are listed too, and marked."""
    result = invoke("--help")
    assert 0 == result.exit_code
    listed = {line.split()[0]: line for line in result.stdout.partition("Commands:")[2].splitlines() if line.strip()}
    assert COMMANDS == sorted(listed)
    assert "Say the words." in listed["works"]
    assert {"gone", "misnamed", "not-a-command"} == {name for name in listed if "cannot be used" in listed[name]}


def test_a_command_gets_its_arguments(invoke):
    """A working command of another package runs, whatever is wrong with its neighbours."""
    result = invoke("works", "two", "words")
    assert (0, "two words\n", "") == (result.exit_code, result.stdout, result.stderr)


@pytest.mark.parametrize("name", ["gone", "misnamed", "not-a-command"])
@pytest.mark.parametrize("arguments", [[], ["--help"], ["anything", "--at", "all"]])
def test_a_broken_command_explains_itself(invoke, name, arguments):
    """One line with what to do, exit code 1, whatever it is asked."""
    result = invoke(name, *arguments)
    assert (1, "") == (result.exit_code, result.stdout)
    assert result.stderr.startswith(f"Error: the command '{name}' cannot be used: ")
    assert result.stderr.endswith("pip install --upgrade --force-reinstall other-commands\n")
    assert 1 == result.stderr.count("\n")


@pytest.mark.parametrize("missing", ["langchain_classic", "langchain_core"])
def test_a_missing_extra_is_named(streetai, missing):
    """Without LangChain the demo says which line installs it."""
    probe = (
        f"import sys; sys.modules[{missing!r}] = None; sys.argv = ['streetai', 'demo']\n"
        "from streetai_core.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe],
        cwd=streetai.folder,
        env=streetai.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (1, "") == (done.returncode, done.stdout)
    assert done.stderr.startswith("Error: ")
    assert "pip install 'streetai[" in done.stderr
    assert 1 == done.stderr.count("\n")
    assert [] == list(streetai.folder.iterdir())


def test_an_own_package_that_cannot_be_imported_names_its_extra(tmp_path, monkeypatch):
    """Of our own packages the name tells the extra."""
    facts = tmp_path / "ours-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: ours\nVersion: 1.0\n", encoding="utf-8")
    (facts / "entry_points.txt").write_text(
        "[streetai.commands]\nlost = streetai_llamaindex.none:command\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    result = CliRunner().invoke(main, ["lost"])
    assert 1 == result.exit_code
    assert result.stderr.endswith("Install what it needs with: pip install 'streetai[llamaindex]'\n")


def test_an_error_of_the_library_is_one_line(invoke):
    """A `StreetAIError` is told on one line of stderr, without control characters; exit code 1."""
    result = invoke("fails")
    assert (1, "", "Error: first line [31msecond line\n") == (result.exit_code, result.stdout, result.stderr)


def test_a_warning_of_the_library_is_one_line(invoke):
    """What the library logs is told on one line of stderr, without a traceback."""
    result = invoke("warns")
    told = "Warning: the memory failed, nothing is stored: first line second line\n"
    assert (0, "", told) == (result.exit_code, result.stdout, result.stderr)


def test_a_bug_is_not_hidden(invoke):
    """Any other exception comes out as it is."""
    with pytest.raises(RuntimeError, match="a bug"):
        invoke("breaks")


def test_interrupted_is_130(invoke):
    """Ctrl-C ends with the shells' code and a short line, with what the command has to say to it."""
    result = invoke("interrupted")
    assert (130, "", "\nInterrupted. Go on with --more.\n") == (result.exit_code, result.stdout, result.stderr)


def test_usage_errors_are_2(invoke):
    """An unknown command or option is a usage error, told on one line as every other error."""
    for arguments in (
        ["nothing-of-that-kind"],
        ["--nothing"],
        ["demo", "--token-budget", "0"],
        ["demo", "--pace", "x"],
    ):
        result = invoke(*arguments)
        assert (2, "", 1) == (result.exit_code, result.stdout, result.stderr.count("\n"))
        assert result.stderr.startswith("Error: ")


def asking_for_paths():
    """The words of each command with one of its paths left empty, and the rest of what it cannot do without."""
    commands = {("demo",): demo} | {(name,): one for name, one in main.commands.items()}
    commands |= {("bench", name): one for name, one in commands.pop(("bench",)).commands.items()}
    for words, command in commands.items():
        for empty in command.params:
            if not isinstance(empty.type, click.Path):
                continue
            others = [one for one in command.params if one.required and one is not empty]
            given = [*words]
            for one in command.params:
                if one is empty or one in others:
                    given += [] if isinstance(one, click.Argument) else [one.opts[0]]
                    given.append("" if one is empty else "x")
            yield pytest.param(given, empty, id=" ".join([*words, empty.opts[0]]))


@pytest.mark.parametrize(("arguments", "empty"), [*asking_for_paths()])
def test_an_empty_path_is_no_path(invoke, tmp_path, arguments, empty):
    """A shell variable that is not set leaves one; it was taken for the working folder."""
    result = invoke(*arguments)
    assert (2, "", 1) == (result.exit_code, result.stdout, result.stderr.count("\n"))
    assert f"{empty.get_error_hint(None)}: the path is empty" in result.stderr
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("arguments", [[], ["bench"]])
def test_a_group_without_a_command_shows_its_help(invoke, arguments):
    """Who types the name alone wants to see what there is, with its lines."""
    result = invoke(*arguments)
    assert "Commands:\n" in result.output
    assert "Error" not in result.output


def test_as_a_module(streetai):
    """`python -m streetai_core.cli` is the same program."""
    done = streetai("works", "hello")
    assert (0, "hello\n", "") == (done.returncode, done.stdout, done.stderr)
    assert "Usage: streetai demo" in streetai("demo", "--help").stdout


def test_a_closed_pipe_is_quiet(streetai):
    """When the reader goes, as in `streetai ... | head -1`, the program ends without a word."""
    with streetai.start("chatters") as process:
        assert "and another line\n" == process.stdout.readline()
        process.stdout.close()
        assert "" == process.stderr.read()
        assert 1 == process.wait()


def test_a_narrow_encoding_is_no_error(streetai):
    """What the terminal's encoding lacks becomes question marks."""
    done = streetai("dashes", PYTHONIOENCODING="latin-1")
    assert (0, "? ?\n", "") == (done.returncode, done.stdout, done.stderr)


def test_no_file_is_made_by_looking(streetai):
    """Version, help and usage errors leave the folder as it was."""
    for arguments in (["--version"], ["--help"], ["demo", "--help"], ["demo", "--nothing"]):
        streetai(*arguments)
    assert [] == list(streetai.folder.iterdir())


@pytest.mark.skipif(not FULL.exists(), reason="there is no device here that is always full")
@pytest.mark.parametrize(
    "words",
    [
        *(["ls", "m.db"], ["show", "m.db"], ["export", "m.db"], ["report", "m.db", "-o", "-", "--no-savings"]),
        *(["--help"], ["--version"], ["show", "--help"]),
    ],
    ids=" ".join,
)
def test_output_that_cannot_be_written(streetai, words):
    """A full disk behind ">" is one line, and no page of Python."""
    with MemoryRegistry(streetai.folder / "m.db", encoder=HashingEncoder()) as registry:
        registry.get("mara").add_message("I am Mara.", "user")
    with FULL.open("w") as full:
        done = subprocess.run(
            streetai.command(*words),
            cwd=streetai.folder,
            env=streetai.environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (1, "Error: No space left on device\n") == (done.returncode, done.stderr)


CLOSED = {
    ("import", "n.db", "-", "--memory", "mara"): (
        "<&-",
        1,
        "Error: standard input is closed, so nothing can be imported",
    ),
    ("forget", "m.db", "--everything"): ("<&-", 1, "Error: nothing was changed."),
    ("edit", "m.db", "ID", "-", "--yes"): ("<&-", 1, "Error: memory 'mara' has no message 'ID'"),
    ("chat", "m.db", "--model", "x", "--base-url", "http://127.0.0.1:9/v1"): ("<&-", 0, ""),
    ("export", "m.db"): (">&-", 1, "Error: standard output is closed"),
    ("report", "m.db", "-o", "-", "--no-savings"): (">&-", 1, "Error: standard output is closed"),
    ("import", "m.db", "lines.jsonl", "--memory", "mara"): (">&-", 1, "Record 2: "),
    ("report", "m.db", "--no-savings"): ("2>&-", 0, ""),
}
"""Words: which stream is closed, the exit code, and how the last line on stderr begins."""


@pytest.mark.skipif(sys.platform == "win32", reason="its shell cannot close a stream")
@pytest.mark.parametrize(("words", "told"), CLOSED.items(), ids=[" ".join(words[:1]) for words in CLOSED])
def test_a_stream_that_is_closed_is_no_traceback(streetai, words, told):
    """As a service starts programs, or a shell with `<&-`."""
    closing, code, last = told
    with MemoryRegistry(streetai.folder / "m.db", encoder=HashingEncoder()) as registry:
        registry.get("mara").add_message("I am Mara.", "user")
    (streetai.folder / "lines.jsonl").write_text('{"role": "user", "content": "Hello!"}\n{}\n', encoding="utf-8")
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {closing}', "sh", *streetai.command(*words)],
        cwd=streetai.folder,
        env=streetai.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
    assert done.stderr.rstrip("\n").rpartition("\n")[2].startswith(last)
