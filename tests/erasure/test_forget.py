"""What is forgotten is nowhere: not in the files, not in the caches, and not in the rows of anybody else."""

import gc
import json
import logging
import random
import secrets
from contextlib import closing
from datetime import datetime, timezone
from types import FunctionType, ModuleType

import pytest

from streetai_core import Config, MemoryRegistry, NewMessage, RecallFilter
from streetai_core.encoders import CachedEncoder, HashingEncoder
from streetai_core.errors import InputError, StaleMemoryError, StoreError
from streetai_core.knowledge.clauses import clauses
from streetai_core.stores import _sqlite
from streetai_core.stores.base import Store
from streetai_core.stores.reference import ReferenceStore
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.testing.torture.trap import Trap, coded, trapped
from tests.seeds import seeded
from tests.stores.scripts import finish, occurrences, start

TABLES = ("memories", "messages", "signals", "vectors", "weights", "stacks", "words", "credits")
NOON = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
PIECE = 12


def opened(path, *, precision="single", **options):
    """A registry that does not wait for the disk, with vectors that a file can be searched for; or one of a store."""
    return MemoryRegistry(
        path,
        config=Config(stack_threshold=0.4, vector_precision=precision),
        encoder=HashingEncoder(64),
        durability=None if isinstance(path, Store) else "fast",
        clock=lambda: NOON,
        **options,
    )


@pytest.fixture
def path(tmp_path):
    """Where the database is."""
    return tmp_path / "memories.db"


def said(number, token):
    """A message that holds a token, among words that others use too."""
    return f"By the way, message {number}: the code of the shed is {token}, and the berth is the one by the crane."


