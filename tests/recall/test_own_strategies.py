"""A strategy of one's own: it is taken wherever a name is, told what recall knows, and all that follows is the same."""

import json
import math
from dataclasses import FrozenInstanceError, dataclass, replace

import numpy as np
import pytest

from streetai_core import Config, MemoryRegistry, NewMessage, PostProcessor, RecallFilter, Strategy
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import ConfigError, InputError, StrategyError
from streetai_core.evaluation.conversations import sample_conversation
from streetai_core.evaluation.grid import read_grid
from streetai_core.index.codes import LEAST
from streetai_core.recall.lending import LENT
from streetai_core.recall.processing import rescored
from tests.encoders.failing import Breakable
from tests.recall.own_strategies import (
    CALLS,
    NOON,
    QUESTION,
    SAID,
    Hybrid,
    NewestFirst,
    Scoring,
    memory_of,
    numbers,
    texts,
)

RECALL_ALONE = Config(history_ceiling=False)


@pytest.mark.parametrize("call", CALLS)
def test_it_is_taken_for_a_call_and_in_the_settings(call):
    """The order and the scores are its own, and a hit says whose they are."""
    newest = list(range(len(SAID)))[::-1]
    for hits in (
        CALLS[call](memory_of(), strategy=NewestFirst()),
        CALLS[call](memory_of(config=Config(strategy=NewestFirst()))),
    ):
        assert numbers(hits) == newest[: len(hits)]
        assert len(hits) > 1
        assert [hit.parts for hit in hits] == [{"NewestFirst": number} for number in numbers(hits)]
        assert [hit.score for hit in hits] == numbers(hits)


async def test_the_twins_take_it_too():
    """The same result."""
    memory, newest = memory_of(), NewestFirst()
    assert await memory.aretrieve(QUESTION, strategy=newest) == memory.retrieve(QUESTION, strategy=newest)
    assert await memory.awhy(QUESTION, strategy=newest) == memory.why(QUESTION, strategy=newest)
    prompt = await memory.abuild_prompt(QUESTION, token_budget=100, strategy=newest)
    assert prompt.retrieved == memory.build_prompt(QUESTION, token_budget=100, strategy=newest).retrieved


def test_a_call_may_have_a_built_in_one_again():
    """What the settings have is the default, no more."""
    memory = memory_of(config=Config(strategy=NewestFirst()))
    again, never = (one.retrieve(QUESTION, strategy="hybrid") for one in (memory, memory_of()))
    assert [(hit.signal.content, hit.parts) for hit in again] == [(hit.signal.content, hit.parts) for hit in never]


@pytest.fixture(scope="module")
def sample():
    """A memory of the bundled conversation; nobody changes it."""
    return memory_of(sample_conversation().messages)


@pytest.mark.parametrize("call", CALLS)
def test_who_adds_up_what_it_is_told_finds_what_the_built_in_one_finds(sample, call):
    """In the same order, with the same parts and the same cosines: what it is told is what recall knows."""
    for question in ("What is my boat called?", "Where do I live?", "What did we eat on 2 March 2026?", "And why?"):
        own, built_in = (CALLS[call](sample, question, strategy=one) for one in (Hybrid(), "hybrid"))
        assert [hit.signal for hit in own] == [hit.signal for hit in built_in]
        for one, other in zip(own, built_in, strict=True):
            assert one.parts == pytest.approx({**other.parts, "gate": 0.0}, abs=1e-9)
            assert (one.score, one.similarity) == pytest.approx((other.score, other.similarity), abs=1e-9)
            assert one.effective_weight == other.effective_weight


