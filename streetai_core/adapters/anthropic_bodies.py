"""The conversation in a request's body as JSON, before the SDK has made it that.

An app may give the SDK a generator for a list, and objects of earlier replies for the blocks of a message. The newer
versions of the SDK make JSON of them only when a request is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

_READ = ("messages", "system", "tools")
"""The fields that are read; the others stay as they are."""


def plain(body: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a body whose conversation is made of lists, dicts and plain values, as far as the SDK allows.

    What it does not know how to send either, such as a file that it reads later, stays as it is.
    """
    return {**body, **{name: _plain(body[name]) for name in _READ if name in body}}


def _plain(value: Any) -> Any:
    if isinstance(value, str | bytes | int | float) or value is None:
        return value
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | AbstractSet | Iterator) and not hasattr(value, "read"):
        return [_plain(inner) for inner in value]
    if hasattr(value, "model_dump"):
        return value.model_dump(
            mode="json",
            by_alias=True,
            exclude_unset=True,
            # What the SDK has parsed for the app is no field of the API's.
            exclude=getattr(value, "__api_exclude__", None),
            # Its replies may have values of which their classes know nothing.
            warnings=False,
        )
    return value
