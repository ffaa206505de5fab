"""OpenTelemetry spans of what memories do, by the semantic conventions for memory of generative AI."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from streetai_core.errors import MissingExtraError
from streetai_core.observing.observer import MemoryObserver, Operation

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer, TracerProvider

_OPERATIONS = {
    "add_messages": "create_memory",
    "record_turn": "upsert_memory",
    "update_message": "update_memory",
    "reencode": "update_memory",
    "post_process": "update_memory",
    "delete_message": "delete_memory",
    "delete_messages": "delete_memory",
    "delete_conversation": "delete_memory",
    "quarantine": "update_memory",
    "release": "update_memory",
    "rollback": "update_memory",
    "reset": "delete_memory_store",
    "retrieve": "search_memory",
    "why": "search_memory",
    "build_prompt": "search_memory",
    "forget": "delete_memory",
}
"""Verb -> well-known value of `gen_ai.operation.name`."""

_RECORD = {
    "update_message": "parent_turn_id",
    "delete_message": "parent_turn_id",
    "quarantine": "message",
    "release": "message",
    "forget": "message",
}
"""Verb -> its argument that is the id of one message."""

_CONVERSATION = {
    "build_prompt": "conversation_id",
    "delete_conversation": "conversation_id",
    "quarantine": "conversation",
    "release": "conversation",
    "forget": "conversation",
}
"""Verb -> its argument that is the id of a conversation."""

_QUESTION = {"retrieve": "question", "why": "question", "build_prompt": "user_message"}
"""Verb -> its argument that is asked for."""

_PER_SECOND = 1_000_000_000
"""Nanoseconds."""


class OpenTelemetrySpans(MemoryObserver):
    """Makes a span of each operation, as a child of the span that it was called in.

    Ids of memories, messages and conversations are attributes; what was said is not, unless asked for.

    Args:
        tracer_provider: whose spans they are; `None`: the one that the application has set.
        content: True: questions, and the texts that were stored or recalled, are attributes too.

    Raises:
        MissingExtraError: opentelemetry-api is not installed.
    """

    def __init__(self, tracer_provider: TracerProvider | None = None, *, content: bool = False) -> None:
        try:
            from opentelemetry import trace  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise MissingExtraError("opentelemetry-api", "otel") from error
        self._trace = trace
        self._tracer: Tracer = trace.get_tracer("streetai_core", tracer_provider=tracer_provider)
        self._content = content

    def on_write(self, operation: Operation) -> None:
        """A span of what was written; of a turn with what was learned from it."""
        self._span(operation)

    def on_recall(self, operation: Operation) -> None:
        """A span of what was recalled."""
        self._span(operation)

    def on_learn(self, operation: Operation) -> None:
        """A span of what was learned, unless the turn has one."""
        if operation.kind == "learn":
            self._span(operation)

    def on_forget(self, operation: Operation) -> None:
        """A span of what was erased."""
        self._span(operation)

    def on_error(self, operation: Operation) -> None:
        """A span with the name of the error; its message may have what was said."""
        self._span(operation)

    def _span(self, operation: Operation) -> None:
        name = _OPERATIONS.get(operation.verb, "update_memory")
        if operation.verb == "forget" and operation.arguments.get("everything"):
            name = "delete_memory_store"
        span = self._tracer.start_span(
            name,
            kind=self._trace.SpanKind.INTERNAL,
            attributes=self._attributes(name, operation),
            start_time=operation.started_ns,
        )
        if operation.error is not None:
            span.set_status(self._trace.Status(self._trace.StatusCode.ERROR, type(operation.error).__name__))
        span.end(operation.started_ns + round(operation.seconds * _PER_SECOND))

    def _attributes(self, name: str, operation: Operation) -> dict[str, str | int]:
        attributes: dict[str, str | int] = {
            "gen_ai.operation.name": name,
            "gen_ai.memory.store.id": operation.memory_id,
            "streetai.verb": operation.verb,
            **{f"streetai.{what}": number for what, number in operation.counts.items()},
        }
        records = operation.counts.get("hits", operation.counts.get("messages", operation.counts.get("signals")))
        if records is not None:
            attributes["gen_ai.memory.record.count"] = records
        for key, named in (("gen_ai.memory.record.id", _RECORD), ("gen_ai.conversation.id", _CONVERSATION)):
            value = operation.arguments.get(named.get(operation.verb, ""))
            if isinstance(value, str):
                attributes[key] = value
        if operation.error is not None:
            attributes["error.type"] = type(operation.error).__name__
        if self._content:
            attributes.update(_content(operation))
        return attributes


def _content(operation: Operation) -> dict[str, str]:
    """What was asked, and what was stored or recalled."""
    found: dict[str, str] = {}
    question = operation.arguments.get(_QUESTION.get(operation.verb, ""))
    if isinstance(question, str):
        found["gen_ai.memory.query.text"] = question
    records = [record for one in _flat(operation.result) if (record := _record(one))]
    if records:
        found["gen_ai.memory.records"] = json.dumps(records, ensure_ascii=False)
    return found


def _flat(result: Any) -> list[Any]:
    """Hits or signals, however a verb returns them."""
    if hasattr(result, "retrieved"):
        return list(result.retrieved)
    if hasattr(result, "hits"):
        return list(result.hits)
    if not isinstance(result, list):
        return []
    return [one for item in result for one in (item if isinstance(item, list) else [item])]


def _record(one: Any) -> dict[str, Any] | None:
    """A signal, or a hit with its score, as the conventions want it; `None` for anything else."""
    signal = getattr(one, "signal", one)
    if not hasattr(signal, "parent_turn_id"):
        return None
    record = {"id": signal.parent_turn_id, "content": signal.content}
    return {**record, "score": float(one.score)} if signal is not one else record
