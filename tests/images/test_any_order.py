"""Whatever was done in whatever order, with images of before put back: a memory is what its rows say."""

import os
import random

from streetai_core.errors import StreetAIError
from streetai_core.state import MemoryState
from streetai_core.stores.sqlite import SqliteStore
from tests.core.test_ram_equals_disk import dump
from tests.images.conftest import MESSAGES, opened, said
from tests.images.test_images import QUESTIONS, image_of
from tests.seeds import seeded

STEPS = int(os.environ.get("STREETAI_STEPS", "6"))
"""`STREETAI_STEPS=40` takes a minute for each precision."""


class Life:
    """A large memory through whose life images come and go."""

    def __init__(self, path, random_choice):
        self.path = path
        self.random = random_choice
        self.number = MESSAGES
        self.old = []
        self.came = 0
        self.registry = opened(path)

    @property
    def memory(self):
        """The memory, as whoever has it open now sees it."""
        return self.registry.get("m")

    def some(self):
        """The id of some message."""
        return self.random.choice(self.memory.messages(last=200)).message_id

    def add(self):
        """One message, often enough one that replaces another."""
        self.memory.add_message(said(self.number).content, "user", name="Ilse")
        self.number += self.random.choice([1, 50 - self.number % 50])

    def add_many(self):
        """More than the eighth from which a new image is made."""
        count = self.random.choice([20, 700])
        self.memory.add_messages([said(self.number + one) for one in range(count)])
        self.number += count

    def learn(self):
        """From a reply to what was found."""
        hits = self.memory.retrieve(self.random.choice(QUESTIONS))
        self.memory.post_process(hits, " ".join(hit.signal.content for hit in hits[:2]))

    def delete(self):
        """A message."""
        self.memory.delete_message(self.some())

    def edit(self):
        """A message."""
        self.memory.update_message(self.some(), "Lamps near the tower, Delhi: none.")

    def hide(self):
        """A conversation, for a while."""
        self.memory.quarantine(conversation="talk 5")
        self.end()
        self.memory.release(conversation="talk 5")

    def end(self):
        """Close, with or without an image, or with a former one in its place."""
        how = self.random.choice(["close", "kill", "put back"])
        if how == "close":
            self.registry.close()
        else:
            self.registry.store.close()
        image = image_of(self.path)
        if image.exists():
            self.old.append(image.read_bytes())
        if how == "put back" and self.old:
            image.write_bytes(self.random.choice(self.old))
        self.registry = opened(self.path)

    def check(self):
        """What a process finds that opens the memory now is what the rows say."""
        with SqliteStore(self.path) as store, store.reading("m") as view:
            rows = dump(MemoryState.of(view.rows(None)))
        fresh = opened(self.path)
        memory = fresh.get("m")
        with memory._coherent.reading() as (_, state):
            self.came += not state.columns._vectors.are_here
            assert dump(state) == rows
        fresh.store.close()
        with self.memory._coherent.reading() as (_, state):
            assert dump(state) == rows


@seeded
def test_a_memory_is_what_its_rows_say(path, seed):
    """Two registries look after each step: the one that did it, and one that opens the file anew."""
    life = Life(path, random.Random(seed))
    steps = [life.add, life.add, life.add_many, life.learn, life.learn, life.delete, life.edit, life.hide, life.end]
    for number in range(STEPS):
        step = life.end if number % 3 == 2 else life.random.choice(steps)
        try:
            step()
        except StreetAIError as error:
            raise AssertionError(f"step {number}, {step.__name__}") from error
        life.check()
    life.registry.close()
    # Else nothing was tested.
    assert life.came >= STEPS // 4
