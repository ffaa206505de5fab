"""The past of a memory comes along: the journal of a copy tells when each message was added and changed."""

import io
import json
from contextlib import closing
from pathlib import Path

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import ImportFormatError, InputError
from streetai_core.stores import _sqlite
from streetai_core.stores.journal import numbers_in
from streetai_core.transfer import export_memory, import_file, memory_digest
from streetai_core.transfer.digest import ContentHash
from tests.transfer.conftest import fill


def told(memory):
    """What the journal says of messages that are still there, without what belongs to its place."""
    there = {message.sequence for message in memory.messages()}
    entries = [
        (
            numbers_in(one.added) & there,
            numbers_in(one.changed) & there,
            one.event,
            one.next_sequence,
            one.next_signal,
            one.created_at,
        )
        for one in memory.audit().operations
    ]
    return [entry for entry in entries if any(entry[:3])]


def copied(registry, path, name="copy"):
    """Export "mara" and import it under another id."""
    export_memory(registry, "mara", path)
    done = import_file(registry, path, memory_id=name)
    return registry.get(name), done


def rewritten(path, change):
    """The file with its rows changed, under a digest that fits: what somebody could make."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    change(lines)
    content = ContentHash()
    head = lines[0]["head"]
    content.add("head", head, without=frozenset({"next_sequence", "next_signal", "next_stack"}))
    for line in lines[1:-1]:
        ((kind, values),) = line.items()
        content.add(kind, values)
    lines[-1] = {"end": {"rows": len(lines) - 2, "digest": content.hexdigest()}}
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")


def test_the_journal_comes_along(registry, tmp_path):
    """Operation by operation with its time; and nobody has edited the copy."""
    memory = fill(registry.get("mara"))
    copy, _ = copied(registry, tmp_path / "out.jsonl")
    assert any(one.removed for one in memory.audit().operations)
    assert told(memory) == told(copy)
    assert len(told(copy)) > len(memory.messages())
    assert copy.audit().intact
    assert memory.audit().origins == copy.audit().origins


def test_an_anchor_is_of_one_place(registry, tmp_path):
    """The copy has seals and hashes of its own, so an anchor of the original is not in its journal."""
    memory = fill(registry.get("mara"))
    copy, _ = copied(registry, tmp_path / "out.jsonl")
    if memory.audit().anchor:
        assert memory.audit().anchor != copy.audit().anchor
        assert not copy.audit(anchor=memory.audit().anchor).intact
    anchor = copy.audit().anchor
    copy.add_message("Said later.", role="user")
    assert copy.audit(anchor=anchor).intact


def test_edits_of_a_copy_are_found(sqlite, tmp_path):
    """As those of the original."""
    fill(sqlite.get("mara"))
    copy, _ = copied(sqlite, tmp_path / "out.jsonl")
    assert copy.audit().intact
    with closing(_sqlite.connect(Path(sqlite.store.path).as_uri(), timeout=5)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(
            "DELETE FROM messages WHERE message_id = 'mail' AND memory_key ="
            " (SELECT memory_key FROM memories WHERE memory_id = 'copy')"
        )
        connection.commit()
    assert ["deleted"] == [edit.kind for edit in copy.audit().edits]


def test_a_copy_can_be_taken_back(registry, tmp_path):
    """To before what was said and learned in the original."""
    memory = registry.get("mara")
    memory.add_message("My boat Kittiwake lies at berth 31.", role="user")
    memory.add_message("Her sail is red.", role="user")
    memory.post_process(memory.retrieve("boat Kittiwake berth"), "Kittiwake lies at berth 31.")
    weights = [one.base_weight for one in memory.signals]
    memory.add_message("A mail says: Kittiwake was sold.", role="user", message_id="mail")
    memory.post_process(memory.retrieve("boat Kittiwake berth"), "Kittiwake lay at berth 31, and was sold.")
    assert weights != [one.base_weight for one in memory.signals[:2]]
    copy, _ = copied(registry, tmp_path / "out.jsonl")
    mail = next(one for one in copy.audit().operations if (2, 2) in one.added)
    undone = copy.rollback(mail.version - 1)
    assert (1, 2) == (undone.messages, len(copy.messages()))
    assert weights == [one.base_weight for one in copy.signals]
    again, _ = copied_from(registry, "copy", tmp_path / "again.jsonl")
    assert memory_digest(registry, "copy") == memory_digest(registry, "again")
    assert told(copy) == told(again)
    assert ["", "", "rollback"] == [one.event for one in again.audit().operations]
    assert again.audit().operations[-1].target == 3


def copied_from(registry, source, path):
    """Export a memory and import it as "again"."""
    export_memory(registry, source, path)
    done = import_file(registry, path, memory_id="again")
    return registry.get("again"), done


def test_what_was_deleted_has_no_past(registry, tmp_path):
    """Not even a number: the file of a memory that a message was erased from is that of one that never had it."""
    memory = registry.get("mara")
    memory.add_messages([NewMessage(content=f"Number {n}.", role="user", message_id=f"m{n}") for n in range(4)])
    memory.add_message("Alone.", role="user", message_id="alone")
    memory.update_message("alone", "Alone at last.")
    memory.forget(message="alone")
    memory.forget(message="m2")
    export_memory(registry, "mara", tmp_path / "out.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [[[0, 1], [3, 3]]] == [row["journal"]["added"] for row in rows if "journal" in row]
    import_file(registry, tmp_path / "out.jsonl", memory_id="copy")
    assert memory_digest(registry, "mara") == memory_digest(registry, "copy")


def test_a_memory_that_was_reset_begins_with_it(registry, tmp_path):
    """And one that was embedded anew says so."""
    memory = registry.get("mara")
    memory.add_message("Before.", role="user")
    registry.reset("mara")
    memory = registry.get("mara")
    memory.add_message("After.", role="user")
    memory.reencode()
    copy, done = copied(registry, tmp_path / "out.jsonl")
    assert told(memory) == told(copy)
    assert ["reset", "", "reencode"] == [one.event for one in copy.audit().operations]
    assert done.digest == memory_digest(registry, "mara") == memory_digest(registry, "copy")
    assert copy.audit().intact


def test_a_file_without_a_journal_is_read(registry, tmp_path):
    """As files of before were: all messages begin with the import."""
    memory = fill(registry.get("mara"))
    path = tmp_path / "out.jsonl"
    export_memory(registry, "mara", path)

    def older(lines):
        lines[:] = [line for line in lines if "journal" not in line]
        for line in lines:
            line.get("credits", {}).pop("version", None)

    rewritten(path, older)
    done = import_file(registry, path, memory_id="copy")
    copy = registry.get("copy")
    assert memory.messages() == copy.messages()
    assert done.digest is None
    (entry,) = copy.audit().operations
    assert {one.sequence for one in memory.messages()} == numbers_in(entry.added)
    assert [len(memory.history(one.signal_id)) for one in memory.signals] == [
        len(copy.history(one.signal_id)) for one in copy.signals
    ]
    assert copy.audit().intact


def test_a_message_put_in_by_another_program_is_restored(sqlite, tmp_path):
    """The journal of the copy has it from the import on."""
    memory = sqlite.get("mara")
    memory.add_message("Mine.", role="user")
    memory.add_message("Put in.", role="user")
    export_memory(sqlite, "mara", tmp_path / "out.jsonl")

    def unknown(lines):
        lines[:] = [line for line in lines if line.get("journal", {}).get("added") != [[1, 1]]]

    rewritten(tmp_path / "out.jsonl", unknown)
    done = import_file(sqlite, tmp_path / "out.jsonl", memory_id="copy")
    copy = sqlite.get("copy")
    assert memory.messages() == copy.messages()
    assert (2, None) == (done.added, done.digest)
    assert [((0, 0),), ((1, 1),)] == [one.added for one in copy.audit().operations]
    assert copy.audit().intact


def first(lines, **wanted):
    """The first journal entry with these values."""
    return next(line["journal"] for line in lines if "journal" in line and wanted.items() <= line["journal"].items())


def _last(lines):
    """The last journal entry."""
    return [line["journal"] for line in lines if "journal" in line][-1]


FORGED = {
    "a message that is not there": lambda lines: first(lines).update(added=[[0, 0], [900, 900]]),
    "more messages than memory holds": lambda lines: first(lines).update(added=[[0, 2**60]]),
    "more changes than memory holds": lambda lines: first(lines).update(changed=[[0, 2**60]]),
    "a message twice": lambda lines: first(lines).update(added=[[0, 1]]),
    "a change before it is there": lambda lines: first(lines).update(changed=[[1, 1]]),
    "runs that overlap": lambda lines: first(lines).update(added=[[0, 1], [1, 2]]),
    "a run backwards": lambda lines: first(lines).update(added=[[1, 0]]),
    "a run below 0": lambda lines: first(lines).update(added=[[-1, 0]]),
    "a run of three": lambda lines: first(lines).update(added=[[0, 0, 0]]),
    "no run": lambda lines: first(lines).update(added=[0]),
    "a deletion": lambda lines: first(lines).update(removed=[[0, 0]]),
    "a late reset": lambda lines: first(lines, added=[[1, 1]]).update(event="reset"),
    "a rollback to nowhere": lambda lines: first(lines).update(event="rollback"),
    "a target of nothing": lambda lines: first(lines).update(target=0),
    "a rollback to what comes": lambda lines: first(lines).update(event="rollback", target=5),
    "a rollback to what comes once versions are numbered anew": lambda lines: _last(lines).update(
        version=100, event="rollback", target=50
    ),
    "an unknown event": lambda lines: first(lines).update(event="import"),
    "a version of 0": lambda lines: first(lines).update(version=0),
    "a version twice": lambda lines: first(lines).update(version=2),
    "a message to come": lambda lines: first(lines).update(next_sequence=0),
    "a counter ahead": lambda lines: first(lines).update(next_signal=10**6),
    "a time that is none": lambda lines: first(lines).update(created_at="yesterday"),
    "lessons backwards": lambda lines: next(line["credits"] for line in lines if "credits" in line).update(version=99),
}


@pytest.mark.parametrize("what", FORGED)
def test_a_journal_that_contradicts_itself_is_refused(what, sqlite, tmp_path):
    """Under a digest that fits; nothing is stored, and no number makes the program count to it."""
    fill(sqlite.get("mara"))
    export_memory(sqlite, "mara", tmp_path / "out.jsonl")
    rewritten(tmp_path / "out.jsonl", FORGED[what])
    with pytest.raises(ImportFormatError):
        import_file(sqlite, tmp_path / "out.jsonl", memory_id="copy", source_format="streetai")
    assert ["mara"] == sqlite.ids()


def test_versions_of_the_file_cost_nothing(tmp_path):
    """They are an order: a memory of many writes whose messages are gone is copied in a few."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(16)) as registry:
        memory = registry.get("mara")
        for number in range(20):
            memory.add_message("Gone soon.", role="user", message_id=str(number))
            memory.delete_message(str(number))
        memory.add_message("Stays.", role="user")
        out = io.StringIO()
        export_memory(registry, "mara", out)
        (tmp_path / "out.jsonl").write_text(out.getvalue(), encoding="utf-8")
        import_file(registry, tmp_path / "out.jsonl", memory_id="copy")
        copy = registry.get("copy")
        assert (41, 2) == (memory.version, copy.version)
        assert [1] == [one.version for one in copy.audit().operations]


