"""The dates of recorded conversations, as the published data sets write them."""

from __future__ import annotations

from datetime import datetime, timezone

_FORMATS = (
    "%I:%M %p on %d %B, %Y",  # 7:48 pm on 21 May, 2023
    "%B-%d-%Y",  # January-10-2024
    "%Y/%m/%d (%a) %H:%M",  # 2023/05/20 (Sat) 02:21
    "%Y/%m/%d",
    "%d %B, %Y",
    "%d %B %Y",
    "%B %d, %Y",
    "%Y-%m-%d %H:%M:%S %Z",
)
"""Forms beside ISO 8601, with the set that each comes from first: LoCoMo, BEAM, LongMemEval, then what people write."""


def parse_date(text: str) -> datetime | None:
    """The moment that `text` names, in the zone that it names, else in UTC; `None` if it is in no known form.

    The day of a message is one where it was said: in UTC it may be another.
    """
    stripped = text.strip()
    found = (_moment(stripped, form) for form in (None, *_FORMATS))
    return next((moment for moment in found if moment is not None), None)


def _moment(text: str, form: str | None) -> datetime | None:
    """The moment that `text` names in one form; `None` stands for ISO 8601."""
    try:
        if form is None:
            # Python 3.10 does not know the letter for UTC.
            moment = datetime.fromisoformat(f"{text[:-1]}+00:00" if text[-1:] in "Zz" else text)
        else:
            moment = datetime.strptime(text, form)  # noqa: DTZ007 - the zone is added
        aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=timezone.utc)
        # Overflow: the first and the last hours of the calendar have no UTC.
        aware.astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return None
    return aware
