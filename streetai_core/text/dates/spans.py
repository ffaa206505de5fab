"""Spans of days, and where a text mentions them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """The days from `start` to `end`, both included.

    Raises:
        ValueError: `end` is before `start`.
    """

    start: date
    end: date

    def __post_init__(self) -> None:
        """Refuse a span that runs backwards."""
        if self.end < self.start:
            raise ValueError(f"a span cannot end ({self.end}) before it starts ({self.start}); swap the two dates")

    @property
    def days(self) -> int:
        """How many days there are in the span, at least 1."""
        return (self.end - self.start).days + 1

    def overlaps(self, other: TimeSpan) -> bool:
        """Whether the two have a day in common."""
        return self.start <= other.end and other.start <= self.end

    def contains(self, day: date) -> bool:
        """Whether `day` is one of the days."""
        return self.start <= day <= self.end

    def joined(self, other: TimeSpan) -> TimeSpan:
        """The shortest span with all days of both."""
        return TimeSpan(min(self.start, other.start), max(self.end, other.end))

    def shifted(self, days: int) -> TimeSpan:
        """The same number of days, moved by `days` (negative: into the past).

        Raises:
            OverflowError: the result is outside the years 1 to 9999.
        """
        distance = timedelta(days)
        return TimeSpan(self.start + distance, self.end + distance)


@dataclass(frozen=True, slots=True)
class Mention:
    """A time that a text names: the days it means, and the characters `text[start:end]` that say so."""

    span: TimeSpan
    start: int
    end: int


def one_day(day: date) -> TimeSpan:
    """The span of a single day."""
    return TimeSpan(day, day)
