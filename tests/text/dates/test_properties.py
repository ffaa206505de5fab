"""What holds for any text: no error, sound offsets and spans, and the same reading in every week."""

from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streetai_core.text.dates import mentioned_dates, question_times
from streetai_core.text.dates.vocabulary import PHRASES, VOCABULARY

MARKS = [",", "-", ".", "\n", "/", "\u2019s", "'s", ":", "\u2013", "\n\n"]
NUMBERS = [
    "0",
    "3",
    "12",
    "31",
    "99",
    "2023",
    "9999",
    "3rd",
    "31st",
    "2023-02-30",
    "03/03/2023",
    "'98",
    "90s",
    "7.5",
    "3/14",
    "2010/11",
    "2019-20",
]
OTHERS = ["I", "went", "will", "is", "closed", "May", "Sat", "time", "not", "but", "how", "was", "do", "spent", "whole"]
words = st.sampled_from([*VOCABULARY, *PHRASES, *MARKS, *NUMBERS, *OTHERS, "your", "that", "works", "ok"])
grammatical = st.lists(words, max_size=24).map(" ".join)
moments = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31))  # noqa: DTZ001 - wall clocks, with the ends of time
usual_moments = st.datetimes(datetime(1980, 1, 1), datetime(2060, 1, 1))  # noqa: DTZ001 - wall clocks


@settings(max_examples=300)
@given(st.one_of(st.text(), grammatical), moments)
def test_any_text_is_read_without_error(text, said_at):
    """One odd message must not stop a memory from storing the rest."""
    mentions = mentioned_dates(text, said_at)
    assert all(0 <= mention.start < mention.end <= len(text) for mention in mentions)
    assert all(first.end <= second.start for first, second in pairwise(mentions))
    assert all(mention.span.start <= mention.span.end for mention in mentions)


@given(st.one_of(st.text(), grammatical), moments)
def test_any_question_is_read_without_error(question, asked_at):
    """Recall goes on whatever is asked."""
    times = question_times(question, asked_at)
    assert times.spans or not times.explicit


BY_THE_WEEK = (
    "yesterday",
    "the day before yesterday",
    "tomorrow evening",
    "tonight",
    "last night",
    "last Saturday",
    "this Friday",
    "next Monday",
    "I met her on Tuesday",
    "last week",
    "next week",
    "the week before last",
    "last weekend",
    "this weekend",
    "two weekends ago",
    "three days ago",
    "a few days ago",
    "two weeks ago",
    "in three days",
    "a week from Friday",
    "the other day",
    "the past two weeks",
    "Friday last week",
    "early next week",
    "from Monday to Thursday",
    "I'm stuck here until Thursday",
    "I have been ill since Monday",
    "in four days it's over",
    "a week on Friday",
    "two weeks from now",
    "closed Tuesday through Thursday",
    "not this Saturday but the one after",
    "not this week but next",
    "let's say the Monday after",
    "the weekend was quiet",
    "how is your week looking?",
    "by the end of the week",
)


@given(st.sampled_from(BY_THE_WEEK), usual_moments, st.integers(-500, 500))
def test_what_weeks_tell_moves_with_them(text, said_at, weeks):
    """The same words said k weeks later mean days k weeks later."""
    [here] = mentioned_dates(text, said_at)
    [there] = mentioned_dates(text, said_at + timedelta(weeks=weeks))
    assert there.span == here.span.shifted(7 * weeks)
    assert (there.start, there.end) == (here.start, here.end)


@pytest.mark.parametrize(
    "unit",
    [
        "needs it done by friday ",
        "since monday ",
        "7",
        "last ",
        "a couple of ",
        "the week before ",
        "1/2/",
        "from may to ",
        "every ",
        "'",
        "q3 ",
        "2023-",
        "3/14 ",
        "by the ",
        "not this friday but ",
        "the monday after ",
        "the 3rd to ",
        "2010/11 season ",
        "2019-20 ",
        "10/21 or ",
        "how was your christmas ",
        "my weekend was ",
    ],
)
def test_repeated_fragments_are_read_to_the_end(unit):
    """Two hundred thousand characters of nonsense neither fail nor nest without end."""
    text = unit * (200_000 // len(unit)) + ".\n\nYesterday"
    said_at = datetime(2023, 6, 14)  # noqa: DTZ001 - a wall clock
    assert mentioned_dates(text, said_at)[-1].span.end == said_at.date() - timedelta(1)
