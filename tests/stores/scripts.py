"""Python in another process, and files as that process finds them.

Reading the database file in a process that has it open in SQLite would drop SQLite's locks on it, so tests that look
at bytes do it from outside.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

PREAMBLE = """
import json, os, sys
from dataclasses import replace
from streetai_core.errors import *
from streetai_core.stores.types import *
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.testing.factories import *
from streetai_core.testing.store_reading import *
path, arguments = sys.argv[1], sys.argv[2:]
"""


def start(code, path, *arguments):
    """Start a script; its standard input and output are pipes of text."""
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", PREAMBLE + code, str(path), *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    """Wait for a script that ends well; returns what it printed, as lines."""
    output, errors = process.communicate()
    assert 0 == process.returncode, errors
    return output.splitlines()


def run(code, path, *arguments):
    """Run a script to its end; returns what it printed, as lines."""
    return finish(start(code, path, *arguments))


def _looked(code, path, sent=""):
    """What a script that only looks at the bytes of files prints, as a value.

    It loads nothing of ours: that takes a second, and hundreds of tests look.
    """
    beginning = "import json, sys\nfrom pathlib import Path\npath = Path(sys.argv[1])\n"
    command = [sys.executable, "-I", "-S", "-W", "error", "-c", beginning + code, str(path)]
    done = subprocess.run(command, cwd=ROOT, input=sent, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)


def hashes(path):
    """SHA-256 of the database file and of its log, by name; of those that are there."""
    code = """
import hashlib
files = sorted(path.parent.glob(path.name + "*"))
print(json.dumps({file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}))
"""
    return _looked(code, path)


def occurrences(path, needles):
    """How often each byte string is in the database file, its log and its index of the log together."""
    code = """
data = b"\\0".join(file.read_bytes() for file in path.parent.glob(path.name + "*"))
print(json.dumps([data.count(bytes.fromhex(needle)) for needle in json.loads(sys.stdin.read())]))
"""
    return _looked(code, path, json.dumps([needle.hex() for needle in needles]))
