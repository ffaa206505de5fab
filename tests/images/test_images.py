"""A large memory comes from its image as it comes from its rows, and from nothing that does not fit."""

import os
import shutil
import sqlite3
import threading
from contextlib import closing, suppress

import numpy as np
import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import DamagedFileError, StoreError
from streetai_core.imaging import content_of, state_of
from streetai_core.index.codes import LEAST
from streetai_core.state import MemoryState
from streetai_core.stores.images import Images
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.stores.types import MessageQuery
from streetai_core.testing.torture.trap import Moments
from streetai_core.upkeep.backup import restore
from tests.core.test_ram_equals_disk import dump
from tests.images.conftest import MESSAGES, NOON, opened, said
from tests.outdated import outdate
from tests.recall.own_strategies import Hybrid

QUESTIONS = (
    "Where does Ilse live?",
    "Lamps near the tower, Delhi?",
    "How many lamps has the lake of Oslo?",
    "Who moved to Bergen?",
)


def image_of(path):
    """Where the image of the only memory is."""
    return path.with_name("memory.db-image-1")


def answers(memory):
    """What questions find, with all that is told of it."""
    return [memory.retrieve(question) for question in QUESTIONS]


def shown(path):
    """What a fresh process finds, and whether it came from an image; nothing is written."""
    with SqliteStore(path) as store, store.reading("m") as view:
        image = view.image()
        came = image is not None
        if came:
            image.close()
    registry = opened(path)
    found = answers(registry.get("m"))
    registry.store.close()
    return found, came


def from_rows(path, folder):
    """What a copy of the database without any image finds."""
    folder.mkdir()
    alone = shutil.copy(path, folder / path.name)
    log = path.with_name(path.name + "-wal")
    if log.exists():
        shutil.copy(log, folder / log.name)
    found, came = shown(alone)
    assert not came
    return found


@pytest.fixture
def imaged(path):
    """The large memory with an image."""
    with opened(path) as registry:
        answers(registry.get("m"))
    assert image_of(path).is_file()
    return path


def test_a_strategy_of_ones_own_is_told_the_same(imaged, tmp_path):
    """Whether vectors and stacks are in RAM or read when they are asked for."""
    (tmp_path / "alone").mkdir()
    alone = shutil.copy(imaged, tmp_path / "alone" / imaged.name)
    found = []
    for path in (imaged, alone):
        with opened(path) as registry:
            memory = registry.get("m")
            found.append([memory.retrieve(question, strategy=Hybrid()) for question in QUESTIONS])
    assert all(found[0])
    assert found[0] == found[1]


def test_a_state_from_an_image_is_that_of_the_rows(imaged):
    """Everything in RAM, what is read later included."""
    with SqliteStore(imaged) as store, store.reading("m") as view:
        image = view.image()
        state = state_of(image, view.head)
        image.close()
        state.read_in(view)
        rows = MemoryState.of(view.rows(None))
        question = state.columns.vectors_of(np.array([5, 4100]))[0]
        for other in (rows, MemoryState.loaded(view.loaded())):
            assert dump(state) == dump(other)
            assert state.columns.estimates(question)[0].tolist() == other.columns.estimates(question)[0].tolist()
            assert state.columns.are_halves == other.columns.are_halves
            assert state.columns.look_narrow == other.columns.look_narrow
            assert state.words.stretches.image().keys() == other.words.stretches.image().keys()
            for name, part in state.words.stretches.image().items():
                assert part.tolist() == other.words.stretches.image()[name].tolist(), name
            for name in ("at", "order", "starts", "sizes", "several", "standing", "silent"):
                assert getattr(state.alignment, name).tolist() == getattr(other.alignment, name).tolist()
            assert state.alignment.is_whole is other.alignment.is_whole


def test_answers_are_those_of_the_rows(imaged, tmp_path):
    """Hits, scores, parts, prompts: nobody can tell where they come from."""
    found, came = shown(imaged)
    assert came
    assert found == from_rows(imaged, tmp_path / "alone")
    assert any(found)


