"""Recalled text stays inside its fence."""

from datetime import datetime, timezone

from hypothesis import given
from hypothesis import strategies as st

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.prompt.block import quoted, recalled_block
from streetai_core.prompt.passages import Excerpts, whole
from streetai_core.stores.reference import ReferenceStore
from streetai_core.tokens import EstimatedTokens
from streetai_core.types import Hit, Message, Signal

KEY = "what only the memory knows"
NOON = datetime(2026, 3, 2, 12, tzinfo=timezone.utc)


def make_message(content, name=None, sequence=0):
    """A stored message."""
    return Message(
        message_id=f"m{sequence}", role="user", content=content, turn=0, sequence=sequence, created_at=NOON, name=name
    )


def make_hit(message, start, end, block=None, kind="chunk"):
    """A hit in a message."""
    block = block or (start, end)
    signal = Signal(
        signal_id=f"s{start}", content=message.content[start:end], role="user", turn=0,
        parent_turn_id=message.message_id,
        chunk_index=0, base_weight=1.0, last_used_turn=0, stack_id="k", start=start, end=end, block_start=block[0],
        block_end=block[1], created_at=NOON, kind=kind,
    )  # fmt: skip
    return Hit(signal, 1.0)


def test_a_block_says_when_and_by_whom():
    """In the order of saying, whatever the order of relevance."""
    block = recalled_block(
        [whole(make_message("second\nline two", "Ben", 2)), whole(make_message("first", sequence=1))],
        secret=KEY,
        question="?",
    )
    mark = block[len("[recalled ") : len("[recalled ") + 8]
    assert block.split("\n")[1:] == [
        "2026-03-02 user:",
        "> first",
        "2026-03-02 Ben (user):",
        "> second",
        "> line two",
        f"[end of recalled {mark}]",
    ]


@given(st.text(), st.text(max_size=60), st.text())
def test_no_content_leaves_the_fence(content, name, question):
    """Property: first and last line are ours; between them only labels and quoted lines."""
    block = recalled_block([whole(make_message(content, name))], secret=KEY, question=question)
    first, label, *lines, last = block.split("\n")
    mark = first[len("[recalled ") : len("[recalled ") + 8]
    assert first.startswith("[recalled ")
    assert last == f"[end of recalled {mark}]"
    assert label.startswith("2026-03-02 ")
    assert label.endswith((" user:", " (user):"))
    assert "[" not in label
    assert all(line.startswith("> ") for line in lines)


@given(st.text())
def test_quoting_keeps_every_character_that_is_no_line_break(text):
    """Property: nothing is lost but the kind of line break."""
    assert [line.removeprefix("> ") for line in quoted(text).split("\n")] == (text.splitlines() or [""])


def test_the_mark_depends_on_secret_content_and_question():
    """Whoever writes content cannot know it."""
    passages = [whole(make_message("said"))]
    marks = {
        recalled_block(passages, secret=KEY, question="?")[:20],
        recalled_block(passages, secret=KEY[::-1], question="?")[:20],
        recalled_block(passages, secret=KEY, question="!")[:20],
        recalled_block([whole(make_message("said."))], secret=KEY, question="?")[:20],
    }
    assert len(marks) == 4


def test_a_short_message_is_shown_whole():
    """The chunk matched, the message is sent."""
    message = make_message("I moor at berth 31. It is a quiet place.")
    (passage,) = Excerpts(Config(), EstimatedTokens()).choices(make_hit(message, 0, 19), message, None)
    assert passage.text == message.content


def test_of_a_long_message_the_part_with_its_surroundings():
    """Whole sentences on both sides, with marks where something is left out."""
    sentences = [f"This is sentence number {n} of a long one. " for n in range(40)]
    message = make_message("".join(sentences).rstrip())
    start = message.content.index("This is sentence number 20")
    excerpts = Excerpts(Config(passage_tokens=40), EstimatedTokens())
    (shown,) = excerpts.choices(make_hit(message, start, start + 42), message, None)
    assert shown.text == f"[...] {''.join(sentences[19:22]).strip()} [...]"


def test_two_hits_in_one_message_make_one_passage():
    """Touching parts are joined, distant ones stand apart with a mark."""
    message = make_message("".join(f"Sentence {n} is here now. " for n in range(100)))
    excerpts = Excerpts(Config(passage_tokens=8), EstimatedTokens())
    first = message.content.index("Sentence 10 ")
    second = message.content.index("Sentence 80 ")
    (shown,) = excerpts.choices(make_hit(message, first, first + 25), message, None)
    (shown,) = excerpts.choices(make_hit(message, second, second + 25), message, shown)
    assert shown.text == "[...] Sentence 10 is here now. [...] Sentence 80 is here now. [...]"
    assert len(shown.hits) == 2


def test_code_is_shown_whole_where_it_fits():
    """The whole fence is the first choice for any of its windows; the window with its surroundings the second."""
    code = "Look:\n```\n" + "".join(f"line_{n} = {n}\n" for n in range(60)) + "```\nThat is all."
    message = make_message(code)
    fence = (code.index("```"), code.rindex("```") + 4)
    start = code.index("line_30")
    hit = make_hit(message, start, start + 40, fence, kind="code")
    first, second = Excerpts(Config(), EstimatedTokens()).choices(hit, message, None)
    assert first.text == f"[...] {code[slice(*fence)].strip()} [...]"
    assert "line_30 = 30" in second.text
    assert EstimatedTokens().count(second.text) < 70


def test_a_fence_that_does_not_fit_is_sent_in_part():
    """The budget decides between the two."""
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder()).get("m")
    memory.add_message("```\n" + "".join(f"tide_table[{n}] = berth.depth({n})\n" for n in range(80)) + "```", "user")
    memory.add_messages([NewMessage(content=f"Idle remark {n} on the weather.", role="user") for n in range(200)])
    question = "tide_table berth.depth"
    assert "tide_table[0]" in memory.build_prompt(question, token_budget=200).recalled_text
    assert "tide_table[79]" not in memory.build_prompt(question, token_budget=200).recalled_text
