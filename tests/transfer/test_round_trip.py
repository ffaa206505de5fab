"""What was exported comes back: every row of it, and nothing else."""

import base64
import io
import json
import os
import random
import stat
import sys
from dataclasses import fields, replace
from datetime import timezone

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import ImportFormatError, InputError
from streetai_core.planning.words import RULES
from streetai_core.stores.types import Changes, Rows
from streetai_core.testing.factories import make_words_row
from streetai_core.testing.store_reading import comparable
from streetai_core.transfer import export_memory, import_file, memory_digest
from streetai_core.transfer.codec import codec_of
from streetai_core.transfer.restoring import restore
from streetai_core.transfer.snapshot import KINDS, Snapshot, snapshot_of
from tests.outdated import outdate, told_otherwise, words_in
from tests.transfer.conftest import NOON, fill
from tests.transfer.test_history import rewritten

QUESTION = "Where does the boat Kittiwake lie?"


def test_every_kind_of_row_is_taken_along():
    """A store that learns of another kind of rows must not lose it at the first export."""
    told = {field.name for field in fields(Rows)} - {"head", "complete"}
    assert told <= set(KINDS)
    empty = Snapshot(head=None, rows={})
    assert set(empty.as_changes()) <= {field.name for field in fields(Changes)}


def test_a_memory_comes_back_whole(registry, tmp_path):
    """Equal by hash, by every row, and by what is recalled."""
    memory = fill(registry.get("mara"))
    written = export_memory(registry, "mara", tmp_path / "out.jsonl")
    done = import_file(registry, tmp_path / "out.jsonl", memory_id="copy")
    assert (len(memory.messages()), 0, ()) == (done.added, done.known, done.rejected)
    assert done.added == written.messages
    assert written.learning_steps > 0
    digests = {written.digest, done.digest, memory_digest(registry, "mara"), memory_digest(registry, "copy")}
    assert 1 == len(digests)
    copy = registry.get("copy")
    assert memory.messages() == copy.messages()
    found, again = memory.retrieve(QUESTION), copy.retrieve(QUESTION)
    assert [hit.score for hit in found] == [hit.score for hit in again]
    assert [hit.signal.base_weight for hit in found] == [hit.signal.base_weight for hit in again]
    assert [stack.size for stack in memory.stacks] == [stack.size for stack in copy.stacks]
    assert 2 == len(copy.quarantined())
    assert memory.quarantined() == copy.quarantined()
    assert (
        memory.build_prompt(QUESTION).inspector["tokens_sent"] == copy.build_prompt(QUESTION).inspector["tokens_sent"]
    )


def test_random_memories_come_back_whole(tmp_path):
    """Forty operations of all kinds in any order."""
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")  # noqa: T201 - to run a failure again
    chance = random.Random(seed)
    words = ["boat", "berth", "harbour", "wind", "sail", "crew", "Kittiwake", "Ærø", "船", "🦀"]
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(32)) as registry:
        memory = registry.get("a")
        for _ in range(40):
            text = " ".join(chance.choice(words) for _ in range(chance.randint(1, 80)))
            there = memory.messages()
            doing = chance.choice(["add", "add", "add", "learn", "update", "delete", "rollback"])
            if doing == "add" or not there:
                memory.add_message(
                    text, chance.choice(["user", "assistant", "tool", "system"]), name=chance.choice([None, "Å"])
                )
            elif doing == "learn":
                memory.post_process(memory.retrieve(text), text)
            elif doing == "update":
                memory.update_message(chance.choice(there).message_id, text)
            elif doing == "rollback":
                memory.rollback(chance.randint(max(0, memory.version - 5), memory.version), partial=True)
            else:
                memory.delete_message(chance.choice(there).message_id)
        for vectors in (True, False):
            written = export_memory(registry, "a", tmp_path / "a.jsonl", vectors=vectors)
            import_file(registry, tmp_path / "a.jsonl", memory_id=f"b{vectors}")
            assert written.digest == memory_digest(registry, f"b{vectors}", vectors=vectors)
            assert memory.messages() == registry.get(f"b{vectors}").messages()
            assert registry.get(f"b{vectors}").audit().intact