def test_what_it_is_told():
    """Each array says of each signal what the message was stored with."""
    seen = Scoring(lambda known: known.sequence)
    memory = memory_of([*SAID, NewMessage(content="Is it late?", role="user", source="document", message_id="12")])
    memory.retrieve(QUESTION, strategy=seen)
    [known] = seen.told
    assert len(known) == len(SAID) + 1
    order = np.argsort(known.sequence)
    assert known.question == QUESTION
    assert known.asked_at == NOON
    assert known.turn == len(SAID) + 1
    assert known.vector.shape == (HashingEncoder().dim,)
    assert set(known.parts) == {"meaning", *LENT, "activation", "learning"}
    messages = memory.messages()
    by_id = {signal.signal_id: signal for signal in memory.signals}
    assert [by_id[known.signal_ids[row]].parent_turn_id for row in order] == [one.message_id for one in messages]
    for row, message in zip(order.tolist(), messages, strict=True):
        assert known.sequence[row] == message.sequence
        assert known.day[row] == np.datetime64(message.created_at.date())
        assert (known.role[row], known.author[row]) == (message.role, message.name)
        assert (known.conversation[row], known.source[row]) == (message.conversation_id, message.source)
        assert (known.trust[row], known.tokens[row]) == (message.trust, len(message.content) / 4)
        assert known.asks[row] == message.content.endswith("?")
        assert (known.weight[row], known.uses[row], known.is_code[row], known.replaced[row]) == (
            pytest.approx(math.exp(-Config().decay_rate * (known.turn - message.turn))), 0, False, False,
        )  # fmt: skip
        assert known.last_used_turn[row] == message.turn
        assert known.similarity[row] == pytest.approx(known.parts["meaning"][row])


def test_it_is_told_what_was_replaced_and_what_was_of_use():
    """What later turns have made of a signal, and whether it is code."""
    seen = Scoring(lambda known: known.sequence)
    said = [
        "I live in Lyon.",
        "I no longer live in Lyon, I moved to Nice.",
        "```python\ndef berth():\n    return 31\n```",
    ]
    memory = memory_of([NewMessage(content=text, role="user") for text in said])
    memory.post_process(memory.retrieve("Where do I live?")[:1], "In Nice.")
    memory.retrieve("Where do I live?", strategy=seen)
    known = seen.told[0]
    by_place = np.argsort(known.sequence)
    assert known.replaced[by_place].tolist() == [True, False, False]
    assert known.is_code[by_place].tolist() == [False, False, True]
    assert known.uses[by_place].tolist() == [0, 1, 0]
    assert known.parts["learning"][by_place][1] > 0


def test_what_it_is_told_cannot_be_written_to():
    """A slip in a strategy changes no memory, and no score that is shown beside its own."""
    seen = Scoring(lambda known: known.sequence)
    memory = memory_of()
    memory.retrieve(QUESTION, strategy=seen)
    known = seen.told[0]
    for array in (known.vector, known.key, known.weight, known.day, known.author, *known.parts.values()):
        assert not array.flags.writeable
    with pytest.raises(FrozenInstanceError):
        known.question = "another"


@pytest.mark.parametrize("call", CALLS)
def test_it_is_asked_once_for_a_question(call):
    """If it fails, a strategy that takes a second takes two."""
    seen = Scoring(lambda known: known.sequence)
    CALLS[call](memory_of(), strategy=seen)
    assert len(seen.told) == 1


def test_it_is_told_nothing_of_what_is_in_quarantine():
    """As if it had been deleted."""
    seen, memory = Scoring(lambda known: known.sequence), memory_of()
    memory.quarantine(message="11")
    hits = memory.retrieve(QUESTION, strategy=seen)
    assert 11 not in seen.told[0].sequence
    assert numbers(hits) == list(range(11))[::-1]
    why = memory.why(QUESTION, message="11", strategy=seen)
    assert [one.reason for one in why.considered] == ["its message is in quarantine"]


