"""Which pieces of a long message say most of what is asked, and that they lead it on every path alike."""

import random
from datetime import datetime, timezone

import numpy as np
import pytest

from streetai_core import Config, MemoryRegistry
from streetai_core.encoders import HashingEncoder, offline_available
from streetai_core.recall.leading import _order, long_messages, word_scores
from streetai_core.text.naming import Sought
from tests.recall.saying import PADDING, Said, ask, parts_of, state_of
from tests.recall.saying import order as order_of

NOON = datetime(2026, 3, 2, 12, tzinfo=timezone.utc)
INVOICES = "\n".join(
    f"Invoice INV-{1000 + n}: customer Berg, {200 + n * 13 % 700} euros, due 3 July." for n in range(100)
)
NUMBERS = [1007, 1050, 1099]

needs_offline = pytest.mark.skipif(
    not offline_available(), reason="the extra `offline` is not installed: no real encoder"
)


def order(question, *parts, meaning=None):
    """The numbers of the parts of a message, those that say most of a question first; all mean as much if not told."""
    ends = [sum(map(len, parts[: number + 1])) for number in range(len(parts))]
    words = word_scores(Sought(question).found("".join(parts)), [0, *ends[:-1]], ends)
    return _order([one + other for one, other in zip(words, meaning or [0.0] * len(words), strict=True)], 0)


def test_the_part_with_the_name_comes_first():
    """The others have words of the question, and mean as much."""
    assert order("What is due for 1077?", "Due 3 July: 1076. ", "Is due? ", "On 4 July: 1077. ")[0] == 2


def test_a_rare_word_counts_more_than_one_that_stands_everywhere():
    """Of the boats it is asked for the blue one."""
    parts = ("A boat of ash leaks. ", "A boat of oak leaks. ", "A boat in blue leaks. ", "A boat of elm leaks. ")
    assert order("Which blue boat leaks?", *parts)[0] == 2


def test_meaning_counts_beside_words():
    """A word does not outweigh what is much nearer."""
    parts = ("It is moored for forty. ", "The rope has its cost. ", "It rained. ")
    assert order("What does the mooring cost?", *parts, meaning=[0.5, 0.2, 0.1])[0] == 0
    assert order("What does the rope cost?", *parts, meaning=[0.21, 0.2, 0.1])[0] == 1


def test_a_longer_part_with_a_word_counts_less():
    """It says more of other things."""
    assert (
        order("What of the harbour?", "The harbour and then a lot of other things. ", "The harbour. ", "No. ")[0] == 1
    )


def test_of_parts_that_say_as_much_the_best_one_stays_first():
    """Nothing is gained by another, wherever it stands."""
    assert [_order([0.2] * 3, best) for best in range(3)] == [[0, 1, 2], [1, 0, 2], [2, 1, 0]]


def test_a_name_counts_more_than_another_word():
    """Both stand in one part alone, and the other one is shorter."""
    assert order("Is it late to Riga?", "It is late. ", "Nothing is sent to Riga today. ", "No. ")[0] == 1


def test_what_stands_between_the_parts_is_in_none():
    """The marks of a fence are no piece of a message."""
    found = Sought("What of Riga?").found("One. Riga Two. ")
    assert word_scores(found, [0, 10], [5, 15]) == [0.0, 0.0]


def test_what_stands_beside_the_first_comes_before_what_says_a_little_more():
    """It goes on with it, or leads to it."""
    parts = ("Talk. ", "Riga: ", "we paid forty. ", "Talk. ", "Porto: ", "we paid fifty. ")
    meaning = [0.0, 0.3, 0.26, 0.0, 0.3, 0.3]
    assert order("What did we pay in Riga?", *parts, meaning=meaning)[:2] == [1, 2]


