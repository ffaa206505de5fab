"""The page as a whole."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

from streetai_core.errors import EncoderError, InputError
from streetai_core.registry import MemoryRegistry
from streetai_core.rendering import escaped
from streetai_core.report.savings import TurnCost, replay
from streetai_core.report.sections import (
    Contents,
    health_section,
    log_section,
    savings_section,
    stacks_section,
    summary,
    weights_section,
)
from streetai_core.stores.sqlite import SqliteStore

REPLAYED = 400
"""Most messages that are played again to tell what prompts cost; with the real model ten a second and more."""

_STYLE = """
:root{color-scheme:light}
body{font:15px/1.5 system-ui,sans-serif;color:#22272e;background:#fff;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem;overflow-wrap:anywhere}h2{font-size:1.15rem;margin-top:2.2rem}
svg{width:100%;height:auto;font-family:inherit}svg.swatch{width:.8em;height:.8em}
table{border-collapse:collapse;width:100%;font-size:.87rem}
th,td{text-align:left;vertical-align:top;padding:.25em .8em .25em 0;border-bottom:1px solid #dfe3e8;
overflow-wrap:break-word}
th{white-space:nowrap}td:last-child{overflow-wrap:anywhere}
.legend{list-style:none;padding:0;display:flex;gap:1.5em}
footer{margin-top:3rem;color:#57606a;font-size:.8rem}
"""


def report(
    registry: MemoryRegistry,
    memory_id: str,
    *,
    replayed: int = REPLAYED,
    now: datetime | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> str:
    """A page about one memory: its stacks, weights, savings, recall log and health. It changes nothing.

    Args:
        registry: where the memory is.
        memory_id: which one.
        replayed: most messages that are played again to tell what prompts cost; 0: none.
        now: the date on the page; `None`: today.
        progress: called with (messages played so far, messages in all).

    Returns:
        A whole HTML document. It loads nothing and runs nothing, and everything that was said is text in it.

    Raises:
        InputError: no memory has this id, or `replayed` is no whole number from 0.
        StoreError: the file cannot be read.
    """
    if isinstance(replayed, bool) or not isinstance(replayed, int) or replayed < 0:
        raise InputError(f"replayed must be a whole number from 0, got {replayed!r}")
    if memory_id not in registry.ids():
        raise InputError(f"memory_id: there is no memory {memory_id!r} in this file; registry.ids() lists them")
    memory = registry.get(memory_id)
    messages = memory.messages()
    contents = Contents(
        stats=memory.stats(),
        messages=messages,
        plane=memory.stack_map(),
        history=memory.history(),
        config=registry.config,
        encoder=_fingerprint(registry),
        bytes=_size(registry),
    )
    turns, note = _replayed(registry, contents, replayed, progress) if replayed else ([], "Not asked for.")
    sections = (
        ("Stacks", stacks_section(contents)),
        ("Weights", weights_section(contents)),
        ("Savings", savings_section(turns, note)),
        ("Recall log", log_section(contents)),
        ("Health", health_section(contents)),
    )
    body = summary(contents) + "".join(f"<section><h2>{title}</h2>{content}</section>" for title, content in sections)
    return _document(memory_id, body, now or datetime.now(timezone.utc))


def _replayed(
    registry: MemoryRegistry, contents: Contents, most: int, progress: Callable[[int, int], None] | None
) -> tuple[list[TurnCost], str]:
    """What the prompts cost, and what is to be said of it."""
    messages = contents.messages[-most:]
    try:
        turns = replay(messages, contents.config, registry.encoder, progress=progress)
    except EncoderError as error:
        return [], f"The messages could not be played again: {error}"
    if not turns:
        return [], "The user has said nothing yet."
    newest = "" if len(messages) == len(contents.messages) else f"the newest {len(messages)} of "
    return turns, f"{newest}the {len(contents.messages)} stored messages"


def _fingerprint(registry: MemoryRegistry) -> str:
    """Which encoder the registry has; a page can be made without one."""
    try:
        return registry.encoder.fingerprint
    except EncoderError:
        return "no encoder that can be loaded"


def _size(registry: MemoryRegistry) -> int | None:
    """Bytes of the database's file."""
    path = registry.store.path if isinstance(registry.store, SqliteStore) else None
    return Path(path).stat().st_size if path is not None and Path(path).is_file() else None


def _document(memory_id: str, body: str, now: datetime) -> str:
    """The page; its policy allows nothing but its own style."""
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    title = f"Memory {escaped(memory_id)}"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer">'
        f"<title>{title}</title><style>{_STYLE}</style></head>"
        f"<body><h1>{title}</h1>{body}<footer>Made by StreetAI Memory on {now:%Y-%m-%d}.</footer></body></html>\n"
    )
