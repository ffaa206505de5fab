"""Which older messages a new one may bring news of."""

from dataclasses import replace
from datetime import timedelta

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.planning.words import RULES, renewed, with_marks, words_row
from streetai_core.testing.factories import NOON, make_message
from streetai_core.text.marks import beside_about, beside_text, news_about, over_about
from tests.outdated import words_in

OLD = "I'm working on Project Lark, the loyalty app."
NEW = "They've killed Lark. I've been put on the warehouse scanner."
OTHER = "The lift is broken again."
LONG = "They've killed Lark. " + "I've been put on the warehouse scanner. " * 5
PASTED = "\n```\n" + "x = y\n" * 200 + "```"
LONG_BEFORE, DAY_BEFORE = NOON - timedelta(days=1000), NOON - timedelta(days=1)
MARKS = news_about, over_about, beside_about
BIRDS = ("Lark", "Wren", "Robin", "Swift", "Rook", "Kite", "Jay", "Heron", "Gull")


def said(text, role="user", **changes):
    """A message."""
    return NewMessage(content=text, role=role, **changes)


def marks_of(folder, messages, *, at_once=True, about=news_about):
    """For each message of a new memory the sequences of those for which it has a mark."""
    with MemoryRegistry(folder / f"{at_once}.db", encoder=HashingEncoder(dim=16), durability="fast") as registry:
        memory = registry.get("m")
        for some in [messages] if at_once else [[message] for message in messages]:
            memory.add_messages(some)
        rows = words_in(registry.store, "m")
    sequence_of = {about(sequence): sequence for sequence in rows}
    others = {mark(sequence) for mark in MARKS for sequence in rows} - set(sequence_of)
    return [
        sorted(
            sequence_of[mark] for mark in beside_text(rows[sequence].terms, rows[sequence].counts) if mark not in others
        )
        for sequence in sorted(rows)
    ]


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(
    ("messages", "marks"),
    [
        pytest.param([said(OLD), said(OTHER), said(NEW)], [0], id="named by both"),
        pytest.param([said(OLD), said("I've been put on the scanner")], [], id="names nothing of it"),
        pytest.param([said(OLD), said("Lark has a nice logo")], [], id="says of nothing that it is over"),
        pytest.param([said(OLD), said("Have they killed Lark?")], [], id="asks"),
        pytest.param([said(OLD), said("My sister's Lark was killed.")], [], id="tells of another"),
        pytest.param([said(OLD), said(NEW + PASTED)], [0], id="with pasted code"),
        pytest.param([said(OLD), said(OTHER + PASTED.replace("y", NEW))], [], id="only in pasted code"),
        pytest.param([said(OLD + PASTED[:200]), said(NEW)], [0], id="of one with some code"),
        pytest.param([said(OLD + PASTED), said(NEW)], [], id="of one with much code"),
        pytest.param([said(OLD), said(NEW, "assistant")], [], id="an assistant's"),
        pytest.param([said(OLD), said(NEW, source="document")], [], id="a document's"),
        pytest.param([said(OLD, "assistant"), said(NEW)], [], id="of an assistant"),
        pytest.param([said(OLD), said(NEW, trust=0.5)], [], id="trusted less"),
        pytest.param([said(OTHER, created_at=NOON), said(NEW, created_at=LONG_BEFORE)], [], id="said years before"),
        pytest.param([said(OLD, created_at=NOON), said(NEW, created_at=DAY_BEFORE)], [0], id="said further west"),
        pytest.param([said(OLD, name="Ana"), said(NEW, name="Ben")], [], id="by another person"),
        pytest.param([said(OLD, name="Ana"), said(f"Ana: {NEW}", name="Ben")], [0], id="by another who names that one"),
        pytest.param(
            [said(OLD, name="Ana"), said("Lark, the loyalty thing, is dead", name="Ben")], [0], id="by another, of more"
        ),
        pytest.param(
            [said(OLD, name="Ana"), said("Lark is dead\n```\nthe loyalty app\n```", name="Ben")],
            [],
            id="by another, of more in pasted code",
        ),
        pytest.param(
            [
                said("my dentist is on friday at two", name="Ana"),
                said("mine's postponed, friday at two is off", name="Ben"),
            ],
            [],
            id="by another of an own matter",
        ),
        pytest.param([said(OTHER, name="Ana"), said("Ana is not here", name="Ben")], [], id="names who said it"),
        pytest.param(
            [said("Cenamos a las 12"), said("No, que no, no es a las 12 que cenamos")], [], id="in another language"
        ),
        pytest.param([said(OLD, name="Ana"), said(OTHER, name="Ben"), said(NEW, name="Ana")], [0], id="by one person"),
        pytest.param([said(f"{OLD:.<150}"), said(f"{NEW:.<150}")], [0], id="of 150 characters"),
        pytest.param([said(f"{OLD:.<151}"), said(NEW)], [], id="of a longer message"),
        pytest.param([said(OLD), said(f"{LONG:.<280}")], [0], id="of 280 characters"),
        pytest.param([said(OLD), said(f"{LONG:.<281}")], [], id="in a longer message"),
        pytest.param([said(f"Lark, day {day}.") for day in range(5)] + [said(NEW)], [0, 1, 2, 3, 4], id="of five"),
        pytest.param([said(f"Lark, day {day}.") for day in range(6)] + [said(NEW)], [], id="of what much is said"),
        pytest.param(
            [said(f"{bird} lives in the {bird} house.") for bird in BIRDS] + [said(f"Not {', '.join(BIRDS).lower()}.")],
            [1, 2, 3, 4, 5, 6, 7, 8],
            id="of the newest eight",
        ),
    ],
)
def test_what_names_the_same_and_says_that_it_is_over_is_marked(tmp_path, messages, marks, at_once):
    """Whether both are written together or one after the other."""
    found = marks_of(tmp_path, messages, at_once=at_once)
    assert found[-1] == marks
    assert not any(found[:-1])


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(
    ("old", "new", "marks"),
    [
        pytest.param(said(OLD), said(NEW), [1], id="named by both"),
        pytest.param(said(OTHER), said(NEW), [], id="names nothing of it"),
        pytest.param(said(OLD), said("Lark has a nice logo"), [], id="says of nothing that it is over"),
        pytest.param(said(OLD, "assistant"), said(NEW), [], id="of an assistant"),
        pytest.param(said(OLD), said(NEW, "assistant"), [], id="an assistant's"),
        pytest.param(said(OLD), said(NEW, trust=0.5), [], id="trusted less"),
        pytest.param(said(OLD, name="Ana"), said(NEW, name="Ben"), [], id="by another person"),
        pytest.param(said(OLD, name="Ana"), said(f"Ana: {NEW}", name="Ben"), [1], id="by another who names that one"),
        pytest.param(said(f"{OLD:.<150}"), said(NEW), [1], id="of 150 characters"),
        pytest.param(said(f"{OLD:.<151}"), said(NEW), [], id="of a longer message"),
        pytest.param(said(OLD), said(f"{LONG:.<281}"), [], id="in a longer message"),
    ],
)
def test_what_was_said_since_is_marked_for_a_message_that_is_stored_late(tmp_path, old, new, marks, at_once):
    """As if it had come first, as the same two do in their order."""
    old, new = replace(old, created_at=LONG_BEFORE), replace(new, created_at=NOON)
    assert marks_of(tmp_path, [new, old], at_once=at_once) == [marks, []]
    assert marks_of(tmp_path / "in order", [old, new], at_once=at_once) == [[], [0] if marks else []]


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(("number", "marked"), [(5, True), (6, False)])
def test_of_what_much_is_said_nothing_that_comes_late_is_marked(tmp_path, number, marked, at_once):
    """What stands in many messages does not tell which is meant."""
    before = [said(f"Lark, day {day}.", created_at=LONG_BEFORE) for day in range(number)]
    found = marks_of(tmp_path, [said("Lark is dead.", created_at=NOON), *before], at_once=at_once)
    assert (found[0] == list(range(1, number + 1))) == marked


