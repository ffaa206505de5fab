"""Forms that people type, and words that look like others: each was read wrongly once."""

from datetime import date, datetime

import pytest

from streetai_core.text.dates import TimeSpan, mentioned_dates


def days(first, last=None):
    """From one day to another."""
    return TimeSpan(date.fromisoformat(first), date.fromisoformat(last or first))


@pytest.mark.parametrize(
    ("text", "said", "spans"),
    [
        ("c u 2moro at the rink", "2021-03-05", [days("2021-03-06")]),
        ("any1 up for bowling 2nite?", "2023-01-28", [days("2023-01-28")]),
        ("eow is fine for the logo", "2022-08-02", [days("2022-08-05", "2022-08-07")]),
        ("a corn on the cob is fine", "2022-08-02", []),
        ("my sister's getting married in February", "2024-11-09", [days("2025-02-01", "2025-02-28")]),
        ("Sara's opening was in February", "2024-11-09", [days("2024-02-01", "2024-02-29")]),
        ("he's got rehearsals on 8 March", "2021-02-20", [days("2021-03-08")]),
        ("he's got married in March", "2022-08-02", [days("2022-03-01", "2022-03-31")]),
        ("the boiler man is coming two days before Christmas", "2022-12-10", [days("2022-12-23")]),
        ("the coming two weeks", "2022-12-10", [days("2022-12-10", "2022-12-24")]),
        ("Sunday's roast gave us food poisoning", "2022-04-25", [days("2022-04-24")]),
        ("a Sunday roast is no date", "2022-04-25", []),
        ("the storm of '87 took the oak", "2021-08-06", [days("1987-01-01", "1987-12-31")]),
        ("away for two weeks from Monday", "2021-12-29", [days("2022-01-03", "2022-01-16")]),
        ("I was off for two weeks from 3 May", "2022-08-02", [days("2022-05-03", "2022-05-16")]),
        ("back two weeks from Monday", "2021-12-29", [days("2022-01-17")]),
        ("we split up a week after Valentine's Day", "2025-02-27", [days("2025-02-21")]),
    ],
)
def test_it_names_the_days_that_are_meant(text, said, spans):
    """And no others."""
    assert [mention.span for mention in mentioned_dates(text, datetime.fromisoformat(said))] == spans