def test_a_message_that_is_lifted_keeps_its_leader():
    """It would fall behind what it replaces without the words that it was lifted with."""
    state = state_of(
        Said(text=f"My flat is in Riga, {PADDING}", cosine=0.6),
        Said(text=f"My flat is in Porto now, {PADDING}", pieces=(0.5, 0.3), replaces=(0,)),
        Said(text=f"The flat of Ana is in Graz, {PADDING}", pieces=(0.4, 0.3)),
    )
    ranking = ask(state, "Where is my flat?")
    with_words = dict(zip(ranking.rows.tolist(), (parts_of(ranking)["words"] != 0.0).tolist(), strict=True))
    assert with_words == {0: True, 1: True, 2: False, 3: True, 4: False}
    before = order_of(state, ranking)
    ranking = ranking.leading.by(np.array([2, 4]))
    with_words = dict(zip(ranking.rows.tolist(), (parts_of(ranking)["words"] != 0.0).tolist(), strict=True))
    assert with_words == {0: True, 1: True, 2: False, 3: False, 4: True}
    assert before[0] == order_of(state, ranking)[0] == 1


@pytest.fixture(scope="module")
def office(tmp_path_factory, real_encoder):
    """A memory with a list of invoices among other talk."""
    path = tmp_path_factory.mktemp("office") / "memory.db"
    with MemoryRegistry(path, encoder=real_encoder, durability="fast", clock=lambda: NOON) as registry:
        memory = registry.get("office")
        memory.add_message(INVOICES, "user", conversation_id="march")
        for day in range(12):
            memory.add_message(f"Day {day}: the ferry was late and I had soup.", "user", conversation_id="march")
        yield memory


@needs_offline
@pytest.mark.parametrize("number", NUMBERS)
def test_the_line_that_is_asked_for_is_found_and_sent(office, number):
    """Each line is as near to the question in meaning as the one with the number."""
    question = f"How much is INV-{number}?"
    assert f"INV-{number}:" in office.retrieve(question)[0].signal.content
    prompt = office.build_prompt(question, conversation_id="april", token_budget=500)
    assert f"INV-{number}:" in prompt.recalled_text
    assert any(f"INV-{number}:" in hit.signal.content for hit in prompt.retrieved)


@needs_offline
def test_a_prompt_shows_what_is_asked_wherever_it_stands(office):
    """Not one of the places with what stands around it."""
    question = "How much are INV-1007, INV-1050 and INV-1093?"
    recalled = office.build_prompt(question, conversation_id="april", token_budget=1000).recalled_text
    assert [f"INV-{number}:" in recalled for number in (1007, 1050, 1093)] == [True] * 3


@needs_offline
def test_every_long_message_is_led_so(tmp_path, real_encoder):
    """Two lists are asked about at once."""
    with MemoryRegistry(tmp_path / "m.db", encoder=real_encoder, durability="fast") as registry:
        memory = registry.get("office")
        memory.add_message(INVOICES, "user", conversation_id="march")
        memory.add_message(INVOICES.replace("INV-1", "BILL-2").replace("Berg", "Silva"), "user", conversation_id="may")
        hits = memory.retrieve("How much are INV-1050 and BILL-2061?")
    with_words = [hit.signal.content for hit in hits if hit.parts["words"]]
    assert [any(name in one for one in with_words) for name in ("INV-1050:", "BILL-2061:")] == [True, True]


@needs_offline
@pytest.mark.parametrize("number", NUMBERS)
def test_why_says_what_retrieve_found(office, number):
    """The words of the message count for the piece that has them, and for no other."""
    question = f"How much is INV-{number}?"
    hits = office.retrieve(question)
    [message] = {hit.signal.parent_turn_id for hit in hits if "INV" in hit.signal.content}
    why = office.why(question, message=message)
    assert list(why.hits) == hits
    with_words = [one.hit.signal.signal_id for one in why.considered if one.hit.parts["words"]]
    assert with_words == [hits[0].signal.signal_id]
    for one in why.considered:
        assert sum(one.hit.parts.values()) == pytest.approx(one.hit.score)


