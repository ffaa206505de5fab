"""What is done to the file behind the library is reported, also with checksums put right."""

from contextlib import closing

import pytest

from streetai_core import NewMessage
from streetai_core.errors import InputError
from streetai_core.stores import _sqlite
from streetai_core.stores.provenance import Origins
from streetai_core.stores.rows import checksum
from streetai_core.stores.seals import new_salt, seal

TEXTS = [f"What was said in message {number}." for number in range(6)]
COLUMNS = (
    "memory_key, sequence, message_id, turn, conversation_id, role, name, created_at, metadata, sanitised, source, "
    "trust, writer, salt, seal, crc, content"
)
INSERT = f"INSERT INTO messages ({COLUMNS}) VALUES ({', '.join('?' * 17)})"  # noqa: S608 - made of constants
SELECT = f"SELECT {COLUMNS} FROM messages WHERE memory_key = 1 AND sequence = ?"  # noqa: S608 - as above


@pytest.fixture
def memory(on_disk):
    """A memory of six messages, with a history of edits, deletions and learning, and a neighbour."""
    memory = on_disk.get("m")
    memory.add_messages([NewMessage(content=text, role="user", message_id=str(n)) for n, text in enumerate(TEXTS)])
    memory.add_message("From the wiki.", "user", source="document", writer="wiki", message_id="6")
    memory.update_message("1", "What was said in message 1, put right.")
    memory.delete_message("4")
    memory.post_process(memory.retrieve("message 2"), TEXTS[2])
    on_disk.get("n").add_message("Of somebody else.", "user")
    return memory


class Editor:
    """Edits the file as another program would."""

    def __init__(self, path):
        self._path = path

    def do(self, sql, values=()):
        """One statement, which changes one row."""
        with closing(_sqlite.connect(self._path.as_uri(), timeout=5)) as connection:
            connection.execute("PRAGMA foreign_keys = ON")
            assert connection.execute(sql, values).rowcount == 1

    def row(self, sequence):
        """One message as a list of columns."""
        with closing(_sqlite.connect(self._path.as_uri(), timeout=5)) as connection:
            return list(connection.execute(SELECT, (sequence,)).fetchone())

    def put(self, row, *, reseal=False):
        """A message in its place, with a checksum that fits, and on demand with a seal that fits."""
        cells = tuple(row[:13])
        if reseal:
            row[13] = new_salt()
            row[14] = seal(row[13], cells, row[16])
        row[15] = checksum((*cells, row[13], row[14]), row[16].encode())
        self.do(INSERT, row)


@pytest.fixture
def editor(path):
    """An editor of the file."""
    return Editor(path)


def kinds(memory):
    """What was found, and where."""
    return [(edit.kind, edit.sequence) for edit in memory.audit().edits]


def test_a_memory_that_only_the_library_wrote_is_intact(memory, on_disk):
    """After adding, editing, deleting, learning, embedding anew, hiding and going back; and after a reset."""
    memory.reencode()
    memory.quarantine(writer="wiki")
    version = memory.version
    memory.add_message("Gone again soon.", "user")
    memory.rollback(version)
    memory.delete_conversation(None)
    memory.add_message("A new start.", "user")
    assert memory.audit().intact
    on_disk.reset("m")
    again = on_disk.get("m")
    assert again.audit().intact
    again.add_message("After the reset.", "user")
    assert again.audit().intact
    assert on_disk.get("nobody").audit().version == 0


def test_who_wrote_what(memory):
    """Messages by source and writer; the anchor follows every operation."""
    report = memory.audit()
    assert report.origins == (
        Origins(source="document", writer="wiki", messages=1),
        Origins(source="user", writer=None, messages=5),
    )
    assert [(one.added, one.changed, one.removed) for one in report.operations] == [
        (((0, 5),), (), ()),
        (((6, 6),), (), ()),
        ((), ((1, 1),), ()),
        ((), (), ((4, 4),)),
    ]
    memory.add_message("More.", "user")
    assert report.anchor != memory.audit().anchor
    assert memory.audit(anchor=report.anchor).intact


