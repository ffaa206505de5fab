"""What was written to measure with is whole, and as large as the README says."""

import json
from collections import Counter
from pathlib import Path

from streetai_core.evaluation.datasets import read_dataset
from streetai_core.text.words import terms

TESTS = Path(__file__).parents[1]


def test_five_kinds_of_talk():
    """Every question has its evidence there, and is asked once; no two messages are the same but for a few words."""
    dataset = read_dataset(str(TESTS / "benchmarks" / "data" / "kinds_of_talk.json"))
    assert ["assistant", "work", "group", "friends", "drama"] == [one.recording_id for one in dataset.recordings]
    assert 265 == sum(len(one.answerable) for one in dataset.recordings)
    assert [2, 2, 5, 2, 6] == [len({message.speaker for message in one.messages}) for one in dataset.recordings]
    for one in dataset.recordings:
        assert len(one.answerable) == len({question.text for question in one.questions})
        said = Counter(message.text for message in one.messages if len(message.text.split()) > 5)
        assert max(said.values()) == 1


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
