"""Importing the package does nothing but define things."""

import subprocess
import sys

PROBE = """
import sys, threading
events = []
sys.addaudithook(lambda event, arguments: events.append((event, arguments)))
import streetai_core
import streetai_langchain
opened = [a for e, a in events if e == "open" and isinstance(a[1], str) and set(a[1]) & set("wax+")]
made = [a for e, a in events if e in {"os.mkdir", "sqlite3.connect"}]
sockets = [a for e, a in events if e.startswith("socket.")]
slow = {"fastembed", "onnxruntime", "langchain_classic", "langchain", "llama_index", "rich", "tiktoken"}
heavy = sorted(slow & set(sys.modules))
print(opened, made, sockets, threading.active_count(), heavy)
"""


def test_import_writes_nothing_starts_nothing_and_connects_nowhere(tmp_path):
    """No file, no thread, no socket; and none of the slow or optional packages."""
    command = [sys.executable, "-B", "-c", PROBE]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] [] [] 1 []"
    assert list(tmp_path.iterdir()) == []
