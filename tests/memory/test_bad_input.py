"""One table of all that can be wrong with what a caller gives: a clear error, and what was stored is still there."""

import math
import sqlite3
import sys
from contextlib import closing
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest

from streetai_core import Config, MemoryRegistry, NewMessage, RecallFilter
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import (
    ClosedError,
    ConfigError,
    DamagedFileError,
    EncoderError,
    EncoderMismatchError,
    InputError,
    MessageConflictError,
    NewerFileError,
    ReadOnlyStoreError,
    StaleMemoryError,
    StreetAIError,
)
from streetai_core.stores.reference import ReferenceStore
from streetai_core.testing.planted import PlantedEncoder

KEPT = "what was stored before the mistake"


@pytest.fixture
def registry(tmp_path):
    """A registry with one message in memory m."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as opened:
        opened.get("m").add_message(KEPT, "user", message_id="kept")
        yield opened


CALLS = {
    "role unknown": (InputError, "role", lambda r: r.get("m").add_message("hi there", "human")),
    "role not text": (InputError, "role", lambda r: r.get("m").add_message("hi there", None)),
    "content not text": (InputError, "content", lambda r: r.get("m").add_message(b"bytes", "user")),
    "content None": (InputError, "content", lambda r: r.get("m").add_message(None, "user")),
    "not a message": (InputError, "NewMessage", lambda r: r.get("m").add_messages(["hello"])),
    "one bad of many": (
        InputError,
        "message 1",
        lambda r: r.get("m").add_messages(
            [NewMessage(content="fine", role="user"), NewMessage(content="x", role="nobody")]
        ),
    ),
    "message id empty": (InputError, "message_id", lambda r: r.get("m").add_message("hi there", "user", message_id="")),
    "message id taken": (
        MessageConflictError,
        "update_message",
        lambda r: r.get("m").add_message("another text", "user", message_id="kept"),
    ),
    "message id taken in another conversation": (
        MessageConflictError,
        "another conversation_id",
        lambda r: r.get("m").add_message(KEPT, "user", message_id="kept", conversation_id="tuesday"),
    ),
    "message id taken by another role": (
        MessageConflictError,
        "another role",
        lambda r: r.get("m").add_message(KEPT, "assistant", message_id="kept"),
    ),
    "conversation id with NUL": (
        InputError,
        "conversation_id",
        lambda r: r.get("m").add_message("hi there", "user", conversation_id="a\0b"),
    ),
    "least score not a number": (InputError, "min_score", lambda r: r.get("m").retrieve("what?", min_score="high")),
    "least score NaN": (InputError, "min_score", lambda r: r.get("m").retrieve("what?", min_score=math.nan)),
    "least score a truth value": (InputError, "min_score", lambda r: r.get("m").retrieve("what?", min_score=True)),
    "filter of another kind": (InputError, "wanted", lambda r: r.get("m").retrieve("what?", wanted={"roles": "user"})),
    "filter on a new memory": (InputError, "wanted", lambda r: r.get("new").retrieve("what?", wanted="user")),
    "filter by a number": (InputError, "roles", lambda _: RecallFilter(roles=3)),
    "filter by numbers": (InputError, "names", lambda _: RecallFilter(names=[3])),
    "filter by lists": (InputError, "names", lambda _: RecallFilter(names=[["Ann"]])),
    "filter by no name": (InputError, "names", lambda _: RecallFilter(names=[None])),
    "filter by days the wrong way round": (
        InputError,
        "since",
        lambda _: RecallFilter(since=date(2024, 2, 2), until=date(2024, 2, 1)),
    ),
    "memory id empty": (InputError, "memory_id", lambda r: r.get("")),
    "memory id too long": (InputError, "memory_id", lambda r: r.get("x" * 513)),
    "memory id with surrogate": (InputError, "memory_id", lambda r: r.get("a\ud800")),
    "memory id not text": (InputError, "memory_id", lambda r: r.get(7)),
    "created_at is text": (
        InputError,
        "created_at",
        lambda r: r.get("m").add_message("hi there", "user", created_at="today"),
    ),
    "metadata not JSON": (
        InputError,
        "metadata",
        lambda r: r.get("m").add_message("hi there", "user", metadata={"a": object()}),
    ),
    "metadata NaN": (
        InputError,
        "metadata",
        lambda r: r.get("m").add_message("hi there", "user", metadata={"a": math.nan}),
    ),
    "message id too long in a batch": (
        InputError,
        "message_id of message 1 must have",
        lambda r: r.get("m").add_messages(
            [NewMessage(content="hi", role="user", message_id=n) for n in ("a", "x" * 513)]
        ),
    ),
    "empty conversation in a batch": (
        InputError,
        "conversation_id of message 1 must not be empty",
        lambda r: r.get("m").add_messages(
            [NewMessage(content="hi", role="user", conversation_id=n) for n in ("a", "")]
        ),
    ),
    "metadata with a key that is a number": (
        InputError,
        "metadata of message 0 has the key 31, and keys of JSON are text: give it as '31'",
        lambda r: r.get("m").add_message("hi there", "user", metadata={"a": [{"b": ({31: "boat"},)}]}),
    ),
    "metadata with a key that is None": (
        InputError,
        "metadata of message 0 has the key None",
        lambda r: r.get("m").add_message("hi there", "user", metadata={None: "boat"}),
    ),
    "metadata with a key that is twice when clean": (
        InputError,
        "metadata of message 0 has two keys that are '\ufffd' when they are clean",
        lambda r: r.get("m").add_message("hi there", "user", metadata=dict.fromkeys(["\ud800", "\ufffd"])),
    ),
    "metadata a list": (InputError, "metadata", lambda r: r.get("m").add_message("hi there", "user", metadata=["a"])),
    "update to blank": (InputError, "delete_message", lambda r: r.get("m").update_message("kept", "  \n ")),
    "prompt for nothing": (InputError, "blank", lambda r: r.get("m").build_prompt("  ")),
    "prompt for None": (InputError, "user_message", lambda r: r.get("m").build_prompt(None)),
    "system a list": (InputError, "system", lambda r: r.get("m").build_prompt("what", system=["Be kind"])),
    "question not text": (InputError, "str", lambda r: r.get("m").retrieve(7)),
    "limit negative": (InputError, "limit", lambda r: r.get("m").retrieve("what", limit=-1)),
    "budget a float": (InputError, "token_budget", lambda r: r.get("m").build_prompt("what", token_budget=1.5)),
    "budget too small": (InputError, "token_budget", lambda r: r.get("m").build_prompt("what was it?", token_budget=3)),
    "learning from rubbish": (InputError, "retrieved", lambda r: r.get("m").post_process([7], "a reply")),
    "learning from None": (InputError, "retrieved", lambda r: r.get("m").post_process(None, "a reply")),
    "learning from a prompt": (
        InputError,
        r"give prompt\.retrieved",
        lambda r: r.get("m").post_process(r.get("m").build_prompt("What?"), "a reply"),
    ),
    "learning from one id": (InputError, "collection", lambda r: r.get("m").post_process("abc.0", "a reply")),
    "reply None": (InputError, "reply", lambda r: r.get("m").post_process(r.get("m").signals, None)),
    "messages None": (InputError, "messages", lambda r: r.get("m").add_messages(None)),
    "update without an id": (InputError, "parent_turn_id", lambda r: r.get("m").update_message(None, "a new text")),
    "delete a number": (InputError, "parent_turn_id", lambda r: r.get("m").delete_message(5)),
    "delete one id as many": (InputError, "collection", lambda r: r.get("m").delete_messages("kept")),
    "delete many numbers": (InputError, "message_ids", lambda r: r.get("m").delete_messages(["kept", 5])),
    "history of a number": (InputError, "signal must be", lambda r: r.get("m").history(5)),
    "messages of a number": (InputError, "conversation_id", lambda r: r.get("m").messages(conversation_id=5)),
    "first and last": (InputError, "not both", lambda r: r.get("m").messages(first=2, last=2)),
    "first negative": (InputError, "first", lambda r: r.get("m").messages(first=-2)),
    "messages after a number": (InputError, "after", lambda r: r.get("m").messages(after=5)),
    "messages of nobody": (InputError, "roles", lambda r: r.get("m").messages(roles=["captain"])),
    "delete conversation 5": (InputError, "conversation_id", lambda r: r.get("m").delete_conversation(5)),
    "last negative": (InputError, "last", lambda r: r.get("m").messages(last=-2)),
}


@pytest.mark.parametrize("case", CALLS)
def test_wrong_arguments_are_named_and_nothing_changes(registry, case):
    """The error is of our tree, says what is wrong, and leaves the memory as it was."""
    error, words, call = CALLS[case]
    before = registry.get("m").stats()
    with pytest.raises(error, match=words) as caught:
        call(registry)
    assert isinstance(caught.value, StreetAIError)
    assert before == registry.get("m").stats()
    assert KEPT == registry.get("m").retrieve(KEPT)[0].signal.content


@pytest.mark.parametrize("text", ["", " ", "\n\t\u3000 \n"])
def test_blank_text_is_not_stored(registry, text):
    """No signal, no turn, no error."""
    before = registry.get("m").stats()
    assert [] == registry.get("m").add_message(text, "user")
    assert before == registry.get("m").stats()


@pytest.mark.parametrize("name", ["", " \t"])
def test_a_blank_name_names_nobody(registry, name):
    """It made a second user: what was said without a name replaced nothing, and who "I" is was another one."""
    memory = registry.get("nobody")
    memory.add_message("I live in Lyon.", role="user", name=name, message_id="before")
    memory.add_message("I live in Nice now.", role="user")
    assert [None, None] == [message.name for message in memory.messages()]
    assert "I live in Nice now." == memory.revisions("before")[-1].content


@pytest.mark.parametrize(
    ("said", "stored"),
    [
        ("half a \ud83d pair", "half a \ufffd pair"),
        ("a NUL \x00 inside", "a NUL \ufffd inside"),
    ],
)
def test_what_no_database_can_hold_is_replaced_and_marked(registry, said, stored):
    """Lone surrogates and NUL become U+FFFD; the message says so."""
    registry.get("m").add_message(said, "user")
    message = registry.get("m").messages()[-1]
    assert (stored, True) == (message.content, message.sanitised)


@pytest.mark.parametrize(
    "said", ["\ufeffBOM", "a\u200dZWJ 👩\u200d🚀", "\u202eRTL", "e\u0301 and é", "tabs\t\r\nCRLF", "\x1b[31mred"]
)
def test_everything_else_comes_back_as_it_was(registry, said):
    """No normalisation, no trimming."""
    registry.get("m").add_message(said, "user", name=said)
    message = registry.get("m").messages()[-1]
    assert (said, said, False) == (message.content, message.name, message.sanitised)


HOSTILE_IDS = [
    "'; DROP TABLE memories; --",
    "%",
    "_",
    "m ",
    "M",
    "é",
    "e\u0301",
    "a/../../b",
    "x" * 512,
    "\n",
    "0",
    "NULL",
]


@pytest.mark.parametrize("memory_id", HOSTILE_IDS)
def test_hostile_ids_are_ids_like_any_other(registry, memory_id):
    """Each is a memory of its own, and deletes nobody else's."""
    registry.get(memory_id).add_message(
        f"the secret of {len(memory_id)}", "user", conversation_id=memory_id, message_id=memory_id
    )
    assert ["m", memory_id] == sorted(registry.ids(), key=lambda one: one != "m")
    registry.reset(memory_id)
    assert KEPT == registry.get("m").messages()[0].content