def test_the_file_is_the_same_each_time(sqlite, tmp_path):
    """Two exports of one memory are equal byte for byte, also through a pipe and out of a copy."""
    fill(sqlite.get("mara"))
    export_memory(sqlite, "mara", tmp_path / "one.jsonl")
    pipe = io.StringIO()
    export_memory(sqlite, "mara", pipe)
    assert (tmp_path / "one.jsonl").read_text(encoding="utf-8") == pipe.getvalue()
    import_file(sqlite, tmp_path / "one.jsonl", memory_id="copy")
    export_memory(sqlite, "copy", tmp_path / "two.jsonl")
    lines = [(tmp_path / name).read_text(encoding="utf-8").splitlines()[1:] for name in ("one.jsonl", "two.jsonl")]
    assert lines[0] == lines[1]


def test_signals_of_a_copy_have_ids_of_their_own(sqlite, tmp_path):
    """What was learned about a copy must not reach the original."""
    memory = fill(sqlite.get("mara"))
    export_memory(sqlite, "mara", tmp_path / "out.jsonl")
    import_file(sqlite, tmp_path / "out.jsonl", memory_id="copy")
    before = memory_digest(sqlite, "mara")
    copy = sqlite.get("copy")
    assert [] == memory.post_process(copy.retrieve(QUESTION), "Kittiwake lies at berth 14.")
    assert [] != copy.post_process(copy.retrieve(QUESTION), "Kittiwake lies at berth 14.")
    assert before == memory_digest(sqlite, "mara") != memory_digest(sqlite, "copy")


@pytest.mark.parametrize("which", ["sqlite", "classic"])
def test_without_vectors_the_import_embeds_anew(which, request, tmp_path):
    """With the same encoder the vectors and stacks are the same as well; cues, whose texts nobody has, stay behind."""
    registry = request.getfixturevalue(which)
    fill(registry.get("mara"))
    whole = export_memory(registry, "mara", tmp_path / "whole.jsonl")
    bare = export_memory(registry, "mara", tmp_path / "bare.jsonl", vectors=False)
    assert (tmp_path / "bare.jsonl").stat().st_size < (tmp_path / "whole.jsonl").stat().st_size / 1.4
    seen = []
    done = import_file(registry, tmp_path / "bare.jsonl", memory_id="copy", progress=lambda *step: seen.append(step))
    assert done.digest is None
    assert bare.digest == memory_digest(registry, "copy", vectors=False)
    assert whole.digest != bare.digest
    assert [(whole.signals, whole.signals)] == seen
    found = registry.get("mara").retrieve(QUESTION), registry.get("copy").retrieve(QUESTION)
    assert [hit.signal.content for hit in found[0]] == [hit.signal.content for hit in found[1]]
    scores = [[hit.score - hit.parts.get("learning", 0.0) for hit in hits] for hits in found]
    assert scores[0] == pytest.approx(scores[1], abs=1e-5)


def test_another_encoder_can_take_over(sqlite, tmp_path):
    """With `reembed` the vectors of the file are not used; weights, turns and the log are."""
    memory = fill(sqlite.get("mara"))
    export_memory(sqlite, "mara", tmp_path / "out.jsonl")
    with MemoryRegistry(tmp_path / "other.db", encoder=HashingEncoder(32)) as other:
        import_file(other, tmp_path / "out.jsonl", reembed=True)
        copy = other.get("mara")
        assert "hashing/1/32" == copy.stats()["encoder"]
        assert [one.base_weight for one in memory.signals] == [one.base_weight for one in copy.signals]
        assert memory_digest(sqlite, "mara", vectors=False) == memory_digest(other, "mara", vectors=False)
        assert copy.retrieve(QUESTION)


def test_words_of_an_older_version_are_told_anew(sqlite, tmp_path):
    """A version that told words otherwise leaves rows by which no question finds them any more."""
    memory = fill(sqlite.get("mara"))
    memory.add_message("José moors at berth 31.", role="user")
    with sqlite.store.reading("mara") as view:
        snapshot = snapshot_of(view)
    older = [told_otherwise(row) for row in snapshot.rows["words"]]
    restore(sqlite, "copy", replace(snapshot, rows={**snapshot.rows, "words": older}), reembed=True)
    restore(sqlite, "kept", replace(snapshot, rows={**snapshot.rows, "words": older}), reembed=False)
    digests = [memory_digest(sqlite, name, vectors=False) for name in ("mara", "copy", "kept")]
    assert digests[0] == digests[1] != digests[2]


