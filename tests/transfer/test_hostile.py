"""Files that nobody should have written: an error that says what is wrong, or a record left out; nothing else."""

import json
import os
import sqlite3
from contextlib import closing
from datetime import datetime, timezone

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import ImportFormatError, InputError
from streetai_core.stores.reference import ReferenceStore
from streetai_core.transfer import FORMATS, export_memory, import_file
from streetai_core.transfer.times import read_time

DEEP = "[" * 100_000 + "]" * 100_000
DEEP_OBJECT = '{"a":' * 50_000 + "1" + "}" * 50_000
HUGE = '{"role": "user", "content": "' + "x" * 10_000_000 + '"}'

ODD = [None, True, 7, -1.5, "text", "", [], {}, [[]], {"a": 1}, "\ud800", 10**400, [None], {"text": None}]
"""Values of every type, in the place of every other."""

SHAPES = {
    "chatgpt": [
        {
            "id": "c",
            "title": "t",
            "create_time": 1.0,
            "current_node": "n",
            "mapping": {
                "n": {
                    "parent": None,
                    "message": {
                        "id": "m",
                        "author": {"role": "user"},
                        "create_time": 2.0,
                        "recipient": "all",
                        "metadata": {},
                        "content": {"content_type": "text", "parts": ["Hi."]},
                    },
                }
            },
        }
    ],
    "claude": [
        {
            "uuid": "c",
            "name": "t",
            "created_at": "2024-01-01T00:00:00Z",
            "chat_messages": [
                {
                    "uuid": "m",
                    "sender": "human",
                    "text": "Hi.",
                    "content": [{"type": "text", "text": "Hi."}],
                    "created_at": "2024-01-01T00:00:00Z",
                    "attachments": [{"file_name": "f"}],
                    "files": [],
                }
            ],
        }
    ],
    "telegram": {
        "name": "Ben",
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
                "forwarded_from": "Mara",
                "text": ["Hi ", {"type": "bold", "text": "you"}],
            }
        ],
    },
    "langchain": {
        "s": [
            {
                "type": "ai",
                "data": {
                    "content": "Hi.",
                    "name": "n",
                    "id": "i",
                    "additional_kwargs": {"timestamp": 1},
                    "tool_calls": [{"id": "c", "name": "f", "args": {}}],
                    "tool_call_id": "c",
                },
            }
        ]
    },
    "llamaindex": {
        "store": {
            "k": [
                {
                    "role": "user",
                    "blocks": [{"block_type": "text", "text": "Hi."}],
                    "additional_kwargs": {"timestamp": 1, "tool_calls": [], "tool_call_id": "c", "name": "n"},
                }
            ]
        }
    },
    "mem0": {"results": [{"id": "f", "memory": "Hi.", "created_at": "2024-01-01", "user_id": "u", "run_id": "r"}]},
    "jsonl": [
        {
            "role": "user",
            "content": "Hi.",
            "name": "n",
            "created_at": 1,
            "conversation_id": "c",
            "message_id": "m",
            "metadata": {"a": 1},
        }
    ],
}


@pytest.fixture
def in_ram():
    """A store that costs nothing: many files are tried."""
    with MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(16)) as registry:
        yield registry


def tried_import(registry, path, name):
    """What an import gave back, or the `InputError` that it raised; any other error is a failure."""
    try:
        return import_file(registry, path, memory_id="ada", source_format=name), "none"
    except InputError as error:
        return None, error


