"""Written cases: what sentences mean by their dates, and sentences that name none."""

import json
from datetime import date, datetime
from pathlib import Path

import pytest

from streetai_core.text.dates import TimeSpan, mentioned_dates

FOLDER = Path(__file__).parent
CASES = [json.loads(line) for line in (FOLDER / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
AS_TYPED = [json.loads(line) for line in (FOLDER / "as_typed.jsonl").read_text(encoding="utf-8").splitlines()]
NO_DATES = (FOLDER / "no_dates.txt").read_text(encoding="utf-8").splitlines()
WEDNESDAY = datetime(2023, 6, 14, 15, 0)  # noqa: DTZ001 - a wall clock, as chats have them

SMALLEST_SHARE = 0.96
"""Of the cases, resolved to exactly the days that were written down; the demand on this part."""


def wrong(case):
    """What a case is resolved to, if it is not exactly the gold span and nothing else."""
    gold = TimeSpan(date.fromisoformat(case["start"]), date.fromisoformat(case["end"]))
    spans = [mention.span for mention in mentioned_dates(case["text"], datetime.fromisoformat(case["said_at"]))]
    return None if spans == [gold] else f"{case['said_at']} {case['text']!r}: wanted {gold}, read {spans}"


def test_written_expressions_resolve_to_their_days():
    """A wrong date files the memory under a day on which nobody will look for it."""
    failures = [failure for case in CASES if (failure := wrong(case))]
    assert len(CASES) >= 300
    assert len(failures) <= (1 - SMALLEST_SHARE) * len(CASES), "\n".join(failures)


def test_sentences_as_they_are_typed_resolve_to_their_days():
    """Whoever wrote these knew none of the rules, and gave all days that people may mean.

    4,508 of 4,610. Before anybody looked, with the rules as they then were: of the second 120 sentences 113, of the 240
    behind them 208, of ten further sets 170 of 200, 135 of 150, 164 of 200, 142 of 150, 183 of 200, 143 of 150, 187 of
    200, 188 of 200, 279 of 300 and 185 of 200. Of six sets of expressions as tests have them and sentences with one:
    178 of 200 and 184 of 200, then 195 of 200, 169 of 200 where rarer ones were asked for, and twice 285 of 300. Of the
    300 sentences behind these 284, and of the last 300, common ones most often, 296.
    """
    assert len(AS_TYPED) == 4610
    failures = []
    for case in AS_TYPED:
        spans = {TimeSpan(date.fromisoformat(start), date.fromisoformat(end)) for start, end in case["spans"]}
        read = [mention.span for mention in mentioned_dates(case["text"], datetime.fromisoformat(case["said_at"]))]
        if spans.isdisjoint(read):
            failures.append(f"{case['said_at']} {case['text']!r}: {read}")
    assert len(failures) <= (1 - SMALLEST_SHARE) * len(AS_TYPED), "\n".join(failures)


def test_enough_sentences_without_dates_are_written():
    """A short list of negatives would prove nothing."""
    assert len(NO_DATES) >= 100


@pytest.mark.parametrize("text", NO_DATES)
def test_ordinary_sentences_name_no_date(text):
    """A month that is a verb, or a price that is a year, would pull wrong memories into when-questions."""
    assert mentioned_dates(text, WEDNESDAY) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I saw her the week before Easter, twice.", ["the week before Easter"]),
        ("On 3 March 2023 we met; tomorrow evening we part.", ["3 March 2023", "tomorrow evening"]),
        ("from 3 to 5 May, and 'yesterday'", ["from 3 to 5 May", "yesterday'"]),
        ("Last week's match\u2026 last\u00a0night\u2019s too", ["Last week's", "last\u00a0night\u2019s"]),
        ("\u0130stanbul, 12 May 2022: \u0130yi", ["12 May 2022"]),
        ("A day  or two ago\nI slept", ["A day  or two ago"]),
    ],
)
def test_offsets_cut_out_the_words(text, words):
    """Offsets that are off by one would highlight or replace the wrong characters."""
    assert [text[mention.start : mention.end] for mention in mentioned_dates(text, WEDNESDAY)] == words


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("I met him on Friday", date(2023, 6, 9)),
        ("I will meet him on Friday", date(2023, 6, 16)),
        ("The trip got moved to Friday", date(2023, 6, 16)),
        ("Friday!", date(2023, 6, 16)),
        ("It broke on the 20th", date(2023, 5, 20)),
        ("It is due on the 20th", date(2023, 6, 20)),
        ("We moved in November", date(2022, 11, 1)),
        ("We are moving in November", date(2023, 11, 1)),
        ("I ran it on 1 July", date(2022, 7, 1)),
        ("Tired. I will run it on 1 July", date(2023, 7, 1)),
    ],
)
def test_the_sentence_tells_past_from_future(text, start):
    """Plans would be filed as memories of last year, and memories as plans."""
    assert [mention.span.start for mention in mentioned_dates(text, WEDNESDAY)] == [start]


def test_the_clock_counts_for_hours():
    """At half past midnight, an hour ago was yesterday."""
    just_past_midnight = datetime(2023, 6, 14, 0, 30)  # noqa: DTZ001 - a wall clock
    [mention] = mentioned_dates("He called an hour ago", just_past_midnight)
    assert mention.span == TimeSpan(date(2023, 6, 13), date(2023, 6, 13))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("so far this year it cost me three grand", "2023-01-01", "2023-06-14"),
        ("it happened a week last Friday", "2023-06-02", "2023-06-02"),
        ("the course runs next Monday to Friday", "2023-06-19", "2023-06-23"),
        ("a year ago this week we moved in", "2022-06-13", "2022-06-19"),
        ("this time last year I was on crutches", "2022-06-01", "2022-06-30"),
        ("no hot water for the last 48 hours", "2023-06-12", "2023-06-14"),
        ("my flight's in four days and I haven't packed", "2023-06-18", "2023-06-18"),
        ("we'll light the first candle on Advent Sunday", "2023-12-03", "2023-12-03"),
        ("Pancake Day was fun", "2023-02-21", "2023-02-21"),
        ("the shop's closed on Friday", "2023-06-16", "2023-06-16"),
        ("nxt weekend id rather stay in", "2023-06-24", "2023-06-25"),
        ("lst week was all leftovers", "2023-06-05", "2023-06-11"),
        ("overmorrow we pick the pears", "2023-06-16", "2023-06-16"),
        ("June next year is when the visa expires", "2024-06-01", "2024-06-30"),
    ],
)
def test_what_sentences_that_nobody_had_seen_taught(text, start, end):
    """Each by itself: of hundreds together some may go wrong."""
    spans = [mention.span for mention in mentioned_dates(text, WEDNESDAY)]
    assert spans == [TimeSpan(date.fromisoformat(start), date.fromisoformat(end))]