def test_words_of_older_rules_are_taken_along_and_told_anew_later(sqlite, tmp_path):
    """An import without embedding is a copy, by its digest; what is old in it is left to do as in the original."""
    memory = fill(sqlite.get("mara"))
    memory.add_message("José moors at berth 31.", role="user")
    expected = words_in(sqlite.store, "mara")
    older, newer = min(expected), max(expected)
    outdate(sqlite.store, "mara", only={older})
    outdate(sqlite.store, "mara", rules=RULES + 1, only={newer})
    export_memory(sqlite, "mara", tmp_path / "out.jsonl")
    done = import_file(sqlite, tmp_path / "out.jsonl", memory_id="copy")
    assert done.digest == memory_digest(sqlite, "mara")
    copy = sqlite.get("copy")
    assert copy.stats()["outdated_words"] == 1
    assert copy.renew_words() == 1
    after = words_in(sqlite.store, "copy")
    assert comparable(after[older]) == comparable(expected[older])
    import_file(sqlite, tmp_path / "out.jsonl", memory_id="anew", reembed=True)
    anew = words_in(sqlite.store, "anew")
    assert comparable(anew[older]) == comparable(expected[older])
    assert after[newer].rules == anew[newer].rules == RULES + 1
    assert comparable(after[newer]) == comparable(anew[newer]) != comparable(expected[newer])


def without_numbers(lines):
    """An export as versions wrote it whose rules for words had no number."""
    for line in lines:
        if "words" in line:
            del line["words"]["rules"]


@pytest.mark.parametrize("vectors", [True, False])
def test_words_of_an_export_without_a_number_are_older_than_all(sqlite, tmp_path, vectors):
    """Files of before the rules had numbers fit their digest still, and are told anew like what is older."""
    fill(sqlite.get("mara"))
    export_memory(sqlite, "mara", tmp_path / "out.jsonl", vectors=vectors)
    rewritten(tmp_path / "out.jsonl", without_numbers)
    done = import_file(sqlite, tmp_path / "out.jsonl", memory_id="copy")
    copy = sqlite.get("copy")
    assert done.added == len(copy.messages())
    assert (copy.stats()["outdated_words"] > 0) == vectors
    copy.renew_words()
    copy.release(writer="mail")
    copy.release(message="mail")
    copy.renew_words()
    assert comparable(list(words_in(sqlite.store, "copy").values())) == comparable(
        list(words_in(sqlite.store, "mara").values())
    )


def test_the_memory_lives_on_after_it(sqlite, tmp_path):
    """A copy can be written to, learned from and exported again."""
    fill(sqlite.get("mara"))
    export_memory(sqlite, "mara", tmp_path / "out.jsonl")
    import_file(sqlite, tmp_path / "out.jsonl", memory_id="copy")
    copy = sqlite.get("copy")
    turn = copy.stats()["turn_counter"]
    added = copy.add_message("The boat Kittiwake has a new sail.", role="user")
    assert turn == added[0].turn
    assert copy.retrieve("new sail")[0].signal.signal_id == added[0].signal_id
    assert copy.post_process(copy.retrieve("new sail"), "A new sail for Kittiwake.")
    export_memory(sqlite, "copy", tmp_path / "again.jsonl")
    import_file(sqlite, tmp_path / "again.jsonl", memory_id="third")
    assert memory_digest(sqlite, "copy") == memory_digest(sqlite, "third")


def test_importing_again_does_nothing(registry, tmp_path):
    """A command that is repeated harms nothing, also after the conversation went on."""
    fill(registry.get("mara"))
    export_memory(registry, "mara", tmp_path / "out.jsonl")
    first = import_file(registry, tmp_path / "out.jsonl", memory_id="copy")
    registry.get("copy").add_message("Said later.", role="user")
    before = memory_digest(registry, "copy")
    again = import_file(registry, tmp_path / "out.jsonl", memory_id="copy")
    assert (0, first.added) == (again.added, again.known)
    assert before == memory_digest(registry, "copy")


