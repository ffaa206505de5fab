"""`session_of`: whose memory a run is about."""

from dataclasses import dataclass
from uuid import UUID

import pytest

from streetai_core.errors import InputError
from streetai_langchain.sessions import Session, session_of

S, T, U = "session_id", "thread_id", "user_id"


@pytest.mark.parametrize(
    ("run", "given", "memory_id", "conversation_id"),
    [
        ({S: "s"}, {}, "s", "s"),
        ({T: "t"}, {}, "t", "t"),
        ({S: "s", T: "t"}, {}, "s", "t"),
        ({U: "u"}, {}, "u", None),
        ({U: "u", S: "s"}, {}, "u", "s"),
        ({U: "u", S: "s", T: "t"}, {}, "u", "t"),
        ({U: None, S: None, T: "t"}, {}, "t", "t"),
        (None, {S: "x"}, "x", "x"),
        ({}, {U: "y"}, "y", None),
        ({S: "s", T: "t"}, {S: "x"}, "x", "x"),
        ({U: "u", S: "s"}, {S: "x"}, "u", "x"),
        ({U: "u", S: "s"}, {U: "y"}, "y", "s"),
        ({U: "u", S: "s"}, {U: "y", S: "x"}, "y", "x"),
        ({T: 7}, {}, "7", "7"),
        ({T: UUID(int=1)}, {}, str(UUID(int=1)), str(UUID(int=1))),
    ],
)
def test_the_session_of_a_run(run, given, memory_id, conversation_id):
    """6.3: Arguments win over the run, users over sessions, and the thread is the conversation."""
    assert session_of(run, **given) == Session(memory_id, conversation_id)


@dataclass
class Context:
    """What an app may say of a run beside its config."""

    user_id: object = None


@pytest.mark.parametrize(
    ("context", "user"),
    [(Context("c"), "c"), ({U: "c"}, "c"), (Context(7), "7"), (Context(None), None), ({}, None), ("text", None)],
    ids=str,
)
def test_the_user_of_a_graphs_context(context, user):
    """LangChain's newer way to say who the user is; the config's user wins, a session or a thread does not."""
    assert session_of({T: "t"}, context=context) == Session(user or "t", "t")
    assert session_of({T: "t", S: "s"}, context=context) == Session(user or "s", "t")
    assert session_of({T: "t", U: "u"}, context=context) == Session("u", "t")


def test_a_thread_that_names_no_user_keeps_the_one_that_it_had():
    """The configs in a thread's history have nothing but the thread; whoever names more wins."""
    assert session_of({T: "t"}, known="mara") == Session("mara", "t")
    assert session_of({T: "t", S: "s"}, known="mara") == Session("s", "t")
    assert session_of({T: "t", U: "u"}, known="mara") == Session("u", "t")
    assert session_of({T: "t"}, user_id="y", known="mara") == Session("y", "t")
    assert session_of({T: "t"}, context=Context("c"), known="mara") == Session("c", "t")
    with pytest.raises(InputError, match="no session"):
        session_of({}, known="mara")


@pytest.mark.parametrize("value", ["", " ", True, "a\0b"])
def test_a_user_of_the_context_that_cannot_be_used(value):
    """It is never passed over."""
    with pytest.raises(InputError, match="user_id of the context"):
        session_of({T: "t"}, context=Context(value))


@pytest.mark.parametrize("run", [None, {}, {S: None}, {"checkpoint_ns": "x"}])
def test_there_is_no_default(run):
    """6.3: The error names the ways to give a session."""
    with pytest.raises(InputError, match=r"no session.*session_id.*thread_id.*user_id"):
        session_of(run)


@pytest.mark.parametrize("key", [S, T, U])
@pytest.mark.parametrize("value", ["", " ", True, 1.5, "a\0b", "x" * 513])
def test_an_id_that_cannot_be_used_is_never_passed_over(key, value):
    """6.3: Not even if another id is there: the next best would be another memory."""
    with pytest.raises(InputError, match=key):
        session_of({S: "s", T: "t", U: "u", key: value})


@pytest.mark.parametrize("key", [S, U])
@pytest.mark.parametrize("value", ["", " ", 7])
def test_an_argument_has_to_be_text(key, value):
    """A number is taken from a run only."""
    with pytest.raises(InputError, match=key):
        session_of({S: "s", U: "u"}, **{key: value})
