"""Observers are told of everything, and are never in the way; spans follow the conventions."""

import functools
import json
import subprocess
import sys

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from streetai_core import MemoryObserver, MemoryRegistry, NewMessage
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import InputError, MessageConflictError, MissingExtraError, StaleMemoryError
from streetai_core.observing.spans import OpenTelemetrySpans
from streetai_core.stores.reference import ReferenceStore

# Ids of spans are random hexadecimal digits and times nanoseconds: four digits are in them now and then, this never.
CODE = "KX-Q7"
SAID = f"The code of the shed is {CODE}"


class Recorder(MemoryObserver):
    """Writes down what it is told."""

    def __init__(self):
        self.told = []
        for kind in ("write", "recall", "learn", "forget", "error"):
            setattr(self, f"on_{kind}", functools.partial(self.note, kind))

    def note(self, kind, operation):
        """One call of a method."""
        self.told.append((kind, operation))


class Failing(MemoryObserver):
    """Fails at everything that it overrides."""

    def on_write(self, operation):
        """Whatever it is."""
        raise ValueError("a bug in an observer")

    on_recall = on_learn = on_forget = on_error = on_write


def opened(*observers):
    """A registry with observers."""
    return MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(64), observers=observers)


def use(memory):
    """One of each, one of which fails."""
    memory.add_message(SAID, "user", message_id="a", conversation_id="c")
    memory.add_messages([NewMessage(content="The berth is 31.", role="user", message_id="b")])
    memory.update_message("b", "The berth is 32.")
    hits = memory.retrieve("What is the code?")
    memory.why("What is the code?")
    memory.build_prompt("Which berth?", conversation_id="c")
    memory.post_process(hits, f"The code is {CODE}.")
    turn = [NewMessage(content=text, role=role) for text, role in (("Which?", "user"), ("Number 32.", "assistant"))]
    memory.record_turn("t", turn, retrieved=hits, reply="Number 32.")
    with pytest.raises(MessageConflictError):
        memory.add_message("Another text.", "user", message_id="a")
    memory.quarantine(conversation="c")
    memory.release(conversation="c")
    version = memory.version
    memory.add_message("The berth is 33.", "user")
    memory.rollback(version)
    memory.delete_message("b")
    memory.delete_messages(["b", "unknown"])
    memory.delete_conversation("c")
    memory.reencode()
    memory.forget(everything=True)


TOLD = [
    ("write", "add_messages", {"messages": 1, "signals": 1}),
    ("write", "add_messages", {"messages": 1, "signals": 1}),
    ("write", "update_message", {"messages": 1, "signals": 1}),
    ("recall", "retrieve", None),
    ("recall", "why", {"hits": 2}),
    ("recall", "build_prompt", None),
    ("learn", "post_process", None),
    ("write", "record_turn", None),
    ("learn", "record_turn", None),
    ("error", "add_messages", {}),
    ("write", "quarantine", {"messages": 1}),
    ("write", "release", {"rules": 1}),
    ("write", "add_messages", {"messages": 1, "signals": 1}),
    ("write", "rollback", {"messages": 1, "signals": 0}),
    ("write", "delete_message", {"messages": 1}),
    ("write", "delete_messages", {"messages": 0}),
    ("write", "delete_conversation", {"messages": 1}),
    ("write", "reencode", None),
    ("forget", "forget", None),
]


def test_every_verb_tells_what_it_did():
    """In order, with memory, counts, result and error; verbs that only look tell nothing."""
    recorder = Recorder()
    with opened(recorder) as registry:
        memory = registry.get("alice")
        use(memory)
        memory.stats()
        memory.messages()
    assert [(kind, one.verb) for kind, one in recorder.told] == [(kind, verb) for kind, verb, _ in TOLD]
    for (_, operation), (kind, _, counts) in zip(recorder.told, TOLD, strict=True):
        assert operation.memory_id == "alice"
        assert operation.seconds >= 0
        assert operation.started_ns > 1_700_000_000_000_000_000
        assert counts is None or counts == operation.counts
        assert isinstance(operation.error, MessageConflictError) is (kind == "error")
        assert SAID not in repr(operation)
    for recalled in (3, 4):
        assert recorder.told[recalled][1].arguments["question"] == "What is the code?"
    assert recorder.told[-1][1].result.scope == "everything"


def test_a_reset_is_told_with_how_much_is_gone():
    """Of the memory that there was, of one that was never written, and of what cannot be done."""
    recorder = Recorder()
    with opened(recorder) as registry:
        memory = registry.get("alice")
        memory.add_messages([NewMessage(content=SAID, role="user"), NewMessage(content="And 32.", role="user")])
        registry.reset("alice")
        registry.reset("bob")
        with pytest.raises(StaleMemoryError):
            memory.quarantine(source="tool")
        with pytest.raises(InputError):
            registry.get("alice").rollback(-1)
        assert registry.get("alice").version == 2
    told = [(kind, one.memory_id, one.verb, dict(one.counts)) for kind, one in recorder.told]
    assert told[1:] == [
        ("write", "alice", "reset", {"messages": 2}),
        ("write", "bob", "reset", {"messages": 0}),
        ("error", "alice", "quarantine", {}),
        ("error", "alice", "rollback", {}),
    ]