def test_a_memory_is_not_put_on_another(registry, tmp_path):
    """Neither what is there nor what was deleted is mixed with what comes."""
    fill(registry.get("mara"))
    export_memory(registry, "mara", tmp_path / "out.jsonl")
    registry.get("other").add_message("Somebody else's.", role="user")
    before = memory_digest(registry, "other")
    with pytest.raises(InputError, match="is or was in use"):
        import_file(registry, tmp_path / "out.jsonl", memory_id="other")
    assert before == memory_digest(registry, "other")
    registry.reset("other")
    with pytest.raises(InputError, match="forget everything of this one first"):
        import_file(registry, tmp_path / "out.jsonl", memory_id="other")
    registry.forget("other")
    assert import_file(registry, tmp_path / "out.jsonl", memory_id="other").added
    assert memory_digest(registry, "mara") == memory_digest(registry, "other")


def test_an_open_handle_sees_it(sqlite, tmp_path):
    """Another handle, which has looked before, sees the memory at its next call."""
    fill(sqlite.get("mara"))
    export_memory(sqlite, "mara", tmp_path / "out.jsonl")
    handle = sqlite.get("copy")
    assert [] == handle.messages()
    import_file(sqlite, tmp_path / "out.jsonl", memory_id="copy")
    assert handle.retrieve(QUESTION)


def test_an_emptied_memory_keeps_its_clock(registry, tmp_path):
    """Nothing to show, but turns that are never used again."""
    memory = registry.get("mara")
    memory.add_message("Gone soon.", role="user", message_id="x")
    memory.delete_message("x")
    export_memory(registry, "mara", tmp_path / "out.jsonl")
    done = import_file(registry, tmp_path / "out.jsonl", memory_id="copy")
    assert (0, 0) == (done.added, done.known)
    assert 1 == registry.get("copy").stats()["turn_counter"]
    import_file(registry, tmp_path / "out.jsonl", memory_id="copy")
    assert memory_digest(registry, "mara") == memory_digest(registry, "copy")


def test_what_is_not_there_is_not_exported(registry, tmp_path):
    """And no file is made."""
    with pytest.raises(InputError, match="no memory 'nobody'"):
        export_memory(registry, "nobody", tmp_path / "out.jsonl")
    assert memory_digest(registry, "nobody") is None
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("ending", ["", "-wal", "-shm"])
def test_an_export_never_replaces_the_database(sqlite, ending):
    """If it fails, all memories are gone, and writes are acknowledged that are nowhere."""
    fill(sqlite.get("mara"))
    with pytest.raises(InputError, match="the database itself"):
        export_memory(sqlite, "mara", f"{sqlite.store.path}{ending}")
    assert sqlite.get("mara").messages()


@pytest.mark.parametrize("content", ['[{"title": "A history", "mapping": {}}]', "notes", "SQLite format 3\0"])
def test_an_export_replaces_nothing_but_exports_unasked(sqlite, tmp_path, content):
    """A history that was to be imported, or another database, would be gone."""
    fill(sqlite.get("mara"))
    target = tmp_path / "out.jsonl"
    target.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"is there already and is no export of a memory; .*overwrite=True"):
        export_memory(sqlite, "mara", target)
    assert content == target.read_text(encoding="utf-8")
    written = export_memory(sqlite, "mara", target, overwrite=True)
    assert written.digest == export_memory(sqlite, "mara", target).digest
    target.write_text("", encoding="utf-8")
    assert written.digest == export_memory(sqlite, "mara", target).digest


def test_a_failed_export_leaves_the_old_file(sqlite, tmp_path):
    """Interrupted in the middle: what was there before is there, and nothing beside it."""
    fill(sqlite.get("mara"))
    target = tmp_path / "exports" / "out.jsonl"
    with pytest.raises(InputError, match="cannot write"):
        export_memory(sqlite, "mara", target)
    target.parent.mkdir()
    target.write_text("old", encoding="utf-8")

    def interrupt(_done, _total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export_memory(sqlite, "mara", target, overwrite=True, progress=interrupt)
    assert ["out.jsonl"] == [one.name for one in target.parent.iterdir()]
    assert "old" == target.read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes among files, and links need rights")
def test_links_and_pipes_stay_what_they_are(sqlite, tmp_path):
    """Behind a link the file is written; a pipe would be gone, and whoever reads it would wait for ever."""
    fill(sqlite.get("mara"))
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(target)
    for text in (None, "old"):
        if text is not None:
            target.write_text(text, encoding="utf-8")
        written = export_memory(sqlite, "mara", link, overwrite=True)
        assert link.is_symlink()
        assert written.digest in target.read_text(encoding="utf-8")
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="no file that can be replaced"):
        export_memory(sqlite, "mara", pipe)
    assert pipe.is_fifo()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