def spoiled(value, path=()):
    """The places in a JSON value, deepest last."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inside:
        yield from spoiled(one, (*path, key))


def with_value(value, path, new):
    """A copy with another value in one place; without it where `new` is `...`."""
    if not path:
        return None if new is ... else new
    copy = dict(value) if isinstance(value, dict) else list(value)
    if new is ... and len(path) == 1:
        del copy[path[0]]
    else:
        copy[path[0]] = with_value(copy[path[0]], path[1:], new)
    return copy


def beside_a_good_one(name, bad):
    """The document with a record more, which makes it look like what it is said to be."""
    good = SHAPES[name]
    inside = {"langchain": "s", "mem0": "results", "telegram": "messages"}.get(name)
    if isinstance(bad, list):
        return [*bad, good[0]] if isinstance(good, list) else bad
    if name == "llamaindex" and isinstance(bad, dict) and isinstance(bad.get("store"), dict):
        return bad | {"store": bad["store"] | {"good": good["store"]["k"]}}
    if inside and isinstance(bad, dict) and isinstance(bad.get(inside), list):
        return bad | {inside: [*bad[inside], good[inside][0]]}
    return bad


@pytest.mark.parametrize("name", list(SHAPES))
def test_any_value_in_any_place(in_ram, write, name):
    """Every part of a good file replaced by every kind of value, or taken away: an `InputError`, or a record less."""
    tried = 0
    for path in spoiled(SHAPES[name]):
        for new in [*ODD, ...]:
            bad = with_value(SHAPES[name], path, new)
            for document in (bad, beside_a_good_one(name, bad)):
                source = write(json.dumps(document))
                done, error = tried_import(in_ram, source, name)
                assert str(error) if done is None else done.added + done.known + len(done.rejected) <= 3
            tried += 1
    assert tried > 100


@pytest.mark.parametrize(
    "content", [DEEP, DEEP_OBJECT, HUGE, "{", "[1,", "nul", "NaN", "[" + "9" * 5000 + "]", "\0", "{}\n" * 3]
)
@pytest.mark.parametrize("name", [*FORMATS, None])
def test_texts_that_are_no_file(in_ram, write, content, name):
    """Of whatever format they are said to be. Long lines and deep nesting are refused before they cost anything."""
    done, error = tried_import(in_ram, write(content), name)
    assert 0 < len(str(error)) < 400
    assert done is None or (done.added == 0 and done.rejected)
    assert [] == in_ram.ids()


def test_files_of_another_kind(sqlite, tmp_path, write):
    """Each is told what it is."""
    foreign = tmp_path / "foreign.db"
    with closing(sqlite3.connect(foreign)) as connection, connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    sqlite.get("own").add_message("Hi.", role="user")
    for content, said in (
        (b"", "is empty"),
        (b"PK\x03\x04rest", "ZIP archive"),
        (b"\x1f\x8b\x08rest", "compressed by gzip: unpack it"),
        (b"\xff\xfe\x00", r"not UTF-8 text \(it begins as UTF-16 does\): save it as UTF-8"),
        (
            b'[{"role": "user", "content": "caf\xe9"}]',
            r"not UTF-8 text \(it has a byte 0xE9 on line 1\): save it as UTF-8",
        ),
        (b'{"role": "user", "content": "Hi."}\n' * 90_000 + b'"\xf0\x9f', r"it has a byte 0xF0 on line 90001\)"),
        (b'{"messages": [], "id": 1}\n' * 3, "none of the first 3 lines is a message: .* this has 'messages', 'id'"),
        (b"SQLite format 3\0" + b"\xff" * 5000, "SQLite"),
        (b"{}", "no format that is known"),
        (b'"text"', "no format that is known"),
        (b"hello", "not JSON"),
    ):
        with pytest.raises(ImportFormatError, match=said):
            import_file(sqlite, write(content), memory_id="ada")
    with pytest.raises(ImportFormatError, match="not one with messages"):
        import_file(sqlite, foreign, memory_id="ada")
    with pytest.raises(ImportFormatError, match="database of this library"):
        import_file(sqlite, sqlite.store.path, memory_id="ada")
    for path in (tmp_path / "nothing", tmp_path):
        with pytest.raises(InputError, match="cannot read"):
            import_file(sqlite, path, memory_id="ada")
    for name in ("langchain-sql", "streetai-memory"):
        with pytest.raises(ImportFormatError):
            import_file(sqlite, foreign, memory_id="ada", source_format=name)
    with pytest.raises(ImportFormatError, match="does not look like"):
        import_file(sqlite, write("[]"), memory_id="ada", source_format="claude")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused(in_ram, tmp_path):
    """It could be read once, and has to be read twice; waiting for a writer would be for ever."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="not a file"):
        import_file(in_ram, tmp_path / "pipe", memory_id="ada")