def filled(memory, count=300, secret=100):
    """A memory of `count` messages, of which `secret`, spread among them, hold a token; returns id -> token."""
    tokens = {f"{memory.memory_id}-{n}": secrets.token_hex(20) for n in range(0, count, count // secret)}
    memory.add_messages(
        NewMessage(
            content=said(n, tokens.get(name, "in the usual place")),
            role="user",
            message_id=name,
            conversation_id=None if n % 2 else "even",
            name="Ilse Okonkwo-Brandt" if name in tokens else "Tomas",
        )
        for n, name in ((n, f"{memory.memory_id}-{n}") for n in range(count))
    )
    reply = "The code of the shed is what the berth by the crane needs."
    memory.post_process(memory.retrieve("What is the code of the shed?"), reply)
    return tokens


def pieces(token):
    """All pieces of a token, at every offset."""
    data = token.encode()
    return [data[start : start + PIECE] for start in range(len(data) - PIECE + 1)]


def vectors(path, memory_id):
    """The stored bytes of a memory's vectors by message id."""
    rows = select(
        path,
        """
        SELECT message_id, vector FROM vectors JOIN signals USING (memory_key, signal_key)
        JOIN messages USING (memory_key, sequence) JOIN memories USING (memory_key) WHERE memory_id = ?
        """,
        memory_id,
    )
    return dict(rows)


def select(path, sql, *values):
    """Rows, through SQLite, which keeps its locks."""
    with closing(_sqlite.connect(f"{path.as_uri()}?mode=ro", timeout=5)) as connection:
        return connection.execute(sql, values).fetchall()


def dump(path, memory_id):
    """All rows of a memory."""
    ((key,),) = select(path, "SELECT memory_key FROM memories WHERE memory_id = ?", memory_id)
    queries = {table: f"SELECT * FROM {table} WHERE memory_key = ?" for table in TABLES}  # noqa: S608 - names of ours
    return {table: select(path, query, key) for table, query in queries.items()}


def counts(path):
    """Rows by table."""
    queries = {table: f"SELECT count(*) FROM {table}" for table in TABLES}  # noqa: S608 - names of ours
    return {table: select(path, query)[0][0] for table, query in queries.items()}


WAYS = {
    "forget messages": lambda registry, memory, tokens: [memory.forget(message=name) for name in tokens],
    "forget an author": lambda registry, memory, tokens: [memory.forget(author="Ilse Okonkwo-Brandt")],
    "forget everything": lambda registry, memory, tokens: [memory.forget(everything=True)],
    "forget the memory": lambda registry, memory, tokens: [registry.forget(memory.memory_id)],
    "delete": lambda registry, memory, tokens: [memory.delete_message(name) for name in tokens] and [],
    "update": lambda registry, memory, tokens: [memory.update_message(name, "Nothing.") for name in tokens] and [],
    "delete conversations": lambda registry, memory, tokens: (
        [memory.delete_conversation(name) for name in (None, "even")] and []
    ),
    "reset": lambda registry, memory, tokens: registry.reset(memory.memory_id) or [],
}


@pytest.mark.parametrize("way", WAYS)
def test_a_hundred_secrets_among_three_hundred_messages_leave_no_byte(path, way):
    """No token, no 12 bytes of one at any offset, and no byte of a vector; another memory is as it was."""
    with opened(path) as registry:
        memory, other = registry.get("alice"), registry.get("bob")
        # The whole number once; the ways differ in what they call, not in how much.
        tokens = filled(memory) if way == "forget an author" else filled(memory, 60, 15)
        filled(other, 10, 5)
        stored = vectors(path, "alice")
        needles = [piece for token in tokens.values() for piece in pieces(token)]
        needles += [stored[name] for name in tokens]
        assert min(occurrences(path, needles)) >= 1
        before = dump(path, "bob")
        receipts = WAYS[way](registry, memory, tokens)
        assert sum(occurrences(path, needles)) == 0
        assert dump(path, "bob") == before
        for receipt in receipts:
            assert (receipt.complete, receipt.residual, receipt.pending) == (True, 0, ())
            assert receipt.files[0] == str(path)
        assert select(path, "PRAGMA integrity_check") == [("ok",)]
        assert select(path, "PRAGMA foreign_key_check") == []


@seeded
def test_whatever_is_forgotten_in_whatever_order_leaves_no_byte(path, seed):
    """Messages of all lengths come and go, so that pages split and join, and what is left of them is searched."""
    rng = random.Random(seed)
    with opened(path) as registry:
        memory = registry.get("alice")
        there = {}
        gone = []
        for number in range(60):
            token = rng.randbytes(20).hex()
            text = said(number, token) + " x" * rng.choice([0, 10, 1000, 9000])
            memory.add_message(text, "user", message_id=f"m{number}")
            there[f"m{number}"] = token
            if rng.random() < 0.4:
                name = rng.choice(list(there))
                gone.append(there.pop(name))
                if rng.random() < 0.2:
                    assert memory.forget(message=name).complete
                else:
                    memory.delete_message(name)
        assert sum(occurrences(path, [piece for token in gone for piece in pieces(token)])) == 0
        assert min(occurrences(path, [token.encode() for token in there.values()])) >= 1


def test_the_receipt_counts_the_rows_of_each_table(path):
    """Learning steps too: what was learned of a forgotten signal tells something of it."""
    with opened(path) as registry:
        memory = registry.get("alice")
        filled(memory, 30, 5)
        before = counts(path)
        assert before["credits"] > 5
        receipt = memory.forget(conversation="even")
        after = counts(path)
        assert receipt.rows == {table: before[table] - after[table] for table in TABLES if before[table] > after[table]}
        assert receipt.rows["messages"] == 15
        assert receipt.rows["credits"] >= 1
        assert (receipt.memory_id, receipt.scope, receipt.erased_at) == ("alice", "conversation", NOON)
        before = after
        receipt = memory.forget(everything=True)
        assert receipt.rows == {table: before[table] for table in sorted(TABLES) if before[table]}
        assert json.loads(json.dumps(receipt.to_dict()))["complete"] is True


def test_nothing_to_forget_is_an_empty_receipt(path):
    """In a memory that was never written, for an unknown id, and the second time."""
    with opened(path) as registry:
        memory = registry.get("alice")
        for again in (False, True):
            for what in ({"message": "x"}, {"conversation": None}, {"author": "Ilse"}, {"everything": True}):
                receipt = memory.forget(**what)
                assert (receipt.found, dict(receipt.rows), receipt.complete) == (False, {}, True)
                assert receipt.to_dict()["found"] is False
            assert path.exists() is again
            if not again:
                memory.add_message("One message of somebody else.", "user", conversation_id="c")
                memory.add_message("Another of them.", "user", message_id="m", conversation_id="c", name="Tomas")
                for what in ({"message": "m"}, {"everything": True}):
                    receipt = memory.forget(**what)
                    assert (receipt.found, receipt.rows["messages"]) == (True, 1)
                    assert receipt.to_dict()["found"] is True
                    assert memory.forget(**what).found is False
                    assert memory.forget(**what).complete


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"message": "m", "everything": True},
        {"conversation": None, "author": "Ilse"},
        {"everything": "yes"},
        {"message": 7},
        {"author": b"Ilse"},
        {"conversation": ""},
        {"conversation": 7},
        {"everything": False},
    ],
)
def test_what_to_forget_has_to_be_said(path, arguments):
    """One thing, of the right kind; anything else erases nothing."""
    with opened(path) as registry:
        memory = registry.get("alice")
        filled(memory, 6, 3)
        with pytest.raises(InputError):
            memory.forget(**arguments)
        assert len(memory.messages()) == 6


