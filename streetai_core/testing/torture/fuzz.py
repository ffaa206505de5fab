"""Bytes and texts that nobody would write: only declared errors come back, and nothing is answered wrongly.

Targets: cutting into chunks, the words and times of a question, whole calls of a memory, opening a file whose bytes
were changed, and importing.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any

from streetai_core.errors import StreetAIError
from streetai_core.memory import Memory
from streetai_core.recall.question import read_question
from streetai_core.registry import MemoryRegistry
from streetai_core.stores.opening import PAGE_SIZE
from streetai_core.testing.torture.calls import CALLS, MEMORY, make_template
from streetai_core.testing.torture.checking import CONFIG, open_registry, picture
from streetai_core.testing.torture.fuzz_imports import run_imports
from streetai_core.testing.torture.reporting import Report
from streetai_core.text.chunking import Limits, split

_PIECES = (
    *("```", "~~~", "\n\n", "\r\n", "\r", "\u2028", "\x00", "\ud800", "\udfff", "\ufeff", "\u200d", "\u202e"),
    *("\U0001f469\u200d\U0001f4bb", "e\u0301", "\u0e01\u0e33", "\u65e5\u672c\u8a9e", ". ", "? ", "\t"),
    *("AND", "OR", "NOT", "NEAR(", '"', "*", "^", "{x}:", "';--", "%", "_"),
    *("last Saturday", "31 February 2021", "in 99999999999 days", "0000-00-00", "2026-13-45", "yesterday", "9" * 40),
    *("What did ", "no longer", "</memory>", "[[", "| a | b |\n|---|", "# ", "- "),
)
"""What rules of the text look for, and what breaks parsers."""

_KNOWN = 0.5
"""Share of pieces from that list; the others are random."""

_LONGEST = 60
"""Pieces of a text."""


def run(folder: Path, *, texts: int, files: int, imports: int, seed: int) -> Report:
    """So many texts for each target, so many databases, and so many files to import."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, no secret
    report = Report.of(seed, "undeclared", "wrong")
    _texts(texts, rng, report)
    _memory(folder / "fuzzed.db", texts // 10, rng, report)
    _files(folder, files, rng, report)
    run_imports(folder, imports, rng, report)
    return report


_MEMORIES = 20
"""Among which texts are shared out, so that none grows so large that recall takes most of the time."""

_HEADER = 100
"""Bytes of the header of the file."""

_WAIT = 0.5
"""Seconds to wait for a lock: nobody else has the file."""


def _text(rng: random.Random) -> str:
    """Pieces and random characters of every plane."""
    return "".join(_piece(rng) for _ in range(rng.randrange(_LONGEST)))


def _piece(rng: random.Random) -> str:
    if rng.random() < _KNOWN:
        return rng.choice(_PIECES)
    planes = rng.choices((0x80, 0x110000), k=rng.randrange(12))
    return "".join(chr(rng.randrange(end)) for end in planes)


def _attempt(report: Report, name: str, text: object, call: Callable[[], object]) -> None:
    """Make a call; anything but a declared error is a finding."""
    report.counts["inputs"] += 1
    try:
        call()
    except StreetAIError:
        report.counts["declared_errors"] += 1
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        report.fail("undeclared", f"{name}({ascii(text)[:300]}): {type(error).__name__}: {error}")


def _texts(number: int, rng: random.Random, report: Report) -> None:
    """Cut texts, and read them as questions."""
    limits = Limits.of(CONFIG)
    now = datetime(2026, 3, 1, tzinfo=timezone.utc)
    for _ in range(number):
        text = _text(rng)
        _attempt(report, "split", text, partial(_tiled, text, limits, report))
        _attempt(report, "question", text, partial(read_question, text, None, turn=1, asked_at=now))


def _tiled(text: str, limits: Limits, report: Report) -> None:
    """Chunks tile the text, up to the most that there may be."""
    end = 0
    chunks = split(text, limits)
    for chunk in chunks:
        if chunk.start != end:
            report.fail("wrong", f"split({ascii(text)[:300]}) leaves a gap at {end}")
        end = chunk.end
    if chunks and len(chunks) < limits.max_chunks and end != len(text):
        report.fail("wrong", f"split({ascii(text)[:300]}) ends at {end}")


def _memory(path: Path, number: int, rng: random.Random, report: Report) -> None:
    """Give texts to every call that takes one."""
    with open_registry(path, durability="fast") as registry:
        for count in range(number):
            text, name = _text(rng), _text(rng)
            memory = registry.get(f"memory {count % _MEMORIES}")
            for called, call in _calls(registry, memory, text, name).items():
                _attempt(report, called, (text, name), call)


def _calls(registry: MemoryRegistry, memory: Memory, text: str, name: str) -> dict[str, Callable[[], object]]:
    """Every call that takes a text or a name."""
    return {
        "get": lambda: registry.get(name).stats(),
        "add_message": lambda: memory.add_message(text, "user"),
        "message_id": lambda: memory.add_message("text", "user", message_id=name),
        "conversation": lambda: memory.messages(conversation_id=name),
        "author": lambda: memory.add_message("text", "user", name=name, metadata={name: text}),
        "retrieve": lambda: memory.retrieve(text),
        "build_prompt": lambda: memory.build_prompt(text, token_budget=300),
        "post_process": lambda: memory.post_process(memory.retrieve(text), text),
        "delete_message": lambda: memory.delete_message(name),
    }


def _files(folder: Path, number: int, rng: random.Random, report: Report) -> None:
    """Open files whose bytes were changed: they say so, or answer as if nothing had been."""
    template, path = folder / "template.db", folder / "changed.db"
    make_template(template)
    whole = template.read_bytes()
    with open_registry(template) as registry:
        right = picture(registry.get(MEMORY))
    for count in range(number):
        place = folder / f"changed-{count}"
        place.mkdir()
        changed = _changed(whole, rng)
        (place / path.name).write_bytes(changed)
        before = len(report.failures["wrong"]) + len(report.failures["undeclared"])
        _attempt(report, f"changed file {place.name}", "", partial(_read, place / path.name, right, report))
        if len(report.failures["wrong"]) + len(report.failures["undeclared"]) == before:
            shutil.rmtree(place)


def _changed(whole: bytes, rng: random.Random) -> bytes:
    """A file with one thing changed."""
    data = bytearray(whole)
    rng.choice(_WAYS)(data, rng)
    return bytes(data)


def _flip_a_bit(data: bytearray, rng: random.Random) -> None:
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _other_bytes(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data) - 16)
    data[start : start + 16] = rng.randbytes(16)


