"""`streetai chat` against a server on this machine: what it sends, shows and keeps."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from streetai_core import MemoryRegistry
from streetai_core.cli import main
from streetai_core.cli.chat_session import ChatSession
from streetai_core.encoders import HashingEncoder
from tests.cli.endpoint import Script, serving
from tests.cli.memories import fill


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to work in, and no key or proxy of the machine's."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    fill(tmp_path / "m.db")
    return tmp_path


def talk(script, said, *options, file="m.db"):
    """Run a chat with these lines on standard input."""
    with serving(script) as url:
        data = said if isinstance(said, bytes) else said.encode()
        return CliRunner().invoke(main, ["chat", file, "--model", "m", "--base-url", url, *options], input=data)


def stored(folder, memory_id="mara", file="m.db"):
    """What the memory holds after the four messages that it began with."""
    with MemoryRegistry(folder / file, encoder=HashingEncoder(64)) as registry:
        return registry.get(memory_id).messages()[4:]


def test_a_conversation(folder):
    """The model gets what matters, its reply is shown, both are stored, and the next turn knows them."""
    script = Script("She draws 1.35 metres.", "You said it: 1.35 metres.")
    result = talk(
        script, "How deep is my boat Kittiwake?\n\nSay it again.\n", "--system", "Be short.", "--conversation", "c"
    )
    assert (0, "She draws 1.35 metres. \nYou said it: 1.35 metres. \n") == (result.exit_code, result.stdout)
    first, second = (body["messages"] for body in script.asked)
    assert {"role": "system", "content": "Be short."} == first[0]
    assert "draws 1.35 metres" in str(first)
    assert first[-1]["content"].endswith("How deep is my boat Kittiwake?")
    assert "She draws 1.35 metres." in str(second)
    assert [("user", "c"), ("assistant", "c")] * 2 == [(one.role, one.conversation_id) for one in stored(folder)]
    assert ["Bearer none"] * 2 == script.keys
    assert all(body["stream"] and body["model"] == "m" for body in script.asked)


def test_it_learns(folder):
    """A reply that uses a recalled message raises its weight; with --json each turn is a line."""
    result = talk(Script("Kittiwake: 1.35 metres."), "How much does my boat draw?\n", "--token-budget", "90", "--json")
    turn = json.loads(result.stdout)
    assert ("How much does my boat draw?", "Kittiwake: 1.35 metres. ") == (turn["question"], turn["reply"])
    assert turn["tokens_sent"] <= 90
    assert turn["recalled"]
    assert "boost" in [one["action"] for one in turn["learned"]]


def test_a_new_memory(folder):
    """A database that is not there is made, if the memory is named."""
    options = ["--config", "settings.json"]
    (folder / "settings.json").write_text('{"recency_turns": 2}', encoding="utf-8")
    result = talk(Script("Hello."), "Hi.\n", "--memory", "new", *options, file="new.db")
    assert 0 == result.exit_code, result.output
    listed = json.loads(CliRunner().invoke(main, ["show", "new.db", "--json"]).stdout)
    assert ["Hi.", "Hello. "] == [one["content"] for one in listed]
    refused = talk(Script(), "Hi.\n", file="none.db")
    assert (1, False) == (refused.exit_code, (folder / "none.db").exists())
    assert "--memory" in refused.stderr


def test_commands(folder):
    """Lines with a slash are for the program."""
    said = "/why\n/forget\nHow deep is my boat?\n/why\n/nothing\n/help\n/quit\nNever sent.\n"
    script = Script("1.35 metres.")
    result = talk(script, said)
    assert 0 == result.exit_code, result.output
    assert 1 == len(script.asked)
    shown = result.stdout
    assert "Nothing was asked yet." in shown
    assert "Forgotten: 0 messages." in shown
    assert "Recalled:" in shown
    assert "No such command." in shown
    assert 2 == shown.count("/forget    erase")
    assert ["How deep is my boat?", "1.35 metres. "] == [one.content for one in stored(folder)]


def test_commands_as_json(folder):
    """The same with one JSON value a line."""
    result = talk(Script("1.35 metres."), "/why\nHow deep is my boat?\n/why\n/x\n/help\n/forget\n/quit\n", "--json")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert ["error", "question", "question", "error", "help", "forgotten"] == [next(iter(line)) for line in lines]
    assert lines[2]["hits"]


def test_forgetting(folder):
    """The last exchange is gone from the file, and what was said before it is not."""
    result = talk(Script("Berth 31.", "Noted."), "Where do I lie?\nMy secret is Qwertzuiop.\n/forget\n")
    assert "Forgotten: 2 messages." in result.stdout
    assert ["Where do I lie?", "Berth 31. "] == [one.content for one in stored(folder)]
    assert b"Qwertzuiop" not in (folder / "m.db").read_bytes()


def test_what_the_terminal_must_not_get(folder):
    """Escape codes of a model's are no escape codes on the screen; what is stored is what it said."""
    result = talk(Script("Red: \x1b[31m and\tgreen\nis it. 👩\u200d🚀"), b"Colour?\xff\r\n")
    assert "\x1b" not in result.stdout
    assert "👩\u200d🚀" in result.stdout
    assert "green\nis it." in result.stdout
    question, reply = stored(folder)
    assert "Colour?\ufffd" == question.content
    assert "\x1b[31m" in reply.content