def test_cues_come_along_in_their_order(registry, tmp_path):
    """With the versions of the copy; none that a file claims to be newer than all that will come."""
    fill(registry.get("mara"))
    path = tmp_path / "out.jsonl"
    copy, done = copied(registry, path)
    assert done.digest == memory_digest(registry, "copy")
    assert 0 < max(cue_versions(copy)) <= copy.version
    rewritten(path, lambda lines: [line["cues"].update(version=2**40) for line in lines if "cues" in line])
    import_file(registry, path, memory_id="hostile")
    hostile = registry.get("hostile")
    assert len(cue_versions(hostile)) == len(cue_versions(copy))
    assert max(cue_versions(hostile)) <= hostile.version


@pytest.mark.parametrize(
    "wrong", [{"key": 999}, {"version": -1}, {"question": 2**70}, {"vector": [1.0, 2.0]}, {"vector": None}]
)
def test_a_wrong_cue_in_a_file_is_refused(registry, tmp_path, wrong):
    """And nothing of the file is stored."""
    fill(registry.get("mara"))
    path = tmp_path / "out.jsonl"
    export_memory(registry, "mara", path)
    rewritten(path, lambda lines: [line["cues"].update(wrong) for line in lines if "cues" in line])
    with pytest.raises((ImportFormatError, InputError)):
        import_file(registry, path, memory_id="copy")
    assert "copy" not in registry.store.memory_ids()


def cue_versions(memory):
    """The versions of all cues of a memory."""
    with memory._coherent.reading() as (_, state):
        return [state.cues.version(name) for name in state.cues]
