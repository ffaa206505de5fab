"""Every message says where it comes from, and nobody can claim more than the app allows."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import InputError
from streetai_core.stores.reference import ReferenceStore
from streetai_core.types import ROLES
from streetai_langchain.chat_history import StreetAIChatMessageHistory

DEFAULTS = {
    "user": ("user", 1.0),
    "assistant": ("assistant", 1.0),
    "system": ("system", 1.0),
    "developer": ("system", 1.0),
    "tool": ("tool", 0.5),
}


@pytest.mark.parametrize("role", ROLES)
def test_the_role_decides_where_nothing_is_said(role):
    """Tool output is doubted, what people, model and app say is not; signals and messages tell the same."""
    with MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), config=Config(signal_roles=ROLES)) as registry:
        memory = registry.get("m")
        signal = memory.add_message("The keel is long.", role)[0]
        message = memory.messages()[0]
    assert (signal.source, signal.trust, signal.writer) == (*DEFAULTS[role], None)
    assert (message.source, message.trust, message.writer) == (*DEFAULTS[role], None)


@pytest.mark.parametrize(("source", "trust"), [("document", 0.5), ("import", 0.5), ("user", 1.0)])
def test_a_source_brings_its_trust(memory, source, trust):
    """Whatever the role is."""
    assert memory.add_message("The keel is long.", "user", source=source)[0].trust == trust


def test_what_is_said_is_kept_through_an_edit(on_disk, path):
    """Source, trust and writer belong to the message, not to its text; another process reads the same."""
    memory = on_disk.get("m")
    memory.add_message("The keel is long.", "user", message_id="k", source="document", trust=0.9, writer="crawler 7")
    memory.update_message("k", "The keel is short.")
    with MemoryRegistry(path, encoder=HashingEncoder()) as other:
        signal = other.get("m").signals[0]
    assert (signal.content, signal.source, signal.trust, signal.writer) == (
        "The keel is short.",
        "document",
        0.9,
        "crawler 7",
    )


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"source": "nobody"}, "source"),
        ({"source": 7}, "source"),
        ({"trust": 1.1}, "trust"),
        ({"trust": -0.1}, "trust"),
        ({"trust": float("nan")}, "trust"),
        ({"trust": True}, "trust"),
        ({"trust": "much"}, "trust"),
        ({"writer": ""}, "writer"),
        ({"writer": 7}, "writer"),
        ({"writer": "a\0b"}, "writer"),
        ({"writer": "x" * 513}, "writer"),
    ],
)
def test_provenance_that_cannot_be_is_refused(memory, wrong, named):
    """The error names the argument, and nothing is stored."""
    with pytest.raises(InputError, match=named):
        memory.add_messages([NewMessage(content="fine", role="user"), NewMessage(content="bad", role="user", **wrong)])
    assert memory.messages() == []


def test_tool_traffic_of_a_framework_is_tool_output(registry):
    """LangChain's tool messages come in under the source of tools, without a word from the app."""
    history = StreetAIChatMessageHistory(registry.get("m"), "c")
    call = {"name": "depth", "args": {}, "id": "c1"}
    history.add_messages(
        [
            HumanMessage("How deep is it?"),
            AIMessage("", tool_calls=[call]),
            ToolMessage("Two metres.", tool_call_id="c1"),
            AIMessage("It is two metres deep."),
        ]
    )
    assert [one.source for one in registry.get("m").messages()] == ["user", "assistant", "tool", "assistant"]


def test_nobody_replaces_the_word_of_one_who_is_trusted_more(memory):
    """A document that is stored under the user's role does not correct what the user said; the user may."""
    memory.add_message("My boat lies in Marstal.", "user", message_id="own")
    memory.add_message("My boat now lies in Kiel, it no longer lies in Marstal.", "user", source="document")
    assert [one.message_id for one in memory.revisions("own")] == ["own"]
    memory.add_message("My boat now lies in Kiel, it no longer lies in Marstal.", "user", message_id="news")
    assert {"own", "news"} <= {one.message_id for one in memory.revisions("own")}


def test_a_document_in_the_role_of_the_user_is_shown_as_a_document():
    """In the recalled block nobody speaks as the user but the user."""
    with MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), config=Config(history_ceiling=False)) as registry:
        memory = registry.get("m")
        memory.add_message("The harbour of Marstal has four metres.", "user", source="document", conversation_id="old")
        block = memory.build_prompt("How deep is the harbour of Marstal?", conversation_id="new").recalled_text
    assert "\ndocument: The harbour" in block
    assert "user" not in block
