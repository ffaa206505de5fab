"""Memories on file, one harmless and one hostile, and a browser if the machine has one."""

import shutil
import subprocess

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders.hashing import HashingEncoder

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")

HOSTILE = (
    "<script>document.title='owned'</script>\u202eolleh\u202c \x1b[2J<img src=x onerror=\"document.title='owned'\">"
    "</title></style></svg><style>body{display:none}</style><a href=\"javascript:document.title='owned'\">x</a>"
    "<iframe srcdoc=x></iframe>]]><!-- & 'single' \"double\" my boat"
)
"""What a page must show and never do."""


def fill(memory, texts):
    """Say these things in turns, recall each and learn from the replies."""
    for number, text in enumerate(texts):
        memory.add_message(f"{text}, number {number}", "user", name=f"<b>{text[:9]}", conversation_id=text[:20])
        prompt = memory.build_prompt("Where is my boat?", conversation_id="another")
        memory.post_process(prompt.retrieved, f"Your boat: {text}")
        memory.add_message(f"Noted: {text}, number {number}", "assistant", conversation_id=text[:20])


@pytest.fixture(scope="session")
def hostile_file(tmp_path_factory):
    """A database with one memory, whose id, names, conversations and texts are all hostile."""
    path = tmp_path_factory.mktemp("hostile") / "memory.db"
    with MemoryRegistry(path, encoder=HashingEncoder(), durability="fast") as registry:
        fill(registry.get(HOSTILE[:80]), [HOSTILE] * 12)
    return path


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Opens a page and returns its document as the browser has it after loading."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip(f"no browser on this machine: none of {', '.join(BROWSERS)} is on the path")
    profile = tmp_path_factory.mktemp("profile")

    def opened(path):
        options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--dump-dom"]
        done = subprocess.run(
            [program, *options, path.as_uri()], capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout

    return opened
