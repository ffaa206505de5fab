"""Files of recorded conversations with questions and their evidence, to measure a memory with.

    {"name": "...", "source": "...", "licence": "...",
     "conversations": [
        {"id": "c1", "speakers": ["Mara", "Ben"],
         "messages": [{"id": "m1", "session": 1, "date": "2026-03-02T18:04:00+01:00",
                       "speaker": "Mara", "role": "user", "text": "I am vegetarian."}],
         "qa": [{"q": "What does Mara not eat?", "a": "meat", "evidence": ["m1"], "category": "single-hop"}]}]}

`name`, `conversations`, `id`, `messages`, `role` and `text` are required, and of a question `q`. Other keys are
ignored. A message without an id gets its position. A question without evidence is kept, nothing is measured on it,
and a warning counts such questions.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from streetai_core.errors import InputError
from streetai_core.evaluation.dates import parse_date
from streetai_core.text.clean import is_blank
from streetai_core.types import ROLES, Role

_SHOWN_PROBLEMS = 10
"""Most problems of a file that an error lists; a systematic mistake shows in fewer."""

_LONGEST_QUOTE = 60
"""Characters of a wrong value that an error quotes."""

_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedMessage:
    """One message of a recorded conversation."""

    message_id: str
    session: str | None
    """The sitting it was said in; it becomes the `conversation_id`."""
    date: datetime | None
    speaker: str
    role: Role
    text: str

    @property
    def name(self) -> str | None:
        """Who said it; `None` if all that is known is the role."""
        return None if self.speaker in ROLES else self.speaker

    @property
    def line(self) -> str:
        """The text with its author in front, for what has no place of its own for the name."""
        return self.text if self.name is None else f"{self.name}: {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedQuestion:
    """One question about a recorded conversation."""

    number: int
    """Its place among the questions of the conversation, from 0."""
    text: str
    answer: str
    evidence: tuple[str, ...]
    """Ids of the messages that a reader needs for the answer; each once."""
    category: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One long conversation, possibly of many sessions, and the questions about it."""

    recording_id: str
    speakers: tuple[str, ...]
    messages: tuple[RecordedMessage, ...]
    """Without blank ones."""
    questions: tuple[RecordedQuestion, ...]

    @property
    def answerable(self) -> tuple[RecordedQuestion, ...]:
        """The questions that name their evidence."""
        return tuple(question for question in self.questions if question.evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A file of recorded conversations."""

    name: str
    recordings: tuple[Recording, ...]
    digest: str
    """SHA-256 of the file, hex."""
    source: str = ""
    licence: str = ""
    warnings: tuple[str, ...] = ()
    """What could be read, and looks wrong: questions without evidence, and dates in an unknown form, which count as
    missing."""


def read_dataset(path: str | os.PathLike[str], *, most: int | None = None) -> Dataset:
    """Read and check a whole file.

    Args:
        path: the file, UTF-8 JSON.
        most: how many of its conversations to keep, from the first; all are checked. `None`: all.

    Raises:
        InputError: the file cannot be read, is not JSON (line and column are named), or lacks or has wrong fields
            (each is named, as in `conversations[2].messages[17].role`).
    """
    shown = os.fspath(path)
    try:
        raw = Path(path).read_bytes()
        values = json.loads(raw.decode("utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot read the data file {shown!r}: {error.strerror or error}") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{shown!r} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputError(f"{shown!r} is not UTF-8: byte {error.start + 1}, on line {line}") from error
    except RecursionError as error:
        raise InputError(f"{shown!r} is nested too deeply to be a data file") from error
    except ValueError as error:
        raise InputError(f"{shown!r} has a number with more digits than can be read") from error
    reading = _Reading()
    recordings, name, source, licence = _dataset(_Place(reading, values, ""))
    if reading.problems:
        listed = "; ".join(reading.problems[:_SHOWN_PROBLEMS])
        more = len(reading.problems) - _SHOWN_PROBLEMS
        raise InputError(f"{shown!r} cannot be used: {listed}{f'; and {more} more' if more > 0 else ''}")
    return Dataset(
        name=name,
        recordings=recordings[:most],
        digest=hashlib.sha256(raw).hexdigest(),
        source=source,
        licence=licence,
        warnings=(*_without_evidence(recordings), *reading.warnings),
    )


def _without_evidence(recordings: tuple[Recording, ...]) -> tuple[str, ...]:
    """One warning for all: they may be meant so, as those that nothing answers."""
    asked = [question for recording in recordings for question in recording.questions]
    without = sum(not question.evidence for question in asked)
    if not without:
        return ()
    return (f"questions without evidence: {without:,} of {len(asked):,}, and nothing is measured on them",)


@dataclass(slots=True)
class _Reading:
    """What was found wrong so far."""

    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Place:
    """A value of the file and where it stands; asking for a field notes what is wrong with it and goes on."""

    reading: _Reading
    value: Any
    path: str

    def wrong(self, what: str) -> None:
        self.reading.problems.append(f"{self.path or 'the file'} {what}")

    def at(self, key: str) -> _Place:
        value = self.value.get(key) if isinstance(self.value, dict) else None
        return _Place(self.reading, value, f"{self.path}.{key}" if self.path else key)

    def is_object(self) -> bool:
        if not isinstance(self.value, dict):
            self.wrong(f"must be an object, not {_short(self.value)}")
            return False
        return True

    def text(self, *, required: bool = True) -> str:
        """The text here; a number counts as its digits, because ids and categories often are numbers."""
        if self.value is None and not required:
            return ""
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            return str(self.value)
        if not isinstance(self.value, str):
            self.wrong("is missing" if self.value is None else f"must be text, not {_short(self.value)}")
            return ""
        return self.value

    def each(self, make: Callable[[_Place], _Made | None], *, required: bool = True) -> tuple[_Made, ...]:
        """What `make` makes of every entry of the list here; what it makes nothing of is left out."""
        if self.value is None and not required:
            return ()
        if not isinstance(self.value, list):
            self.wrong("is missing" if self.value is None else f"must be a list, not {_short(self.value)}")
            return ()
        places = (_Place(self.reading, entry, f"{self.path}[{n}]") for n, entry in enumerate(self.value))
        return tuple(made for place in places if (made := make(place)) is not None)


def _dataset(place: _Place) -> tuple[tuple[Recording, ...], str, str, str]:
    if not place.is_object():
        return (), "", "", ""
    recordings = place.at("conversations").each(_recording)
    if not recordings and not place.reading.problems:
        place.at("conversations").wrong("has no conversation")
    _report_twice(place.at("conversations"), [one.recording_id for one in recordings])
    source, licence = place.at("source").text(required=False), place.at("licence").text(required=False)
    return recordings, place.at("name").text(), source, licence


def _recording(place: _Place) -> Recording | None:
    if not place.is_object():
        return None
    messages = place.at("messages").each(_message)
    known = {message.message_id for message in messages}
    _report_twice(place.at("messages"), [message.message_id for message in messages])
    questions = place.at("qa").each(lambda entry: _question(entry, known), required=False)
    return Recording(
        recording_id=place.at("id").text(),
        speakers=place.at("speakers").each(_Place.text, required=False),
        messages=tuple(message for message in messages if not is_blank(message.text)),
        questions=questions,
    )


def _message(place: _Place) -> RecordedMessage | None:
    if not place.is_object():
        return None
    role = place.at("role").text()
    if role not in ROLES:
        place.at("role").wrong(f"must be one of {', '.join(ROLES)}, not {_short(role)}")
        return None
    position = place.path.rpartition("[")[2].rstrip("]")
    return RecordedMessage(
        message_id=place.at("id").text(required=False) or position,
        session=place.at("session").text(required=False) or None,
        date=_date(place.at("date")),
        speaker=place.at("speaker").text(required=False) or role,
        role=next(one for one in ROLES if one == role),
        text=place.at("text").text(),
    )


def _date(place: _Place) -> datetime | None:
    text = place.text(required=False)
    date = parse_date(text) if text else None
    if text and date is None:
        place.reading.warnings.append(
            f"{place.path} is a date in no known form and is ignored, write it like 2026-03-02: {_short(text)}"
        )
    return date


def _question(place: _Place, known: Collection[str]) -> RecordedQuestion | None:
    if not place.is_object():
        return None
    evidence = tuple(dict.fromkeys(place.at("evidence").each(_Place.text, required=False)))
    unknown = [name for name in evidence if name not in known]
    if unknown:
        place.at("evidence").wrong(f"names messages that are not there: {_short(', '.join(unknown))}")
    text = place.at("q").text()
    if is_blank(text):
        place.at("q").wrong("must not be blank")
    return RecordedQuestion(
        number=int(place.path.rpartition("[")[2].rstrip("]")),
        text=text,
        answer=place.at("a").text(required=False),
        evidence=evidence,
        category=place.at("category").text(required=False) or "all",
    )


def _report_twice(place: _Place, ids: list[str]) -> None:
    twice = sorted(name for name, count in Counter(ids).items() if count > 1)
    if twice:
        place.wrong(f"has the same id twice: {_short(', '.join(twice))}")


def _short(value: object) -> str:
    """A value for a message: ASCII, and no longer than a phrase."""
    named = {dict: "an object", list: "a list", type(None): "null", bool: "true or false"}.get(type(value))
    shown = named or json.dumps(value)
    return shown if len(shown) <= _LONGEST_QUOTE else f"{shown[:_LONGEST_QUOTE]}..."
