"""How many statements a write takes: at the end of each SQLite goes through all that is kept for going back."""

from dataclasses import replace

import pytest

from streetai_core.stores.sqlite import SqliteStore
from streetai_core.stores.types import Changes
from streetai_core.testing.factories import make_exchange, make_head, make_signal_row, make_stack_row, make_vector
from streetai_core.testing.store_reading import NOON, head_of, write


@pytest.fixture
def store(tmp_path):
    """A store in a file."""
    with SqliteStore(tmp_path / "memories.db", durability="fast") as made:
        yield made


class Counting:
    """A connection that counts the statements that change something; what triggers and cascades do are none."""

    def __init__(self, connection):
        self._connection = connection
        self.statements = 0

    def execute(self, statement, *values):
        """One."""
        self.statements += not statement.startswith("SELECT")
        return self._connection.execute(statement, *values)

    def executemany(self, statement, rows):
        """One for each row."""
        self.statements += len(rows)
        return self._connection.executemany(statement, rows)


def statements_of(store, changes):
    """How many statements a write of these changes executes."""
    with store.writing(changes.head.memory_id) as writing:
        counting = writing._connection = Counting(writing._connection)
        writing.apply(changes, now=NOON)
    return counting.statements


@pytest.mark.parametrize("rows", [640, 6400])
def test_deleting_takes_as_many_statements_for_many_rows_as_for_one(store, rows):
    """The time is that of the rows; a statement for each made it quadratic, and every other writer waited for it."""
    numbers = range(rows + 1)
    write(store, make_exchange(*numbers, stacks=[make_stack_row(key) for key in numbers]))
    one = statements_of(store, Changes(head=head_of(store), deleted_messages=[rows], deleted_stacks=[rows]))
    many = list(numbers[:-1])
    assert statements_of(store, Changes(head=head_of(store), deleted_messages=many, deleted_stacks=many)) == one


def test_overwriting_takes_a_statement_for_many_rows(store):
    """As when everything is embedded anew: 64 rows to a statement."""
    numbers = range(640)
    write(store, make_exchange(*numbers))
    head = replace(make_head(), next_turn=640, next_sequence=640, next_signal=640, next_stack=1)
    anew = [make_signal_row(number, vector=make_vector(number + 1)) for number in numbers]
    before = statements_of(store, Changes(head=head, signals=anew[:1]))
    assert statements_of(store, Changes(head=head, signals=anew)) <= before + 2 * 640 // 64