def test_a_message_of_ten_megabytes_is_stored_whole(tmp_path):
    """Its first `max_chunks` chunks can be found; the text comes back to the byte."""
    text = "".join(f"Sentence number {n} of a very long log file. " for n in range(230_000))
    assert len(text) > 10_000_000
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), config=Config(max_chunks=200)) as registry:
        signals = registry.get("m").add_message(text, "user")
        assert 200 == len(signals)
        assert text == registry.get("m").messages()[0].content


@pytest.mark.parametrize("vector", [[math.nan] * 4, [math.inf, 0, 0, 0], [1.0] * 3, [[1.0] * 4] * 2, ["a"] * 4])
def test_vectors_that_are_none_are_refused(tmp_path, vector):
    """NaN, infinity, another dimension, another shape, text: nothing is stored, and the caller's text is not blamed.

    An `InputError` here would tell hosts to drop the message for good, where trying again may store it.
    """

    class Broken(HashingEncoder):
        """Returns one chosen vector for everything."""

        def embed(self, texts, kind):
            """The broken rows."""
            return np.array([vector] * len(texts), dtype=object)

    with MemoryRegistry(tmp_path / "m.db", encoder=Broken(dim=4)) as registry:
        with pytest.raises(EncoderError, match="the encoder returned"):
            registry.get("m").add_message("hello there", "user")
        assert [] == registry.get("m").messages()


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (lambda _texts: 1 / 0, "could not count the tokens of 1 texts: division by zero"),
        (lambda _texts: None, "could not count the tokens"),
        (lambda texts: ["7" for _ in texts], "could not count the tokens"),
        (lambda texts: [7, *(7 for _ in texts)], "counted the tokens of 2 of 1 texts"),
    ],
    ids=["raises", "nothing", "text", "one too many"],
)
def test_tokens_that_an_encoder_cannot_count_are_an_encoder_error(tmp_path, count, said):
    """What its tokenizer raised came out as it was, past every `except StreetAIError`."""

    class Limited(HashingEncoder):
        """Reads no more than eight tokens."""

        max_tokens = 8

        def count_tokens(self, texts):
            """As the test wants it."""
            return count(texts)

    with MemoryRegistry(tmp_path / "m.db", encoder=Limited()) as registry:
        with pytest.raises(EncoderError, match=said):
            registry.get("m").add_message("hello there", "user")
        assert [] == registry.get("m").messages()


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("8", "its max_tokens must be None or a whole number from 1 on, got '8'"),
        (0, "from 1 on, got 0"),
        (-1, "from 1 on, got -1"),
        (8.0, "from 1 on, got 8.0"),
    ],
)
def test_a_limit_that_an_encoder_cannot_have_is_an_encoder_error(tmp_path, limit, said):
    """A text was a `TypeError` of a comparison, and nothing a fault of the message."""

    class Limited(HashingEncoder):
        """Reads no more than the test says."""

        max_tokens = limit

    with MemoryRegistry(tmp_path / "m.db", encoder=Limited()) as registry:
        with pytest.raises(EncoderError, match=said):
            registry.get("m").add_message("hello there", "user")
        assert [] == registry.get("m").messages()


