"""What other programs keep comes in with its texts, roles, times and conversations, once."""

import json
import sqlite3
from contextlib import closing
from datetime import datetime, timezone
from itertools import pairwise

import pytest
from langchain_core.messages import (
    AIMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    message_to_dict,
    messages_to_dict,
)
from llama_index.core.llms import ChatMessage

from streetai_core.errors import ImportFormatError, InputError, MessageConflictError
from streetai_core.transfer import FORMATS, import_file, memory_digest
from streetai_core.transfer.readers.chatgpt import read_chatgpt
from streetai_core.transfer.records import Source
from tests.counted import CountedName
from tests.transfer.conftest import PUBLISHED


def at(*parts):
    """A time in UTC."""
    return datetime(*parts, tzinfo=timezone.utc)


def told(registry, memory_id="ada"):
    """Role, text, time and conversation of what was stored."""
    return [(one.role, one.content, one.created_at, one.conversation_id) for one in registry.get(memory_id).messages()]


def node(name, parent, role, text, time=None, **more):
    """A node of a tree of ChatGPT."""
    message = {
        "id": name,
        "author": {"role": role},
        "create_time": time,
        "content": {"content_type": "text", "parts": [text]},
        "recipient": "all",
    }
    return {"id": name, "parent": parent, "children": [], "message": message | more}


CHATGPT = [
    {
        "title": "Sails",
        "create_time": 1700000000.5,
        "conversation_id": "later",
        "current_node": "c",
        "mapping": {
            "root": {"id": "root", "parent": None, "children": ["s"], "message": None},
            "s": node("s", "root", "system", "", 1700000000.0, metadata={"is_visually_hidden_from_conversation": True}),
            "b": node("b", "s", "user", "Which sail for a storm?", 1700000001.25),
            "old": node("old", "b", "assistant", "The first answer, which was thrown away.", 1700000002.0),
            "think": node("think", "b", "assistant", "", None, content={"content_type": "thoughts", "thoughts": []}),
            "call": node(
                "call",
                "think",
                "assistant",
                "",
                1700000003.0,
                recipient="python",
                content={"content_type": "code", "language": "python", "text": "print(1)"},
            ),
            "out": node("out", "call", "tool", "", content={"content_type": "execution_output", "text": "1"}),
            "c": node("c", "out", "assistant", "A small one.", 1700000005.0),
        },
    },
    {
        "title": "Pictures",
        "create_time": 1600000000,
        "id": "earlier",
        "mapping": {
            "p": node(
                "p",
                None,
                "user",
                "",
                1600000001.0,
                content={
                    "content_type": "multimodal_text",
                    "parts": [{"content_type": "image_asset_pointer", "asset_pointer": "x"}, "What boat is this?"],
                },
            ),
            "q1": node("q1", "p", "assistant", "A dinghy.", 1600000002.0),
            "q2": node("q2", "p", "assistant", "A yawl.", 1600000009.0),
        },
    },
    {"title": "Broken", "id": "x", "mapping": "nothing"},
    {
        "title": "Ring",
        "id": "ring",
        "current_node": "r2",
        "create_time": 1800000000,
        "mapping": {"r1": node("r1", "r2", "user", "One.", 1800000001), "r2": node("r2", "r1", "assistant", "Two.")},
    },
]


def test_chatgpt(sqlite, write):
    """The path that the app shows, oldest conversation first; notes, settings and thrown away answers are not said."""
    done = import_file(sqlite, write(CHATGPT), memory_id="ada")
    assert [
        ("user", "What boat is this?", at(2020, 9, 13, 12, 26, 41), "earlier"),
        ("assistant", "A yawl.", at(2020, 9, 13, 12, 26, 49), "earlier"),
        ("user", "Which sail for a storm?", at(2023, 11, 14, 22, 13, 21, 250000), "later"),
        ("tool", "print(1)", at(2023, 11, 14, 22, 13, 23), "later"),
        ("tool", "1", at(2023, 11, 14, 22, 13, 23), "later"),
        ("assistant", "A small one.", at(2023, 11, 14, 22, 13, 25), "later"),
        ("user", "One.", at(2027, 1, 15, 8, 0, 1), "ring"),
        ("assistant", "Two.", at(2027, 1, 15, 8, 0, 1), "ring"),
    ] == told(sqlite)
    assert ("chatgpt", 8, 0) == (done.source_format, done.added, done.known)
    assert [3] == [one.number for one in done.rejected]
    assert "mapping" in done.rejected[0].reason
    first = sqlite.get("ada").messages()[0]
    assert "import/chatgpt" == first.writer
    assert {"imported_from": "chatgpt", "title": "Pictures"} == first.metadata
    assert "chatgpt:p" == first.message_id