@pytest.mark.parametrize("call", CALLS)
def test_a_filter_leaves_out_after_scoring(call):
    """Whatever the filter, it is told the same, so that a score does not depend on it."""
    seen, memory = Scoring(lambda known: known.sequence / known.sequence.max()), memory_of()
    hits = CALLS[call](memory, strategy=seen, wanted=RecallFilter(names=["Tom"]))
    assert hits
    assert {hit.signal.name for hit in hits} == {"Tom"}
    assert len(seen.told[0]) == len(SAID)
    whole = {hit.signal.signal_id: hit.score for hit in memory.retrieve(QUESTION, strategy=seen)}
    assert all(whole[hit.signal.signal_id] == hit.score for hit in hits)


@pytest.mark.parametrize("call", CALLS)
def test_what_has_minus_infinity_is_not_found(call):
    """Nor is it a near miss: nobody may give it back by asking for more."""
    odd = Scoring(lambda known: np.where(known.sequence % 2 == 1, known.sequence, -np.inf))
    assert {number % 2 for number in numbers(CALLS[call](memory_of(), strategy=odd))} == {1}
    why = memory_of(config=Config(max_thinking_space=2)).why(QUESTION, strategy=odd, misses=100)
    assert numbers(why.hits) == [11, 9]
    assert numbers(miss.hit for miss in why.near_misses) == [7, 5, 3, 1]


def test_it_may_want_nothing():
    """Then nothing is found, and the prompt is the question."""
    nothing = Scoring(lambda known: np.full(len(known), -np.inf))
    for call in CALLS.values():
        assert call(memory_of(), strategy=nothing) == []


def test_limits_and_least_score_and_budget():
    """As with the built-in ones."""
    memory, newest = memory_of(), NewestFirst()
    assert numbers(memory.retrieve(QUESTION, strategy=newest, limit=3)) == [11, 10, 9]
    assert numbers(memory.retrieve(QUESTION, strategy=newest, min_score=9)) == [11, 10, 9]
    assert numbers(memory.retrieve(QUESTION, strategy=newest, token_budget=30)) == [11, 10]
    prompt = memory.build_prompt(QUESTION, conversation_id="now", strategy=newest, min_score=11, token_budget=100)
    assert numbers(prompt.retrieved) == [11]
    assert prompt.inspector["tokens_sent"] <= 100


def test_what_says_the_same_is_found_once():
    """The better one of two; `why` says which."""
    memory = memory_of([*SAID, replace(SAID[4], message_id="12")])
    assert numbers(memory.retrieve(QUESTION, strategy=NewestFirst())) == [12, 11, 10, 9, 8, 7, 6, 5, 3, 2, 1, 0]
    [miss] = memory.why(QUESTION, strategy=NewestFirst()).near_misses
    assert miss.reason.startswith("says what a better hit says")


def test_what_is_not_trusted_keeps_to_its_share():
    """However high it scores."""
    planted = [
        NewMessage(content=f"Buy at the {name} of Mallory.", role="tool", message_id=str(100 + n))
        for n, name in enumerate(["shop", "stall", "booth", "yard", "cellar", "attic", "barn", "dock", "pier", "quay"])
    ]
    found = numbers(memory_of([*SAID, *planted]).retrieve(QUESTION, strategy=NewestFirst(), limit=10))
    assert found == [109, 108, 11, 10, 9, 8, 7, 6, 5, 4]


class Backwards(PostProcessor):
    """Turns the order round."""

    def process(self, found):
        """Each hit with the negative of its score."""
        return [rescored(hit, "backwards", -2 * hit.score) for hit in found.hits]


class Milliseconds(Strategy):
    """Scores as large as a clock's, in parts."""

    def score(self, known):
        """Since 1970, and a third."""
        return {
            "since 1970": 1.7e12 + known.sequence * 7.1,
            "third": np.full(len(known), 1 / 3),
            "tenth": known.tokens / 10,
        }


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("strategy", [NewestFirst(), Milliseconds()])
def test_post_processors_get_its_hits(call, strategy):
    """Theirs is another part beside its own, on whatever scale it scores."""
    hits = CALLS[call](memory_of(), strategy=strategy, processors=[Backwards()])
    assert numbers(hits) == list(range(len(hits)))
    assert all(hit.parts["backwards"] == -2 * (hit.score - hit.parts["backwards"]) for hit in hits)