def test_a_limit_that_an_encoder_fails_to_tell_is_an_encoder_error(tmp_path):
    """As what it raises in any other place; a number of NumPy's is one."""

    class Limited(HashingEncoder):
        """Has not read its settings."""

        max_tokens = property(lambda _self: 1 // 0)

    with MemoryRegistry(tmp_path / "m.db", encoder=Limited()) as registry:
        with pytest.raises(EncoderError, match="could not tell its max_tokens: "):
            registry.get("m").add_message("hello there", "user")
        Limited.max_tokens = np.int64(64)
        assert registry.get("m").add_message("hello there", "user")


def test_a_page_may_be_larger_than_any_memory(tmp_path):
    """As a limit of hits may: it was an error about 64 bits, as if the database had failed."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(dim=64)) as registry:
        memory = registry.get("m")
        memory.add_message(KEPT, "user")
        for page in ({"first": 2**63}, {"last": 10**30}):
            assert [KEPT] == [one.content for one in memory.messages(**page)]


def test_a_failing_encoder_is_an_encoder_error(tmp_path):
    """Whatever the model raised is the cause."""
    with MemoryRegistry(tmp_path / "m.db", encoder=PlantedEncoder({"known": [1, 0]})) as registry:
        with pytest.raises(EncoderError, match="planted"):
            registry.get("m").add_message("unknown text", "user")
        assert 0 == registry.get("m").stats()["turn_counter"]


@pytest.mark.parametrize(("moment", "hours"), [(datetime(1, 1, 1), 1), (datetime(9999, 12, 31, 23, 59), -1)])  # noqa: DTZ001 - the zone is given beside it
def test_a_time_that_utc_does_not_have_is_refused(tmp_path, moment, hours):
    """A broken clock would end the program with an error of Python's instead of being named."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(dim=64)) as registry:
        memory = registry.get("m")
        with pytest.raises(InputError, match="created_at of message 0 is outside the years 1 to 9999"):
            memory.add_message(
                "hello there", "user", created_at=moment.replace(tzinfo=timezone(timedelta(hours=hours)))
            )
        assert memory.messages() == []


def test_another_encoder_is_refused_with_the_way_out(tmp_path):
    """Texts can be read all the same, and `reencode` makes the memory usable, with what it has learned."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(dim=64)) as registry:
        (signal,) = registry.get("m").add_message(KEPT, "user")
        registry.get("m").post_process([signal], KEPT)
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(dim=128)) as registry:
        memory = registry.get("m")
        for call in (lambda: memory.retrieve(KEPT), lambda: memory.add_message("more of it", "user")):
            with pytest.raises(EncoderMismatchError, match="reencode"):
                call()
        assert KEPT == memory.messages()[0].content
        assert 1 == memory.reencode()
        hit = memory.retrieve(KEPT)[0]
        assert (KEPT, 1.1) == (hit.signal.content, pytest.approx(hit.signal.base_weight))


def test_an_object_that_cannot_encode_is_refused(tmp_path):
    """With what would be accepted."""
    with pytest.raises(InputError, match="Encoder"):
        MemoryRegistry(tmp_path / "m.db", encoder=object())


@pytest.mark.parametrize(
    "arguments", [{"config": {}}, {"token_counter": len}, {"clock": 5}, {"durability": "maybe"}, {"busy_timeout": -1}]
)
def test_a_registry_checks_its_arguments(tmp_path, arguments):
    """At construction, before anything is opened."""
    with pytest.raises(InputError):
        MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), **arguments)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("arguments", [{"durability": "full"}, {"durability": "nope"}, {"busy_timeout": 0.0}])
def test_a_store_keeps_its_own_settings(arguments):
    """Whoever asks for writes that survive power loss would believe to have them, whatever the store does."""
    (name,) = arguments
    with pytest.raises(InputError, match=f"{name} cannot be set for a Store"):
        MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), **arguments)


def test_a_path_is_a_path():
    """A number is none."""
    with pytest.raises(InputError, match="path"):
        MemoryRegistry(5)


def test_a_config_names_all_problems_at_once():
    """Not one after the other."""
    with pytest.raises(ConfigError) as caught:
        Config(activation_threshold=9, recency_turns=-1, ranking="best", boost_factor=math.nan)
    assert all(
        name in str(caught.value) for name in ("activation_threshold", "recency_turns", "ranking", "boost_factor")
    )


def test_settings_that_contradict_each_other_are_refused():
    """Each fine alone."""
    with pytest.raises(ConfigError, match="low_relevance"):
        Config(low_relevance=0.9)


def test_a_config_survives_a_round_trip():
    """As a dict of JSON values; unknown keys are named."""
    config = Config.classic(recency_turns=5)
    assert config == Config.from_dict(config.to_dict())
    with pytest.raises(ConfigError, match="colour"):
        Config.from_dict({"colour": "blue"})


@pytest.mark.parametrize("settings", [None, 5, "recency_turns", ["recency_turns"], {5: 1}])
def test_settings_that_are_no_mapping_are_a_problem_of_the_settings(settings):
    """As an empty file of them gives."""
    with pytest.raises(ConfigError, match=r"^Config: "):
        Config.from_dict(settings)


@pytest.mark.parametrize("roles", [5, None, True, "user", [5], [["user"]], {"user": 1, "me": 2}])
def test_roles_that_are_none_are_a_problem_like_any_other(roles):
    """Of the settings, and named with the others: not an error of Python's, which has no name."""
    with pytest.raises(ConfigError, match=r"recency_turns must be .*signal_roles must be "):
        Config.from_dict({"signal_roles": roles, "recency_turns": -1})


def test_a_closed_registry_says_so(tmp_path):
    """Also through a handle that is still held."""
    registry = MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder())
    memory = registry.get("m")
    memory.add_message(KEPT, "user")
    registry.close()
    registry.close()
    for call in (lambda: registry.get("m"), lambda: memory.retrieve(KEPT), lambda: memory.add_message("more", "user")):
        with pytest.raises(ClosedError):
            call()


