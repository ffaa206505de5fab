"""The program as users start it: in a process of its own, with the commands of installed packages."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from streetai_core.cli import main

ROOT = Path(__file__).parents[2]

OUR_COMMANDS = "demo = streetai_langchain.demo:demo"
"""The line of pyproject.toml that is tested here."""

OTHER_PACKAGE = '''
"""Commands of somebody else's package."""

import click

from streetai_core.errors import InputError
from streetai_core.failures import fail_open

not_a_command = 7


@click.command()
@click.argument("words", nargs=-1)
def works(words):
    """Say the words."""
    click.echo(" ".join(words))


@click.command()
def fails():
    """Raise an error of the library, with what a terminal should not get."""
    raise InputError("first line\\n\\x1b[31msecond line")


@click.command()
def breaks():
    """Raise what nobody expects."""
    raise RuntimeError("a bug")


@click.command()
def interrupted():
    """Be interrupted."""
    raise KeyboardInterrupt("Go on with --more.")


@click.command()
def dashes():
    """Print what many encodings lack."""
    click.echo("\\u2014 \\U0001f980")


@click.command()
def warns():
    """Let the library log a failure."""
    with fail_open("nothing is stored", None):
        raise InputError("first line\\nsecond line")


@click.command()
def chatters():
    """Print without end."""
    while True:
        click.echo("and another line")
'''

OTHER_COMMANDS = """
works = other_commands:works
fails = other_commands:fails
breaks = other_commands:breaks
interrupted = other_commands:interrupted
dashes = other_commands:dashes
chatters = other_commands:chatters
warns = other_commands:warns
gone = other_commands_that_are_gone:command
misnamed = other_commands:misnamed
not-a-command = other_commands:not_a_command
"""


def install(folder, name, commands):
    """Put a distribution with commands into a folder of the path, as an installer would."""
    facts = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (facts / "entry_points.txt").write_text(f"[streetai.commands]\n{commands}\n", encoding="utf-8")


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """A folder with our package and another one installed in it, whether or not they are installed elsewhere."""
    folder = tmp_path_factory.mktemp("site-packages")
    install(folder, "streetai", OUR_COMMANDS)
    install(folder, "other-commands", OTHER_COMMANDS)
    (folder / "other_commands.py").write_text(OTHER_PACKAGE, encoding="utf-8")
    return folder


@dataclass
class Program:
    """Starts the program."""

    packages: Path
    folder: Path

    def __call__(self, *arguments, **environment):
        """Run it to the end; stdout and stderr are pipes."""
        return subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment(**environment),
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    def start(self, *arguments):
        """Start it in a process group of its own; stdout and stderr are pipes."""
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        )

    def command(self, *arguments):
        """The command line; warnings are errors."""
        return [sys.executable, "-W", "error", "-m", "streetai_core.cli", *map(str, arguments)]

    def environment(self, **changes):
        """The environment: ours, with the installed packages on the path, and no opinion about colours."""
        ours = {key: value for key, value in os.environ.items() if key not in {"NO_COLOR", "FORCE_COLOR", "COLUMNS"}}
        path = os.pathsep.join([str(self.packages), str(ROOT)])
        return ours | {"PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"} | changes


@pytest.fixture
def streetai(installed, tmp_path):
    """The program, in an empty folder and in processes of its own."""
    return Program(installed, tmp_path)


@pytest.fixture
def invoke(installed, tmp_path, monkeypatch):
    """The same in this process, which has LangChain and the model loaded: what is not about processes runs here."""
    monkeypatch.syspath_prepend(installed)
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments, typed=None):
        result = CliRunner().invoke(main, list(map(str, arguments)), input=typed)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


def message(content, role="user", **fields):
    """A line of a conversation file."""
    return {"role": role, "content": content, **fields}


def write(path, rows):
    """Write a conversation file and return its path."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


SHORT = [
    message(
        "My boat Kittiwake draws 1.35 metres.",
        name="Mara",
        created_at="2026-03-02T18:04:00+01:00",
        conversation_id="first",
    ),
    message(
        "Then a berth with two metres will do.",
        "assistant",
        name="Bosun",
        created_at="2026-03-02T18:05:00+01:00",
        conversation_id="first",
    ),
    message("I never eat hazelnuts, I am allergic.", name="Mara", conversation_id="first"),
    message("Noted, no hazelnuts.", "assistant", conversation_id="first"),
    message("How deep does Kittiwake lie in the water?", name="Mara", conversation_id="second"),
    message("She draws 1.35 metres.", "assistant", conversation_id="second"),
]
"""Three exchanges in two sessions."""


def objects(done):
    """The JSON objects that a run printed, one a line."""
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def terminal(streetai):
    """Run the program on a terminal of its own: exit code and everything that it wrote there."""
    pty = pytest.importorskip("pty", reason="Windows has no pseudo-terminals")
    import fcntl  # noqa: PLC0415 - as above
    import struct  # noqa: PLC0415 - as above
    import termios  # noqa: PLC0415 - as above

    def run(*arguments, columns=100, typed=b"", **environment):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        with subprocess.Popen(
            streetai.command(*arguments),
            cwd=streetai.folder,
            env=streetai.environment(TERM="xterm-256color", **environment),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        ) as process:
            os.close(theirs)
            os.write(ours, typed)
            output = b"".join(iter(lambda: _read(ours), b""))
        os.close(ours)
        return process.returncode, output.decode()

    return run


def _read(terminal):
    """What comes next; nothing when the other side is closed, which Linux reports as an error."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""