def test_the_conversation_without_an_id_can_be_forgotten(path):
    """`None` says that one; the others stay."""
    with opened(path) as registry:
        memory = registry.get("alice")
        filled(memory, 12, 3)
        memory.forget(conversation=None)
        assert {message.conversation_id for message in memory.messages()} == {"even"}


@pytest.mark.parametrize("name", ["Ada \ud83d", "A\0da"])
def test_an_author_can_be_forgotten_by_the_name_that_the_app_gave(path, name):
    """Half an emoji, where a name was cut: it is stored as U+FFFD, and was taken for somebody who had said nothing."""
    with opened(path) as registry:
        memory = registry.get("m")
        memory.add_message("My berth is 31.", "user", name=name)
        memory.add_message("Mine is 32.", "user", name="Ada")
        assert [hit.signal.name for hit in memory.retrieve("berth", wanted=RecallFilter(names=name))] == [
            memory.messages()[0].name
        ]
        assert memory.forget(author=name).rows["messages"] == 1
        assert [one.name for one in memory.messages()] == ["Ada"]


def test_a_forgotten_memory_is_gone_with_its_name(path):
    """Its id is somebody's; handles on it raise, but the one that forgot, and a new one begins anew."""
    with opened(path) as registry, opened(path) as elsewhere:
        name = "ilse.okonkwo-brandt@example.org"
        memory, far, kept = registry.get(name), elsewhere.get(name), registry.get(name)
        filled(memory, 6, 3)
        hits = far.retrieve("What is the code of the shed?")
        assert registry.forget(name).complete
        assert occurrences(path, [name.encode()]) == [0]
        assert registry.ids() == []
        for handle in (far, kept):
            with pytest.raises(StaleMemoryError, match="forgotten"):
                handle.messages()
            with pytest.raises(StaleMemoryError):
                handle.add_message("I am still here.", "user")
        anew = elsewhere.get(name)
        assert anew.messages() == []
        anew.add_message("A new beginning on this berth.", "user")
        assert anew.post_process(hits, "The code of the shed.") == []
        assert anew.forget(everything=True).rows["messages"] == 1
        anew.add_message("And another one.", "user")
        assert [message.content for message in anew.messages()] == ["And another one."]


def test_a_memory_begun_anew_is_not_taken_for_the_old_one(path):
    """A handle that missed the erasure meets the same id, generation and version, and must not answer from RAM."""
    with opened(path) as registry, opened(path) as elsewhere:
        far = elsewhere.get("alice")
        far.add_message("The old secret.", "user")
        memory = registry.get("alice")
        memory.forget(everything=True)
        memory.add_message("Something new.", "user")
        for use in (far.messages, lambda: far.signals, lambda: far.retrieve("secret"), far.stats):
            with pytest.raises(StaleMemoryError):
                use()


def test_the_caches_forget_too(path):
    """Neither a vector of an erased text, as it was said or asked, nor the text that a rule has read, stays."""
    encoder = CachedEncoder(HashingEncoder(64))
    with MemoryRegistry(path, encoder=encoder) as registry:
        memory = registry.get("alice")
        text = "What is the code of Ilse's shed? 4711-0815."
        memory.add_message(text, "user", message_id="m", name="Ilse")
        memory.add_message("I like tea.", "user")
        memory.retrieve(text)
        clauses(text)
        held = dict(encoder._rows)
        memory.forget(message="m")
        assert len(held) - len(encoder._rows) == 2
        assert clauses.cache_info().currsize == 0
        misses = encoder.misses
        memory.retrieve("I like tea.")
        memory.retrieve(text)
        assert encoder.misses == misses + 1


def texts_in(thing):
    """All texts that a thing holds, in whatever it holds."""
    seen, todo, texts = set(), [thing], set()
    while todo:
        one = todo.pop()
        if isinstance(one, str):
            texts.add(one)
        if id(one) not in seen and not isinstance(one, (type, ModuleType, FunctionType)):
            seen.add(id(one))
            todo.extend(gc.get_referents(one))
    return texts