def test_rules_that_are_newer_keep_the_marks():
    """What a message has to do with others cannot be told from its text."""
    message = make_message(7, content=OLD)
    row = with_marks(words_row(message), [news_about(3)])
    again = renewed(replace(row, rules=RULES - 1), message)
    assert (again.rules, beside_text(again.terms, again.counts)) == (RULES, [news_about(3)])
    assert again.terms.tolist() == row.terms.tolist()


@pytest.mark.parametrize(
    ("texts", "over", "beside"),
    [
        pytest.param([OLD, NEW], [0], [], id="is over"),
        pytest.param(["We take the Crown.", "Scrap what I said, we take the Swan."], [], [], id="names no value of it"),
        pytest.param(["It has 12 seats.", "We got 16 seats for the 12."], [], [0], id="beside another value"),
        pytest.param(["It has 12 seats.", "Not 12 seats but 16."], [0], [], id="both"),
        pytest.param(["It has twelve seats.", "Not 12 seats but 16."], [0], [], id="in words"),
        pytest.param(["The cast stays until 20 February.", "Not the 20th, it comes off later."], [0], [], id="a day"),
        pytest.param(
            ["The cast stays until the 22nd.", "Not 22 February, it comes off later."], [0], [], id="of a month"
        ),
        pytest.param(["Notes go into obsidian.", "No more obsidian for notes."], [0], [], id="no value"),
        pytest.param(["It has 12 seats.", "We're not in the old one, so the seats are 12."], [], [], id="further off"),
        pytest.param(["It has 12 seats.", "We got 16 seats."], [], [], id="another value alone"),
    ],
)
def test_what_is_said_of_a_value_is_marked(tmp_path, texts, over, beside):
    """That it is over, or else only that it stands beside another one."""
    messages = [said(text) for text in texts]
    assert marks_of(tmp_path / "over", messages, about=over_about)[-1] == over
    assert marks_of(tmp_path / "beside", messages, about=beside_about)[-1] == beside


@pytest.mark.parametrize(
    ("now", "marks"),
    [
        pytest.param("Lark, the loyalty app, is mine.", [0], id="more than a word of it"),
        pytest.param("Lark sings.", [], id="a word of it"),
        pytest.param("It rains.", [], id="nothing of it"),
    ],
)
def test_an_edit_leaves_news_of_another_only_if_several_words_are_shared_still(tmp_path, now, marks):
    """As if the older message had said so from the first."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(dim=16), durability="fast") as registry:
        memory = registry.get("m")
        memory.add_message(OLD, "user", name="Ana", message_id="old")
        memory.add_message("Lark, the loyalty thing, is dead", "user", name="Ben")
        memory.update_message("old", now)
        terms = words_in(registry.store, "m")[1].terms
    assert [0] * (news_about(0) in terms) == marks