def _empty_page(data: bytearray, rng: random.Random) -> None:
    data[_page(data, rng)] = bytes(PAGE_SIZE)


def _exchanged_pages(data: bytearray, rng: random.Random) -> None:
    one, other = _page(data, rng), _page(data, rng)
    data[one], data[other] = data[other], data[one]


def _without_end(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def _other_header(data: bytearray, rng: random.Random) -> None:
    # It says how everything else is to be read.
    data[rng.randrange(_HEADER)] = rng.randrange(256)


_WAYS = (_flip_a_bit, _other_bytes, _empty_page, _exchanged_pages, _without_end, _other_header)


def _page(data: bytearray, rng: random.Random) -> slice:
    """Any page of the file."""
    start = rng.randrange(len(data) // PAGE_SIZE) * PAGE_SIZE
    return slice(start, start + PAGE_SIZE)


def _read(path: Path, right: dict[str, Any], report: Report) -> None:
    """Read everything, learning log included, and write."""
    with open_registry(path, busy_timeout=_WAIT, durability="fast") as registry:
        memory = registry.get(MEMORY)
        seen = picture(memory)
        # A file whose end or whose header is gone may be an empty one: that is no answer about what was in it.
        if seen != right and seen["head"] is not None:
            report.fail("wrong", f"{path}: another answer, and no error")
        report.counts["empty_files"] += seen["head"] is None
        for call in ("add_message", "post_process"):
            CALLS[call](registry)()