@pytest.mark.parametrize(("database", "replaced"), [(0o600, None), (0o600, 0o644), (0o644, 0o600)])
def test_the_file_is_as_private_as_the_database(sqlite, tmp_path, database, replaced):
    """Not for a moment can others read in it what the database, or the file that was there, keeps from them."""
    fill(sqlite.get("mara"))
    (tmp_path / "memory.db").chmod(database)
    target = tmp_path / "exports" / "out.jsonl"
    target.parent.mkdir()
    if replaced is not None:
        target.write_text("old", encoding="utf-8")
        target.chmod(replaced)
    modes = set()

    def look(_done, _total):
        modes.update(stat.S_IMODE(one.stat().st_mode) for one in target.parent.iterdir() if one != target)

    export_memory(sqlite, "mara", target, overwrite=True, progress=look)
    assert modes == {stat.S_IMODE(target.stat().st_mode)} == {0o600}


def test_times_come_back_to_the_microsecond(registry, tmp_path):
    """In UTC, whatever zone they were given in."""
    registry.get("a").add_message("Now.", role="user", created_at=NOON)
    export_memory(registry, "a", tmp_path / "out.jsonl")
    import_file(registry, tmp_path / "out.jsonl", memory_id="b")
    (message,) = registry.get("b").messages()
    assert (NOON, timezone.utc) == (message.created_at, message.created_at.tzinfo)


def test_the_digest_sees_everything(sqlite):
    """Any operation changes it; another memory with the same rows has the same."""
    memory = fill(sqlite.get("mara"))
    seen = {memory_digest(sqlite, "mara")}
    memory.add_messages([NewMessage(content="More.", role="user", message_id="more")])
    seen.add(memory_digest(sqlite, "mara"))
    memory.post_process(memory.retrieve("boat"), "a boat")
    seen.add(memory_digest(sqlite, "mara"))
    memory.update_message("more", "Less.")
    seen.add(memory_digest(sqlite, "mara"))
    memory.delete_message("more")
    seen.add(memory_digest(sqlite, "mara"))
    assert 5 == len(seen)


def test_the_rows_are_those_of_the_store(sqlite, tmp_path):
    """Field by field, read back from the other memory."""
    fill(sqlite.get("mara"))
    export_memory(sqlite, "mara", tmp_path / "out.jsonl")
    import_file(sqlite, tmp_path / "out.jsonl", memory_id="copy")
    whole = []
    for name in ("mara", "copy"):
        with sqlite.store.reading(name) as transaction:
            whole.append(snapshot_of(transaction))
    for kind in KINDS:
        assert len(whole[0].rows[kind]) == len(whole[1].rows[kind])
        for one, other in zip(whole[0].rows[kind], whole[1].rows[kind], strict=True):
            shown = [{name: getattr(row, name) for name in type(row).__dataclass_fields__} for row in (one, other)]
            for row in shown:
                row.pop("version", None)
            assert repr(shown[0]) == repr(shown[1])


def test_the_import_wants_the_file_that_was_written(sqlite, tmp_path):
    """One letter more, a line less, a line twice: refused, and nothing is stored."""
    fill(sqlite.get("mara"))
    export_memory(sqlite, "mara", tmp_path / "out.jsonl")
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    spoiled = {
        "another text": [lines[0], lines[1].replace("Kittiwake", "Cormorant"), *lines[2:]],
        "no end": lines[:-1],
        "cut in a line": [*lines[:-2], lines[-2][:30]],
        "a line less": [*lines[:3], *lines[4:]],
        "a line twice": [*lines[:3], *lines[2:]],
        "something after the end": [*lines, lines[1]],
        "the header twice": [lines[0], *lines],
        "no header": lines[1:],
        "a newer format": [lines[0].replace('"streetai":1', '"streetai":2'), *lines[1:]],
        "an unknown kind": [*lines[:2], '{"dreams": {}}\n', *lines[2:]],
        "an unknown field": [lines[0], lines[1].replace('"turn":', '"torn":1,"turn":'), *lines[2:]],
        "another clock": [lines[0].replace('"next_turn":', '"next_turn":1'), *lines[1:]],
    }
    for what, content in spoiled.items():
        (tmp_path / "bad.jsonl").write_text("".join(content), encoding="utf-8")
        with pytest.raises(ImportFormatError):
            import_file(sqlite, tmp_path / "bad.jsonl", memory_id="copy", source_format="streetai")
        assert ["mara"] == sqlite.ids(), what