@pytest.mark.parametrize("column", ["content", "role", "name", "created_at", "source", "writer", "trust"])
def test_a_changed_row_is_reported(memory, editor, column):
    """Whatever column it is, though the checksum was put right: then the library itself would believe it."""
    row = editor.row(2)
    place = [name.strip() for name in COLUMNS.split(",")].index(column)
    row[place] = {"content": "Never said.", "trust": 0.25, "created_at": "2020-01-01T00:00:00.000000+00:00"}.get(
        column, "assistant"
    )
    editor.do("DELETE FROM messages WHERE memory_key = 1 AND sequence = 2")
    editor.put(row)
    assert kinds(memory) == [("changed", 2)]
    assert not memory.audit().intact


def test_a_changed_row_is_reported_with_a_checksum_that_does_not_fit(memory, editor):
    """Reading such a message is refused; the audit names it."""
    editor.do("UPDATE messages SET content = 'Never said.' WHERE memory_key = 1 AND sequence = 3")
    assert kinds(memory) == [("changed", 3)]


def test_a_deleted_row_is_reported(memory, editor):
    """Together with its signals, so that nothing else misses it."""
    editor.do("DELETE FROM messages WHERE memory_key = 1 AND sequence = 5")
    assert kinds(memory) == [("deleted", 5)]


@pytest.mark.parametrize("reseal", [False, True])
def test_an_inserted_row_is_reported(memory, editor, reseal):
    """Beside the others, and in the place of one that was deleted; with a seal of its own too."""
    for sequence in (4, 90):
        row = editor.row(2)
        row[1], row[2] = sequence, f"new {sequence}"
        editor.put(row, reseal=reseal)
    found = memory.audit().edits
    assert [(edit.kind, edit.sequence) for edit in found] == [("inserted", 4), ("inserted", 90)]
    assert found[0].message_id == "new 4"


def test_rows_that_changed_places_are_reported(memory, editor):
    """Two messages in each other's place say something else, with the same rows."""
    first, second = editor.row(2), editor.row(3)
    for number in (2, 3):
        editor.do("DELETE FROM messages WHERE memory_key = 1 AND sequence = ?", (number,))
    first[1], second[1] = 3, 2
    editor.put(first)
    editor.put(second)
    assert kinds(memory) == [("moved", 2), ("moved", 3)]


def test_a_row_with_a_new_seal_is_missed_by_the_sum(memory, editor):
    """Whoever makes the seal anew too does not know the sum of all of them that the journal has."""
    row = editor.row(2)
    row[16] = "Never said."
    editor.do("DELETE FROM messages WHERE memory_key = 1 AND sequence = 2")
    editor.put(row, reseal=True)
    assert kinds(memory) == [("changed", None)]


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE journal SET removed = '[]' WHERE memory_key = 1 AND removed <> '[]'",
        "DELETE FROM journal WHERE memory_key = 1 AND version = 2",
        "DELETE FROM journal WHERE memory_key = 1 AND removed <> '[]'",
        "UPDATE journal SET total = zeroblob(32) WHERE memory_key = 1 AND version = 1",
    ],
)
def test_an_edited_journal_is_reported(memory, editor, sql):
    """Entries that were changed, taken out, or cut off at the end."""
    editor.do(sql)
    assert not memory.audit().intact


def test_a_journal_made_anew_is_told_by_an_anchor_kept_elsewhere(memory, editor, on_disk):
    """What nothing in the file can show: all of it written anew by somebody who knows how."""
    anchor = memory.audit().anchor
    on_disk.reset("m")
    again = on_disk.get("m")
    again.add_message("A history that looks whole.", "user")
    assert again.audit().intact
    assert [edit.kind for edit in again.audit(anchor=anchor).edits] == ["journal"]
    with pytest.raises(InputError, match="anchor"):
        again.audit(anchor=7)


def test_the_journal_has_no_text_and_its_hashes_cannot_be_guessed(memory, path):
    """After deletion nothing in the file depends on the text alone: the random salt went with the row."""
    text = "The number of my safe is 4711."
    memory.add_message(text, "user", message_id="safe")
    with closing(_sqlite.connect(path.as_uri(), timeout=5)) as connection:
        query = "SELECT salt, seal FROM messages WHERE message_id = 'safe'"
        salt, sealed = connection.execute(query).fetchone()
        memory.delete_message("safe")
        left = [
            value
            for query in ("SELECT * FROM messages", "SELECT * FROM journal", "SELECT * FROM memories")
            for row in connection.execute(query)
            for value in row
        ]
    assert salt not in left
    assert sealed not in left
    assert not any(text in str(value) for value in left)
    assert memory.audit().intact