def test_a_view_that_calls_is_not_run(sqlite, tmp_path):
    """A table that is a view of a stranger's is no history."""
    path = tmp_path / "view.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE VIEW message_store AS SELECT 1 AS session_id, load_extension('x') AS message")
    connection.close()
    with pytest.raises(ImportFormatError):
        import_file(sqlite, path, memory_id="ada")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"memory_id": None}, "memory_id .--memory. is needed"),
        ({"memory_id": ""}, "memory_id"),
        ({"memory_id": 7}, "memory_id"),
        ({"conversation_id": "\0"}, "conversation_id"),
        ({"source_format": "word"}, "source_format must be one of"),
        ({"path": 7}, "path must be a path"),
        ({"path": "x" * 3000}, "not a file that is there"),
    ],
)
def test_arguments_that_cannot_be_used(sqlite, write, arguments, said):
    """Named, before the file is read."""
    path = write('{"role": "user", "content": "Hi."}')
    values = {"path": path, "memory_id": "ada"} | arguments
    with pytest.raises(InputError, match=said):
        import_file(sqlite, **values)


@pytest.mark.parametrize(
    ("out", "said"),
    [
        (7, "out must be a path or an open text file"),
        (None, "out must be a path or an open text file"),
        ("x" * 3000, "cannot be a file"),
        ("\ud800", "no path of this system can have"),
    ],
)
def test_places_that_cannot_be_written(sqlite, out, said):
    """Named as what they are, before the memory is read."""
    sqlite.get("ada").add_message("Hi.", role="user")
    with pytest.raises(InputError, match=said):
        export_memory(sqlite, "ada", out)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("", None),
        (0, datetime(1970, 1, 1, tzinfo=timezone.utc)),
        (-86400.5, datetime(1969, 12, 30, 23, 59, 59, 500000, tzinfo=timezone.utc)),
        (1704153600, datetime(2024, 1, 2, tzinfo=timezone.utc)),
        (1704153600000, datetime(2024, 1, 2, tzinfo=timezone.utc)),
        ("1704153600", datetime(2024, 1, 2, tzinfo=timezone.utc)),
        ("2024-01-02", datetime(2024, 1, 2, tzinfo=timezone.utc)),
        ("2024-01-02T03:04:05.123456789Z", datetime(2024, 1, 2, 3, 4, 5, 123456, tzinfo=timezone.utc)),
        ("2024-01-02 03:04+0130", datetime(2024, 1, 2, 1, 34, tzinfo=timezone.utc)),
        ("2024-01-02T03:04:05-02", datetime(2024, 1, 2, 5, 4, 5, tzinfo=timezone.utc)),
        ("2024-01-02 03:04:05 UTC", datetime(2024, 1, 2, 3, 4, 5, tzinfo=timezone.utc)),
        ("20240102", datetime(2024, 1, 2, tzinfo=timezone.utc)),
        ("20240102T030405Z", datetime(2024, 1, 2, 3, 4, 5, tzinfo=timezone.utc)),
        ("20240102T030405.5+0100", datetime(2024, 1, 2, 2, 4, 5, 500000, tzinfo=timezone.utc)),
    ],
)
def test_times(value, expected):
    """As programs write them."""
    assert expected == read_time(value, "t")


@pytest.mark.parametrize(
    "value",
    [
        "soon",
        "2024-13-01",
        "20241301",
        "2024-01-02T25:00",
        "0000-01-01",
        "9999-12-31T23:59:59-20:00",
        "2024-01-02T00:00+99:00",
        1e300,
        float("inf"),
        float("nan"),
        True,
        [],
        {},
        "nan",
        "१२३४-०१-०१",
    ],
)
def test_times_that_are_none(value):
    """Refused by name."""
    with pytest.raises(ImportFormatError, match=r"^t "):
        read_time(value, "t")
