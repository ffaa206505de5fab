"""Reading conversations: nothing usable is lost, nothing unusable is hidden, nothing unexpected is raised."""

import json
from collections import Counter
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core import NewMessage
from streetai_core.errors import InputError
from streetai_core.evaluation.conversations import Problem, read_conversation, sample_conversation
from streetai_core.planning.preparing import check
from streetai_core.testing.factories import NOON
from streetai_core.types import ROLES

GOOD = b'{"role": "user", "content": "good"}'
DEEP = b"[" * 200_000


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "it is not JSON: Expecting property name enclosed in double quotes (column 2)"),
        (b"hello", "it is not JSON: Expecting value (column 1)"),
        (b'{"role": "user", "content": "x"} {}', "it is not JSON: Extra data (column 34)"),
        (DEEP, "its JSON is nested too deeply"),
        (b'{"n": ' + b"9" * 5000 + b"}", "it is not JSON that can be read: a number is too long"),
        (b'["role", "user"]', "it must be a JSON object, not a list"),
        (b'"user"', 'it must be a JSON object, not "user"'),
        (b"null", "it must be a JSON object, not null"),
        (b'{"content": "x"}', "it has no role"),
        (b'{"role": null, "content": "x"}', f"the role must be one of {', '.join(ROLES)}, not null"),
        (b'{"role": "human", "content": "x"}', f'the role must be one of {", ".join(ROLES)}, not "human"'),
        (b'{"role": ["user"], "content": "x"}', f"the role must be one of {', '.join(ROLES)}, not a list"),
        (b'{"role": "user"}', "the content must be text, not null"),
        (b'{"role": "user", "content": 7}', "the content must be text, not 7"),
        (b'{"role": "user", "content": [{"text": "x"}]}', "the content must be text, not a list"),
        (b'{"role": "user", "content": {}}', "the content must be text, not an object"),
        (b'{"role": "user", "content": " \\n\\t"}', "the content is blank"),
        (b'{"role": "user", "content": "\xff"}', "byte 30 of it is not UTF-8"),
        (b'{"role": "user", "content": "x", "name": 1}', "name must be text, not 1"),
        (b'{"role": "user", "content": "x", "created_at": true}', "created_at must be text, not true or false"),
        (b'{"role": "user", "content": "x", "created_at": 1772471040}', "created_at must be text, not 1772471040"),
        (
            b'{"role": "user", "content": "x", "created_at": "yesterday"}',
            'created_at is not an ISO 8601 date: "yesterday"',
        ),
        (
            b'{"role": "user", "content": "x", "created_at": "0001-01-01T00:00:00+14:00"}',
            'created_at is not an ISO 8601 date: "0001-01-01T00:00:00+14:00"',
        ),
        (b'{"role": "user", "content": "x", "conversation_id": 5}', "conversation_id must be text, not 5"),
        (b'{"role": "user", "content": "x", "conversation_id": ""}', "conversation_id must not be empty"),
        (
            b'{"role": "user", "content": "x", "conversation_id": "\\u0000"}',
            "conversation_id must not contain NUL or lone surrogates, got '\\x00'",
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, bytes) else "",
)
def test_a_bad_line_is_named_and_costs_no_other(tmp_path, line, reason):
    """The line's number and reason are told, and the lines round it are read."""
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b"\n".join([GOOD, line, GOOD]))
    conversation = read_conversation(path)
    assert (Problem(2, reason),) == conversation.problems
    assert (NewMessage(role="user", content="good"),) * 2 == conversation.messages


def test_all_fields_are_read_and_unknown_ones_ignored(tmp_path):
    """Role, content, name, time with zone and conversation come as they stand in the file."""
    path = tmp_path / "chat.jsonl"
    values = {
        "role": "assistant",
        "content": " 1.35 m\u2028\x00 ",
        "name": "Bosun",
        "created_at": "2026-03-02T18:04:00+01:00",
        "conversation_id": "session-1",
        "model": {"any": ["thing", 1]},
    }
    path.write_text(json.dumps(values), encoding="utf-8")
    assert (
        NewMessage(
            role="assistant",
            content=" 1.35 m\u2028\x00 ",
            name="Bosun",
            created_at=datetime(2026, 3, 2, 18, 4, tzinfo=timezone(timedelta(hours=1))),
            conversation_id="session-1",
        ),
    ) == read_conversation(path).messages