def test_conversations_that_overlap_come_in_the_order_in_which_they_were_said(sqlite, write):
    """One that was taken up again came before those that began after it, and an older value stood for the newest."""

    def chat(name, *said):
        nodes = {
            f"{name}{number}": node(f"{name}{number}", f"{name}{number - 1}" if number else None, *one)
            for number, one in enumerate(said)
        }
        return {"id": name, "current_node": f"{name}{len(said) - 1}", "mapping": nodes}

    home = [
        ("user", "I live in Lyon.", 1735700000),
        ("assistant", "A fine city.", None),
        ("user", "I live in Nice now.", 1764600000),
        # Clocks differ: it stays behind what it answers.
        ("assistant", "By the sea.", 1764500000),
    ]
    plans = [("user", "I live in Metz now, we moved last week.", 1749100000), ("assistant", "Noted.", 1764550000)]
    import_file(sqlite, write([chat("home", *home), chat("plans", *plans)]), memory_id="ada")
    memory = sqlite.get("ada")
    assert ["home0", "home1", "plans0", "plans1", "home2", "home3"] == [
        one.message_id.removeprefix("chatgpt:") for one in memory.messages()
    ]
    assert "I live in Nice now." == memory.revisions("chatgpt:home0")[-1].content


def test_a_chatgpt_conversation_with_a_hole(sqlite, write):
    """What is before the hole is imported, and the hole is named."""

    def node(number, role):
        said = {
            "id": f"m{number}",
            "author": {"role": role},
            "content": {"content_type": "text", "parts": [f"{number}"]},
        }
        return {"parent": f"n{number - 1}" if number else None, "children": [f"n{number + 1}"], "message": said}

    nodes = {f"n{number}": node(number, ("user", "assistant")[number % 2]) for number in range(6)}
    del nodes["n3"]
    done = import_file(sqlite, write([{"id": "c", "current_node": "n5", "mapping": nodes}]), memory_id="ada")
    assert ["0", "1", "2", "4", "5"] == [content for _, content, *_ in told(sqlite)]
    assert ["node n3 of the conversation is missing"] == [one.reason for one in done.rejected]


def test_a_time_of_four_hundred_digits_in_a_chatgpt_conversation(sqlite, write):
    """Without a current node the last one is looked for by its time, which may be any number of JSON's."""
    nodes = {"a": node("a", None, "user", "Hi.", 10**400), "b": node("b", "a", "assistant", "Ho.", 5)}
    nodes |= {"c": node("c", "b", "user", "What?", 10**400), "d": node("d", "b", "user", "Which one?", 6)}
    done = import_file(sqlite, write([{"id": "x", "mapping": nodes}]), memory_id="ada")
    assert ["Ho."] == [content for _, content, *_ in told(sqlite)]
    assert ["message a", "message c"] == [one.reason.partition(":")[0] for one in done.rejected]


def test_what_chatgpt_read_on_the_web(sqlite, write):
    """If it fails, pages stand in no conversation, and the report counts them as messages without a text."""
    pages = {"content_type": "tether_browsing_display", "result": "L0: Berths in Nice", "summary": None}
    quote = {"content_type": "tether_quote", "url": "u", "title": "Berths", "text": "A berth costs nine."}
    nothing = {"content_type": "tether_browsing_display", "result": "", "summary": None}
    said = [node("q", None, "user", "What is a berth?", 1700000001.0)]
    said += [
        node(name, before, "tool", "", 1700000001.0, content=content)
        for name, before, content in (("p", "q", pages), ("t", "p", quote), ("n", "t", nothing))
    ]
    document = [{"conversation_id": "web", "current_node": "n", "mapping": {one["id"]: one for one in said}}]
    done = import_file(sqlite, write(document), memory_id="ada")
    assert [
        ("user", "What is a berth?"),
        ("tool", "L0: Berths in Nice"),
        ("tool", "A berth costs nine."),
    ] == [(one.role, one.content) for one in sqlite.get("ada").messages()]
    assert (1, ()) == (done.blank, done.rejected)


@pytest.mark.parametrize("kind", ["all are leaves", "every other one is damaged"])
def test_a_chatgpt_conversation_is_read_in_proportion_to_its_nodes(kind):
    """Ten times as many nodes take ten times as long, also where the tree does not say which way to go."""
    count = 400
    names = [CountedName(f"n{number}") for number in range(count)]
    nodes = {name: CHATGPT[0]["mapping"]["b"] | {"parent": None} for name in names}
    current = None
    if kind == "every other one is damaged":
        current = names[-1]
        for before, name in pairwise(names):
            nodes[name] = nodes[name] | {"parent": before}
            nodes[before] = nodes[before] | {"children": [name]}
        nodes |= dict.fromkeys(names[1:-1:2])
    CountedName.compared = 0
    found = list(read_chatgpt([{"id": "c", "current_node": current, "mapping": nodes}], Source("f")))
    assert len(found) == (1 if current is None else count)
    assert CountedName.compared < 10 * count