def test_a_reset_memory_says_so(registry):
    """An old handle raises; a new one is empty and usable."""
    old = registry.get("m")
    old.stats()
    registry.reset("m")
    with pytest.raises(StaleMemoryError, match=r"registry\.get"):
        old.add_message("written by a stale handle", "user")
    assert 0 == registry.get("m").add_message("a fresh start", "user")[0].turn


def test_a_file_that_is_no_database(tmp_path):
    """Is refused and left as it is."""
    path = tmp_path / "notes.txt"
    path.write_text("these are my notes " * 200)
    with MemoryRegistry(path, encoder=HashingEncoder()) as registry, pytest.raises(DamagedFileError):
        registry.get("m").add_message("hello there", "user")
    assert "these are my notes " * 200 == path.read_text()


def test_a_file_of_a_newer_version(registry, tmp_path):
    """Is refused; the version that wrote it goes on reading it."""
    registry.close()
    with closing(sqlite3.connect(tmp_path / "m.db")) as database, database:
        version = database.execute("PRAGMA user_version").fetchone()[0]
        database.execute(f"PRAGMA user_version = {version + 1}")
    database.close()
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as newer, pytest.raises(NewerFileError):
        newer.get("m").add_message("hello there", "user")
    with closing(sqlite3.connect(tmp_path / "m.db")) as database, database:
        assert [(KEPT,)] == database.execute("SELECT content FROM messages").fetchall()
        database.execute(f"PRAGMA user_version = {version}")
    database.close()
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as again:
        assert KEPT == again.get("m").messages()[0].content


