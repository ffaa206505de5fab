"""What is shown of a message is its own text, cut where a reader would cut it."""

import math
import re
from datetime import datetime, timezone
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streetai_core import Config, EstimatedTokens, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.prompt.packing import most_tokens
from streetai_core.prompt.passages import Excerpts
from streetai_core.stores.reference import ReferenceStore
from streetai_core.text.chunking import sentence_spans
from streetai_core.types import Hit, Message, Signal

NOON = datetime(2026, 3, 2, 12, tzinfo=timezone.utc)


def make_message(content):
    """A stored message."""
    return Message(message_id="m", role="user", content=content, turn=0, sequence=0, created_at=NOON)


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


def excerpts(room=0.0, **changes):
    """Excerpts that count a quarter of the characters; without room a passage has `passage_tokens`."""
    return Excerpts(Config(**changes), EstimatedTokens(), room)


def test_a_short_message_is_shown_whole():
    """The chunk matched, the message is sent."""
    message = make_message("I moor at berth 31. It is a quiet place.")
    (passage,) = excerpts().choices(make_hit(message, 0, 19), message, None)
    assert passage.text == message.content


def test_of_a_long_message_the_part_with_its_surroundings():
    """Whole sentences on both sides, with marks where something is left out."""
    sentences = [f"This is sentence number {n} of a long one. " for n in range(40)]
    message = make_message("".join(sentences).rstrip())
    start = message.content.index("This is sentence number 20")
    (shown,) = excerpts(passage_tokens=32).choices(make_hit(message, start, start + 42), message, None)
    assert shown.text == f"[...] {''.join(sentences[19:22]).strip()} [...]"


def test_of_a_message_whose_pieces_are_told_the_best_ones_are_shown_for_the_first_of_them():
    """Another hit of it is shown with what stands around it, and so is one of a message with fewer pieces."""
    sentences = [f"This is sentence number {n} of a long one. " for n in range(10, 50)]
    message = make_message("".join(sentences))
    pieces = [(42 * n, 42 * n + 42) for n in (30, 3, 17, 8)]

    def shown(piece, told):
        given = {message.message_id: told}
        made = Excerpts(Config(passage_tokens=26), EstimatedTokens(), 0.0, None, given)
        (passage,) = made.choices(make_hit(message, *piece), message, None)
        return passage.text

    assert shown(pieces[0], pieces) == f"[...] {sentences[3].strip()} [...] {sentences[30].strip()} [...]"
    assert shown(pieces[1], pieces).startswith(f"[...] {sentences[3]}{sentences[4].strip()}")
    assert shown(pieces[0], pieces[:3]).startswith(f"[...] {sentences[30]}{sentences[31].strip()}")


def test_what_room_is_left_behind_the_sentences_is_filled_with_whole_words():
    """A long sentence that follows is cut between words, not left out."""
    message = make_message(f"The berth is 31. It {'really ' * 80}matters.")
    (shown,) = excerpts(passage_tokens=20).choices(make_hit(message, 0, 16), message, None)
    assert shown.text == f"The berth is 31. It {'really ' * 7}really [...]"
    assert EstimatedTokens().count(message.content[slice(*shown.spans[0])]) <= 20


def test_what_room_is_left_at_the_end_of_a_message_is_filled_before_with_whole_words():
    """A long sentence in front of the last one is cut between words, not left out: else less than half is shown."""
    message = make_message(f"It {'really ' * 80}matters. The berth is 31.")
    start = message.content.index("The berth")
    (shown,) = excerpts(passage_tokens=20).choices(make_hit(message, start, start + 16), message, None)
    assert shown.text == f"[...] {'really ' * 7}matters. The berth is 31."
    assert EstimatedTokens().count(message.content[slice(*shown.spans[0])]) <= 20


def test_a_word_that_does_not_fit_before_a_passage_is_left_out():
    """Nothing is ever cut inside a word."""
    message = make_message(f"{'x' * 400} The berth is 31.")
    start = message.content.index("The berth")
    (shown,) = excerpts(passage_tokens=20).choices(make_hit(message, start, start + 16), message, None)
    assert shown.text == "[...] The berth is 31."


@pytest.mark.parametrize(("room", "tokens"), [(0, 60), (120, 80), (math.inf, 225)])
def test_with_more_room_more_of_a_long_message_is_shown(room, tokens):
    """At least `passage_tokens`, at most two thirds of the room, and never much more than half of the message."""
    message = make_message("".join(f"Sentence {n:03} is here now. " for n in range(62)) + "End.")
    assert EstimatedTokens().count(message.content) == 404
    most = most_tokens(EstimatedTokens().count(message.content), room, Config())
    assert most == pytest.approx(min(tokens, 0.55 * 404 + 5), abs=3)
    (shown,) = excerpts(room).choices(make_hit(message, 600, 625), message, None)
    assert most - 10 <= EstimatedTokens().count(shown.text.replace("[...]", "").strip()) <= most


def test_a_message_up_to_the_limit_is_never_cut():
    """60 tokens are shown whole in the smallest room, 61 are not."""
    for length, is_whole in ((240, True), (241, False)):
        message = make_message(("word " * 100)[: length - 1] + ".")
        (shown,) = excerpts().choices(make_hit(message, 0, 20), message, None)
        assert (shown.text == message.content) is is_whole


