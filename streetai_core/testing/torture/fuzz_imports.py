"""Files to import that nobody should have written: declared errors, nothing half imported, and nothing else touched.

Exports of a whole memory are changed as text, and in their values; most of these get a digest that fits again, as
somebody would make it who means harm. Histories of other programs are changed in their values.
"""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, Final

from streetai_core.errors import StreetAIError
from streetai_core.memory import Memory
from streetai_core.registry import MemoryRegistry
from streetai_core.stores.types import Head
from streetai_core.testing.torture.calls import MEMORY, make_template
from streetai_core.testing.torture.checking import open_registry, picture, torn_parts
from streetai_core.testing.torture.reporting import Report
from streetai_core.transfer import FormatName, archive, export_memory, import_file
from streetai_core.transfer.digest import digest_of
from streetai_core.transfer.files import read_lines
from streetai_core.transfer.snapshot import KINDS, Snapshot

_BEYOND = "1e999"
"""JSON, and yet more than a number can be."""

_ODD: Final[Sequence[Any]] = (
    *(None, True, False, 0, -1, 1, 7, 2**31, 2**62, 2**63, 2**64, -(2**63), 10**400, 0.5, -1.5, 1e308, 5e-324),
    *("", " ", "\x00", "\ud800", "\u202e", "a" * 600, "[]", "{}", "x" * 5000, _BEYOND, "2024-02-30T25:61:00Z"),
    *([], {}, [[]], [None], {"": None}, {"a": {"b": []}}, [0] * 64, "AAAA", "////", "user", "nobody"),
)
"""Values of every type and at every edge, in the place of every other."""

_SAID_BY_THE_FILE: Final = ("has lost pieces", "share a turn", "the clock is behind a message")
"""No faults here: which pieces of a message can be recalled, and which messages have moved the clock."""

_CHANGES = 3
"""Values that are changed in one file at most."""

_SHARES: Final = ("text", "values", "sealed", "sealed", "sealed", "foreign", "foreign")
"""How a file is made; what has a digest that fits gets the furthest."""

_SHOWN = 400
"""Characters of a finding."""

_DEPTH = 30_000
"""Brackets in brackets: more than any parser may follow."""

_FOREIGN: Final[dict[FormatName, Any]] = {
    "chatgpt": [
        {
            "id": "talk",
            "title": "About a boat",
            "create_time": 1.0,
            "current_node": "b",
            "mapping": {
                "a": {
                    "parent": None,
                    "message": {
                        "id": "first",
                        "author": {"role": "user"},
                        "create_time": 2.0,
                        "recipient": "all",
                        "metadata": {},
                        "content": {"content_type": "text", "parts": ["My boat is blue."]},
                    },
                },
                "b": {
                    "parent": "a",
                    "message": {
                        "id": "second",
                        "author": {"role": "assistant"},
                        "create_time": 3.0,
                        "recipient": "all",
                        "metadata": {},
                        "content": {"content_type": "text", "parts": ["A fine colour."]},
                    },
                },
            },
        }
    ],
    "claude": [
        {
            "uuid": "talk",
            "name": "About a boat",
            "created_at": "2024-01-01T00:00:00Z",
            "chat_messages": [
                {
                    "uuid": "first",
                    "sender": "human",
                    "text": "My boat is blue.",
                    "content": [{"type": "text", "text": "My boat is blue."}],
                    "created_at": "2024-01-01T00:00:00Z",
                    "attachments": [],
                    "files": [],
                }
            ],
        }
    ],
    "telegram": {
        "type": "bot_chat",
        "id": 7,
        "messages": [
            {
                "id": 1,
                "type": "message",
                "date": "2024-01-01T00:00:00",
                "date_unixtime": "1704067200",
                "from": "Ben",
                "from_id": "user7",
                "text": ["My boat is ", {"type": "bold", "text": "blue"}],
            }
        ],
    },
    "langchain": {
        "talk": [
            {
                "type": "ai",
                "data": {
                    "content": "A fine colour.",
                    "name": "n",
                    "id": "i",
                    "additional_kwargs": {},
                    "tool_calls": [{"id": "c", "name": "f", "args": {}}],
                },
            }
        ]
    },
    "jsonl": [
        {"role": "user", "content": "My boat is blue.", "id": "first", "created_at": "2024-01-01T00:00:00Z"},
        {"role": "assistant", "content": "A fine colour.", "name": "Ben", "conversation_id": "talk"},
    ],
}
"""What other programs write, as small as it can be and still be known."""


def run_imports(folder: Path, number: int, rng: random.Random, report: Report) -> None:
    """Import so many changed files; findings go into `undeclared` and `wrong` of the report."""
    template = folder / "imports-template.db"
    make_template(template)
    exported = _exports(template)
    with open_registry(folder / "imports.db", durability="fast") as registry:
        kept = registry.get("kept")
        kept.add_message("What was there before stays.", "user")
        before = picture(kept)
        for count in range(number):
            file = folder / f"import-{count}"
            source, data = _file(exported, rng)
            file.write_bytes(data)
            undeclared = len(report.failures["undeclared"])
            found = _imported(registry, file, source, report)
            if picture(kept) != before:
                found.append("another memory was changed")
            report.fail("wrong", *(f"import of {file}: {fault}" for fault in found))
            if not found and len(report.failures["undeclared"]) == undeclared:
                file.unlink()


