"""Every verb of a memory, as a user of it would expect."""

from datetime import datetime, timezone

import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import InputError
from streetai_core.recall.lending import LENT
from streetai_core.stores.reference import ReferenceStore

NOON = datetime(2026, 3, 2, 12, tzinfo=timezone.utc)


@pytest.fixture
def registry():
    """A registry on the store in RAM."""
    return MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), clock=lambda: NOON)


@pytest.fixture
def memory(registry):
    """One memory of it."""
    return registry.get("m")


class Counting(HashingEncoder):
    """Counts calls and texts."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def embed(self, texts, kind):
        """Count, then encode."""
        self.calls.append((kind, len(texts)))
        return super().embed(texts, kind)


def test_a_message_is_embedded_in_one_call_and_a_question_in_one():
    """However many chunks it has; a text embedded before costs nothing."""
    encoder = Counting()
    memory = MemoryRegistry(ReferenceStore(), encoder=encoder).get("m")
    # Each is a chunk of its own: long enough to stand alone, too long to be merged.
    sentences = [f"This is sentence number {n} of the message{', and so it goes on' * 9}." for n in range(9)]
    memory.add_message(" ".join(sentences), "user")
    memory.add_message("another message of one chunk", "user")
    memory.build_prompt("which sentence was it?")
    memory.retrieve("which sentence was it?")
    assert [count for _, count in encoder.calls] == [9, 1, 1]


def test_many_messages_are_one_transaction_and_report_progress(memory):
    """One version step, signals by message, progress up to all chunks."""
    seen = []
    messages = [NewMessage(content=f"message number {n} of many", role="user") for n in range(1500)]
    stored = memory.add_messages(messages, progress=lambda done, total: seen.append((done, total)))
    assert [signal.turn for signals in stored for signal in signals] == list(range(1500))
    assert seen == [(1024, 1500), (1500, 1500)]
    assert memory.stats()["version"] == 1


def test_many_messages_are_deleted_in_one_transaction(memory):
    """A crash could leave half of them; ids that are not known, or given twice, would be counted or be an error."""
    said = [NewMessage(content=f"message number {n} of many", role="user", message_id=str(n)) for n in range(9)]
    memory.add_messages(said)
    version = memory.version
    assert memory.delete_messages(one for one in ("3", "unknown", "5", "3", "\ud800")) == 2
    assert memory.version == version + 1
    assert [one.message_id for one in memory.messages()] == ["0", "1", "2", "4", "6", "7", "8"]
    assert {signal.parent_turn_id for signal in memory.signals}.isdisjoint({"3", "5"})
    assert memory.delete_messages(["3", "5"]) == memory.delete_messages([]) == 0
    assert memory.version == version + 1


def test_a_retry_with_the_same_id_stores_nothing(memory):
    """In another call and in the same one; it returns what is there."""
    first = memory.add_message("said only once", "user", message_id="a")
    again = memory.add_message("said only once", "user", message_id="a")
    both = memory.add_messages([NewMessage(content="said twice", role="user", message_id="b")] * 2)
    assert first == again
    assert both[0] == both[1]
    assert memory.stats()["turn_counter"] == 2


def test_an_author_a_time_and_metadata_come_back(memory):
    """As they were given; the clock stands in for a missing time."""
    memory.add_message("hello to all", "user", name="Ilse", created_at=datetime(2025, 1, 1, tzinfo=timezone.utc))
    memory.add_message("hello again", "assistant", metadata={"deep": [1, {"a": None}], "lc": 1})
    one, two = memory.messages()
    assert (one.name, one.created_at.year, one.metadata) == ("Ilse", 2025, {})
    assert (two.name, two.created_at, two.metadata) == (None, NOON, {"deep": [1, {"a": None}], "lc": 1})


def test_tool_traffic_does_not_tick(memory):
    """Stored, recalled, and no older for it."""
    memory.add_message("what is the tide?", "user")
    memory.add_message("", "assistant", metadata={"tool_calls": [{"id": "1"}]})
    memory.add_message("High water is at 14:20 on Sunday.", "tool", metadata={"tool_call_id": "1"})
    memory.add_message("At 14:20.", "assistant")
    assert [message.turn for message in memory.messages()] == [0, 0, 0, 1]
    assert memory.stats()["turn_counter"] == 2
    assert "High water is at 14:20 on Sunday." in [
        hit.signal.content for hit in memory.retrieve("high water on Sunday")
    ]


def test_tool_output_never_weighs_more_than_at_first(memory):
    """The user did not write it: praise does not lift it, blame lowers it."""
    (signal,) = memory.add_message("High water is at 14:20.", "tool")
    (praised,) = memory.post_process([signal], "High water is at 14:20.")
    assert (praised["action"], praised["new_weight"]) == ("boost", 1.0)
    (blamed,) = memory.post_process([signal], "Something else entirely, xyz.")
    assert (blamed["action"], blamed["new_weight"]) == ("demote", 0.95)


def test_roles_that_are_no_signals_are_stored(memory):
    """Instructions stay in the transcript and are never recalled, unless the settings say so."""
    memory.add_message("You are a harbour pilot.", "system")
    assert memory.messages()[0].content == "You are a harbour pilot."
    assert memory.retrieve("You are a harbour pilot.") == []
    config = Config.classic()
    classic = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), config=config).get("m")
    classic.add_message("You are a harbour pilot.", "system")
    assert len(classic.retrieve("You are a harbour pilot.")) == 1


def test_limit_and_token_budget_of_retrieve(memory):
    """The best first; what is too long for the budget is passed over for what fits."""
    memory.add_message("the berth of the boat Kestrel, told at such a length that it does not fit anywhere", "user")
    memory.add_message("the berth of the boat", "user")
    memory.add_message("the berth", "user")
    question = "the berth of the boat Kestrel"
    assert len(memory.retrieve(question)) == 3
    assert [hit.signal.content for hit in memory.retrieve(question, limit=2)] == [
        hit.signal.content for hit in memory.retrieve(question)[:2]
    ]
    fitting = [hit.signal.content for hit in memory.retrieve(question, token_budget=9)]
    assert sorted(fitting) == ["the berth", "the berth of the boat"]
    assert memory.retrieve(question, limit=0) == []


def test_a_hit_unpacks_and_explains_itself(memory):
    """`for signal, score in hits`; the parts sum to the score."""
    memory.add_message("the berth of the boat is 31", "user")
    for signal, score in memory.retrieve("which berth has the boat?"):
        assert signal.content == "the berth of the boat is 31"
        assert score > 0
    for hit in memory.retrieve("which berth has the boat?"):
        assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-9)


@pytest.mark.parametrize(
    ("strategy", "gate"), [("hybrid", "min_relevance"), ("keyword", "min_relevance"), ("vector", "min_similarity")]
)
def test_why_lists_hits_and_near_misses_with_reasons(strategy, gate):
    """Everything is either a hit or has a reason why not, by the name of the setting that decided."""
    config = Config(strategy=strategy)
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), config=config).get("m")
    memory.add_message("the berth of the boat is 31", "user")
    # Of another conversation: beside the others it would be found by their words.
    memory.add_message("xylophones quietly humming", "user", conversation_id="elsewhere")
    memory.add_message("the berth of the boat is 31", "assistant")
    why = memory.why("which berth has the boat?")
    assert len(why.hits) == 1
    assert {miss.hit.signal.content for miss in why.near_misses} == {
        "the berth of the boat is 31",
        "xylophones quietly humming",
    }
    reasons = {miss.hit.signal.content: miss.reason for miss in why.near_misses}
    assert gate in reasons["xylophones quietly humming"]
    assert "better hit" in reasons["the berth of the boat is 31"]
    assert bool(why.stacks) == (strategy != "keyword")


def test_what_stands_beside_an_answer_is_found_by_its_words(memory):
    """A reply that leaves out what its question named would never be recalled; in another conversation it is not."""
    for conversation in ("harbour", "kitchen"):
        memory.add_message(f"an idle remark on the {conversation}", "user", conversation_id=conversation)
    memory.add_message("which berth has the boat?", "user", conversation_id="harbour")
    memory.add_message("thirty-one, on the left", "assistant", conversation_id="harbour")
    memory.add_message("thirty-one, of the blue ones", "assistant", conversation_id="kitchen")
    lent = {hit.signal.content: hit.parts["neighbours"] for hit in memory.retrieve("the berth of the boat")}
    assert lent["thirty-one, on the left"] > 0.2
    assert lent.get("thirty-one, of the blue ones", 0.0) == 0.0


@pytest.mark.parametrize("config", [Config(), Config(strategy="vector"), Config.classic()])
def test_more_hits_than_the_thinking_space_are_given_when_asked_for(config):
    """Whoever asks for forty gets forty; who asks for nothing gets the thinking space."""
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), config=config).get("m")
    memory.add_messages([NewMessage(content=f"the berth of boat {n} is {n * 7}", role="user") for n in range(60)])
    question = "the berth of the boat is"
    assert len(memory.retrieve(question)) == config.max_thinking_space == 25
    forty = [hit.signal.signal_id for hit in memory.retrieve(question, limit=40)]
    assert len(forty) == len(set(forty)) == 40
    assert forty[:25] == [hit.signal.signal_id for hit in memory.retrieve(question)]
    assert len(memory.retrieve(question, limit=1000)) == 60


def test_nothing_is_found_below_the_least_relevance():
    """A question about something else would be answered with what happens to be there."""
    for least, found in ((0.2, 0), (0.0, 1)):
        config = Config(min_relevance=least)
        memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), config=config).get("m")
        memory.add_message("the berth of the boat is 31", "user")
        assert len(memory.retrieve("xylophones humming")) == found


@pytest.mark.parametrize("strategy", ["hybrid", "vector", "keyword"])
def test_the_parts_of_a_score_are_named_and_sum_to_it(strategy):
    """Whoever asks why a hit is there would be told less than all of it."""
    config = Config(strategy=strategy)
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), config=config).get("m")
    memory.add_messages(
        [
            NewMessage(
                content=f"On 5 May boat {n} had berth {n}.", role="user", name="Ilse", conversation_id=str(n % 3)
            )
            for n in range(9)
        ]
    )
    lent = () if strategy == "vector" else LENT
    hits = memory.retrieve("Since when has Ilse berth 4?")
    assert hits
    for hit in hits:
        assert set(hit.parts) == {"meaning", *lent, "activation", "learning"}
        assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-9)
        assert (hit.parts["meaning"] == 0.0) == (strategy == "keyword")
        assert 0 < hit.parts["activation"] <= config.activation_share / 20 + 1e-9
        assert hit.parts["learning"] == 0.0


@pytest.mark.parametrize("form", ["hit", "pair", "signal", "id", "scored id"])
def test_learning_takes_hits_pairs_signals_and_ids(memory, form):
    """All forms teach the same."""
    memory.add_message("the berth of the boat is 31", "user")
    (hit,) = memory.retrieve("berth of the boat")
    name = hit.signal.signal_id
    forms = {"hit": hit, "pair": (hit.signal, hit.score), "signal": hit.signal, "id": name, "scored id": (name, 0.5)}
    item = forms[form]
    (update,) = memory.post_process([item, item], "The berth of the boat is 31.")
    assert update["new_weight"] == pytest.approx(1.1)
    assert memory.signals[0].uses == 1


def test_a_blank_reply_teaches_nothing(memory):
    """A stream that was cut gives no credit."""
    (signal,) = memory.add_message("the berth of the boat is 31", "user")
    version = memory.stats()["version"]
    assert memory.post_process([signal], "  \n") == []
    assert memory.stats()["version"] == version


def test_the_history_of_a_signal_is_its_learning(memory):
    """Turn, action, weights before and after, time."""
    (signal,) = memory.add_message("the berth of the boat is 31", "user")
    memory.post_process([signal], "The berth of the boat is 31.")
    memory.post_process([signal], "Something else entirely, xyz.")
    steps = [
        (step.action, step.old_weight, step.new_weight, step.created_at) for step in memory.history(signal.signal_id)
    ]
    assert steps == [
        ("boost", 1.0, pytest.approx(1.1), NOON),
        ("demote", pytest.approx(1.1), pytest.approx(1.045), NOON),
    ]
    assert memory.history("nothing.7") == []


def test_messages_of_some_roles(memory):
    """Whoever wants the instructions of a long conversation would read all of it."""
    for role in ("system", "user", "assistant", "developer", "user"):
        memory.add_message(f"said by the {role}", role, conversation_id="monday")
    memory.add_message("You are a cook.", "system")
    found = memory.messages(conversation_id="monday", roles=("system", "developer"))
    assert [one.role for one in found] == ["system", "developer"]
    assert [one.role for one in memory.messages(roles="system", last=1)] == ["system"]
    assert len(memory.messages(roles=(role for role in ["user", "system"]))) == 4
    assert memory.messages(roles=[]) == []


@pytest.mark.parametrize("conversation", [{}, {"conversation_id": "a"}])
def test_messages_page_by_page(memory, conversation):
    """Whoever shows a long conversation would read all of it for each page, or miss what stands at an edge."""
    said = [NewMessage(content=f"remark {n}", role="user", conversation_id="ab"[n % 2]) for n in range(25)]
    memory.add_messages(said)
    everything = memory.messages(**conversation)
    backwards, forwards = [], []
    while page := memory.messages(last=4, before=backwards[0].message_id if backwards else None, **conversation):
        backwards[:0] = page
    while page := memory.messages(first=4, after=forwards[-1].message_id if forwards else None, **conversation):
        forwards += page
    assert backwards == forwards == everything
    first, last = everything[2].message_id, everything[7].message_id
    assert memory.messages(after=first, before=last, **conversation) == everything[3:7]


def test_a_page_beside_a_deleted_message_is_refused(memory):
    """An empty page would be taken for the end of the conversation."""
    memory.add_message("the berth of the boat is 31", "user", message_id="a")
    memory.delete_message("a")
    with pytest.raises(InputError, match="before: there is no message 'a'"):
        memory.messages(last=5, before="a")


def test_conversations_have_their_own_window_and_share_recall(memory):
    """The window never crosses, recall does; one can be removed without the other."""
    memory.add_message("the berth of the boat is 31", "user", conversation_id="monday")
    memory.add_message("Noted, berth 31.", "assistant", conversation_id="monday")
    memory.add_messages(
        [NewMessage(content=f"idle remark {n}", role="user", conversation_id="tuesday") for n in range(40)]
    )
    prompt = memory.build_prompt("which berth has the boat?", conversation_id="friday")
    assert prompt.window == ()
    assert "the berth of the boat is 31" in prompt.recalled_text
    assert [message.content[-2:] for message in memory.messages(conversation_id="monday")] == ["31", "1."]
    assert memory.messages(conversation_id=None) == []
    assert len(memory.messages(last=5)) == 5
    assert memory.delete_conversation("tuesday") == 40
    assert memory.delete_conversation("tuesday") == 0
    assert len(memory.messages()) == 2


def test_the_window_has_a_cap_of_tokens_but_the_newest_exchange_is_whole():
    """One long reply does not push everything out, and is not cut itself."""
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder()).get("m")
    long = "A long reply about tides. " * 200
    for n in range(3):
        memory.add_message(f"question number {n}?", "user")
        memory.add_message(f"{n} {long}", "assistant")
    window = [message.content for message in memory.build_prompt("and now?").window]
    assert window == ["question number 2?", f"2 {long}"]


def test_near_duplicates_are_recalled_once(memory):
    """The same words again are not worth tokens; the published pipeline keeps them."""
    for role in ("user", "assistant", "user"):
        memory.add_message("the berth of the boat is 31", role)
    assert len(memory.retrieve("berth of the boat")) == 1
    classic = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), config=Config.classic()).get("m")
    classic.add_messages([NewMessage(content="the berth of the boat is 31", role="user")] * 3)
    assert len(classic.retrieve("berth of the boat")) == 3


def test_nothing_is_injected_when_nothing_was_recalled(memory):
    """No empty block, no label, no word."""
    memory.add_messages([NewMessage(content="xylophones quietly humming along", role="user") for _ in range(30)])
    prompt = memory.build_prompt("berth?", conversation_id="other")
    assert prompt.messages == [{"role": "user", "content": "berth?"}]


def test_by_whom_it_names_a_question_is_asked_in_the_first_person():
    """As that one tells of it; in the published pipeline as it is."""
    question, meant = "Where does Ilse moor?", "Where does I moor?"
    encoder = HashingEncoder()
    for config, asked in ((Config(), meant), (Config.classic(min_similarity=0.0), question)):
        memory = MemoryRegistry(ReferenceStore(), encoder=encoder, config=config).get("m")
        memory.add_message("I moor at the northern quay", "user", name="Ilse")
        cosine = float(encoder.encode([memory.signals[0].content])[0] @ encoder.encode([asked], "query")[0])
        assert [hit.similarity for hit in memory.retrieve(question)] == pytest.approx([cosine], abs=1e-6)


def test_somebody_who_has_spoken_since_is_known_to_the_next_question(tmp_path):
    """Written by another process: a question that names them is embedded as they would ask it."""
    encoder = HashingEncoder()
    question = "Where does Ilse moor?"
    with (
        MemoryRegistry(tmp_path / "m.db", encoder=encoder) as here,
        MemoryRegistry(tmp_path / "m.db", encoder=encoder) as there,
    ):
        here.get("m").add_message("I moor at the northern quay.", "user", name="Ben")
        here.get("m").retrieve(question)
        there.get("m").add_message("I moor at the southern quay.", "user", name="Ilse")
        hit = here.get("m").retrieve(question)[0]
        cosine = float(encoder.encode([hit.signal.content])[0] @ encoder.encode(["Where does I moor?"], "query")[0])
        assert (hit.signal.name, hit.similarity) == ("Ilse", pytest.approx(cosine, abs=1e-6))


def test_reencoding_keeps_everything_but_the_vectors(tmp_path):
    """Texts, weights, clocks and ids stay; stacks are formed anew."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(dim=64)) as registry:
        memory = registry.get("m")
        memory.add_messages(
            [NewMessage(content=f"remark {n} on berth {n}", role="user", name="Ilse") for n in range(30)]
        )
        memory.post_process(memory.signals[:3], "remark 1 on berth 1")
        before = [(one.signal_id, one.content, one.base_weight, one.last_used_turn) for one in memory.signals]
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(dim=128)) as registry:
        memory = registry.get("m")
        assert memory.reencode() == 30
        assert before == [(one.signal_id, one.content, one.base_weight, one.last_used_turn) for one in memory.signals]
        fresh = registry.get("fresh")
        fresh.add_messages(
            [NewMessage(content=f"remark {n} on berth {n}", role="user", name="Ilse") for n in range(30)]
        )
        found, expected = (
            {hit.signal.content: round(hit.similarity, 6) for hit in one.retrieve("berth 7", limit=30)}
            for one in (memory, fresh)
        )
        assert found == expected
        assert len(found) > 10
        assert sum(stack.size for stack in memory.stacks) == 30


def test_ids_lists_what_was_written(registry):
    """Looking makes no memory."""
    registry.get("looked at").stats()
    registry.get("b").add_message("hello there", "user")
    registry.get("a").add_message("hello there", "user")
    assert registry.ids() == ["a", "b"]


def test_the_registry_gives_one_object_per_id(registry):
    """Also to two threads' worth of code."""
    assert registry.get("m") is registry.get("m")
    assert repr(registry.get("m")) == "Memory('m')"


def test_why_works_with_a_small_thinking_space():
    """Near misses are listed whatever the number of hits."""
    config = Config(max_thinking_space=1)
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), config=config).get("m")
    memory.add_messages([NewMessage(content=f"the berth of boat {n} is {n * 7}", role="user") for n in range(40)])
    why = memory.why("which berth has boat 7?")
    assert (len(why.hits), len(why.near_misses)) == (1, 10)