CLAUDE = [
    {
        "uuid": "u2",
        "name": "Berths",
        "created_at": "2025-02-03T04:05:06.789012Z",
        "chat_messages": [
            {
                "uuid": "m1",
                "sender": "human",
                "text": "ignored, there are blocks",
                "content": [{"type": "text", "text": "Where is berth 31?"}],
                "created_at": "2025-02-03T04:05:07+02:00",
                "attachments": [
                    {"file_name": "map.txt", "extracted_content": "Berth 31 is by the crane."},
                    {"file_name": "", "extracted_content": "Pasted."},
                    {"file_name": "empty.pdf", "extracted_content": ""},
                    "nothing",
                ],
                "files": [{"file_name": "map.png"}],
            },
            {
                "uuid": "m2",
                "sender": "assistant",
                "text": "",
                "content": [
                    {"type": "thinking", "thinking": "Hm."},
                    {"type": "text", "text": "By the crane."},
                    {"type": "tool_use", "name": "x", "input": {}},
                    {"type": "text", "text": "Look up."},
                ],
            },
            {"uuid": "m3", "sender": "human", "text": "Thanks.", "created_at": "2025-02-03 04:06:00"},
            {"uuid": "m4", "sender": "narrator", "text": "Nobody said this."},
            {"uuid": "m5", "sender": "human", "text": "   "},
        ],
    },
    {
        "uuid": "u1",
        "name": "",
        "created_at": "2024-01-01T00:00:00Z",
        "chat_messages": [{"sender": "human", "text": "Hi."}],
    },
]


def test_claude(sqlite, write):
    """The text blocks, behind what was attached; a message without a time has that of the one before it."""
    done = import_file(sqlite, write(CLAUDE), memory_id="ada")
    assert [
        ("user", "Hi.", at(2024, 1, 1), "u1"),
        ("user", "map.txt:\n\nBerth 31 is by the crane.", at(2025, 2, 3, 2, 5, 7), "u2"),
        ("user", "Pasted.", at(2025, 2, 3, 2, 5, 7), "u2"),
        ("user", "Where is berth 31?", at(2025, 2, 3, 2, 5, 7), "u2"),
        ("assistant", "By the crane.\nLook up.", at(2025, 2, 3, 2, 5, 7), "u2"),
        ("user", "Thanks.", at(2025, 2, 3, 4, 6), "u2"),
    ] == told(sqlite)
    assert [(1, True)] == [(one.number, "message 4" in one.reason) for one in done.rejected]
    document, _, question = sqlite.get("ada").messages()[1:4]
    assert {"imported_from": "claude", "title": "Berths", "files": "map.txt, empty.pdf, map.png"} == question.metadata
    assert ("document", 0.5, "import/claude") == (document.source, document.trust, document.writer)
    assert {"imported_from": "claude", "title": "Berths", "files": "map.txt"} == document.metadata


def test_an_attachment_without_a_word_of_its_own(sqlite, write):
    """Long texts that are pasted become attachments: the reply stood there without what it is about."""
    said = [
        {"uuid": "m1", "sender": "human", "text": "", "attachments": [{"extracted_content": "Berth 31, 2.1 metres."}]},
        {"sender": "human", "text": "", "attachments": [{"extracted_content": "Yes."}, {"extracted_content": "Yes."}]},
        {"uuid": "m2", "sender": "assistant", "text": "A deep berth."},
    ]
    for added in (4, 0):
        done = import_file(sqlite, write([{"uuid": "u", "chat_messages": said}]), memory_id="ada")
        assert (added, 4 - added, 2, ()) == (done.added, done.known, done.blank, done.rejected)
    assert ["Berth 31, 2.1 metres.", "Yes.", "Yes.", "A deep berth."] == [content for _, content, *_ in told(sqlite)]


@pytest.mark.parametrize(("name", "document"), [("chatgpt", CHATGPT[0]), ("claude", CLAUDE[0])])
def test_a_single_conversation(sqlite, write, name, document):
    """One object, as extensions of browsers save the open chat: it was of no format that is known."""
    done = import_file(sqlite, write(document), memory_id="ada")
    assert name == done.source_format
    before = memory_digest(sqlite, "ada")
    whole = import_file(sqlite, write([document]), memory_id="ada")
    assert (0, done.added) == (whole.added, whole.known)
    assert before == memory_digest(sqlite, "ada")


def telegram(number, author, text, **more):
    """A message of Telegram, at the minute of its number, two hours ahead of UTC."""
    time = {"date": f"2024-07-01T14:{number:02}:00", "date_unixtime": str(1719835200 + 60 * number)}
    return {"id": number, "type": "message", **time, "from": author, "from_id": f"user{author}", "text": text} | more


TELEGRAM = {
    "name": "Harbour",
    "type": "private_group",
    "id": 4711,
    "messages": [
        telegram(0, "Ada", "", type="service", action="create_group"),
        telegram(
            1, "Ada", ["Look at ", {"type": "link", "text": "b31.example"}, ", ", {"type": "bold", "text": "now"}]
        ),
        telegram(2, "Ben", "Nine metres, they say.", forwarded_from="Harbour news"),
        telegram(3, None, "Bye."),
        telegram(4, "Ben", "", photo="photos/1.jpg"),
        telegram(5, "Ben", "In summer.", date_unixtime=None),
        telegram(6, "Ben", 7),
        telegram(7, "Ben", "Far.", date="2020-01-01T00:00:00"),
        "nothing",
    ],
}