def test_rows_that_contradict_each_other_are_refused(sqlite, tmp_path):
    """Also with a digest that fits: somebody may have made the file."""
    from streetai_core.transfer.archive import read_archive, write_archive  # noqa: PLC0415 - what a forger would use

    fill(sqlite.get("mara"))
    export_memory(sqlite, "mara", tmp_path / "out.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]

    def forged(change):
        copy = json.loads(json.dumps(lines))
        change(copy)
        text = "\n".join(map(json.dumps, copy[:-1]))
        kept = io.StringIO(text + "\n" + json.dumps({"end": {}}))
        try:
            snapshot, _ = read_archive(kept)
        except ImportFormatError as error:
            if "digest" not in str(error):
                return None
            snapshot = _unchecked(copy)
        out = io.StringIO()
        write_archive(out, snapshot, vectors=True)
        return out.getvalue()

    def first(copy, kind):
        return next(line[kind] for line in copy if kind in line)

    changes = {
        "a span outside": lambda copy: first(copy, "signals").update(end=10**6, block_end=10**6),
        "a message that is not there": lambda copy: first(copy, "signals").update(sequence=999),
        "an orphan weight": lambda copy: first(copy, "weights").update(key=999),
        "a stack that is not there": lambda copy: first(copy, "weights").update(stack=999),
        "a weight below nothing": lambda copy: first(copy, "weights").update(base_weight=-1.5),
        "a weight of nothing": lambda copy: first(copy, "weights").update(base_weight=0.0),
        "fewer uses than none": lambda copy: first(copy, "weights").update(uses=-1),
        "another size": lambda copy: first(copy, "stacks").update(size=99),
        "words of nobody": lambda copy: first(copy, "words").update(sequence=999),
        "a turn to come": lambda copy: first(copy, "messages").update(turn=999),
        "a key to come": lambda copy: copy[0]["head"].update(next_signal=1),
        "another count": lambda copy: copy[0]["head"].update(message_count=1),
        "a clock at its end": lambda copy: copy[0]["head"].update(next_turn=2**63 - 1),
        "a sequence far away": lambda copy: copy[0]["head"].update(next_sequence=2**40),
        "a signal far away": lambda copy: copy[0]["head"].update(next_signal=2**27 + 1),
        "a negative clock": lambda copy: copy[0]["head"].update(next_turn=-1),
        "another width": lambda copy: copy[0]["head"].update(dim=63),
        "no encoder": lambda copy: copy[0]["head"].update(encoder=None),
        "an empty id": lambda copy: first(copy, "messages").update(message_id=""),
        "one id twice": lambda copy: first(copy, "messages").update(message_id="moved"),
        "more than full trust": lambda copy: first(copy, "messages").update(trust=5.0),
        "a day that is none": lambda copy: first(copy, "words").update(day=0),
        "an empty writer": lambda copy: first(copy, "messages").update(writer=""),
        "words of an empty writer": lambda copy: first(copy, "words").update(writer=""),
        "words in an empty conversation": lambda copy: first(copy, "words").update(conversation_id=""),
    }
    for what, change in changes.items():
        (tmp_path / "bad.jsonl").write_text(forged(change), encoding="utf-8")
        with pytest.raises(InputError):
            import_file(sqlite, tmp_path / "bad.jsonl", memory_id="copy")
        assert ["mara"] == sqlite.ids(), what


@pytest.mark.parametrize("reembed", [False, True])
def test_words_that_are_not_counted_are_refused_by_name(sqlite, tmp_path, reembed):
    """If it fails, an import that embeds anew ends in an error of NumPy."""
    fill(sqlite.get("mara"))
    export_memory(sqlite, "mara", tmp_path / "out.jsonl")

    def lose_a_count(lines):
        row = next(line["words"] for line in lines if "words" in line)
        row["counts"] = base64.b64encode(base64.b64decode(row["counts"])[:-2]).decode()

    rewritten(tmp_path / "out.jsonl", lose_a_count)
    with pytest.raises(ImportFormatError, match="terms and counts of the words of message 0 are not of one length"):
        import_file(sqlite, tmp_path / "out.jsonl", memory_id="copy", reembed=reembed)
    assert ["mara"] == sqlite.ids()


@pytest.mark.parametrize("reembed", [False, True])
@pytest.mark.parametrize("lost", [slice(None), slice(1)])
def test_words_that_were_lost_are_told_anew(sqlite, tmp_path, lost, reembed):
    """If it fails, messages whose words a salvage could not read are never found by them, or break every question."""
    memory = sqlite.get("mara")
    for text in ("The code of the shed is zyxgate.", "I live in Nice.", "My boat draws 1.35 metres."):
        memory.add_message(text, role="user")
    expected = words_in(sqlite.store, "mara")
    export_memory(sqlite, "mara", tmp_path / "out.jsonl")
    rewritten(tmp_path / "out.jsonl", lambda lines: [lines.remove(one) for one in _words_of(lines)[lost]])
    done = import_file(sqlite, tmp_path / "out.jsonl", memory_id="copy", reembed=reembed)
    assert (3, None) == (done.added, done.digest)
    assert comparable(list(expected.values())) == comparable(list(words_in(sqlite.store, "copy").values()))
    assert "zyxgate" in sqlite.get("copy").retrieve("zyxgate")[0].signal.content


def _words_of(lines):
    """The words rows among the lines of a file."""
    return [line for line in lines if "words" in line]


def _unchecked(lines):
    """The snapshot of lines, whatever they say."""
    from streetai_core.stores.types import Head  # noqa: PLC0415 - as above

    rows = {kind: [] for kind in KINDS}
    for line in lines[1:-1]:
        ((kind, values),) = line.items()
        rows[kind].append(codec_of(KINDS[kind]).decode(values, "a line"))
    return Snapshot(head=Head(memory_id="mara", token="", **lines[0]["head"]), rows=rows)


def test_a_table_without_rows_cannot_have_more_columns_than_there_can_be():
    """Nothing is whole rows of any width, and NumPy has a largest one."""
    codec = codec_of(KINDS["words"])
    values = codec.encode(make_words_row(0)) | {"days": {"columns": 2**62, "base64": ""}}
    with pytest.raises(ImportFormatError, match=f"days of line 2 cannot have {2**62} columns"):
        codec.decode(values, "line 2")


def test_a_rule_whose_value_was_forgotten_comes_along(registry, tmp_path):
    """What it hides is hidden in the copy too, and the file does not have what was forgotten."""
    memory = registry.get("mara")
    memory.add_message("The keel is nine metres deep.", "user", message_id="planted", writer="mallory.example.org")
    memory.quarantine(writer="mallory.example.org")
    memory.forget(message="planted")
    export_memory(registry, "mara", tmp_path / "out.jsonl")
    assert "mallory" not in (tmp_path / "out.jsonl").read_text()
    import_file(registry, tmp_path / "out.jsonl", memory_id="copy")
    copy = registry.get("copy")
    assert copy.quarantined() == memory.quarantined()
    assert copy.release(writer="mallory.example.org") is True


def test_a_file_that_was_cut_short_says_so(sqlite, tmp_path):
    """Whether a line was cut or only the last ones are missing: a fault in JSON does not tell what to do."""
    fill(sqlite.get("mara"))
    whole = tmp_path / "whole.jsonl"
    export_memory(sqlite, "mara", whole)
    content = whole.read_text(encoding="utf-8")
    lines = content.splitlines(keepends=True)
    cut = tmp_path / "cut.jsonl"
    for rest in ("".join(lines[:3]), "".join(lines[:3])[:-20], content[:-3]):
        cut.write_text(rest, encoding="utf-8")
        with pytest.raises(ImportFormatError, match=r"the file was cut short.* Export the memory again\."):
            import_file(sqlite, cut, memory_id="copy")
    assert sqlite.ids() == ["mara"]