def test_two_hits_in_one_message_make_one_passage():
    """Touching parts are joined, distant ones stand apart with a mark."""
    message = make_message("".join(f"Sentence {n} is here now. " for n in range(100)))
    short = excerpts(passage_tokens=7)
    first = message.content.index("Sentence 10 ")
    second = message.content.index("Sentence 80 ")
    (shown,) = short.choices(make_hit(message, first, first + 25), message, None)
    (shown,) = short.choices(make_hit(message, second, second + 25), message, shown)
    assert shown.text == "[...] Sentence 10 is here now. [...] Sentence 80 is here now. [...]"
    assert len(shown.hits) == 2


def test_code_is_shown_whole_where_it_fits():
    """The whole fence is the first choice for any of its windows; the window with its surroundings the second."""
    code = "Look:\n```\n" + "".join(f"line_{n} = {n}\n" for n in range(60)) + "```\nThat is all."
    message = make_message(code)
    fence = (code.index("```"), code.rindex("```") + 4)
    start = code.index("line_30")
    hit = make_hit(message, start, start + 40, fence, kind="code")
    first, second = excerpts().choices(hit, message, None)
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


LONG = st.lists(
    st.sampled_from(
        [
            "The tide turns at noon. ", "Berth 31, ", "quiet ", "\n\n", "\n", "```\nx = 1\n```\n",
            "\u6e2f\u306e\u6f6e\u3002", "!? ", "a" * 90, "\t",
        ]
    ),
    min_size=1,
    max_size=120,
).map("".join)  # fmt: skip


@settings(max_examples=400)
@given(
    LONG,
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=4),
    st.integers(1, 80),
    st.sampled_from([-50.0, 0.0, 90.0, 500.0, math.inf]),
)
def test_a_passage_tiles_to_real_text(content, places, passage_tokens, room):
    """Property: parts and what is left out between them make the message again; every hit's own text is shown."""
    message = make_message(content)
    maker = excerpts(room, passage_tokens=passage_tokens)
    shown, wanted = None, []
    for one, other in places:
        start, end = sorted((int(one * len(content)), int(other * len(content))))
        end = min(max(end, start + 1), start + 400, len(content))
        start = min(start, end - 1)
        wanted.append((start, end))
        (shown,) = maker.choices(make_hit(message, start, end), message, shown)
    spans = shown.spans
    assert all(0 <= start < end <= len(content) for start, end in spans)
    # In order, apart, and with more than white space between them: else they would be one part.
    assert all(content[before[1] : after[0]].strip() for before, after in pairwise(spans))
    assert all(any(first <= start and end <= last for first, last in spans) for start, end in wanted)
    pattern = re.escape(" [...] ").join(re.escape(content[start:end].strip()) for start, end in spans)
    before, after = content[: spans[0][0]].strip(), content[spans[-1][1] :].strip()
    assert re.fullmatch(
        (re.escape("[...] ") if before else "") + pattern + (re.escape(" [...]") if after else ""), shown.text
    )
    assert len(shown.hits) == len(places)


class Plain(Excerpts):
    """Grows passages sentence by sentence, and counts all of one at each."""

    def _head(self, message, start, end):
        stops = [stop for _, stop in sentence_spans(message.content, start, end)]
        fitting = [stop for stop in stops if self._fits(message, message.content[start:stop])]
        return max([*stops[:1], *fitting], default=end)

    def _with_surroundings(self, message, start, end):
        sentences = sentence_spans(message.content)
        after = [stop for _, stop in sentences if stop > end]
        before = [first for first, _ in reversed(sentences) if first < start]
        grown = True
        while grown:
            grown = False
            if after and self._fits(message, message.content[start : after[0]]):
                end, grown = after.pop(0), True
            if before and self._fits(message, message.content[before[0] : end]):
                start, grown = before.pop(0), True
        end = self._stretched(message, start, end)
        return self._stretched_back(message, start, end), end


class Words:
    """One token a word: many texts have as many."""

    def count(self, text):
        """Words of a text."""
        return len(text.split())


@settings(max_examples=400)
@given(
    content=LONG,
    place=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    passage_tokens=st.integers(1, 80),
    room=st.sampled_from([-50.0, 0.0, 90.0, 500.0, math.inf]),
    kind=st.sampled_from(["chunk", "code"]),
    counter=st.sampled_from([EstimatedTokens(), Words()]),
)
def test_a_passage_is_what_growing_it_sentence_by_sentence_gives(
    *, content, place, passage_tokens, room, kind, counter
):
    """Property: what is not counted for speed changes nothing of what is shown."""
    message = make_message(content)
    start, end = sorted(int(one * len(content)) for one in place)
    hit = make_hit(message, min(start, len(content) - 1), max(end, start + 1), kind=kind)
    made, plain = (one(Config(passage_tokens=passage_tokens), counter, room) for one in (Excerpts, Plain))
    assert made.choices(hit, message, None) == plain.choices(hit, message, None)


class Counted(EstimatedTokens):
    """Remembers how much it was asked to count."""

    def __init__(self):
        self.characters = 0

    def count(self, text):
        """So much more."""
        self.characters += len(text)
        return super().count(text)


@pytest.mark.parametrize(("kind", "part"), [("chunk", slice(70_000, 70_040)), ("code", slice(0, 140_000))])
def test_a_long_message_is_counted_a_few_times_over(kind, part):
    """Sentence by sentence it was counted a thousand times over, while the memory was locked."""
    counter = Counted()
    message = make_message("".join(f"tide_table[{n:04}] = berth.depth({n:04}).\n" for n in range(4000)))
    hit = make_hit(message, part.start, part.stop, kind=kind)
    Excerpts(Config(), counter, math.inf).choices(hit, message, None)
    assert counter.characters < 50 * len(message.content)
