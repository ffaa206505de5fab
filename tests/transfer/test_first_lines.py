"""A message a line, or one JSON value with messages on lines of their own: the first lines of a file tell which."""

import pytest

from streetai_core.errors import ImportFormatError
from streetai_core.transfer import detection, import_file
from streetai_core.transfer.first_lines import is_list

A, B = (f'{{"role": "user", "content": "{text}"}}' for text in ("First.", "Second."))

CHAT_STORE = ['{"store": {"k": [', f"{A},", B, ']}, "class_name": "SimpleChatStore"}']
"""What LlamaIndex keeps, with a message a line."""


def said(registry):
    """The texts that were stored."""
    return [one.content for one in registry.get("ada").messages()]


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (CHAT_STORE, "llamaindex"),
        (['{"store": {', '"j": [', A, "],", '"k": [', B, "]", "}}"], "llamaindex"),
        (["[", f"{A},", B, "]"], "jsonl"),
        (["[", A, f",{B}", "]"], "jsonl"),
        (["[", A, ",", B, "]"], "jsonl"),
        (["", "[", f"{A},", f"{B}]"], "jsonl"),
    ],
)
def test_one_value_with_a_message_a_line(sqlite, write, lines, name):
    """If it fails, the last message alone is imported, and twice when the file is imported rightly later."""
    path = write("\n".join(lines) + "\n")
    done = import_file(sqlite, path, memory_id="ada")
    assert (name, 2, ()) == (done.source_format, done.added, done.rejected)
    assert ["First.", "Second."] == said(sqlite)
    assert 2 == import_file(sqlite, path, memory_id="ada").known


def test_one_value_of_many_messages_on_lines_of_their_own(sqlite, write):
    """With a comma on each line between them as many lines as are looked at could stand alone as can be."""
    messages = "\n,\n".join(f'{{"role": "user", "content": "Number {number}."}}' for number in range(30))
    done = import_file(sqlite, write(f"[\n{messages}\n]"), memory_id="ada")
    assert (30, ()) == (done.added, done.rejected)


@pytest.mark.parametrize(
    "first",
    ['["v1"]', '{"version": 1}', '"v1"', "null", '["v1"', '{"role": "user", "content": "cut', "not json", '{"a": ['],
)
@pytest.mark.parametrize("given", [None, "jsonl"])
def test_lines_of_which_the_first_is_no_message(sqlite, write, first, given):
    """It is named, and the others are imported."""
    path = write(f"{first}\n{A}\n{B}", "notes.jsonl")
    done = import_file(sqlite, path, memory_id="ada", source_format=given)
    assert ("jsonl", 2, [1]) == (done.source_format, done.added, [one.number for one in done.rejected])
    assert ["First.", "Second."] == said(sqlite)


def test_two_lines_of_which_one_is_damaged(sqlite, write):
    """Half of them are messages, and the file is nothing else."""
    done = import_file(sqlite, write(f"not json\n{A}\n", "notes.jsonl"), memory_id="ada")
    assert ("jsonl", 1, [1]) == (done.source_format, done.added, [one.number for one in done.rejected])


@pytest.mark.parametrize(
    "lines", [CHAT_STORE[:-1], [*CHAT_STORE[:-1], "]}, oops"], ['{"model": "x", "messages": [', f"{A},", B, "]}"]]
)
def test_one_value_that_cannot_be_used_is_refused_whole(sqlite, write, lines):
    """If it fails, what is left of a file that was cut short passes for all of it."""
    with pytest.raises(ImportFormatError, match=r"is not JSON|of no format that is known"):
        import_file(sqlite, write("\n".join(lines)), memory_id="ada")
    assert [] == sqlite.ids()


def test_a_list_is_read_whole_where_the_format_is_given(sqlite, write):
    """Also on one line, which is a JSON value by itself."""
    for number, text in enumerate((f"[{A}, {B}]", f"[\n{A},\n{B}\n]")):
        done = import_file(sqlite, write(text, f"{number}.json"), memory_id=str(number), source_format="jsonl")
        assert (2, ()) == (done.added, done.rejected)


@pytest.mark.parametrize("first", [A, '["v1"]', "not json", A.replace("First.", "x" * 9_000_000)])
def test_lines_are_not_read_whole_to_tell_what_they_are(write, monkeypatch, first):
    """If it fails, an import of a gigabyte of lines takes several of RAM."""

    def refuse(path):
        raise AssertionError(f"{path} was read whole")

    monkeypatch.setattr(detection, "read_document", refuse)
    path = write("\n".join([first, *[A] * 3]), "notes.jsonl")
    assert ("jsonl", None) == detection.detect(path)
    assert not is_list(path)
