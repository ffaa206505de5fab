"""Times as other programs write them."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta, timezone

from streetai_core.errors import ImportFormatError
from streetai_core.stores.values import zoned

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)

_MILLISECONDS_FROM = 1e11
"""A count above this is of milliseconds: as seconds it would be in the year 5138."""

_ISO = re.compile(
    r"(\d{4})(?:-(\d\d)-|(\d\d))(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?"
    r" ?(Z|z|UTC|[+-]\d\d:?(?:\d\d)?)?",
    re.ASCII,
)
"""ISO 8601 as it is met: with or without its hyphens and colons, any number of decimals, "Z", a space for "T"; more
than Python 3.10 reads by itself. Eight digits are a day: as seconds they would be of before 1974."""


def read_time(value: object, what: str) -> datetime | None:
    """A time from seconds or milliseconds since 1970, or from ISO 8601 text; without a zone it is UTC.

    Args:
        value: what the file says; `None` and "" are no time.
        what: names it in errors.

    Raises:
        ImportFormatError: it is neither, or outside the years 1 to 9999.
    """
    if value is None or value == "":
        return None
    try:
        if isinstance(value, str):
            return _from_text(value.strip())
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _from_number(float(value))
    except (ValueError, OverflowError) as error:
        raise ImportFormatError(f"{what} is not a time: {ascii(value)[:40]}") from error
    raise ImportFormatError(f"{what} must be a number or ISO 8601 text, got {type(value).__name__}")


def _from_number(number: float) -> datetime:
    if not math.isfinite(number):
        raise ValueError("not finite")
    # Not `fromtimestamp`, which some systems limit to the years from 1970.
    return _EPOCH + timedelta(seconds=number / 1000 if abs(number) >= _MILLISECONDS_FROM else number)


def _from_text(text: str) -> datetime:
    found = _ISO.fullmatch(text)
    if found is None:
        return _from_number(float(text))
    year, hyphened, bare, day, hour, minute, second, decimals, zone = found.groups()
    month, micros = hyphened or bare, int(((decimals or "") + "000000")[:6])
    moment = datetime(
        int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0), micros, tzinfo=_zone(zone)
    )
    return zoned(moment)


def _zone(text: str | None) -> timezone:
    """The zone of "Z", "+02:00", "-0330" or nothing."""
    if text is None or text.upper() in {"Z", "UTC"}:
        return timezone.utc
    digits = text[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:] or 0))
    return timezone(-offset if text[0] == "-" else offset)