@pytest.mark.skipif(sys.platform == "win32", reason="there is no /proc on Windows")
def test_a_path_that_cannot_be_written():
    """Not a traceback of the database driver."""
    path = Path("/proc/no_such_folder/m.db")
    with MemoryRegistry(path, encoder=HashingEncoder()) as registry, pytest.raises(ReadOnlyStoreError):
        registry.get("m").add_message("hello there", "user")


def test_a_time_without_a_zone_is_utc(registry):
    """As everywhere in the field."""
    registry.get("m").add_message("said at noon", "user", created_at=datetime(2026, 5, 1, 12))  # noqa: DTZ001 - the point
    assert datetime(2026, 5, 1, 12, tzinfo=timezone.utc) == registry.get("m").messages()[-1].created_at


def test_a_memory_reencoded_while_a_question_is_embedded(tmp_path):
    """Vectors of two encoders are never compared, not even when they change in between."""

    class Slow(HashingEncoder):
        """Somebody else embeds the memory anew while it works on a question."""

        def embed(self, texts, kind):
            """Encode, with that in between."""
            if kind == "query":
                with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(dim=32)) as other:
                    other.get("m").reencode()
            return super().embed(texts, kind)

    with MemoryRegistry(tmp_path / "m.db", encoder=Slow(dim=64)) as registry:
        registry.get("m").add_message(KEPT, "user")
        with pytest.raises(EncoderMismatchError):
            registry.get("m").retrieve("what was it?")


def test_the_published_pipeline_has_no_strategies(tmp_path):
    """It would be ignored, and the caller would believe that words had been searched."""
    with MemoryRegistry(tmp_path / "m.db", config=Config.classic(), encoder=HashingEncoder()) as classic:
        classic.get("m").add_message(KEPT, "user")
        with pytest.raises(InputError, match="strategy"):
            classic.get("m").retrieve("what?", strategy="keyword")