class Nudged(PostProcessor):
    """Adds to a part that may be there."""

    def process(self, found):
        """A tenth more for each hit."""
        return [rescored(hit, "nudge", 0.1) for hit in found.hits]


def test_scores_of_any_size_may_be_added_to():
    """If it fails, milliseconds as scores are refused, for what rounding does to them."""
    hits = memory_of().retrieve(QUESTION, strategy=Milliseconds(), processors=[Nudged()] * 3)
    assert numbers(hits) == list(range(len(SAID)))[::-1]
    for hit in hits:
        assert hit.score == pytest.approx(sum(hit.parts.values()), rel=1e-12)


def test_parts_by_name():
    """They are shown as they are, and sum to the score."""

    def favouring(known):
        return {"meaning": known.parts["meaning"], "own words": np.where(known.role == "user", 0.5, 0.0)}

    hits = memory_of().retrieve(QUESTION, strategy=Scoring(favouring))
    assert len(hits) == len(SAID)
    for hit in hits:
        assert list(hit.parts) == ["meaning", "own words"]
        assert hit.parts["meaning"] == pytest.approx(hit.similarity)
        assert hit.parts["own words"] == (0.5 if hit.signal.role == "user" else 0.0)
        assert hit.score == sum(hit.parts.values())


def test_why_says_whose_scores_they_are():
    """Of hits, of near misses, and of any one message, wanted or not."""
    odd = Scoring(lambda known: np.where(known.sequence % 2 == 1, known.sequence, -np.inf))
    memory = memory_of(config=Config(max_thinking_space=2))
    why = memory.why(QUESTION, message="10", strategy=odd)
    assert why.gates == ("wanted by the strategy Scoring",) * 2
    assert {miss.reason for miss in why.near_misses} == {"ranks behind the thinking space of 2 hits"}
    [left_out] = why.considered
    assert (left_out.rank, left_out.recalled) == (None, False)
    assert left_out.reason == "left out by the strategy Scoring, which was told what these parts say"
    row = odd.told[0].signal_ids.index(left_out.hit.signal.signal_id)
    assert left_out.hit.parts == pytest.approx({name: part[row] for name, part in odd.told[0].parts.items()})
    [found] = memory.why(QUESTION, message="9", strategy=odd).considered
    assert (found.rank, found.recalled, found.reason) == (2, True, "wanted by the strategy Scoring")
    wanted = RecallFilter(names=["Mara"])
    [filtered] = memory.why(QUESTION, message="11", strategy=odd, wanted=wanted).considered
    assert filtered.reason == "left out by the filter"
    assert "Scoring 11.000" in repr(why)
    assert "Scoring" in why._repr_html_()


def test_it_looks_at_woken_stacks_alone_where_the_settings_say_so():
    """It is told nothing of the others, and `why` says why."""
    seen = Scoring(lambda known: known.sequence)
    memory = memory_of(config=Config(direct_search=False, top_stacks=1, stack_threshold=0.99))
    hits = memory.retrieve(QUESTION, strategy=seen)
    assert len(seen.told[0]) == len(hits) == 1
    [outside] = memory.why(QUESTION, message="11", strategy=seen).considered
    assert outside.reason == "its stack is not among the 1 nearest to the question"


def test_the_dead_stay_dead_where_revival_is_off():
    """What the settings say of fading counts for every strategy."""
    config = Config(decay_rate=1.0, revival_similarity=0.0)
    memory = memory_of(config=config)
    assert numbers(memory.retrieve(QUESTION, strategy=NewestFirst())) == [11, 10]
    assert "revival is off" in memory.why(QUESTION, strategy=NewestFirst()).near_misses[0].reason
    revived = memory_of(config=replace(config, revival_similarity=0.45)).retrieve(QUESTION, strategy=NewestFirst())
    assert [hit.revived for hit in revived] == [False, False, *[True] * 10]