def test_what_was_done_since_is_read_from_the_rows(imaged, tmp_path):
    """Messages and lessons after an image, by a process that ended without keeping one."""
    before = image_of(imaged).read_bytes()
    registry = opened(imaged)
    memory = registry.get("m")
    memory.add_messages([said(MESSAGES + number) for number in range(60)])
    memory.add_message("I no longer live in Lima, I moved to Bergen.", "user", name="Ilse")
    prompt = memory.build_prompt(QUESTIONS[1])
    assert memory.post_process(prompt.retrieved, "There are 4000 lamps near the tower of Delhi.")
    expected = answers(memory)
    registry.store.close()
    assert image_of(imaged).read_bytes() == before
    found, came = shown(imaged)
    assert came
    assert found == expected == from_rows(imaged, tmp_path / "alone")
    assert any("Bergen" in hit.signal.content for hit in found[3])


def test_a_memory_from_an_image_goes_on(imaged, tmp_path):
    """Adding, editing, learning and deleting need what was not read yet."""
    registry = opened(imaged)
    memory = registry.get("m")
    answers(memory)
    added = memory.add_message("Lamps near the tower, Delhi: none at all.", "user", name="Ilse")
    memory.update_message(added[0].parent_turn_id, "Lamps near the tower, Delhi: two.")
    memory.post_process(memory.retrieve(QUESTIONS[1]), "Near the tower of Delhi there are two.")
    memory.delete_message(memory.messages(last=30)[0].message_id)
    expected = answers(memory)
    with memory._coherent.reading() as (view, state):
        assert dump(state) == dump(MemoryState.of(view.rows(None)))
    registry.store.close()
    assert shown(imaged)[0] == expected == from_rows(imaged, tmp_path / "alone")


def test_the_published_pipeline_compares_all_vectors(imaged):
    """It knows no estimates, so all vectors are read."""
    registry = opened(imaged, config=Config.classic(stack_threshold=0.9))
    memory = registry.get("m")
    found = answers(memory)
    with memory._coherent.reading() as (view, state):
        rows = MemoryState.of(view.rows(None))
        assert state.columns.vectors.tolist() == rows.columns.vectors.tolist()
    registry.store.close()
    assert any(found)


def test_few_signals_have_no_image(tmp_path):
    """Reading their rows takes no longer than an image would."""
    path = tmp_path / "memory.db"
    with opened(path) as registry:
        registry.get("m").add_messages([said(number) for number in range(50)])
        answers(registry.get("m"))
    assert [one.name for one in tmp_path.iterdir()] == ["memory.db"]


