"""What was written to measure with is whole, and as large as tests/benchmarks/README.md says."""

import json
from collections import Counter
from pathlib import Path

import pytest

from streetai_core.evaluation.datasets import read_dataset
from streetai_core.text.words import terms
from tests.benchmarks import follow_ups, long_messages, overviews, queries

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("name", "recordings", "questions", "speakers"),
    [
        ("kinds_of_talk", ["assistant", "work", "group", "friends", "drama"], 265, [2, 2, 5, 2, 6]),
        ("more_kinds_of_talk", ["household", "team", "letters"], 171, [2, 4, 2]),
        ("further_kinds_of_talk", ["study", "spoken", "deutsch"], 179, [2, 2, 2]),
        ("four_more_kinds_of_talk", ["tasks", "meetings", "story", "companion"], 190, [2, 5, 2, 2]),
        ("logs", ["training", "illness", "shop", "house"], 140, [2, 2, 2, 2]),
        ("dictated", ["voice", "typos"], 70, [2, 3]),
        ("tools", ["operations", "coding_agent"], 70, [8, 6]),
        ("documents", ["tenancy", "travel_tables"], 70, [2, 2]),
        ("jottings", ["notes", "family_sms", "bilingual"], 105, [1, 4, 2]),
        ("mail", ["inbox", "tickets", "assistant_mail", "family_forward"], 140, [7, 16, 2, 5]),
        ("four_later_kinds_of_talk", ["months", "siblings", "startup", "coach"], 160, [2, 2, 6, 2]),
        (
            "everyday",
            [
                "assistant",
                "coding",
                "support",
                "health",
                "travel",
                "dnd",
                "tutor",
                "group",
                "journal",
                "firm",
                "recipes",
                "legal",
            ],
            250,
            [2, 2, 2, 2, 2, 2, 2, 4, 2, 5, 2, 2],
        ),
        (
            "languages",
            "tr de pl es fi sv id ru pt fr hu nl it cs el ja da ro ko".split(),  # noqa: SIM905 - reads better
            368,
            [2] * 19,
        ),
    ],
)
def test_kinds_of_talk(name, recordings, questions, speakers):
    """Every question has its evidence there, and is asked once; no two messages are the same but for short ones."""
    dataset = read_dataset(str(TESTS / "benchmarks" / "data" / f"{name}.json"))
    assert recordings == [one.recording_id for one in dataset.recordings]
    assert questions == sum(len(one.answerable) for one in dataset.recordings)
    assert speakers == [len({message.speaker for message in one.messages}) for one in dataset.recordings]
    for one in dataset.recordings:
        assert len(one.answerable) == len({question.text for question in one.questions})
        said = Counter(message.text for message in one.messages if len(message.text) > 25)
        assert max(said.values()) == 1


def test_overviews(tmp_path):
    """Five questions for each conversation of all kinds; the evidence of each stands in many places."""
    path = tmp_path / "overviews.json"
    overviews.main(path)
    dataset = read_dataset(str(path))
    assert [5] * 15 == [len(one.answerable) for one in dataset.recordings]
    for one in dataset.recordings:
        said = {message.message_id for message in one.messages}
        assert len({question.text for question in one.questions}) == 5
        assert all(set(question.evidence) <= said for question in one.questions)
        assert all(6 <= len(set(question.evidence)) <= 16 for question in one.questions)


@pytest.mark.parametrize(("kind", "number"), [("agents", 300), ("typed", 150)])
def test_queries(kind, number, tmp_path):
    """Each stands for a question, and has its evidence; no two of one conversation are the same."""
    path = tmp_path / "queries.json"
    queries.main(kind, path)
    dataset = read_dataset(str(path))
    assert number == sum(len(one.answerable) for one in dataset.recordings)
    for one in dataset.recordings:
        assert len(one.answerable) == len({question.text for question in one.questions})
        said = {message.message_id for message in one.messages}
        assert all(set(question.evidence) <= said for question in one.questions)


def test_follow_ups():
    """Each is about a conversation that is there, and its evidence too; none is asked twice of one."""
    said = {
        one.recording_id: {message.message_id for message in one.messages}
        for one in read_dataset(str(follow_ups.DATA / "everyday.json")).recordings
    }
    rows = follow_ups.follow_ups()
    assert (40, 16) == (len(rows), sum(not row["seen"] for row in rows))
    assert all(set(row["evidence"]) <= said[row["conversation"]] for row in rows)
    assert 40 == len({(row["conversation"], row["follow_up"]) for row in rows})


def test_long_messages():
    """What answers a question stands in one place of all; no question is asked twice."""
    rows = long_messages.long_messages()
    questions = [(row["id"], one["question"], one["gold"]) for row in rows for one in row["questions"]]
    assert (24, 24, 192) == (len(rows), len({row["kind"] for row in rows}), len({asked for _, asked, _ in questions}))
    assert all(2600 < len(row["text"]) < 4900 for row in rows)
    texts = {row["id"]: row["text"] for row in rows}
    for name, _, gold in questions:
        assert 1 == sum(text.count(gold) for text in texts.values()) == texts[name].count(gold)
    unspaced = long_messages.long_messages("long_messages_unspaced")
    asked = [(row, one["question"], one["gold"]) for row in unspaced for one in row["questions"]]
    assert (7, 62) == (len(unspaced), len({question for _, question, _ in asked}))
    assert all(640 < len(row["text"]) < 900 for row in unspaced)
    assert [] == [gold for row, _, gold in asked if row["text"].count(gold) != 1]
    alike = list(long_messages.lines())
    assert 90 == sum(len(asked) for _, asked in alike)
    assert all(1 == text.count(gold) for text, asked in alike for _, gold in asked)


def test_facts_told_otherwise():
    """Those that are said to share no word with their question share none."""
    lines = (TESTS / "knowledge" / "data" / "told_otherwise.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert 160 == len({row["question"] for row in rows}) == len({row["fact"] for row in rows})
    apart = [row for row in rows if not row["shares_words"]]
    assert 127 == len(apart)
    assert not [row for row in apart if set(terms(row["question"])) & set(terms(row["fact"]))]


def test_standing_wishes():
    """No text stands twice, and nearly half of the requests share no word with the wish that bears on them."""
    lines = (TESTS / "knowledge" / "data" / "standing_wishes.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert Counter(wish=100, other=80, request=30, question=30) == Counter(row["kind"] for row in rows)
    texts = [text for row in rows for key, text in row.items() if key != "kind"]
    assert len(texts) == len(set(texts))
    wishes = [row for row in rows if row["kind"] == "wish"]
    assert 47 == sum(not set(terms(row["wish"])) & set(terms(row["request"])) for row in wishes)


def test_short_wishes():
    """No text stands twice, or among the other wishes."""
    folder = TESTS / "knowledge" / "data"
    rows = [json.loads(line) for line in (folder / "short_wishes.jsonl").read_text(encoding="utf-8").splitlines()]
    assert Counter(wish=260, other=160) == Counter(row["kind"] for row in rows)
    texts = {row["text"] for row in rows}
    assert len(texts) == len(rows)
    longer = (folder / "standing_wishes.jsonl").read_text(encoding="utf-8").splitlines()
    assert not texts & {text for line in longer for text in json.loads(line).values()}