def _exports(template: Path) -> list[list[str]]:
    """The lines of a whole memory, with vectors and without."""
    found = []
    with open_registry(template) as registry:
        for vectors in (True, False):
            out = StringIO()
            export_memory(registry, MEMORY, out, vectors=vectors)
            found.append(out.getvalue().splitlines(keepends=True))
    return found


def _file(exported: Sequence[list[str]], rng: random.Random) -> tuple[FormatName | None, bytes]:
    """What to import, and the format that is said: `None`, to be found out."""
    way = rng.choice(_SHARES)
    if way == "foreign":
        name = rng.choice(list(_FOREIGN))
        return rng.choice((name, None)), _line(_with_changes(_FOREIGN[name], rng)).encode()
    lines = list(rng.choice(exported))
    if way == "text":
        return None, rng.choice(_TEXT_WAYS)("".join(lines).encode(), rng)
    for _ in range(rng.randint(1, _CHANGES)):
        place = rng.randrange(len(lines))
        lines[place] = _line(_with_changes(json.loads(lines[place]), rng))
    return None, "".join(_sealed(lines) if way == "sealed" else lines).encode()


def _with_changes(value: Any, rng: random.Random) -> Any:
    """A copy of a JSON value in which one is another one, is gone, or is there twice."""
    changed = json.loads(json.dumps(value))
    holders = [one for one in _inside(changed) if one]
    if not holders:
        return rng.choice(_ODD)
    holder = rng.choice(holders)
    key = rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    way = rng.random()
    if way < 0.1:  # noqa: PLR2004 - a share
        del holder[key]
    elif way < 0.2 and isinstance(holder, list):  # noqa: PLR2004 - a share
        holder.append(holder[key])
    elif isinstance(holder[key], int) and rng.random() < 0.5:  # noqa: PLR2004 - a share
        holder[key] += rng.choice((-1, 1))
    else:
        holder[key] = rng.choice(_ODD)
    return changed


def _inside(value: Any) -> list[Any]:
    """All lists and objects of a JSON value."""
    if not isinstance(value, list | dict):
        return []
    parts = value.values() if isinstance(value, dict) else value
    return [value, *(one for part in parts for one in _inside(part))]


def _sealed(lines: list[str]) -> list[str]:
    """The same export with a count of rows and a digest that fit; as it is where its rows cannot be read."""
    rows: dict[str, list[Any]] = {kind: [] for kind in KINDS}
    read = read_lines(StringIO("".join(lines)))
    try:
        memory_id, vectors, head = archive._header(next(read)[1])  # noqa: SLF001 - nobody else seals a foreign file
        archive._read_rows(read, rows, vectors=vectors)  # noqa: SLF001 - as above
    except Exception:  # noqa: BLE001 - importing it says what it is
        return lines
    snapshot = Snapshot(head=Head(memory_id=memory_id, token="", **head), rows=dict(rows), vectors=vectors)
    end = {"rows": sum(map(len, rows.values())), "digest": digest_of(snapshot, vectors=vectors)}
    return [*lines[:-1], _line({"end": end})]


def _line(value: Any) -> str:
    """As JSON in ASCII, so that lone surrogates come through, with numbers that are larger than any."""
    return json.dumps(value).replace(f'"{_BEYOND}"', _BEYOND) + "\n"


def _flipped(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def _noise(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data))
    return data[:place] + rng.randbytes(16) + data[place + 16 :]


def _line_again(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return b"".join(lines)


def _line_gone(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def _deep(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    lines[rng.randrange(len(lines))] = b"[" * _DEPTH + b"]" * _DEPTH + b"\n"
    return b"".join(lines)


_TEXT_WAYS: Sequence[Callable[[bytes, random.Random], bytes]] = (
    *(_flipped, _cut, _noise, _line_again, _line_gone, _deep),
)


def _imported(registry: MemoryRegistry, file: Path, source: FormatName | None, report: Report) -> list[str]:
    """Import a file, use what came of it, and delete that; returns what is wrong with it."""
    report.counts["imports"] += 1
    try:
        import_file(registry, file, memory_id=file.name, source_format=source)
    except StreetAIError:
        report.counts["refused_imports"] += 1
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        report.fail("undeclared", f"import of {file}: {type(error).__name__}: {error}"[:_SHOWN])
    if file.name not in registry.ids():
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = _used(registry.get(file.name))
    except Exception as error:  # noqa: BLE001 - as above; also a declared one: the file should have been refused
        found = [f"cannot be used: {type(error).__name__}: {error}"[:_SHOWN]]
    registry.reset(file.name)
    return found


def _used(memory: Memory) -> list[str]:
    """Read, ask, write and learn; returns what is torn."""
    question = "Which message says what of the boat?"
    found = torn_parts(memory)
    memory.add_message(question, "user")
    memory.post_process(memory.retrieve(question), "Message known-3 says that it is blue.")
    memory.build_prompt(question, token_budget=500)
    memory.why(question)
    memory.history()
    memory.quarantined()
    found += torn_parts(memory)
    return [fault for fault in found if not fault.endswith(_SAID_BY_THE_FILE)]
