"""A file whose messages name no conversation is known again under another name, and never taken for another one."""

import json
from itertools import count

import pytest

from streetai_core import NewMessage
from streetai_core.transfer import import_file, memory_digest

MONDAY = [
    ("user", "Hi."),
    ("assistant", "Hello!"),
    ("user", "Shall I book berth 31?"),
    ("user", "Yes."),
    ("user", "Yes."),
]
TUESDAY = [("user", "Hi."), ("assistant", "Hello!"), ("user", "Shall I sell the boat?"), ("user", "Yes.")]


def lines(said, **more):
    """A message a line."""
    return "".join(json.dumps({"role": role, "content": content} | more) + "\n" for role, content in said)


def told(registry):
    """Conversation and text of what was stored."""
    return [(one.conversation_id, one.content) for one in registry.get("ada").messages()]


def test_a_renamed_file_is_not_stored_again(registry, write):
    """An export that was renamed doubled the memory; the same line twice is still two messages."""
    import_file(registry, write(lines(MONDAY), "monday.jsonl"), memory_id="ada")
    before = memory_digest(registry, "ada")
    again = import_file(registry, write(lines(MONDAY), "kept.jsonl"), memory_id="ada")
    assert (0, 5) == (again.added, again.known)
    assert before == memory_digest(registry, "ada")


def test_what_is_new_in_a_renamed_file_goes_on_with_the_conversation(sqlite, write):
    """Exports carry the day in their names, and have more in them each time; an older one has less."""
    more = [*MONDAY, ("assistant", "Booked.")]
    import_file(sqlite, write(lines(MONDAY), "until_monday.jsonl"), memory_id="ada")
    done = import_file(sqlite, write(lines(more), "until_friday.jsonl"), memory_id="ada")
    assert (1, 5) == (done.added, done.known)
    assert ("until_monday", "Booked.") == told(sqlite)[-1]
    assert 3 == import_file(sqlite, write(lines(MONDAY[:3]), "older.jsonl"), memory_id="ada").known


def test_conversations_that_begin_alike_are_two(sqlite, write):
    """All that was said in each of them is there, and each is known again under a third name."""
    for said, name in ((MONDAY, "monday"), (TUESDAY, "tuesday")):
        assert len(said) == import_file(sqlite, write(lines(said), f"{name}.jsonl"), memory_id="ada").added
    assert [*MONDAY, *TUESDAY] == [(one.role, one.content) for one in sqlite.get("ada").messages()]
    for said in (TUESDAY, MONDAY):
        again = import_file(sqlite, write(lines(said), "again.jsonl"), memory_id="ada")
        assert (0, len(said)) == (again.added, again.known)


def test_one_of_many_conversations_that_begin_and_end_alike(sqlite, write):
    """Its own texts tell it from all that have the greetings of every talk."""
    for number in range(30):
        talk = [*TUESDAY, ("assistant", f"Berth {number}."), ("user", "Thanks.")]
        assert 6 == import_file(sqlite, write(lines(talk), f"{number}.jsonl"), memory_id="ada").added
    talk = [*TUESDAY, ("assistant", "Berth 17."), ("user", "Thanks."), ("assistant", "Bye.")]
    done = import_file(sqlite, write(lines(talk), "kept.jsonl"), memory_id="ada")
    assert (1, 6) == (done.added, done.known)
    assert ("17", "Bye.") == told(sqlite)[-1]


def test_what_was_said_at_another_time_is_something_else(sqlite, write):
    """The same words every day are one message a day."""
    for day in (1, 2):
        path = write(lines(MONDAY, created_at=f"2026-03-0{day}"), f"{day}.jsonl")
        assert 5 == import_file(sqlite, path, memory_id="ada").added
    assert {"1", "2"} == {conversation for conversation, _ in told(sqlite)}


def test_what_the_app_said_itself_is_no_file(sqlite, write):
    """The words of a chat do not make a file one that was imported."""
    sqlite.get("ada").add_messages(
        [NewMessage(role=role, content=content, conversation_id="chat") for role, content in MONDAY]
    )
    assert 5 == import_file(sqlite, write(lines(MONDAY), "monday.jsonl"), memory_id="ada").added


def test_numbers_of_messages_belong_to_their_file(sqlite, write):
    """Messages that only have a number are known again by it, and others have the same numbers."""

    def numbered(said):
        return [{"id": number, "role": role, "content": content} for number, (role, content) in zip(count(), said)]

    for said, name in ((MONDAY, "monday"), (TUESDAY, "tuesday"), (TUESDAY, "a"), (MONDAY, "b")):
        done = import_file(sqlite, write(numbered(said), f"{name}.json"), memory_id="ada")
        assert len(said) == (done.added if name.endswith("day") else done.known)


def test_a_conversation_that_the_caller_names_is_that_one(sqlite, write):
    """Who says which conversation it is gets it; without saying it, it is the one in which it stands."""
    import_file(sqlite, write(lines(MONDAY), "monday.jsonl"), memory_id="ada", conversation_id="harbour")
    assert 5 == import_file(sqlite, write(lines(MONDAY), "monday.jsonl"), memory_id="ada").known
    done = import_file(sqlite, write(lines(MONDAY), "monday.jsonl"), memory_id="ada", conversation_id="other")
    assert 5 == done.added


def test_a_renamed_file_after_some_of_it_was_forgotten(sqlite, write):
    """What was erased comes back, as under the old name, and nothing else."""
    import_file(sqlite, write(lines(MONDAY), "monday.jsonl"), memory_id="ada")
    sqlite.get("ada").forget(message=sqlite.get("ada").messages()[0].message_id)
    done = import_file(sqlite, write(lines(MONDAY), "kept.jsonl"), memory_id="ada")
    assert (1, 4) == (done.added, done.known)


@pytest.mark.parametrize("grown", [False, True])
def test_a_renamed_history_of_langchain(sqlite, write, grown):
    """Its messages have no ids either, and a list of them no session."""
    said = [{"type": "human", "data": {"content": "Hi."}}, {"type": "ai", "data": {"content": "Hello!"}}]
    import_file(sqlite, write(said, "before.json"), memory_id="ada")
    said += [{"type": "human", "data": {"content": "Where is berth 31?"}}] * grown
    done = import_file(sqlite, write(said, "after.json"), memory_id="ada")
    assert (int(grown), 2) == (done.added, done.known)
    assert {"before"} == {conversation for conversation, _ in told(sqlite)}