def test_telegram(sqlite, write):
    """Everybody is a user, by name, at the time of the place; a forwarded text is a document."""
    done = import_file(sqlite, write(TELEGRAM, "result.json"), memory_id="ada")
    assert ("telegram", 5, 1) == (done.source_format, done.added, done.blank)
    assert ["message 7 of conversation 1", "message 9 of conversation 1"] == [
        one.reason.partition(":")[0] for one in done.rejected
    ]
    said = sqlite.get("ada").messages()
    assert [
        ("Ada", "Look at b31.example, now", "2024-07-01T14:01:00+02:00", "user"),
        ("Ben", "Nine metres, they say.", "2024-07-01T14:02:00+02:00", "document"),
        (None, "Bye.", "2024-07-01T14:03:00+02:00", "user"),
        ("Ben", "In summer.", "2024-07-01T14:05:00+00:00", "user"),
        ("Ben", "Far.", "2024-07-01T12:07:00+00:00", "user"),
    ] == [(one.name, one.content, one.created_at.isoformat(), one.source) for one in said]
    assert {"4711"} == {one.conversation_id for one in said}
    assert {"imported_from": "telegram", "title": "Harbour", "forwarded_from": "Harbour news"} == said[1].metadata
    assert ("telegram:4711:1", "import/telegram") == (said[0].message_id, said[0].writer)


def test_all_chats_of_telegram(sqlite, write):
    """An export of everything has them in two lists; a bot is an assistant."""
    bot = {
        "name": "Tide",
        "type": "bot_chat",
        "id": 5,
        "messages": [telegram(8, "Ada", "Tide?"), telegram(9, 5, "High.")],
    }
    bot["messages"][1]["from"] = "Tide"
    everything = {"about": "", "chats": {"about": "", "list": [bot]}, "left_chats": {"about": "", "list": [TELEGRAM]}}
    done = import_file(sqlite, write(everything, "result.json"), memory_id="ada")
    assert 7 == done.added
    assert [("user", "Tide?", "5"), ("assistant", "High.", "5")] == [
        (role, content, thread) for role, content, _, thread in told(sqlite) if thread == "5"
    ]
    assert 5 == import_file(sqlite, write(TELEGRAM, "harbour.json"), memory_id="ada").known


LANGCHAIN = [
    SystemMessage("Be kind."),
    HumanMessage("Where is berth 31?", name="Mara"),
    AIMessage("", tool_calls=[{"name": "find", "args": {"berth": 31}, "id": "call-1"}]),
    ToolMessage("By the crane.", tool_call_id="call-1"),
    AIMessage([{"type": "text", "text": "By the crane."}, {"type": "image_url", "image_url": {"url": "x"}}]),
    HumanMessage("Thanks.", additional_kwargs={"timestamp": "2025-05-05T05:05:05Z"}),
]
"""LangChain's own objects."""

SAME = [
    ("system", "Be kind."),
    ("user", "Where is berth 31?"),
    ("assistant", ""),
    ("tool", "By the crane."),
    ("assistant", "By the crane."),
    ("user", "Thanks."),
]


@pytest.mark.parametrize("form", ["list", "sessions", "redis", "redis sessions"])
def test_langchain_json(sqlite, write, form):
    """What `messages_to_dict` gives, and dumps of the Redis history, which are newest first and hold texts."""
    plain = messages_to_dict(LANGCHAIN)
    dump = [json.dumps(message_to_dict(one)) for one in reversed(LANGCHAIN)]
    documents = {"list": plain, "sessions": {"one": plain}, "redis": dump, "redis sessions": {"one": dump}}
    done = import_file(sqlite, write(documents[form], "chat.json"), memory_id="ada")
    assert ("langchain", 6, ()) == (done.source_format, done.added, done.rejected)
    stored = sqlite.get("ada").messages()
    assert SAME == [(one.role, one.content) for one in stored]
    assert {"one" if "sessions" in form else "chat"} == {one.conversation_id for one in stored}
    assert "Mara" == stored[1].name
    assert at(2025, 5, 5, 5, 5, 5) == stored[5].created_at
    assert "call-1" == stored[2].metadata["tool_calls"][0]["id"]
    assert "call-1" == stored[3].metadata["tool_call_id"]
    assert [0, 1, 1, 1, 2, 3] == [one.turn for one in stored]


def test_langchain_in_sqlite(sqlite, tmp_path):
    """The table of `SQLChatMessageHistory`, under any name."""
    path = tmp_path / "history.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute('CREATE TABLE "my ""store" (id INTEGER PRIMARY KEY, session_id TEXT, message TEXT)')
        for session in ("one", "two"):
            for message in LANGCHAIN:
                row = (session, json.dumps(message_to_dict(message)))
                connection.execute('INSERT INTO "my ""store" (session_id, message) VALUES (?, ?)', row)
        connection.execute('INSERT INTO "my ""store" (session_id, message) VALUES (?, ?)', ("two", b"\xff"))
        connection.execute('INSERT INTO "my ""store" (session_id, message) VALUES (?, ?)', ("two", "{"))
    connection.close()
    before = path.read_bytes()
    done = import_file(sqlite, path, memory_id="ada")
    assert ("langchain-sql", 12, [13, 14]) == (done.source_format, done.added, [one.number for one in done.rejected])
    for session in ("one", "two"):
        assert SAME == [(one.role, one.content) for one in sqlite.get("ada").messages(conversation_id=session)]
    assert 12 == import_file(sqlite, path, memory_id="ada").known
    assert before == path.read_bytes()