@needs_offline
def test_the_score_of_a_message_does_not_depend_on_what_was_asked_before(office):
    """A question leaves nothing behind in the memory."""
    asked = "How much is INV-1050?"
    first = office.retrieve(asked)
    office.retrieve("How much is INV-1007?")
    assert office.retrieve(asked) == first


@pytest.mark.parametrize("limit", [1, 2])
def test_a_limit_only_cuts(tmp_path, limit):
    """A message that falls behind for its leader lets another one in, which has its own by then."""
    chance = random.Random(3)
    things = [
        "boat", "berth", "rope", "mast", "keel", "sail", "paint", "oil", "engine", "pump", "hull", "deck", "cabin",
        "galley", "anchor", "buoy", "light",
    ]  # fmt: skip

    def line():
        return f"{' '.join(chance.choices(things, k=12)).capitalize()} {chance.randrange(100, 130)}."

    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), durability="fast") as registry:
        memory = registry.get("yard")
        for place in range(4):
            memory.add_message(" ".join(line() for _ in range(25)), "user", conversation_id=f"list {place}")
        asked = [f"{' '.join(chance.choices(things, k=5))} {chance.randrange(100, 130)}?" for _ in range(20)]
        assert [memory.retrieve(one, limit=limit) for one in asked] == [memory.retrieve(one)[:limit] for one in asked]


@needs_offline
def test_words_alone_lead_by_names_too(office):
    """No meaning is looked at then, but to tell the pieces of one message apart."""
    found = office.retrieve("How much is INV-1050?", strategy="keyword")
    [leader] = [hit.signal.content for hit in found if hit.parts["words"]]
    assert "INV-1050:" in leader


@needs_offline
def test_by_meaning_alone_names_lead_nowhere(office):
    """Every line is the same then."""
    found = office.retrieve("How much is INV-1050?", strategy="vector")
    assert found == sorted(found, key=lambda hit: -hit.similarity)
    assert not any("words" in hit.parts for hit in found)


@needs_offline
def test_a_piece_that_is_not_searched_leads_nowhere(tmp_path, real_encoder):
    """The words of the message would be found nowhere then."""
    boat = (
        "The boat lies at the mooring by the harbour wall, her sails are stowed, and the varnish wants another coat. "
    )
    soup = (
        "For the soup Quentin chops onions, carrots and celery, fries them in butter and simmers it all for an hour. "
    )
    question = "Where is the yacht of Quentin?"
    found = {}
    for direct in (True, False):
        config = Config(direct_search=direct, top_stacks=1)
        with MemoryRegistry(tmp_path / f"{direct}.db", encoder=real_encoder, config=config) as registry:
            memory = registry.get("talk")
            memory.add_message(f"{boat * 2}\n\n{soup * 2}", "user")
            found[direct] = [hit.signal.chunk_index for hit in memory.retrieve(question) if hit.parts["words"]]
    assert found == {True: [1], False: [0]}


@needs_offline
def test_the_published_pipeline_knows_no_words(tmp_path, real_encoder):
    """Its scores are those of meaning."""
    with MemoryRegistry(tmp_path / "m.db", encoder=real_encoder, config=Config.classic()) as registry:
        memory = registry.get("office")
        memory.add_message(INVOICES, "user")
        found = memory.retrieve("How much is INV-1050?")
    assert found == sorted(found, key=lambda hit: -hit.score)
    assert not any("words" in hit.parts for hit in found)


def test_of_each_long_message_the_best_piece_is_known():
    """It stays the first where another says as much; the best message comes first, whatever its pieces are."""
    state = state_of(Said(text=PADDING, pieces=(0.5, 0.8, 0.6)), Said(text=PADDING, pieces=(0.4, 0.3, 0.9)))
    assert list(long_messages(state, ask(state, "Which?")).items()) == [(1, 5), (0, 1)]