@pytest.mark.parametrize("failing", [500, 401, 429, 404, 200])
def test_a_model_that_refuses(folder, failing):
    """One line, exit code 1; the question is kept. A 200 without events is a page of some other server."""
    result = talk(Script(failing), "How deep?\n")
    assert (1, "") == (result.exit_code, result.stdout)
    assert 1 == result.stderr.count("\n")
    assert result.stderr.startswith("Error: the model could not answer: ")
    assert "\x1b" not in result.stderr
    assert [("user", "How deep?")] == [(one.role, one.content) for one in stored(folder)]


def test_a_model_that_breaks_off(folder):
    """What came of the reply was shown and is kept; half a reply teaches nothing."""
    result = talk(Script("My boat Kittiwake draws 1.35..."), "How deep is my boat Kittiwake?\n")
    assert 1 == result.exit_code
    assert "Kittiwake draws" in result.stdout
    assert 1 == result.stderr.count("Error: the model could not answer")
    assert ["How deep is my boat Kittiwake?", "My boat Kittiwake draws 1.35 "] == [
        one.content for one in stored(folder)
    ]
    with MemoryRegistry(folder / "m.db", encoder=HashingEncoder(64)) as registry:
        steps = [registry.get("mara").history(one.signal_id) for one in registry.get("mara").signals]
    assert max(map(len, steps)) == 1


def test_no_server(folder):
    """An address where nobody answers."""
    with serving(Script()) as url:
        pass
    result = CliRunner().invoke(main, ["chat", "m.db", "--model", "m", "--base-url", url], input="Hi.\n")
    assert 1 == result.exit_code
    place = url.removesuffix("/v1")
    assert f"Error: the model could not answer: Connection error. Is there a server at {place}?\n" == result.stderr


def test_no_key(folder):
    """Without an endpoint of one's own a key is needed; nothing is sent or stored."""
    result = CliRunner().invoke(main, ["chat", "m.db", "--model", "m"], input="Hi.\n")
    assert (1, "") == (result.exit_code, result.stdout)
    assert "set OPENAI_API_KEY" in result.stderr
    assert [] == stored(folder)


def test_the_key_is_that_of_the_variable(folder, monkeypatch):
    """And it is shown nowhere."""
    monkeypatch.setenv("MY_KEY", "secret-key")
    script = Script("Hello.", 401)
    result = talk(script, "Hi.\nHi again.\n", "--api-key-env", "MY_KEY")
    assert ["Bearer secret-key"] * 2 == script.keys
    assert "secret-key" not in result.output


def test_without_the_package(folder):
    """The line that installs it."""
    probe = (
        "import sys; sys.modules['openai'] = None; sys.argv = ['streetai', 'chat', 'm.db', '--model', 'm']\n"
        "from streetai_core.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False, cwd=folder)
    assert (1, "") == (done.returncode, done.stdout)
    assert done.stderr == "Error: openai is not installed. Install it with: pip install 'streetai[openai]'\n"


class Interrupted:
    """A model that Ctrl-C stops in the middle."""

    def stream(self, _messages):
        """A piece, and then the user's patience is at its end."""
        yield "My boat Kittiwake "
        raise KeyboardInterrupt


@pytest.mark.parametrize("as_json", [False, True])
def test_stopping_a_reply(folder, capsys, as_json):
    """What came of it is kept, and the conversation goes on."""
    with MemoryRegistry(folder / "m.db", encoder=HashingEncoder(64)) as registry:
        session = ChatSession(
            memory=registry.get("mara"),
            model=Interrupted(),
            conversation_id=None,
            system=None,
            token_budget=None,
            as_json=as_json,
        )
        assert session.take("How deep is my boat?")
        assert session.take("/help")
    shown = capsys.readouterr().out
    assert ('"stopped": true' if as_json else "(stopped)") in shown
    assert ["How deep is my boat?", "My boat Kittiwake "] == [one.content for one in stored(folder)]


def test_on_a_terminal(folder, streetai, terminal):
    """There is a prompt, a failing model ends nothing, and the end of the input ends the chat."""
    with serving(Script(500)) as url:
        code, shown = terminal(
            "chat", "m.db", "--model", "m", "--base-url", url, typed=b"Hi.\n\x04", NO_PROXY="127.0.0.1"
        )
    assert 0 == code, shown
    assert "> " in shown
    assert "Error: the model could not answer" in shown
    assert streetai.folder == folder