def test_a_llamaindex_key_without_a_list(sqlite, write):
    """It is named; the others are imported."""
    said = [{"role": "user", "content": "Hello."}]
    done = import_file(sqlite, write({"store": {"a": said, "b": None, "c": said}}), memory_id="ada")
    assert ["a", "c"] == [thread for *_, thread in told(sqlite)]
    assert ["the messages of 'b' must be a list, got NoneType"] == [one.reason for one in done.rejected]


def test_llamaindex(sqlite, write):
    """A chat store as it persists itself, of LlamaIndex's own messages; older files have `content` for `blocks`."""
    own = [
        ChatMessage(role="user", content="Where is berth 31?"),
        ChatMessage(role="assistant", content="By the crane."),
    ]
    stored = [json.loads(one.model_dump_json()) for one in own]
    older = [
        {"role": "user", "content": "Hello.", "additional_kwargs": {}},
        {"role": "assistant", "content": None, "additional_kwargs": {"tool_calls": [{"id": "c", "type": "function"}]}},
        {"role": "tool", "content": "42", "additional_kwargs": {"tool_call_id": "c", "name": "find"}},
    ]
    document = {"store": {"new": stored, "old": older}, "class_name": "SimpleChatStore"}
    done = import_file(sqlite, write(document), memory_id="ada")
    assert ("llamaindex", 5, ()) == (done.source_format, done.added, done.rejected)
    assert [
        ("user", "Where is berth 31?", "new"),
        ("assistant", "By the crane.", "new"),
        ("user", "Hello.", "old"),
        ("assistant", "", "old"),
        ("tool", "42", "old"),
    ] == [(one.role, one.content, one.conversation_id) for one in sqlite.get("ada").messages()]
    assert "c" == sqlite.get("ada").messages()[4].metadata["tool_call_id"]


@pytest.mark.parametrize(
    "wrap", [lambda facts: facts, lambda facts: {"results": facts}, lambda facts: {"memories": facts}]
)
def test_mem0(sqlite, write, wrap):
    """Facts in the order in which they were learned."""
    facts = [
        {
            "id": "f2",
            "memory": "Is allergic to hazelnuts",
            "created_at": "2024-07-20T01:30:36.275141-07:00",
            "user_id": "ada",
        },
        {"id": "f1", "memory": "Has a boat", "created_at": "2024-07-19T01:30:36Z", "metadata": {"a": 1}},
        {"id": "f3", "memory": None},
    ]
    done = import_file(sqlite, write(wrap(facts)), memory_id="ada", conversation_id="facts")
    assert [
        ("user", "Has a boat", at(2024, 7, 19, 1, 30, 36), "facts"),
        ("user", "Is allergic to hazelnuts", at(2024, 7, 20, 8, 30, 36, 275141), "facts"),
    ] == told(sqlite)
    assert ("mem0", [3]) == (done.source_format, [one.number for one in done.rejected])


def test_plain_lines(sqlite, write):
    """A message a line; what cannot be used is named by its line, all others are stored."""
    lines = [
        '\ufeff{"role": "user", "content": "One.", "created_at": "2024-01-02", "name": "Mara", "metadata": {"a": 1}}',
        "",
        '{"role": "assistant", "content": [{"type": "text", "text": "Two."}], "timestamp": 1704153600, "id": 7}',
        "not json",
        '{"role": "user", "content": "Three.", "conversation_id": "other", "message_id": "mine"}',
        '{"role": "nobody", "content": "Four."}',
        '{"role": "user"}',
        '{"role": "user", "content": "Five.", "created_at": "yesterday"}',
        '{"role": "user", "content": "Six.", "metadata": 7}',
        '["role", "content"]',
        '{"role": "user", "content": "  "}',
    ]
    done = import_file(sqlite, write("\r\n".join(lines), "notes.jsonl"), memory_id="ada")
    assert [
        ("user", "One.", at(2024, 1, 2), "notes"),
        ("assistant", "Two.", at(2024, 1, 2), "notes"),
    ] == told(sqlite)[:2]
    assert ("mine", "other") == (
        sqlite.get("ada").messages()[2].message_id,
        sqlite.get("ada").messages()[2].conversation_id,
    )
    assert ("jsonl", 3, [4, 6, 7, 8, 9, 10]) == (done.source_format, done.added, [one.number for one in done.rejected])
    assert all(one.reason and "\n" not in one.reason for one in done.rejected)


def test_what_others_wrote_is_believed_no_more_behind_an_import(sqlite, write):
    """If it fails, a planted document comes back from `streetai show --json` as the user's own word."""
    planted = {"role": "user", "content": "The harbour has nine metres.", "source": "document", "trust": 0.1}
    foreign = {"role": "user", "content": "It is deep.", "source": "web", "trust": "high", "writer": "mallory"}
    import_file(sqlite, write([planted, foreign]), memory_id="ada")
    assert [("document", 0.1, "import/jsonl"), ("user", 1.0, "import/jsonl")] == [
        (one.source, one.trust, one.writer) for one in sqlite.get("ada").messages()
    ]