def test_replies_teach_what_its_hits_are_worth():
    """Places among the hits count for credit, and what was learned is told the next time."""
    memory, seen = memory_of(), Scoring(lambda known: known.sequence)
    prompt = memory.build_prompt(QUESTION, conversation_id="now", token_budget=100, strategy=seen)
    updates = memory.post_process(prompt.retrieved, "At berth 77, where the tower is.")
    boosted = [update["signal_id"] for update in updates if update["new_weight"] > update["old_weight"]]
    assert boosted == [prompt.retrieved[0].signal.signal_id]
    memory.retrieve(QUESTION, strategy=seen)
    learning = seen.told[1].parts["learning"]
    assert seen.told[1].signal_ids[int(np.argmax(learning))] == boosted[0]


def test_without_a_vector_it_goes_by_the_rest(caplog):
    """An encoder that fails is no error where there is something else to go by; the log says so."""
    encoder, seen = Breakable(), Scoring(lambda known: known.sequence)
    memory = memory_of(encoder=encoder)
    encoder.broken = True
    for call in CALLS.values():
        assert numbers(call(memory, strategy=seen))[:2] == [11, 10]
    assert {known.vector for known in seen.told} == {None}
    assert not any(known.similarity.any() or known.parts["meaning"].any() for known in seen.told)
    assert "the model is gone" in caplog.text


def test_nothing_to_score_asks_nobody():
    """A memory that is empty, or all in quarantine; a question that says nothing."""
    seen, empty = Scoring(lambda known: known.sequence), memory_of([])
    hidden = memory_of()
    hidden.quarantine(source="user")
    hidden.quarantine(source="assistant")
    for call in CALLS.values():
        assert call(empty, strategy=seen) == call(hidden, strategy=seen) == []
    assert memory_of().retrieve("  ", strategy=seen) == []
    assert seen.told == []


def test_a_follow_up_is_asked_with_what_it_leans_on():
    """Both questions are the strategy's to answer, each once."""
    seen = Scoring(lambda known: known.parts["meaning"] + known.parts["words"])
    said = [
        NewMessage(content="What does the mooring in Marstal cost?", role="user", conversation_id="now"),
        NewMessage(content="Let me look it up.", role="assistant", conversation_id="now"),
    ]
    memory = memory_of([*SAID, *said], config=RECALL_ALONE)
    memory.build_prompt("And how much was it?", conversation_id="now", token_budget=800, strategy=seen)
    assert [known.question for known in seen.told] == [
        "And how much was it?",
        "What does the mooring in Marstal cost?\nAnd how much was it?",
    ]


def test_of_a_large_memory_it_is_told_estimates_and_hits_have_cosines():
    """Where a scan estimates, what is shown of a hit is still exact."""
    seen = Scoring(lambda known: known.parts["meaning"])
    said = [
        NewMessage(content=f"Lamp {n} burns near the {('mill', 'dock', 'inn')[n % 3]}.", role="user", message_id=str(n))
        for n in range(LEAST + 10)
    ]
    memory = memory_of(said, encoder=HashingEncoder(dim=32))
    question = "Which lamp burns near the mill?"
    hits = memory.retrieve(question, strategy=seen, limit=5)
    vector = HashingEncoder(dim=32).encode([question], "query")[0]
    stored = HashingEncoder(dim=32).encode([hit.signal.content for hit in hits])
    assert [hit.similarity for hit in hits] == pytest.approx((stored @ vector).tolist(), abs=1e-6)
    [known] = seen.told
    assert len(known) == LEAST + 10
    assert [hit.score for hit in hits] == pytest.approx([hit.similarity for hit in hits], abs=0.01)
    exact = HashingEncoder(dim=32).encode([said[number].content for number in known.sequence]) @ vector
    assert 0 < np.abs(known.similarity - exact).max() < 0.05
    own, built_in = (memory.retrieve(question, strategy=one) for one in (Hybrid(), "hybrid"))
    assert [hit.signal for hit in own] == [hit.signal for hit in built_in]
    assert [hit.score for hit in own] == pytest.approx([hit.score for hit in built_in], abs=1e-9)