def test_the_index_of_names_forgets_too(path):
    """Neither a name nor the words of it by which a question would name its author stay in RAM."""
    with opened(path) as registry:
        memory = registry.get("alice")
        memory.add_message("The shed is locked.", "user", name="Tamsin Quillfeather")
        memory.add_message("The berth is 31.", "user", name="Nora Lind")
        memory.retrieve("What did Tamsin tell Nora?")
        assert {"Tamsin Quillfeather", "tamsin", "Nora Lind", "nora"} <= texts_in(memory._coherent.known)
        memory.forget(author="Tamsin Quillfeather")
        memory.retrieve("What did Nora say?")
        left = texts_in(memory._coherent.known)
        assert {"Nora Lind", "nora"} <= left
        assert [text for text in left if "tamsin" in text.lower()] == []


def test_what_somebody_else_said_too_is_no_residue(path):
    """The same words in another message, or of another memory, stay, and the receipt does not count them."""
    with opened(path) as registry:
        memory, other = registry.get("alice"), registry.get("bob")
        memory.add_message(said(1, "in the usual place"), "user", message_id="mine")
        other.add_message(said(1, "in the usual place"), "user")
        receipt = memory.forget(message="mine")
        assert (receipt.complete, receipt.rows["messages"]) == (True, 1)
        assert len(other.messages()) == 1


READER = """
store = SqliteStore(path)
with store.reading("alice") as view:
    print("reading", flush=True)
    sys.stdin.readline()
    assert len(view.messages(MessageQuery())) == int(arguments[0])
print("ended", flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("way", ["settle", "write", "another process"])
def test_a_reader_of_an_older_state_is_waited_for_and_made_good(path, way):
    """While another process reads, the receipt says what is pending; afterwards nothing is left."""
    with opened(path) as registry:
        memory = registry.get("alice")
        tokens = filled(memory, 30, 5)
        name, token = next(iter(tokens.items()))
        needles = pieces(token)
        reader = start(READER, path, 30)
        assert reader.stdout.readline() == "reading\n"
        receipt = memory.forget(message=name)
        assert (receipt.rows["messages"], receipt.complete, receipt.residual > 0) == (1, False, True)
        assert "older state" in receipt.pending[0]
        assert registry.settle() == receipt.pending
        reader.stdin.write("go\n")
        reader.stdin.flush()
        assert reader.stdout.readline() == "ended\n"
        assert sum(occurrences(path, needles)) > 0
        if way == "settle":
            assert registry.settle() == ()
        elif way == "write":
            memory.add_message("Another message.", "user")
        else:
            finish(start('write(SqliteStore(path), make_exchange(0, head=make_head(memory_id="bob")))', path))
        assert sum(occurrences(path, needles)) == 0
        reader.stdin.write("go\n")
        finish(reader)


def test_a_residue_in_the_file_is_found_and_rewritten(path):
    """A program that wrote without care left a copy in free pages: the search finds it, and the file is rewritten."""
    with opened(path) as registry:
        memory = registry.get("alice")
        filled(memory, 30, 5)
        token = secrets.token_hex(20)
        memory.add_message(said(99, token), "user", message_id="careless")
        with closing(_sqlite.connect(path.as_uri(), timeout=5)) as connection:
            connection.execute("PRAGMA secure_delete = OFF")
            connection.execute("CREATE TABLE copies (text TEXT)")
            connection.execute("INSERT INTO copies SELECT content FROM messages WHERE message_id = 'careless'")
            connection.execute("DROP TABLE copies")
        rows = dump(path, "alice")
        assert sum(occurrences(path, [token.encode()])) >= 2
        receipt = memory.forget(message="careless")
        assert (receipt.complete, sum(occurrences(path, pieces(token)))) == (True, 0)
        assert dump(path, "alice")["messages"] == [row for row in rows["messages"] if "careless" not in row]


def test_a_copy_that_the_library_does_not_know_is_counted(path):
    """A table of somebody else's still has the text: the receipt says so, and does not touch it."""
    with opened(path) as registry:
        memory = registry.get("alice")
        token = secrets.token_hex(20)
        memory.add_message(said(1, token), "user", message_id="m")
        with closing(_sqlite.connect(path.as_uri(), timeout=5)) as connection:
            connection.execute("CREATE TABLE copies (text TEXT)")
            connection.execute("INSERT INTO copies SELECT content FROM messages")
        receipt = memory.forget(message="m")
        assert (receipt.complete, receipt.residual > 0, receipt.pending) == (False, True, ())
        assert select(path, "SELECT count(*) FROM copies") == [(1,)]