def test_plain_messages_of_a_chat_api_keep_their_calls_of_tools(sqlite, write):
    """A list as an app sends it to OpenAI: calls were left out as messages without a text, and results lost theirs."""
    call = {"id": "c1", "type": "function", "function": {"name": "depth", "arguments": '{"berth": 31}'}}
    said = [
        {"role": "user", "content": "How deep is berth 31?"},
        {"role": "assistant", "content": None, "tool_calls": [call, {"id": "c2"}, "nothing"]},
        {"role": "tool", "content": "2.1", "tool_call_id": "c1", "metadata": {"unit": "m"}},
        {"role": "assistant", "content": "2.1 metres."},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c3"}]},
    ]
    done = import_file(sqlite, write(said, "app.json"), memory_id="ada")
    assert (4, 1, ()) == (done.added, done.blank, done.rejected)
    memory = sqlite.get("ada")
    assert {"unit": "m", "tool_call_id": "c1"} == memory.messages()[2].metadata
    turns = memory.build_prompt("Is that enough for us?", conversation_id="app").messages
    assert [None, [call], None, None, None] == [turn.get("tool_calls") for turn in turns]
    assert ["c1"] == [turn["tool_call_id"] for turn in turns if turn["role"] == "tool"]


def test_a_message_without_a_time_was_said_when_its_neighbours_were(sqlite, write):
    """It was of the day of the import: replies of last year were of today, and stood behind what was asked later."""
    lines = [
        {"role": "user", "content": "First.", "conversation_id": "a"},
        {"role": "assistant", "content": "Second.", "conversation_id": "a", "created_at": "2024-01-02T03:00:00-05:00"},
        {"role": "user", "content": "Another talk.", "conversation_id": "b", "created_at": "2025-06-07"},
        {"role": "user", "content": "Third.", "conversation_id": "a"},
        {"role": "assistant", "content": "Fourth.", "conversation_id": "a", "created_at": "2024-01-03"},
        {"role": "user", "content": "Fifth.", "conversation_id": "a"},
        {"role": "user", "content": "When?", "conversation_id": "c"},
    ]
    before = datetime.now(timezone.utc)
    import_file(sqlite, write("\n".join(map(json.dumps, lines)), "notes.jsonl"), memory_id="ada")
    times = {content: time for _, content, time, _ in told(sqlite)}
    assert [at(2024, 1, 2, 8)] * 3 == [times[content] for content in ("First.", "Second.", "Third.")]
    assert [at(2024, 1, 3)] * 2 == [times[content] for content in ("Fourth.", "Fifth.")]
    assert at(2025, 6, 7) == times["Another talk."]
    assert times["When?"] >= before


def test_plain_list(sqlite, write):
    """The same messages in a list."""
    done = import_file(
        sqlite,
        write([{"role": "human", "content": "Hi."}, {"role": "ai", "content": "Ho."}, 3], "x.json"),
        memory_id="ada",
    )
    assert [("user", "Hi."), ("assistant", "Ho.")] == [one[:2] for one in told(sqlite)]
    assert ("jsonl", [3]) == (done.source_format, [one.number for one in done.rejected])


def test_the_published_database(sqlite):
    """Weights, turns, stacks and times of streetai-memory 0.2.0 are kept; texts are whole again."""
    with closing(sqlite3.connect(PUBLISHED)) as connection, connection:
        rows = connection.execute(
            "SELECT turn, chunk_index, base_weight, last_used_turn, stack_id, content, created_at, parent_turn_id "
            "FROM signals WHERE memory_id = 'mara' ORDER BY turn, chunk_index"
        ).fetchall()
    connection.close()
    done = import_file(sqlite, PUBLISHED)
    assert ("streetai-memory", ("mara", "nils"), 8, ()) == (
        done.source_format,
        done.memory_ids,
        done.added,
        done.rejected,
    )
    memory = sqlite.get("mara")
    signals = memory.signals
    assert [row[:4] for row in rows] == [
        (one.turn, one.chunk_index, one.base_weight, one.last_used_turn) for one in signals
    ]
    assert max(one.base_weight for one in signals) == pytest.approx(1.1**3)
    assert [row[5] for row in rows] == [one.content for one in signals]
    assert [row[7] for row in rows] == [one.parent_turn_id for one in signals]
    assert [row[6] for row in rows] == pytest.approx([one.created_at.timestamp() for one in signals], abs=1)
    old, new = [row[4] for row in rows], [one.stack_id for one in signals]
    assert [old.index(name) for name in old] == [new.index(name) for name in new]
    assert len(set(old)) == len(memory.stacks)
    assert (
        "Here is a list:\n```python\nsafe = ['apple', 'plum']\nprint(safe)\n```\nAny of these"
        in memory.messages()[3].content
    )
    assert "".join(m.content[s.start : s.end] for m in memory.messages()[3:4] for s in signals if s.turn == 3) == (
        memory.messages()[3].content
    )
    found = memory.retrieve("At which berth does the boat lie?")
    assert "berth" in found[0].signal.content
    moved = memory.messages()[4]
    assert 6 == memory.add_message("One more.", role="user")[0].turn
    assert moved.message_id == rows[-2][7]
    assert 8 == import_file(sqlite, PUBLISHED).known