async def test_async_twins_of_what_hides_and_undoes_tell_too():
    """From the worker thread, under the name of the verb."""
    recorder = Recorder()
    async with opened(recorder) as registry:
        memory = registry.get("alice")
        await memory.aadd_message(SAID, "user", message_id="a")
        await memory.aquarantine(message="a")
        await memory.arelease(message="a")
        await memory.arollback(1)
        await registry.areset("alice")
    assert [operation.verb for _, operation in recorder.told[1:]] == ["quarantine", "release", "rollback", "reset"]


def test_an_observer_that_fails_is_logged_and_harms_nobody(caplog):
    """The results are the same, and other observers are told all the same."""
    recorder = Recorder()
    with opened(Failing(), recorder) as registry:
        use(registry.get("alice"))
    assert len(recorder.told) == len(TOLD)
    assert len([one for one in caplog.records if one.name == "streetai_core.observing.observer"]) == len(TOLD)


def test_an_observer_need_not_want_anything(caplog):
    """All methods do nothing by default; one that raised would be in the log alone."""
    with opened(MemoryObserver()) as registry:
        use(registry.get("alice"))
    assert not [one for one in caplog.records if one.name == "streetai_core.observing.observer"]


async def test_async_twins_tell_too():
    """Of the verb, from the worker thread."""
    recorder = Recorder()
    async with opened(recorder) as registry:
        memory = registry.get("alice")
        await memory.aadd_message(SAID, "user")
        await memory.aretrieve("code")
    assert [operation.verb for _, operation in recorder.told] == ["add_messages", "retrieve"]


@pytest.mark.parametrize("wrong", [7, [Recorder], ["observer"], Recorder()])
def test_only_observers_can_be_observers(wrong):
    """A class is none."""
    with pytest.raises(InputError, match="observers"):
        MemoryRegistry(ReferenceStore(), observers=wrong)


def spans_of(action, **options):
    """The spans that a memory made, by the real SDK."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with opened(OpenTelemetrySpans(provider, **options)) as registry:
        action(registry.get("alice"), provider.get_tracer("test"))
    return exporter.get_finished_spans()


def test_spans_follow_the_conventions():
    """Names, kind, ids and counts of each operation; one span for a turn that is stored and learned from."""
    spans = spans_of(lambda memory, _: use(memory))
    assert [span.name for span in spans] == [
        *("create_memory", "create_memory", "update_memory", "search_memory", "search_memory", "search_memory"),
        *(
            "update_memory",
            "upsert_memory",
            "create_memory",
            "update_memory",
            "update_memory",
            "create_memory",
            "update_memory",
        ),
        *("delete_memory", "delete_memory", "delete_memory", "update_memory", "delete_memory_store"),
    ]
    for span in spans:
        assert span.kind is trace.SpanKind.INTERNAL
        assert span.attributes["gen_ai.operation.name"] == span.name
        assert span.attributes["gen_ai.memory.store.id"] == "alice"
        assert span.end_time >= span.start_time
    assert spans[2].attributes["gen_ai.memory.record.id"] == "b"
    assert spans[3].attributes["gen_ai.memory.record.count"] == spans[3].attributes["streetai.hits"]
    assert spans[5].attributes["gen_ai.conversation.id"] == "c"
    failed = spans[8]
    assert (failed.status.status_code, failed.attributes["error.type"]) == (
        trace.StatusCode.ERROR,
        "MessageConflictError",
    )


def test_the_span_of_a_reset_and_of_a_rule():
    """A store of memories is deleted; a rule names its conversation or its message."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with opened(OpenTelemetrySpans(provider)) as registry:
        registry.get("alice").add_message(SAID, "user", message_id="a")
        registry.get("alice").quarantine(message="a")
        registry.get("alice").quarantine(conversation="c")
        registry.reset("alice")
    _, message, conversation, reset = exporter.get_finished_spans()
    assert message.attributes["gen_ai.memory.record.id"] == "a"
    assert conversation.attributes["gen_ai.conversation.id"] == "c"
    assert (reset.name, reset.attributes["gen_ai.memory.record.count"]) == ("delete_memory_store", 1)


def test_what_was_said_is_in_no_span_unless_asked_for():
    """Questions, texts, and errors, which may quote them."""
    plain = json.dumps([span.to_json() for span in spans_of(lambda memory, _: use(memory))])
    assert not [text for text in (CODE, "berth", "What is the code", "Another text") if text in plain]
    spans = spans_of(lambda memory, _: use(memory), content=True)
    assert spans[3].attributes["gen_ai.memory.query.text"] == "What is the code?"
    records = json.loads(spans[3].attributes["gen_ai.memory.records"])
    assert records[0]["content"] == SAID
    assert {"id", "content", "score"} == set(records[0])


def test_spans_are_children_of_the_span_they_are_called_in():
    """So that a turn of an agent shows what its memory did."""

    def action(memory, tracer):
        with tracer.start_as_current_span("turn"):
            memory.add_message(SAID, "user")

    inner, outer = spans_of(action)
    assert (outer.name, inner.parent.span_id) == ("turn", outer.context.span_id)


def test_without_the_package_the_error_names_it(monkeypatch):
    """The extra to install."""
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(MissingExtraError, match=r"streetai\[otel\]"):
        OpenTelemetrySpans()


def test_a_program_without_logging_sees_warnings_on_stderr(tmp_path):
    """Else a chat whose memory fails, or whose encoder does, would forget everything and say nothing."""
    code = "import logging, streetai_core; logging.getLogger('streetai_core.x').warning('a failure')"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "a failure\n")