# What cannot be used ---------------------------------------------------------------------------------------------


def _raising(_known):
    raise KeyError("berth")


WRONG = {
    "raises": (_raising, r"raised KeyError: 'berth'. Mend it"),
    "nothing": (lambda known: None, "got NoneType"),
    "text": (lambda known: "high", "got str"),
    "texts": (lambda known: ["high"] * len(known), "got list"),
    "one number": (lambda known: 0.5, r"shape \(12,\), got one of the shape \(\)"),
    "too few": (lambda known: known.weight[1:], r"shape \(11,\)"),
    "a column": (lambda known: known.weight[:, None], r"shape \(12, 1\)"),
    "ragged": (lambda known: [[1], [1, 2]], "NumPy makes no array"),
    "all NaN": (lambda known: np.full(len(known), np.nan), r"got nan for 12; .* gets -np\.inf"),
    "one NaN": (lambda known: np.where(known.sequence == 3, np.nan, 1.0), "got nan for 1"),
    "infinite": (lambda known: np.where(known.sequence == 3, np.inf, 1.0), "got inf for 1"),
    "complex": (lambda known: known.weight * 1j, "complex128"),
    "flags": (lambda known: known.relevant, "got flags"),
    "masked": (lambda known: np.ma.masked_less(known.sequence, 3), r"got a masked array.*filled\(-np\.inf\)"),
    "a part with a mask": (lambda known: {"mine": np.ma.masked_less(known.weight, 2)}, "part 'mine', .* masked array"),
    "days": (lambda known: known.day, "datetime64"),
    "hits": (lambda known: known.parts["meaning"].tolist()[:2], "shape"),
    "no parts": (lambda known: {}, "gave no parts"),
    "a part too short": (lambda known: {"mine": known.weight, "more": known.weight[1:]}, "part 'more'"),
    "a part of NaN": (lambda known: {"mine": known.weight * np.nan}, "part 'mine'"),
    "a part without a name": (lambda known: {"  ": known.weight}, "not blank"),
    "a number for a name": (lambda known: {3: known.weight}, "got 3"),
    "parts beyond all numbers": (lambda known: dict.fromkeys("ab", np.full(len(known), 1e308)), "no finite number"),
    "writes": (lambda known: known.weight.fill(0), "read-only"),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_used_is_named(name, call):
    """With the strategy, what it gave and what it should give; the memory goes on as if nothing had been asked."""
    make, message = WRONG[name]
    memory = memory_of()
    before = CALLS[call](memory)
    with pytest.raises(StrategyError, match=message) as caught:
        CALLS[call](memory, strategy=Scoring(make))
    assert str(caught.value).startswith("Scoring.score")
    assert CALLS[call](memory) == before
    memory.add_message("It goes on.", role="user")


def test_whole_numbers_and_lists_are_numbers():
    """As NumPy has it; one that is kept by the strategy may change later. A mask that hides nothing hides nothing."""
    for make in (
        lambda known: np.ma.masked_less(known.sequence, 0),
        lambda known: known.sequence.tolist(),
        lambda known: known.sequence.astype(np.uint8),
        lambda known: known.sequence.astype(np.float32),
    ):
        assert numbers(memory_of().retrieve(QUESTION, strategy=Scoring(make), limit=2)) == [11, 10]


def test_a_failure_has_its_cause():
    """Where it happened is in the traceback."""
    with pytest.raises(StrategyError) as caught:
        memory_of().retrieve(QUESTION, strategy=Scoring(_raising))
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("wrong", [NewestFirst, "newest", None, 3, lambda known: known.sequence])
def test_what_is_no_strategy(wrong):
    """A class in place of an object is the likeliest slip."""
    with pytest.raises(ConfigError, match="'keyword' or a Strategy object"):
        Config(strategy=wrong)
    if wrong is not None:
        with pytest.raises(ConfigError, match="a Strategy object"):
            memory_of().retrieve(QUESTION, strategy=wrong)


def test_the_published_pipeline_has_a_strategy_of_its_own():
    """Said when the settings are made, or when it is asked; not passed over."""
    with pytest.raises(ConfigError, match="published pipeline"):
        Config.classic(strategy=NewestFirst())
    with pytest.raises(InputError, match="published pipeline"):
        memory_of(config=Config.classic()).retrieve(QUESTION, strategy=NewestFirst())


# Settings as text, and settings compared ----------------------------------------------------------------------------


@dataclass
class Favouring(Strategy):
    """Has settings of its own, and is compared by them, as dataclasses are: so it has no hash."""

    role: str = "user"

    def score(self, known):
        """The built-in score, and half a point."""
        return {**known.parts, "favoured": np.where(known.role == self.role, 0.5, 0.0)}


def test_settings_as_text():
    """JSON has its name, which says what is to be given again."""
    config = Config(strategy=Favouring(), top_stacks=2)
    written = json.loads(json.dumps(config.to_dict()))
    assert written == {**Config(top_stacks=2).to_dict(), "strategy": "Favouring"}
    with pytest.raises(ConfigError, match="got 'Favouring'"):
        Config.from_dict(written)
    assert Config.from_dict({**written, "strategy": Favouring()}) == config


@pytest.mark.parametrize("name", ["", "  ", None, "keyword"])
def test_a_name_that_tells_it_from_nothing(name):
    """It stands for the strategy in written settings: one without it cannot be read, "keyword" is the built-in one."""

    class Misnamed(Favouring):
        @property
        def name(self):
            return name

    for use in (lambda one: Config(strategy=one), lambda one: memory_of().retrieve(QUESTION, strategy=one)):
        with pytest.raises(ConfigError, match="a name of its own"):
            use(Misnamed())


class Named(Favouring):
    """Tells what it favours."""

    @property
    def name(self):
        """With the role."""
        return f"favouring {self.role}"

    def score(self, known):
        """As one part."""
        return np.where(known.role == self.role, 1.0, -np.inf)


def test_it_may_name_itself():
    """Where objects of one class are to be told apart: in parts, reasons and settings."""
    named = Named("assistant")
    why = memory_of().why(QUESTION, strategy=named)
    assert {tuple(hit.parts) for hit in why.hits} == {("favouring assistant",)}
    assert set(why.gates) == {"wanted by the strategy favouring assistant"}
    assert Config(strategy=named).to_dict()["strategy"] == "favouring assistant"


def test_settings_are_compared_with_it():
    """Also one that has no hash of its own."""
    assert Config(strategy=Favouring("tool")) == Config(strategy=Favouring("tool")) != Config(strategy=Favouring())
    assert len({Config(strategy=Favouring("tool")), Config(strategy=Favouring("tool")), Config()}) == 2


def test_a_grid_of_settings_keeps_it(tmp_path):
    """What is not varied stays as it is."""
    path = tmp_path / "grid.json"
    path.write_text('{"settings": {"top_stacks": [2, 3]}}', encoding="utf-8")
    base = Config(strategy=Favouring())
    assert [one.config for one in read_grid(path, base)] == [replace(base, top_stacks=2), replace(base, top_stacks=3)]


def test_a_registry_of_many_memories(tmp_path):
    """One strategy serves all of them, and each is told of its own signals only."""
    seen = Scoring(lambda known: known.sequence)
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), config=Config(strategy=seen)) as registry:
        for name in ("a", "b"):
            registry.get(name).add_message(f"My boat is at berth {name}.", role="user")
        for name in ("a", "b"):
            assert texts(registry.get(name).retrieve("Where is my boat?")) == [f"My boat is at berth {name}."]
        registry.get("a").add_message("Is it there?", role="user")
    assert [len(known) for known in seen.told] == [1, 1]
