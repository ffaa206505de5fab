"""`streetai report`, with right and wrong input."""

import os
import stat
import sys

import pytest
from click.testing import CliRunner

from streetai_core import MemoryRegistry
from streetai_core.cli import main
from streetai_core.encoders.hashing import HashingEncoder


@pytest.fixture
def file(tmp_path):
    """A database with two memories."""
    path = tmp_path / "memory.db"
    with MemoryRegistry(path, encoder=HashingEncoder(), durability="fast") as registry:
        for name in ("mara", "ben"):
            registry.get(name).add_message(f"I am {name}.", "user")
    return path


def run(*words):
    """The command."""
    return CliRunner().invoke(main, ["report", *map(str, words)])


def test_a_page_is_written(file, tmp_path):
    """Whole, and told of in a line."""
    page = tmp_path / "page.html"
    done = run(file, "--memory", "mara", "-o", page, "--no-savings")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.endswith("bytes about memory 'mara'\n")
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "I am mara." in text
    assert "I am ben." not in text
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([file.name, "page.html"])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
@pytest.mark.parametrize(("of_database", "of_page"), [(0o644, 0o644), (0o640, 0o640), (0o666, 0o644), (0o400, 0o600)])
def test_who_may_read_the_database_may_read_the_page(file, tmp_path, of_database, of_page):
    """Nobody else: a page is as open as the file that it tells of, and no more than the user's files are."""
    page, before = tmp_path / "page.html", os.umask(0o022)
    try:
        file.chmod(of_database)
        assert run(file, "--memory", "mara", "-o", page, "--no-savings").exit_code == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE(page.stat().st_mode) == of_page


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
def test_a_page_that_is_replaced_stays_as_private_as_it_was(file, tmp_path):
    """Who has closed it to others has a reason."""
    page = tmp_path / "page.html"
    page.touch(mode=0o600)
    assert run(file, "--memory", "mara", "-o", page, "--no-savings", "--force").exit_code == 0
    assert stat.S_IMODE(page.stat().st_mode) == 0o600


def test_it_goes_down_a_pipe(file):
    """And nothing else does."""
    done = run(file, "--memory", "ben", "-o", "-", "--no-savings")
    assert done.exit_code == 0
    assert done.stdout.startswith("<!doctype html>")
    assert done.stdout.endswith("</html>\n")


def test_a_pipe_gets_what_the_page_says_it_is(file):
    """UTF-8, whatever the terminal is."""
    with MemoryRegistry(file, encoder=HashingEncoder(), durability="fast") as registry:
        registry.get("zoë").add_message("Zoë says Καλημέρα.", "user")
    done = CliRunner(charset="cp1252").invoke(main, ["report", str(file), "--memory", "zoë", "-o", "-", "--no-savings"])
    assert "Zoë says Καλημέρα." in done.stdout_bytes.decode("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes among files, and links need rights")
@pytest.mark.parametrize("command", ["report", "export", "backup"])
def test_links_and_pipes_stay_what_they_are(file, tmp_path, command):
    """Behind a link the file is replaced; what is no file is left alone."""
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    target.write_text("mine", encoding="utf-8")
    link.symlink_to(target)
    os.mkfifo(pipe)
    words = [command, str(file), *([] if command == "backup" else ["--memory", "mara"]), "--force", "-o"]
    done = CliRunner().invoke(main, [*words, str(link)])
    assert (0, True) == (done.exit_code, link.is_symlink()), done.output
    assert target.read_bytes()[:4] != b"mine"
    refused = CliRunner().invoke(main, [*words, str(pipe)])
    assert (1, True) == (refused.exit_code, pipe.is_fifo())
    assert "no file that can be replaced" in refused.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="on Windows links need rights")
@pytest.mark.parametrize("command", ["report", "export", "backup"])
def test_a_link_that_leads_to_itself_is_one_line(file, tmp_path, command):
    """Not a traceback."""
    link = tmp_path / "loop"
    link.symlink_to(link)
    words = [command, str(file), *([] if command == "backup" else ["--memory", "mara"]), "-o", str(link)]
    done = CliRunner().invoke(main, words)
    assert (1, f"Error: {link}: Too many levels of symbolic links\n") == (done.exit_code, done.stderr)


def test_a_page_that_is_there_is_kept_unless_told(file, tmp_path):
    """It may be somebody's only copy."""
    page = tmp_path / "page.html"
    page.write_text("mine", encoding="utf-8")
    done = run(file, "--memory", "mara", "-o", page)
    assert (done.exit_code, page.read_text(encoding="utf-8")) == (1, "mine")
    assert "--force" in done.stderr
    assert run(file, "--memory", "mara", "-o", page, "--no-savings", "--force").exit_code == 0
    assert "I am mara." in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["{file}", "-o", "{folder}/x.html"], 1, "has 2 memories; choose one with --memory: 'ben', 'mara'"),
        (["{file}", "--memory", "nobody", "-o", "{folder}/x.html"], 1, "has no memory 'nobody'; it has 'ben', 'mara'"),
        (["{folder}/gone.db"], 1, "there is no file"),
        (["{folder}"], 1, "is a folder"),
        (["{file}", "--memory", "ben", "-o", "{folder}/no/x.html", "--no-savings"], 1, "cannot write"),
        (["{folder}/text.db", "-o", "{folder}/x.html"], 1, "text.db"),
        (["{folder}/empty.db", "-o", "{folder}/x.html"], 1, "has no memory yet"),
        (["{file}", "--memory", "ben", "--config", "gone.json", "-o", "{folder}/x.html"], 2, "gone.json"),
        ([], 2, "Missing argument"),
    ],
)
def test_wrong_input_ends_with_one_clear_line(file, tmp_path, words, code, says):
    """No page, no traceback, no new database."""
    (tmp_path / "text.db").write_text("this is no database, but it is long enough to be read as one" * 9)
    (tmp_path / "empty.db").write_bytes(b"")
    done = run(*(word.format(file=file, folder=tmp_path) for word in words))
    assert (done.exit_code, done.stdout) == (code, "")
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "x.html").exists()
    assert not (tmp_path / "gone.db").exists()


def test_the_settings_are_those_that_are_given(file, tmp_path):
    """Weights fade as in the app that has these settings."""
    settings = tmp_path / "settings.json"
    settings.write_text('{"decay_rate": 0.3465735902799726}', encoding="utf-8")
    done = run(file, "--memory", "ben", "--config", settings, "-o", "-", "--no-savings")
    assert "A weight halves in 2 turns without use." in done.stdout
    assert "A weight halves in 50 turns" in run(file, "--memory", "ben", "-o", "-", "--no-savings").stdout


def test_the_page_says_with_which_settings_it_reckons(file):
    """A database keeps none: who sees other figures than the app's must be able to tell why."""
    usual = run(file, "--memory", "ben", "-o", "-", "--no-savings").stdout
    assert "are reckoned with Config(); a database keeps no settings" in usual
    given = run(file, "--memory", "ben", "--config", '{"decay_rate": 0.25}', "-o", "-", "--no-savings").stdout
    assert "reckoned with Config(decay_rate=0.25); a database" in given
    classic = run(file, "--memory", "ben", "--config", "classic", "-o", "-", "--no-savings").stdout
    assert "reckoned with Config.classic(); a database" in classic