def test_a_damaged_memory_can_be_forgotten(path):
    """What cannot be read cannot be searched for, and the receipt says so; nothing of it stays stored."""
    with opened(path) as registry:
        filled(registry.get("alice"), 30, 5)
        filled(registry.get("bob"), 6, 3)
    with closing(_sqlite.connect(path.as_uri(), timeout=5)) as connection:
        connection.execute("UPDATE vectors SET crc = crc + 1 WHERE memory_key = 1 AND signal_key = 3")
    with opened(path) as registry:
        receipt = registry.forget("alice")
        assert "damaged" in receipt.pending[0]
        assert registry.ids() == ["bob"]
        assert counts(path)["messages"] == 6


@pytest.mark.parametrize("what", [{"message": "alice-0"}, {"everything": True}])
def test_an_error_says_that_nothing_was_erased_and_a_receipt_what_was(path, what):
    """The disk fails at every third statement: once the rows are gone there is a receipt, not an error."""
    trap = Trap()
    with opened(SqliteStore(path, durability="fast", opener=trapped(trap))) as registry:
        number, raised, pending = 0, 0, 0
        trap.sprung = True
        while trap.sprung:
            number += 3
            memory = registry.get("alice")
            filled(memory, 6, 3)
            trap.set(number, lambda: coded("disk I/O error", _sqlite.IOERR), late=False)
            try:
                receipt = memory.forget(**what)
            except StoreError:
                raised += 1
                trap.remaining = 0
                assert len(memory.messages()) == 6, trap.statement
            else:
                trap.remaining = 0
                pending += not receipt.complete
                assert receipt.complete is not any("I/O" in reason for reason in receipt.pending), trap.statement
                assert len(memory.messages()) == 6 - receipt.rows["messages"] < 6
            registry.reset("alice")
        assert raised > 0
        assert pending > 0


def test_a_store_without_files_forgets_too():
    """There is nothing to search."""
    with opened(ReferenceStore()) as registry:
        memory = registry.get("alice")
        tokens = filled(memory, 30, 5)
        receipt = memory.forget(author="Ilse Okonkwo-Brandt")
        assert (receipt.rows["messages"], receipt.files, receipt.complete) == (len(tokens), (), True)
        assert {message.name for message in memory.messages()} == {"Tomas"}
        assert memory.forget(everything=True).rows["messages"] == 30 - len(tokens)
        assert (registry.ids(), memory.messages()) == ([], [])


async def test_the_twins_do_the_same(path):
    """On a worker thread."""
    async with opened(path) as registry:
        memory = registry.get("alice")
        await memory.aadd_message("A secret of the shed.", "user", message_id="m")
        assert (await memory.aforget(message="m")).complete
        assert await registry.asettle() == ()
        await memory.aadd_message("Another secret.", "user")
        assert (await registry.aforget("alice")).rows["messages"] == 1


def test_nothing_of_what_is_forgotten_is_logged(path, caplog):
    """A log file is a copy too."""
    caplog.set_level(logging.DEBUG)
    with opened(path) as registry:
        memory = registry.get("alice")
        tokens = filled(memory, 6, 3)
        memory.forget(everything=True)
    assert not [token for token in tokens.values() if token in caplog.text]


def test_the_journal_knows_of_it_and_has_no_text(path):
    """An audit finds nothing wrong after an erasure; a forgotten memory leaves no journal."""
    with opened(path) as registry:
        memory = registry.get("alice")
        tokens = filled(memory, 30, 5)
        memory.forget(message=next(iter(tokens)))
        memory.forget(conversation="even")
        assert memory.audit().intact
        assert registry.forget("alice").complete
        assert select(path, "SELECT count(*) FROM journal") == [(0,)]


def test_a_forgotten_turn_stays_forgotten_for_those_who_learn_from_it(path):
    """Hits that somebody kept teach nothing, and bring nothing back."""
    with opened(path) as registry:
        memory = registry.get("alice")
        tokens = filled(memory, 30, 5)
        hits = memory.retrieve("What is the code of the shed?")
        memory.forget(author="Ilse Okonkwo-Brandt")
        before = counts(path)
        memory.post_process(hits, f"The code is {next(iter(tokens.values()))}.")
        assert counts(path)["messages"] == before["messages"] == 30 - len(tokens)
        assert sum(occurrences(path, [token.encode() for token in tokens.values()])) == 0


