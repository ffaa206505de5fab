"""Whose memory a run is about: the one rule that all components share."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from streetai_core.errors import InputError
from streetai_core.text.clean import check_id, is_blank
from streetai_core.verbs.arguments import AskedAt, moment_of

_WAYS = (
    "Give a session_id to the component, or for each run config={'configurable': {'session_id': '...'}}, where "
    "'thread_id' does too, and a 'user_id' beside it, or in a graph's context, makes all sessions of a user share one "
    "memory."
)


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation in one memory."""

    memory_id: str
    """Whose memory: nothing is ever recalled from another."""
    conversation_id: str | None
    """The thread; `None` if only the user is known: then it is the conversation without an id."""
    asked_at: datetime | None = field(default=None, compare=False)
    """When and where the run asks; `None`: the registry's clock tells it."""


def session_of(
    configurable: Mapping[str, Any] | None,
    *,
    session_id: str | None = None,
    user_id: str | None = None,
    asked_at: AskedAt | None = None,
    context: object = None,
    known: str | None = None,
) -> Session:
    """The session of a run.

    The memory is the user's, else the session's, else the thread's. The conversation is the `session_id` that was
    given as an argument, else the thread, else the session of the run. What is `None` is not there.

    Args:
        configurable: `config["configurable"]` of the run, with `session_id`, `thread_id` and `user_id`; whole numbers
            and UUIDs are taken as their text, as checkpointers do. Its `asked_at` says when and where the run asks.
        session_id: wins over both ids of the run.
        user_id: wins over the run's.
        asked_at: counts where the run has none.
        context: what a graph was given as `context=`; its `user_id`, if it has one, counts where "configurable" has
            none.
        known: the memory that the thread had before; stands in its place where the run names its thread only, as the
            configs in a thread's history do.

    Raises:
        InputError: there is none of them, or one cannot be used, needed or not: a blank id is never passed over, for
            the next best one would be another memory. Or `asked_at` tells no time.
    """
    run = configurable or {}
    run_session, run_thread, run_user = (_of_run(run, key) for key in ("session_id", "thread_id", "user_id"))
    session = _usable(session_id, "session_id")
    conversation = session or run_thread or run_session
    user = _usable(user_id, "user_id") or run_user or _of_context(context)
    memory = user or session or run_session or (run_thread and (known or run_thread))
    if memory is None:
        raise InputError(f"there is no session, and no memory is shared by default. {_WAYS}")
    of_run = run.get("asked_at")
    return Session(memory, conversation, moment_of(asked_at if of_run is None else of_run))


def graph_context() -> object:
    """What the graph in which this runs was given as `context=`; `None` outside of one."""
    if "langgraph.runtime" not in sys.modules:
        return None
    from langgraph.runtime import Runtime, get_runtime  # noqa: PLC0415 - optional; loaded if there is a graph

    try:
        # In a run that is no graph's there is none, whatever its type says.
        runtime: Runtime[Any] | None = get_runtime()
    except (KeyError, RuntimeError):
        return None
    return None if runtime is None else runtime.context


def _of_run(run: Mapping[str, Any], key: str) -> str | None:
    """An id of the run as text; `None` if it is not there."""
    return _usable(_as_text(run.get(key)), f"config['configurable'][{key!r}]")


def _of_context(context: object) -> str | None:
    """The user in a graph's context; `None` if it names none."""
    value = context.get("user_id") if isinstance(context, Mapping) else getattr(context, "user_id", None)
    return _usable(_as_text(value), "user_id of the context")


def _as_text(value: object) -> object:
    """Whole numbers and UUIDs as text; anything else as it is."""
    return str(value) if isinstance(value, int | UUID) and not isinstance(value, bool) else value


def _usable(value: object, what: str) -> str | None:
    """An id that can be used; `None` if there is none."""
    if value is None:
        return None
    if not isinstance(value, str) or is_blank(value):
        raise InputError(f"{what} must be text that is not blank, got {value!r}. {_WAYS}")
    return check_id(value, what)
