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


def hashes(path):
    """SHA-256 of the database file and of its log, by name; of those that are there."""
    code = """
import hashlib
from pathlib import Path
files = sorted(Path(path).parent.glob(Path(path).name + "*"))
print(json.dumps({file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}))
"""
    return json.loads(run(code, path)[0])


def occurrences(path, needles):
    """How often each byte string is in the database file, its log and its index of the log together."""
    code = """
from pathlib import Path
data = b"\\0".join(file.read_bytes() for file in Path(path).parent.glob(Path(path).name + "*"))
print(json.dumps([data.count(bytes.fromhex(needle)) for needle in json.loads(sys.stdin.read())]))
"""
    process = start(code, path)
    output, errors = process.communicate(json.dumps([needle.hex() for needle in needles]))
    assert 0 == process.returncode, errors
    return json.loads(output)