def test_closing_keeps_an_image_when_it_is_worth_it(path):
    """After an import, and again after as much again as an eighth; not for every message."""
    with opened(path) as registry:
        registry.get("m").retrieve(QUESTIONS[0])
    first = image_of(path).stat().st_mtime_ns
    with opened(path) as registry:
        registry.get("m").add_message("Hello there.", "user")
    assert image_of(path).stat().st_mtime_ns == first
    with opened(path) as registry:
        registry.get("m").add_messages([said(MESSAGES + number) for number in range(LEAST // 6)])
    assert image_of(path).stat().st_mtime_ns > first
    with SqliteStore(path) as store, store.reading("m") as view:
        image = view.image()
        assert image.version == view.head.version
        image.close()


@pytest.mark.parametrize("verb", ["delete", "edit", "forget", "forget all", "reset", "forget in registry"])
def test_whatever_deletes_rows_deletes_the_image(imaged, verb):
    """An image has hashes of words and codes of vectors, which tell something of what was deleted."""
    registry = opened(imaged)
    memory = registry.get("m")
    message = memory.messages(last=1)[0].message_id
    if verb == "delete":
        assert memory.delete_message(message)
    elif verb == "edit":
        memory.update_message(message, "Something else.")
    elif verb == "forget":
        receipt = memory.forget(message=message)
        assert receipt.complete
    elif verb == "forget all":
        assert memory.forget(everything=True).complete
    elif verb == "reset":
        registry.reset("m")
    else:
        assert registry.forget("m").complete
    assert [one.name for one in imaged.parent.iterdir() if "image" in one.name] == []
    registry.close()


def test_nothing_is_deleted_while_the_image_cannot_be(imaged):
    """Rows that are gone and an image that tells of them would be worse than an error."""
    image_of(imaged).unlink()
    image_of(imaged).mkdir()
    registry = opened(imaged)
    memory = registry.get("m")
    message = memory.messages(last=1)[0].message_id
    with pytest.raises(StoreError, match="image"):
        memory.delete_message(message)
    assert memory.messages(last=1)[0].message_id == message
    image_of(imaged).rmdir()
    assert memory.delete_message(message)
    registry.close()


def test_an_image_that_is_kept_while_somebody_deletes_is_deleted(imaged):
    """A reader knows nothing of what is deleted meanwhile; when it has ended, it looks."""
    with SqliteStore(imaged) as store:
        with store.reading("m") as view:
            content = content_of(MemoryState.loaded(view.loaded()))
            other = opened(imaged)
            deleted = view.messages(MessageQuery(sequences=[5]))[0].message_id
            thread = threading.Thread(target=lambda: other.get("m").delete_message(deleted))
            thread.start()
            thread.join()
            other.close()
            assert not image_of(imaged).exists()
            view.keep_image(content)
            assert image_of(imaged).exists()
        assert not image_of(imaged).exists()


def test_an_image_of_before_a_deletion_fits_no_more(imaged):
    """Whoever finds one deletes it: it may have been put there by a process that was killed before it could look."""
    kept = image_of(imaged).read_bytes()
    registry = opened(imaged)
    memory = registry.get("m")
    assert memory.delete_message(memory.messages(last=1)[0].message_id)
    registry.store.close()
    image_of(imaged).write_bytes(kept)
    _, came = shown(imaged)
    assert not came


def test_words_of_older_rules_are_known_from_an_image(path, tmp_path):
    """They would never be told anew; and an image of before would be the memory once they are."""
    with opened(path) as registry:
        outdate(registry.store, "m")
        answers(registry.get("m"))
    assert image_of(path).exists()
    registry = opened(path)
    memory = registry.get("m")
    assert memory.stats()["outdated_words"] == MESSAGES
    memory.add_message("Lamps near the tower, Delhi: none at all.", "user", name="Ilse")
    assert memory.stats()["outdated_words"] == MESSAGES - 8
    assert not image_of(path).exists()
    expected = answers(memory)
    with memory._coherent.reading() as (view, state):
        assert dump(state) == dump(MemoryState.of(view.rows(None)))
    registry.store.close()
    assert from_rows(path, tmp_path / "alone") == expected == shown(path)[0] == shown(path)[0]
    assert image_of(path).exists()


def test_unfinished_images_go_with_the_image(imaged):
    """A process that was killed while it wrote one leaves a part of it."""
    unfinished = image_of(imaged).with_name("memory.db-image-1-0123")
    unfinished.write_bytes(b"half")
    stranger = image_of(imaged).with_name("memory.db-image-12")
    stranger.write_bytes(b"of another memory")
    registry = opened(imaged)
    memory = registry.get("m")
    assert memory.delete_message(memory.messages(last=1)[0].message_id)
    registry.store.close()
    assert not unfinished.exists()
    assert stranger.exists()


@pytest.mark.parametrize("learns", [False, True])
def test_an_image_of_another_copy_of_the_database_is_not_used(imaged, tmp_path, learns):
    """A database that was put back from a copy goes on otherwise, and comes to the same version."""
    copy = shutil.copy(imaged, tmp_path / "copy.db")

    def go_on(path, text):
        registry = opened(path)
        memory = registry.get("m")
        if learns:
            memory.post_process(memory.retrieve(QUESTIONS[1 if text == "one" else 2]), "Near the tower there are some.")
        else:
            memory.add_message(text, "user")
        registry.store.close()

    go_on(imaged, "one")
    image_of(imaged).unlink()
    with opened(imaged) as registry:
        answers(registry.get("m"))
    of_one = image_of(imaged).read_bytes()
    shutil.copy(copy, imaged)
    go_on(imaged, "another")
    image_of(imaged).write_bytes(of_one)
    found, came = shown(imaged)
    assert not came
    assert found == from_rows(imaged, tmp_path / "alone")


def test_an_image_that_is_ahead_of_an_old_copy_is_not_used(imaged, tmp_path):
    """Nor is it deleted: somebody else may have gone on in this moment."""
    copy = shutil.copy(imaged, tmp_path / "copy.db")
    registry = opened(imaged)
    registry.get("m").add_message("One more.", "user")
    registry.store.close()
    image_of(imaged).unlink()
    with opened(imaged) as registry:
        answers(registry.get("m"))
    shutil.copy(copy, imaged)
    with SqliteStore(imaged) as store, store.reading("m") as view:
        assert view.image() is None
    assert image_of(imaged).exists()


@pytest.mark.parametrize("place", [0.0, 0.00001, 0.0005, 0.003, 0.3, 0.7, 0.9, 0.999999])
@pytest.mark.parametrize("damage", ["flip", "cut", "zeros"])
def test_a_damaged_image_is_not_used(imaged, place, damage):
    """Wherever it is damaged: the rows answer, and there is a new image."""
    good = image_of(imaged).read_bytes()
    expected, _ = shown(imaged)
    bad = bytearray(good)
    at = int(place * (len(good) - 1))
    if damage == "flip":
        bad[at] ^= 0b100
    elif damage == "cut":
        del bad[at:]
    else:
        size = min(4096, len(good) - at)
        while bad[at : at + size] == bytes(size):
            at += 1
        bad[at : at + size] = bytes(len(bad[at : at + size]))
    image_of(imaged).write_bytes(bad)
    with opened(imaged) as registry:
        assert answers(registry.get("m")) == expected
    with SqliteStore(imaged) as store, store.reading("m") as view:
        view.image().close()
    assert image_of(imaged).read_bytes() == good


def test_where_no_image_can_be_written_the_rows_are_enough(path, caplog):
    """A folder of which only the database can be written; here something else is in the place of the image."""
    image_of(path).mkdir()
    caplog.set_level("INFO", logger="streetai_core.stores.sqlite_images")
    with opened(path) as registry:
        assert any(answers(registry.get("m")))
    assert "takes longer" in caplog.text
    assert [one.name for one in path.parent.iterdir() if "image-1-" in one.name] == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
def test_an_image_is_as_private_as_the_database(path):
    """What only its owner may read is copied for nobody else."""
    path.chmod(0o600)
    with opened(path) as registry:
        answers(registry.get("m"))
    assert image_of(path).stat().st_mode & 0o777 == 0o600


def test_damage_of_what_is_read_later_is_told(imaged):
    """An image says nothing of rows that were damaged since: whoever needs one is told which."""
    with closing(sqlite3.connect(imaged)) as connection, connection:
        connection.execute("UPDATE vectors SET vector = zeroblob(length(vector))")
    registry = opened(imaged)
    with pytest.raises(DamagedFileError, match="signal"):
        registry.get("m").retrieve(QUESTIONS[1])
    registry.store.close()


def test_with_messages_in_quarantine_the_rows_answer(imaged, tmp_path):
    """What is hidden is in no index, and images know nothing of it."""
    registry = opened(imaged)
    memory = registry.get("m")
    memory.quarantine(conversation="talk 3")
    expected = answers(memory)
    registry.store.close()
    assert shown(imaged)[0] == expected == from_rows(imaged, tmp_path / "alone")


def test_an_image_that_a_memory_has_outgrown_is_not_used(imaged):
    """More signals than it has would be read row by row."""
    registry = opened(imaged)
    memory = registry.get("m")
    with memory._coherent.reading() as (view, _):
        head = view.head
    memory.add_messages([NewMessage(content=f"{number} more", role="assistant") for number in range(LEAST + 200)])
    registry.store.close()
    registry = opened(imaged)
    memory = registry.get("m")
    assert memory._coherent._imaged == 0
    memory.retrieve("more")
    assert memory._coherent._imaged > head.next_signal
    registry.store.close()


def test_time_and_place_of_the_clock_do_not_matter(imaged):
    """An image has no time of its own: written twice it is the same, to the byte."""
    before = image_of(imaged).read_bytes()
    image_of(imaged).unlink()
    with opened(imaged) as registry:
        answers(registry.get("m"))
    assert image_of(imaged).read_bytes() == before
    assert NOON.isoformat().encode() not in before


def test_a_restore_deletes_all_images(imaged, tmp_path):
    """They are of the database that is replaced."""
    with opened(imaged) as registry:
        registry.backup(tmp_path / "backup.db")
    other = image_of(imaged).with_name("memory.db-image-77-abc")
    other.write_bytes(b"of a memory that the backup has not")
    note = image_of(imaged).with_name("memory.db-image-notes.txt")
    note.write_bytes(b"somebody else's")
    restore(tmp_path / "backup.db", imaged, overwrite=True)
    assert not image_of(imaged).exists()
    assert not other.exists()
    assert note.exists()
    _, came = shown(imaged)
    assert not came


def test_an_image_of_another_memory_of_the_same_name_goes(imaged):
    """A database was deleted, another one made in its place; the image is of later versions than it has."""
    kept = image_of(imaged).read_bytes()
    imaged.unlink()
    for ending in ("-wal", "-shm"):
        imaged.with_name(imaged.name + ending).unlink(missing_ok=True)
    with opened(imaged) as registry:
        registry.get("m").add_message("Hello.", "user")
    image_of(imaged).write_bytes(kept)
    assert not shown(imaged)[1]
    assert not image_of(imaged).exists()


def test_an_interrupt_leaves_no_folder_open(tmp_path):
    """While images are looked for; Python warns of a folder that is left open, and here a warning is an error."""
    images = Images(str(tmp_path / "memory.db"))
    moments = Moments()
    while moments.seen == moments.interrupt_at:
        for key in range(3):
            (tmp_path / f"memory.db-image-{key}").write_bytes(b"")
        moments = Moments(interrupt_at=moments.interrupt_at + 1)
        with suppress(KeyboardInterrupt):
            moments.run(images.drop_all)
    assert [*tmp_path.iterdir()] == []


class Mirrored(HashingEncoder):
    """Another encoder of the same dimension."""

    @property
    def fingerprint(self):
        """Not that of the hashing encoder."""
        return f"mirrored {super().fingerprint}"

    def embed(self, texts, kind):
        """The vectors of the hashing encoder, backwards."""
        return super().embed(texts, kind)[:, ::-1]


@pytest.mark.parametrize("encoder", [Mirrored(dim=32), HashingEncoder(dim=48)])
def test_an_image_of_before_embedding_anew_is_not_used(imaged, tmp_path, encoder):
    """Its codes are those of another encoder."""
    kept = image_of(imaged).read_bytes()

    def anew(path):
        return MemoryRegistry(path, config=Config(stack_threshold=0.9), encoder=encoder, clock=lambda: NOON)

    registry = anew(imaged)
    registry.get("m").reencode()
    registry.store.close()
    alone = shutil.copy(imaged, tmp_path / "alone.db")
    image_of(imaged).write_bytes(kept)
    found = []
    for path in (imaged, alone):
        registry = anew(path)
        found.append(answers(registry.get("m")))
        registry.store.close()
    assert found[0] == found[1]
    assert any(found[0])
