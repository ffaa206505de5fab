"""A history that was sent again, against the stored one."""

import pytest

from streetai_llamaindex.alignment import align
from streetai_llamaindex.messages import to_stored
from tests.llamaindex_plugin.conftest import SESSION, assistant, user
from tests.llamaindex_plugin.test_messages import MESSAGES, stored

U1, A1, U2, A2, U3 = user("one"), assistant("1"), user("two"), assistant("2"), user("three")
GREETING = assistant("Hi! How can I help?")
CALL, RESULT = MESSAGES["tool call block"], MESSAGES["tool result"]


@pytest.mark.parametrize(
    ("there", "sent", "deleted", "new"),
    [
        pytest.param([], [U1, A1], [], [U1, A1], id="first call"),
        pytest.param([U1, A1], [U1, A1], [], [], id="nothing new"),
        pytest.param([U1, A1], [U1, A1, U2], [], [U2], id="one more"),
        pytest.param([U1, A1], [user(" one\n"), A1, U2], [], [U2], id="white space"),
        pytest.param([U1, A1, U2, A2], [U1, A1], [U2, A2], [], id="last exchange taken back"),
        pytest.param([U1, A1, U2, A2], [U1, A1, U3], [U2, A2], [U3], id="edited"),
        pytest.param([U1, A1, U2], [U3, A1, U2], [U1, A1, U2], [U3, A1, U2], id="edited at once"),
        pytest.param([U1, A1, U2, A2], [U2, A2, U3], [], [U3], id="beginning cut off"),
        pytest.param([U1, A1, U1], [U1, A1], [U1], [], id="taken back, not cut off"),
        pytest.param([U1, A1, U1, A1], [U1, A1], [], [], id="in doubt nothing is deleted"),
        pytest.param([GREETING], [GREETING], [], [], id="greeting alone"),
        pytest.param([GREETING, U1, A1, U2, A2], [GREETING, U1, A1], [U2, A2], [], id="taken back after a greeting"),
        pytest.param([U1, CALL, RESULT, A1], [U1, A1, U2], [], [U2], id="tool traffic is not resent"),
        pytest.param([U1, CALL, RESULT, A1], [U1, CALL, RESULT, A1, U2], [], [U2], id="tool traffic is resent"),
        pytest.param([U1, CALL, RESULT, A1], [U1, A2], [CALL, RESULT, A1], [A2], id="edited after tool traffic"),
        pytest.param([U1, MESSAGES["trace"]], [U1, assistant("One metre forty."), U2], [], [U2], id="trace"),
    ],
)
def test_align(registry, there, sent, deleted, new):
    """9.10: What a stateless server sends again is not stored again, and what was edited is forgotten."""
    messages = stored(registry, *there)
    change = align(messages, [to_stored(message, SESSION) for message in sent])
    assert [message.content for message in change.delete] == [to_stored(one, SESSION).content for one in deleted]
    assert sent[change.add :] == new


@pytest.mark.parametrize(
    ("there", "sent"),
    [
        pytest.param([U1, A1], [], id="empty"),
        pytest.param([GREETING, U1], [GREETING], id="greeting alone"),
        pytest.param([GREETING, U1, A1], [GREETING, U2, A2], id="the same greeting"),
        pytest.param([U1, A1, U2, GREETING], [GREETING, U3, A1], id="a greeting that was an answer"),
        pytest.param([U1, A1], [U2, A2, U3], id="another one"),
        pytest.param([U1, A1, U2, A2, U3], [U1, A1], id="the same opening"),
        pytest.param([U1, A1, U2, A2], [U3, A1], id="the same answer"),
    ],
)
def test_another_conversation(registry, there, sent):
    """A history that is none of what is stored deletes nothing: it may be the first message of a new chat."""
    assert align(stored(registry, *there), [to_stored(message, SESSION) for message in sent]) is None
