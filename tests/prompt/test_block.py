"""Recalled text stays inside its fence."""

from datetime import datetime, timezone

from hypothesis import given
from hypothesis import strategies as st

from streetai_core.config import Config
from streetai_core.prompt.block import quoted, recalled_block
from streetai_core.prompt.passages import Excerpts, Passage, whole
from streetai_core.tokens import EstimatedTokens
from streetai_core.types import Hit, Message, Signal

KEY = "what only the memory knows"
NOON = datetime(2026, 3, 2, 12, tzinfo=timezone.utc)


def make_message(content, name=None, sequence=0):
    """A stored message."""
    return Message(
        message_id=f"m{sequence}", role="user", content=content, turn=0, sequence=sequence, created_at=NOON, name=name
    )


def make_hit(message, start, end, block=None):
    """A hit in a message."""
    block = block or (start, end)
    signal = Signal(
        signal_id=f"s{start}", content=message.content[start:end], role="user", turn=0,
        parent_turn_id=message.message_id,
        chunk_index=0, base_weight=1.0, last_used_turn=0, stack_id="k", start=start, end=end, block_start=block[0],
        block_end=block[1], created_at=NOON,
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
    assert Excerpts(Config(), EstimatedTokens()).show(make_hit(message, 0, 19), message, None).text == message.content


def test_of_a_long_message_the_part_with_its_surroundings():
    """Whole sentences on both sides, with marks where something is left out."""
    sentences = [f"This is sentence number {n} of a long one. " for n in range(40)]
    message = make_message("".join(sentences).rstrip())
    start = message.content.index("This is sentence number 20")
    shown = Excerpts(Config(passage_tokens=40), EstimatedTokens()).show(
        make_hit(message, start, start + 42), message, None
    )
    assert shown.text == f"[...] {''.join(sentences[19:22]).strip()} [...]"


def test_two_hits_in_one_message_make_one_passage():
    """Touching parts are joined, distant ones stand apart with a mark."""
    message = make_message("".join(f"Sentence {n} is here now. " for n in range(100)))
    excerpts = Excerpts(Config(passage_tokens=8), EstimatedTokens())
    first = message.content.index("Sentence 10 ")
    second = message.content.index("Sentence 80 ")
    shown = excerpts.show(make_hit(message, first, first + 25), message, None)
    shown = excerpts.show(make_hit(message, second, second + 25), message, shown)
    assert shown.text == "[...] Sentence 10 is here now. [...] Sentence 80 is here now. [...]"
    assert len(shown.hits) == 2


def test_a_code_window_shows_its_fence_if_that_fits():
    """Else the window with the lines round it."""
    code = "Look:\n```\nfirst = 1\nsecond = 2\n```\n" + "More words follow here. " * 30
    message = make_message(code)
    fence = (code.index("```"), code.rindex("```") + 3)
    hit = make_hit(message, fence[0], fence[0] + 14, fence)
    assert "second = 2" in Excerpts(Config(passage_tokens=20), EstimatedTokens()).show(hit, message, None).text
    assert Passage(message, (fence,)).text.endswith("``` [...]")