NAMED = {
    "conversation": {"conversation": "mara.mustermann-1979-05-03@example.com"},
    "writer": {"message": "moored"},
    "message": {"message": "moored"},
}


@pytest.mark.parametrize("field", NAMED)
def test_a_rule_of_quarantine_does_not_keep_what_is_forgotten(path, field):
    """An id may be somebody's address; a receipt must not be complete while the file has it."""
    name = "mara.mustermann-1979-05-03@example.com"
    ids = {"conversation": {"conversation_id": name}, "writer": {"writer": name}, "message": {}}[field]
    rule = {"message": "moored"} if field == "message" else {field: name}
    with opened(path) as registry:
        memory = registry.get("alice")
        memory.add_message("The herons come back in March.", "user")
        memory.add_message("I moor at berth 31.", "user", message_id="moored", **ids)
        assert memory.quarantine(**rule) == 1
        receipt = memory.forget(**NAMED[field])
        assert receipt.complete
        assert receipt.rows.get("quarantines") == (1 if field == "message" else None)
        assert occurrences(path, [name.encode()]) == [0]
        assert name not in str(memory.quarantined())


def test_a_rule_that_names_an_empty_conversation_is_something_to_forget(path):
    """No row goes, for the rule stays without the name, but what was asked for was there; the second time it is not."""
    with opened(path) as registry:
        memory = registry.get("alice")
        memory.add_message("The herons come back in March.", "user")
        memory.quarantine(conversation="mara@example.com")
        receipt = memory.forget(conversation="mara@example.com")
        assert (receipt.found, dict(receipt.rows), receipt.complete) == (True, {}, True)
        again = memory.forget(conversation="mara@example.com")
        assert (again.found, again.complete) == (False, True)


@pytest.mark.parametrize("field", ["conversation", "writer"])
def test_what_was_forgotten_in_quarantine_is_hidden_when_it_comes_again(path, field):
    """Whoever plants texts must not be let in again because an erasure was asked for; also after the next opening."""
    name, other = "pages-of-mallory.example", "pages-of-carol.example"
    key = {"conversation": "conversation_id", "writer": "writer"}[field]
    with opened(path) as registry:
        memory = registry.get("alice")
        memory.add_message("The harbour of Marstal is nine metres deep.", "user", message_id="m", **{key: name})
        memory.quarantine(**{field: name})
        memory.forget(message="m")
    with opened(path) as registry:
        memory = registry.get("alice")
        memory.add_message("The harbour of Marstal is eight metres deep.", "user", **{key: name})
        memory.add_message("The harbour of Marstal is four metres deep.", "user", **{key: other})
        assert [hit.signal.content for hit in memory.retrieve("How deep is the harbour of Marstal?")] == [
            "The harbour of Marstal is four metres deep."
        ]
        assert memory.quarantine(**{field: name}) == 1
        assert len(memory.quarantined()) == 1
        assert memory.release(**{field: other}) is False
        assert memory.release(**{field: name}) is True
        assert memory.quarantined() == []
        assert len(memory.retrieve("How deep is the harbour of Marstal?")) == 2


def test_a_rule_stays_as_it_is_while_something_of_it_is_left(path):
    """Of a writer whose other messages stay the name is in their rows anyway, and can be shown."""
    with opened(path) as registry:
        memory = registry.get("alice")
        for name in ("one", "two"):
            memory.add_message(f"The harbour is {name} metres deep.", "user", message_id=name, writer="mallory")
        memory.quarantine(writer="mallory")
        memory.forget(message="one")
        assert [rule.value for rule in memory.quarantined()] == ["mallory"]


def test_a_conversation_that_only_a_rule_names_can_be_forgotten(path):
    """It was put into quarantine before anything was said in it, or its messages were deleted before."""
    name = "mara.mustermann-1979-05-03@example.com"
    with opened(path) as registry:
        memory = registry.get("alice")
        memory.add_message("The herons come back in March.", "user")
        memory.quarantine(conversation=name)
        assert memory.forget(conversation=name).complete
        assert occurrences(path, [name.encode()]) == [0]
        assert memory.forget(conversation=name).rows == {}


def test_a_released_rule_is_in_no_file(path):
    """It named somebody: taking it back leaves the name neither in a free page nor in the log."""
    name = "mara.mustermann-1979-05-03@example.com"
    with opened(path) as registry:
        memory = registry.get("alice")
        memory.add_message("The herons come back in March.", "user")
        memory.quarantine(writer=name)
        memory.release(writer=name)
        assert occurrences(path, [name.encode()]) == [0]