def test_one_of_the_published_memories(sqlite):
    """Named by its id; under another id only where there is no doubt."""
    assert ("nils",) == import_file(sqlite, PUBLISHED, memory_id="nils").memory_ids
    assert ["nils"] == sqlite.ids()
    with pytest.raises(InputError, match="none is 'ada'"):
        import_file(sqlite, PUBLISHED, memory_id="ada")


def test_damaged_rows_of_the_published_database(sqlite, tmp_path):
    """They are named, and the others come in."""
    path = tmp_path / "old.db"
    path.write_bytes(PUBLISHED.read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE signals SET base_weight = 'heavy' WHERE turn = 0 AND memory_id = 'mara'")
        connection.execute("UPDATE signals SET role = 'nobody' WHERE turn = 1 AND memory_id = 'mara'")
        connection.execute("UPDATE signals SET turn = -5 WHERE turn = 2 AND memory_id = 'mara'")
        connection.execute("UPDATE signals SET created_at = 1e300 WHERE turn = 4 AND memory_id = 'mara'")
        connection.execute("UPDATE signals SET content = x'ff' WHERE turn = 0 AND memory_id = 'nils'")
    connection.close()
    done = import_file(sqlite, path)
    assert (3, 6) == (done.added, len(done.rejected))
    assert [3, 5] == [one.turn for one in sqlite.get("mara").messages()]


@pytest.mark.parametrize("weight", [0, 0.0, 1e-300])
def test_what_the_published_product_demoted_to_nothing(sqlite, tmp_path, weight):
    """If it fails, one signal of weight 0 keeps the whole file out, for a memory has only weights above it."""
    path = tmp_path / "old.db"
    path.write_bytes(PUBLISHED.read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE signals SET base_weight = ? WHERE turn = 0 AND memory_id = 'mara'", [weight])
    done = import_file(sqlite, path)
    assert (8, ()) == (done.added, done.rejected)
    light, *others = sqlite.get("mara").signals
    assert 0 < light.base_weight < min(one.base_weight for one in others) / 1e6
    assert sqlite.get("mara").retrieve(light.content)


@pytest.mark.parametrize("memory_id", ["x" * 600, b"\xff", ""])
def test_signals_of_no_memory_of_the_published_database(sqlite, tmp_path, memory_id):
    """They are named, though there is no memory to name them with, and the others come in."""
    path = tmp_path / "old.db"
    path.write_bytes(PUBLISHED.read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE signals SET memory_id = ? WHERE turn = 0 AND memory_id = 'nils'", [memory_id])
    done = import_file(sqlite, path)
    assert (7, 1, ["mara", "nils"]) == (done.added, len(done.rejected), sqlite.ids())
    assert "memory_id" in done.rejected[0].reason


@pytest.mark.parametrize(
    "document", [CHATGPT, CLAUDE, messages_to_dict(LANGCHAIN), [{"memory": "A fact"}, {"memory": "A fact"}]]
)
def test_importing_again_adds_only_what_is_new(sqlite, write, document):
    """The same file, and the file as it is later, with more in it."""
    first = import_file(sqlite, write(document), memory_id="ada")
    before = memory_digest(sqlite, "ada")
    again = import_file(sqlite, write(document), memory_id="ada")
    assert (0, first.added) == (again.added, again.known)
    assert before == memory_digest(sqlite, "ada")
    grown = [*document, document[0] | {"uuid": "new", "id": "new", "conversation_id": "new"}]
    later = import_file(sqlite, write(grown), memory_id="ada")
    assert first.added <= later.known


def test_equal_messages_are_all_kept(sqlite, write):
    """Who says "yes" twice has said it twice; and a third time later."""
    line = '{"role": "user", "content": "Yes."}\n'
    assert 2 == import_file(sqlite, write(line * 2, "a.jsonl"), memory_id="ada").added
    done = import_file(sqlite, write(line * 3, "a.jsonl"), memory_id="ada")
    assert (1, 2) == (done.added, done.known)
    assert 3 == len(sqlite.get("ada").messages())


def test_an_interrupted_import_goes_on(sqlite, write):
    """What was stored stays; nothing is embedded or stored twice."""
    lines = "".join(json.dumps({"role": "user", "content": f"Sentence number {n}."}) + "\n" for n in range(450))
    path = write(lines, "many.jsonl")

    def interrupt(done, total):
        if done >= 200:
            assert 450 == total
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_file(sqlite, path, memory_id="ada", progress=interrupt)
    assert 200 == len(sqlite.get("ada").messages())
    done = import_file(sqlite, path, memory_id="ada")
    assert (250, 200) == (done.added, done.known)
    assert [f"Sentence number {n}." for n in range(450)] == [one.content for one in sqlite.get("ada").messages()]


def test_a_taken_id_is_named(sqlite, write):
    """Another text under the same id is left out, whether stored before or in the same file."""
    sqlite.get("ada").add_message("Mine.", role="user", message_id="x")
    lines = [{"role": "user", "content": f"Other {n}.", "message_id": name} for n, name in enumerate("xyyz")]
    done = import_file(sqlite, write("\n".join(map(json.dumps, lines)), "a.jsonl"), memory_id="ada")
    assert (2, [1, 3]) == (done.added, [one.number for one in done.rejected])
    assert ["Mine.", "Other 1.", "Other 3."] == [one.content for one in sqlite.get("ada").messages()]
    with pytest.raises(MessageConflictError):
        sqlite.get("ada").add_message("Not mine.", role="user", message_id="x")


def test_a_message_that_the_memory_refuses_is_named(sqlite, write):
    """The others of its batch are stored."""
    deep = current = {}
    for _ in range(150):
        current["a"] = {}
        current = current["a"]
    lines = [{"role": "user", "content": "Good."}, {"role": "user", "content": "Deep.", "metadata": deep}]
    done = import_file(sqlite, write("\n".join(map(json.dumps, lines)), "a.jsonl"), memory_id="ada")
    assert (1, [2]) == (done.added, [one.number for one in done.rejected])


def test_a_long_id_still_fits(sqlite, write):
    """An id that is no id becomes a hash of it."""
    line = {"role": "user", "content": "Hi.", "message_id": "x" * 2000, "conversation_id": "y\0" * 900}
    for _ in range(2):
        done = import_file(sqlite, write(json.dumps(line), "a.jsonl"), memory_id="ada")
    assert (0, 1) == (done.added, done.known)


def test_progress_counts_messages(sqlite, write):
    """To the end, in batches."""
    lines = "".join(json.dumps({"role": "user", "content": f"Sentence {n}."}) + "\n" for n in range(210))
    steps = []
    import_file(sqlite, write(lines, "a.jsonl"), memory_id="ada", progress=lambda *step: steps.append(step))
    assert [(200, 210), (210, 210)] == steps


def test_all_formats_are_tested():
    """The list of formats is the list of this module's tests, and of the archive's."""
    tested = {
        "chatgpt",
        "claude",
        "telegram",
        "langchain",
        "langchain-sql",
        "llamaindex",
        "mem0",
        "jsonl",
        "streetai-memory",
    }
    assert tested | {"streetai"} == set(FORMATS)


def test_every_line_is_in_one_number_of_the_report(sqlite, write):
    """Whoever checks an import adds them up: a message without a text was in none of them."""
    lines = [{"role": "user", "content": text} for text in ("Real.", "   ", "", "Also real.", "Real.")]
    lines[4]["role"] = "nobody"
    done = import_file(sqlite, write("\n".join(map(json.dumps, lines)), "a.jsonl"), memory_id="ada")
    assert (2, 0, 2, [5]) == (done.added, done.known, done.blank, [one.number for one in done.rejected])
    assert 2 == done.to_dict()["blank"]


def test_a_message_that_is_too_long_is_named(sqlite, write):
    """With the limit that the page of imports names, and whether the line can be looked at or not."""
    for length in (3_000_000, 9_000_000):
        path = write(json.dumps({"role": "user", "content": "x" * length}) + "\n", f"{length}.jsonl")
        done = import_file(sqlite, path, memory_id="ada")
        assert ("jsonl", 0, [1]) == (done.source_format, done.added, [one.number for one in done.rejected])
        assert ("2,097,152" if length == 3_000_000 else "8,388,608") in done.rejected[0].reason


def test_lines_that_are_all_too_long_to_be_looked_at_are_an_error_that_says_so(sqlite, write):
    """It was "not JSON", which they are; with the format given, what can be used is imported."""
    line = json.dumps({"role": "user", "content": "x" * 9_000_000}) + "\n"
    path = write(line * 2, "long.jsonl")
    with pytest.raises(InputError, match=r"line 1 of long\.jsonl has more than 8,388,608 characters.*Give the format"):
        import_file(sqlite, path, memory_id="ada")
    done = import_file(sqlite, path, memory_id="ada", source_format="jsonl")
    assert [1, 2] == [one.number for one in done.rejected]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("_chat.txt", "\u200e[02/01/2024, 03:04:05] Ada: Hi\n", "WhatsApp"),
        ("WhatsApp Chat with Ada.txt", "1/2/24, 3:04\u202fPM - Ada: Hi\n", "WhatsApp"),
        ("chat.txt", "02.01.24, 03:04 - Ada: Hi\n", "WhatsApp"),
        ("messages.html", "\ufeff<!DOCTYPE html>\n<html>", "conversations.json"),
        ("general.json", [{"type": "message", "user": "U1", "text": "hi", "ts": "1704161045.000100"}], "Slack"),
        ("what.json", {"a": 1}, "of no format that is known"),
        ("notes.txt", "Buy milk.\n", "is not JSON"),
        ("table.csv", '"day","who","what"\n2024-01-02,Ada,Hi\n', "is not JSON"),
        ("lines.jsonl", '{"sender": "Ada", "text": "Hi"}\n' * 2, "each needs role and content, this has"),
    ],
)
def test_a_file_that_cannot_be_read_says_what_to_do(sqlite, write, name, content, told):
    """Messengers whose files are not read are named, and there is a way for everything."""
    with pytest.raises(ImportFormatError, match=told) as caught:
        import_file(sqlite, write(content, name), memory_id="ada")
    if name not in {"messages.html", "lines.jsonl"}:
        way = str(caught.value).partition("a message a line, as ")[2]
        done = import_file(sqlite, write(way, "way.jsonl"), memory_id="ada")
        assert ("jsonl", 1, ()) == (done.source_format, done.added, done.rejected)