@pytest.mark.parametrize("text", ["2026-03-02T18:04:00", "2026-03-02T18:04:00Z", "2026-03-02T19:04:00+01:00"])
def test_every_time_has_a_zone(tmp_path, text):
    """A time without a zone is UTC, and Z is understood on every Python."""
    path = tmp_path / "chat.jsonl"
    path.write_text(json.dumps({"role": "user", "content": "x", "created_at": text}), encoding="utf-8")
    (message,) = read_conversation(path).messages
    assert datetime(2026, 3, 2, 18, 4, tzinfo=timezone.utc) == message.created_at
    assert message.created_at.tzinfo is not None


def test_blank_lines_count_and_are_no_problem(tmp_path):
    """Line numbers are those of an editor: blank lines, Windows line ends and a byte order mark do not move them."""
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD + b"\r\n\r\n   \nbad\r\n" + GOOD + b"\n\n")
    conversation = read_conversation(path)
    assert [4] == [problem.line for problem in conversation.problems]
    assert ["good", "good"] == [message.content for message in conversation.messages]


def test_an_empty_file_is_an_empty_conversation(tmp_path):
    """No lines, no messages, no problems."""
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b"")
    assert ((), ()) == (read_conversation(path).messages, read_conversation(path).problems)


def test_a_path_that_cannot_be_read_is_named(tmp_path):
    """A missing file, a folder and a path that is none are errors that name the path."""
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(InputError, match="cannot read the conversation") as caught:
            read_conversation(path)
        assert repr(str(path)) in str(caught.value)
    with pytest.raises(InputError, match="is not the path of a file"):
        read_conversation("a\0b")


def test_the_sample_is_whole():
    """It has 108 messages in five sessions, 54 of them from the user, and not one bad line."""
    conversation = sample_conversation()
    assert () == conversation.problems
    assert {"user": 54, "assistant": 54} == Counter(message.role for message in conversation.messages)
    assert [f"session-{number}" for number in range(1, 6)] == list(
        dict.fromkeys(message.conversation_id for message in conversation.messages)
    )
    times = [message.created_at for message in conversation.messages]
    assert sorted(times) == times


def anything():
    """Any JSON value."""
    leaf = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    return st.recursive(leaf, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3))


def lines():
    """Lines between noise and nearly good."""
    times = st.datetimes(timezones=st.timezones() | st.none()).map(datetime.isoformat)
    nearly = st.fixed_dictionaries(
        {"role": st.sampled_from(ROLES) | anything(), "content": st.text() | anything()},
        optional={
            "name": st.text() | anything(),
            "created_at": times | anything(),
            "conversation_id": st.text() | anything(),
        },
    )
    return st.binary(max_size=40) | anything().map(as_line) | nearly.map(as_line)


def as_line(value):
    """A value as JSON bytes."""
    return json.dumps(value).encode()


@given(content=st.lists(lines(), max_size=5).map(b"\n".join))
def test_arbitrary_bytes_are_messages_or_problems(tmp_path_factory, content):
    """Every line that is not blank is one message or one problem, and every message can be stored."""
    path = tmp_path_factory.getbasetemp() / "arbitrary.jsonl"
    path.write_bytes(content)
    conversation = read_conversation(path)
    filled = [line for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()]
    assert len(filled) == len(conversation.messages) + len(conversation.problems)
    for message in conversation.messages:
        check(message, NOON)


@given(
    expected=st.lists(
        st.builds(
            NewMessage,
            role=st.sampled_from(ROLES),
            content=st.text(min_size=1).filter(lambda text: not text.isspace()),
            name=st.none() | st.text(min_size=1),
            created_at=st.none()
            | st.datetimes(
                min_value=datetime(2, 1, 1),  # noqa: DTZ001 - hypothesis wants the bounds without a zone
                max_value=datetime(9998, 1, 1),  # noqa: DTZ001 - as above
                timezones=st.just(timezone.utc),
            ),
            conversation_id=st.none()
            | st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=99),
        )
    )
)
def test_what_was_written_is_read(tmp_path_factory, expected):
    """Messages written as JSON lines come back equal."""
    path = tmp_path_factory.getbasetemp() / "written.jsonl"
    keys = ("role", "content", "name", "conversation_id")
    rows = [
        {key: getattr(message, key) for key in keys}
        | {"created_at": message.created_at and message.created_at.isoformat()}
        for message in expected
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    conversation = read_conversation(path)
    assert ((), tuple(expected)) == (conversation.problems, conversation.messages)
