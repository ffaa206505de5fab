"""Each part of the score says what it is named after, and together they are the score."""

import math
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streetai_core import Config
from streetai_core.dynamics.activation import FRESH, LEARNED
from streetai_core.index.bm25 import TELLING
from streetai_core.recall.evidence import (
    ANSWER,
    ANSWERED,
    ASKING,
    AUTHOR,
    DATE,
    LONG,
    LONG_TOKENS,
    OWN,
    OWN_WORDS,
    RECENT,
    SHORT,
    SHORT_TOKENS,
    SHORTEST_TOKENS,
    STRETCH,
    TOLD,
    UNREAD,
    WHEN,
    WISH,
    WORDS_AROUND,
)
from streetai_core.recall.lending import LENT
from streetai_core.recall.naming import meant
from streetai_core.text.matters import asked_for
from streetai_core.text.words import hashed
from tests.recall.saying import NOON, PADDING, Said, ask, order, part, parts_of, recalled, state_of

YEAR = timedelta(days=365)

LEARNING = LEARNED * Config().activation_share
"""The most that what was learned is worth; half of that after one use."""

PARTS = ["meaning", *LENT, "activation", "learning"]

FIRST_DAY, LAST_DAY = datetime(2020, 1, 1), datetime(2026, 1, 1)  # noqa: DTZ001 - hypothesis adds the zone itself

TEXTS = [
    "My berth is number 31.", "Since last week the berth is 12.", "Nora sails on Sundays.", "ok", "", "?",
    "On 3 March 2023 we bought the boat.", "the of and", "港の潮は静かです", "boat " * 400,
    "Always answer in Swedish.", "They hired me as a cook.", "The dog and the cook live aboard.",
]  # fmt: skip

memories = st.lists(
    st.builds(
        Said,
        text=st.sampled_from(TEXTS),
        cosine=st.floats(-1, 1),
        name=st.sampled_from([None, "Nora", "Ben Okri", "the crew", "\n"]),
        role=st.sampled_from(["user", "assistant", "tool"]),
        conversation=st.sampled_from([None, "one", "two"]),
        when=st.datetimes(FIRST_DAY, LAST_DAY, timezones=st.just(timezone.utc)),
        replaces=st.lists(st.integers(-1, 9), max_size=3).map(tuple),
        pieces=st.lists(st.floats(-1, 1), max_size=3).map(tuple),
        weight=st.floats(0.1, 8),
        uses=st.integers(0, 40),
    ),
    max_size=10,
)

QUESTIONS = [
    "When did Nora buy the boat?", "Which berth is it now?", "What was said in March 2023?", "the of and", "港の潮",
    "What was the first berth?", "?", "Did Ben and Nora sail?", "latest " * 1500, "Where do I live?",
    "Can you list my berths so far?", "What do I do for a living?", "Is there a pet where I live?",
]  # fmt: skip


@settings(max_examples=300)
@given(memories, st.sampled_from(QUESTIONS), st.sampled_from(["hybrid", "vector", "keyword"]), st.booleans())
def test_parts_sum_to_the_score(said, text, strategy, by_meaning):
    """Property: a score that its parts do not explain cannot be trusted; nothing is ever infinite or undefined."""
    config = Config(strategy=strategy)
    state = state_of(*said)
    ranking = ask(state, text, config=config, by_meaning=by_meaning)
    assert list(parts_of(ranking)) == (PARTS if strategy != "vector" else ["meaning", "activation", "learning"])
    assert np.isfinite(ranking.scores).all()
    np.testing.assert_allclose(np.sum(list(parts_of(ranking).values()), axis=0), ranking.scores, rtol=0, atol=1e-9)
    assert (np.diff(ranking.scores) <= 0).all()
    assert sorted(ranking.rows.tolist()) == list(range(len(state.columns)))


def test_a_short_conversation_has_no_worse_stretch():
    """With nothing to compare with, no message loses anything for its company."""
    state = state_of(*(Said(text=f"berth {n}", cosine=n / 10, conversation="only") for n in range(6)))
    assert set(part(state, ask(state, "which berth?"), "stretch").values()) == {0.0}


def test_messages_of_a_conversation_about_something_else_lose_to_the_others():
    """As much as its best three messages fall short of those of the best one; the best one loses nothing."""
    near = [Said(text=PADDING, cosine=cosine, conversation="near") for cosine in (0.6, 0.5, 0.4, 0.0)]
    far = [Said(text=PADDING, cosine=cosine, conversation="far") for cosine in (0.3, 0.0)]
    state = state_of(*near, *far)
    lost = part(state, ask(state, "which berth?"), "stretch")
    assert [lost[n] for n in range(4)] == [0.0] * 4
    # The mean of the best three is .5 there and .15 here.
    assert [lost[n] for n in (4, 5)] == pytest.approx([-0.35 * STRETCH] * 2, abs=1e-6)


def test_what_nobody_said_who_is_named_loses():
    """In the question's own way of writing the name: with a possessive, in small letters, the first name alone."""
    two = [Said(text=PADDING, name=name) for name in ("Nora Lind", "Ben")]
    state = state_of(*two * 4, Said(text=PADDING))
    for question in ("What did Nora say?", "what is nora's boat?", "NORA\u2019s boat?", "What of Nora Lind?"):
        lost = [0.0, -AUTHOR] * 4 + [-AUTHOR]
        assert part(state, ask(state, question), "author") == dict(enumerate(lost))
    assert part(state, ask(state, "And ben?"), "author") == dict(enumerate([-AUTHOR, 0.0] * 4 + [-AUTHOR]))
    assert part(state, ask(state, "Did Nora see Ben?"), "author") == dict(enumerate([0.0] * 8 + [-AUTHOR]))
    for question in ("What did Lind say?", "What did Norah say?", "Anything?"):
        assert set(part(state, ask(state, question), "author").values()) == {0.0}


def test_where_one_is_not_there_others_tell_of_him():
    """What is said in a conversation without anybody who is named loses nothing, until one of them joins it."""
    crowd = [Said(text=PADDING, name=name, conversation="crowd") for name in ("Nora", "Ben", "Ilse")]
    away = [Said(text=PADDING, name=name, conversation="away") for name in ("Ben", "Ilse")]
    state = state_of(*crowd, *away)
    lost = [0.0, -AUTHOR, -AUTHOR, 0.0, 0.0]
    assert part(state, ask(state, "What is Nora's boat?"), "author") == dict(enumerate(lost))
    state = state_of(*crowd, *away, Said(text=PADDING, name="Nora", conversation="away"))
    lost = [0.0, -AUTHOR, -AUTHOR, -AUTHOR, -AUTHOR, 0.0]
    assert part(state, ask(state, "What is Nora's boat?"), "author") == dict(enumerate(lost))


def test_a_tool_and_a_document_are_nobody():
    """Whoever asks for the weather does not ask what the tool called so has told of itself."""
    tool = Said(text=PADDING, name="weather", role="tool")
    state = state_of(tool, Said(text=PADDING, name="archive", source="document"), Said(text=PADDING, name="Nora"))
    for question in ("What was the weather in Paris?", "What does the archive say?"):
        assert set(part(state, ask(state, question), "author").values()) == {0.0}
        assert meant(question, state.words) == question
    assert meant("What does Nora say?", state.words) == "What does I say?"
    said = Said(text=PADDING, name="weather", role="assistant")
    assert meant("How is the weather?", state_of(tool, said).words) == "How is the I?"


def test_a_title_names_its_author_where_it_is_written_like_a_name():
    """Everybody says "marketing" too."""
    state = state_of(Said(text=PADDING, name="Marketing"), Said(text=PADDING, name="Nora"))
    assert part(state, ask(state, "What did Marketing say?"), "author") == {0: 0.0, 1: -AUTHOR}
    assert set(part(state, ask(state, "What is spent for marketing?"), "author").values()) == {0.0}


def test_who_asks_about_themselves_wants_what_the_user_said():
    """What the assistant said loses; not if it is spoken of too, if somebody is named, or if nobody is spoken of."""
    state = state_of(
        Said(text=PADDING, name="Nora"), Said(text=PADDING, role="assistant"), Said(text=PADDING, role="tool")
    )
    own = (
        "Where do I live?",
        "where do i live?",
        "Is it MY berth?",
        "I\u2019m allergic to what?",
        "Could you list my boats?",
    )
    for question in own:
        assert part(state, ask(state, question), "author") == {0: 0.0, 1: -OWN, 2: -OWN}
    for question in (
        "Was my idea yours?",
        "What would you tell me?",
        "Gdzie s\u0105 Jan i Ola?",
        "Tell me.",
        "",
    ):
        assert set(part(state, ask(state, question), "author").values()) == {0.0}
    assert part(state, ask(state, "What did I ask Nora?"), "author") == {0: 0.0, 1: -AUTHOR, 2: -AUTHOR}


@pytest.mark.parametrize(
    "question",
    [
        "What did you tell me that I need?",
        "Which of the ropes that you recommended is cheaper?",
        "what had you originally suggested?",
        "WHAT WAS YOUR ADVICE ABOUT THE MAST?",
    ],
)
def test_who_asks_for_what_was_answered_wants_what_the_assistant_said(question):
    """If nobody else is named."""
    state = state_of(
        Said(text=PADDING, name="Nora"), Said(text=PADDING, role="assistant"), Said(text=PADDING, role="tool")
    )
    assert part(state, ask(state, question), "author") == {0: -AUTHOR, 1: 0.0, 2: -AUTHOR}
    assert part(state, ask(state, f"{question} Nora?"), "author") == {0: 0.0, 1: -AUTHOR, 2: -AUTHOR}


@pytest.mark.parametrize(
    "question",
    [
        "What would you suggest?",
        "What is your advice?",
        "Did you sail?",
        "Are you told when it rains?",
        "Say what you think.",
        "Was your boat red?",
    ],
)
def test_what_is_still_to_be_said_was_not_answered_before(question):
    """Nor does every "you" ask for what was said."""
    state = state_of(Said(text=PADDING), Said(text=PADDING, role="assistant"))
    assert set(part(state, ask(state, question), "author").values()) == {0.0}


def test_where_the_user_has_no_name_whoever_has_one_is_somebody_else():
    """As if the question had named the user; once nothing without a name is left, they all may be who asks."""
    state = state_of(
        Said(text=PADDING, name="Nora"), Said(text=PADDING, role="assistant", name="Bot"), Said(text=PADDING)
    )
    assert part(state, ask(state, "Where do I live?"), "author") == {0: -AUTHOR, 1: -OWN, 2: 0.0}
    state.words.remove([2])
    assert part(state, ask(state, "Where do I live?"), "author") == {0: 0.0, 1: -OWN, 2: 0.0}


def test_messages_that_ask_lose():
    """They want to know, and tell little; but what the user wanted to know is part of what the user asks about."""
    asked = f"{PADDING}, was it not?"
    state = state_of(Said(text=asked), Said(text=asked, role="assistant"), Said(text=PADDING))
    assert part(state, ask(state, "Which berth is it?"), "asking") == {0: -ASKING, 1: -ASKING, 2: 0.0}
    assert part(state, ask(state, "Which berth do I have?"), "asking") == {0: 0.0, 1: -ASKING, 2: 0.0}


WANTED = "Always use metric units."


def test_a_request_wakes_what_the_user_wants_from_now_on():
    """Another question half of it, because it may be about anything; what looks back or asks nothing wakes none."""
    state = state_of(Said(text=PADDING), Said(text=WANTED), *[Said(text=PADDING)] * 8)
    most = WISH * math.log(12 / 2) / math.log(12)
    asked = {"Could you plan a trip?": most, "How tall is it?": most / 2, "What did I say?": 0.0, "It is tall.": 0.0}
    for question, worth in asked.items():
        assert part(state, ask(state, question), "wishes") == {
            n: pytest.approx(worth if n == 1 else 0.0) for n in range(10)
        }


def test_of_many_wishes_each_counts_less_and_in_a_long_message_too():
    """As rare words tell more than common ones, and a long text has something of everything."""
    long = f"{WANTED} {PADDING}".ljust(8 * LONG_TOKENS, "a")
    state = state_of(Said(text=WANTED), Said(text=long), *[Said(text=PADDING)] * 8)
    found = part(state, ask(state, "Plan a trip."), "wishes")
    assert found[0] == pytest.approx(WISH * math.log(12 / 3) / math.log(12))
    assert found[1] == pytest.approx(found[0] / 2)


def woken(state, question):
    """Which messages have something for a wish."""
    return [number for number, worth in part(state, ask(state, question), "wishes").items() if worth]


def test_only_the_wishes_of_whoever_asks():
    """Where the user speaks without a name, only what has none; nothing if several may ask."""
    said = (Said(text=WANTED), Said(text=WANTED, name="Nora"))
    assert woken(state_of(*said, Said(text=PADDING)), "Plan a trip.") == [0]
    named = [Said(text=WANTED, name="Nora"), Said(text=PADDING, name="Nora")]
    assert woken(state_of(*named), "Plan a trip.") == [0]
    state = state_of(*named, Said(text=PADDING, name="Ben"))
    assert woken(state, "Plan a trip.") == []
    state.words.remove([2])
    assert woken(state, "Plan a trip.") == [0]


def test_a_name_makes_a_question_one_about_somebody_and_a_request_none():
    """Whoever answers may have a name too."""
    state = state_of(Said(text=WANTED, name="Nora"), Said(text=PADDING, name="Ava", role="assistant"))
    assert woken(state, "How tall is Ava?") == []
    assert woken(state, "Ava, could you plan a trip for Nora?") == [0]


def test_what_is_planted_neither_states_a_wish_nor_silences_one():
    """By its source, or by its trust."""
    planted = [Said(text=WANTED, name=name, source="document", trust=0.5) for name in (None, "Eve")]
    doubtful = [Said(text=WANTED, name=name, trust=0.3) for name in (None, "Nora", "Eve")]
    state = state_of(Said(text=WANTED, name="Nora"), *planted, *doubtful)
    assert woken(state, "Plan a trip.") == [0]


def test_a_request_does_not_ask_what_was_talked_about_around_a_wish():
    """Another question does."""
    near = [Said(text=PADDING, cosine=0.6, conversation="near") for _ in range(3)]
    state = state_of(*near, Said(text=WANTED, conversation="far"), Said(text=PADDING, conversation="far"))
    lost = part(state, ask(state, "Plan a trip."), "stretch")
    assert lost[3] == 0.0 > lost[4]
    lost = part(state, ask(state, "How tall is it?"), "stretch")
    assert 0.0 > lost[3] == lost[4]


def test_a_wish_passes_the_gate_whatever_it_is_about():
    """If the question is a request, and until it is deleted: what may be about the memory finds nothing there."""
    state = state_of(Said(text=WANTED))
    assert recalled(state, ask(state, "Plan a trip.")) == [0]
    state = state_of(Said(text=PADDING), Said(text=WANTED), Said(text=PADDING))
    assert recalled(state, ask(state, "Plan a trip.")) == [1]
    for question in ("What did I say?", "What is the capital of Mongolia?"):
        assert recalled(state, ask(state, question)) == []
    state.words.remove([1])
    assert recalled(state, ask(state, "Plan a trip.")) == []


def test_the_best_score_does_not_rise_with_a_name():
    """Or a name that is known would pass for an answer that is known."""
    state = state_of(Said(text=PADDING, cosine=0.5, name="Nora"), Said(text=PADDING, cosine=0.4, name="Ben"))
    for question in ("Has Nora a key?", "Has anybody a key?", "Have I a key?"):
        ranking = ask(state, question)
        assert order(state, ranking)[0] == 0
        assert parts_of(ranking)["author"][0] == 0.0


def test_a_named_month_finds_what_was_said_in_it_and_what_speaks_of_it():
    """Both gain the same; a month later, and a year later, nothing is gained."""
    march = datetime(2023, 3, 31, 23, tzinfo=timezone.utc)
    state = state_of(
        Said(text=PADDING, when=march),
        Said(text=f"We bought her on 3 March 2023, {PADDING}"),
        Said(text=PADDING, when=march + timedelta(days=1)),
        Said(text=f"We sold her on 3 March 2024, {PADDING}"),
        Said(text=f"We paid last month, {PADDING}", when=datetime(2023, 4, 20, tzinfo=timezone.utc)),
    )
    found = part(state, ask(state, "What happened in March 2023?"), "time")
    assert found == {0: DATE, 1: DATE, 2: 0.0, 3: 0.0, 4: DATE}
    assert set(part(state, ask(state, "What happened to the boat?"), "time").values()) == {0.0}


def test_beside_a_named_time_what_is_new_and_names_another_passes_no_gate():
    """The latest of March 2023 is of March 2023, however new and dated the others are."""
    state = state_of(
        Said(text=f"We bought her on 3 March 2023, {PADDING}", cosine=0.1, conversation="then"),
        Said(text=f"We sold her on 5 May 2024, {PADDING}", cosine=0.1, conversation="now"),
    )
    ranking = ask(state, "When was the latest repair in March 2023?")
    found = part(state, ranking, "time")
    assert (found[0], found[1] > DATE) == (DATE + WHEN, True)
    assert recalled(state, ranking) == [0]


def test_questions_for_a_time_prefer_messages_that_name_one():
    """A question for "when" is answered by a date; of two messages as near, the one with a date comes first."""
    state = state_of(
        Said(text=f"We bought the boat on 3 March, {PADDING}", cosine=0.5),
        Said(text=f"We bought the boat from Ben, {PADDING}", cosine=0.5),
    )
    ranking = ask(state, "When did we buy the boat?")
    assert part(state, ranking, "time") == {0: WHEN, 1: 0.0}
    assert order(state, ranking) == [0, 1]
    assert part(state, ask(state, "Who sold us the boat?"), "time") == {0: 0.0, 1: 0.0}


def test_questions_for_the_latest_state_prefer_the_newer():
    """Evenly from the oldest to the newest; not where the question asks for a former state as well."""
    state = state_of(*(Said(text=PADDING) for _ in range(5)))
    found = part(state, ask(state, "Which berth do I have now?"), "time")
    assert [found[n] for n in range(5)] == pytest.approx([RECENT * n / 4 for n in range(5)])
    for question in ("Which berth did I have at first?", "Which berth is it?"):
        assert set(part(state, ask(state, question), "time").values()) == {0.0}


def test_what_has_little_to_do_with_the_question_is_no_newer_state():
    """Newness counts from two thirds of the best relevance on, and below by its share; old talk is as old as it was."""
    cosines = (0.6, 0.3, 0.5, 0.1, 0.0, -0.2)
    state = state_of(*(Said(text=PADDING, cosine=cosine) for cosine in cosines))
    ranking = ask(state, "Which berth do I have now?")
    found = part(state, ranking, "time")
    bearing = (1.0, 0.75, 1.0, 0.25, 0.0, 0.0)
    assert [found[n] for n in range(6)] == pytest.approx([RECENT * n / 5 * bearing[n] for n in range(6)], abs=1e-6)
    assert order(state, ranking)[:2] == [2, 0]


@pytest.mark.parametrize(
    ("tokens", "lost"),
    [
        (SHORT_TOKENS // 2, SHORT * math.log(2)),
        (SHORT_TOKENS, 0.0),
        ((SHORT_TOKENS + LONG_TOKENS) // 2, 0.0),
        (LONG_TOKENS, 0.0),
        (LONG_TOKENS * 4, LONG * math.log(4)),
    ],
)
def test_very_short_and_very_long_messages_lose(tokens, lost):
    """One says seldom anything, the other something of everything; between them length tells nothing."""
    state = state_of(Said(text="x" * 4 * tokens))
    assert part(state, ask(state, "?"), "length")[0] == pytest.approx(-lost)


def test_the_shortest_messages_lose_no_more_than_short_ones():
    """Three words may be a whole statement; and the logarithm of nothing would be infinite."""
    state = state_of(Said(text=""), Said(text="x"), Said(text="I'm a sailor."), Said(text="x" * 4 * SHORTEST_TOKENS))
    lost = part(state, ask(state, "?"), "length")
    assert list(lost.values()) == pytest.approx([-SHORT * math.log(SHORT_TOKENS / SHORTEST_TOKENS)] * 4)


def test_an_answer_means_what_was_asked():
    """What follows a question like this one gets more, the more alike they are; nothing follows the last message."""
    state = state_of(
        Said(text="Where is the berth?", cosine=0.9, conversation="one"),
        Said(text=PADDING, conversation="one"),
        Said(text="The berth is there.", cosine=0.9, conversation="one"),
        Said(text=PADDING, conversation="one"),
        Said(text="How much is a pint?", cosine=0.1, conversation="two"),
        Said(text=PADDING, conversation="two"),
        Said(text="And the berth?", cosine=0.9, conversation="two"),
        Said(text=PADDING, conversation="three"),
    )
    answers = part(state, ask(state, "Where do we moor?"), "answers")
    assert answers.pop(1) == pytest.approx(ANSWER * (0.9 - ANSWERED), abs=1e-6)
    assert set(answers.values()) == {0.0}


@pytest.mark.parametrize(("characters", "share"), [(0, 1.0), (1, 1.0), (240, 1.0), (241, 240 / 241), (480, 0.5)])
def test_a_long_answer_says_itself_what_was_asked(characters, share):
    """So it gets less, by its length beyond sixty tokens; what follows may also be empty."""
    state = state_of(
        Said(text="Where is the berth?", cosine=0.9, conversation="one"),
        Said(text="x" * characters, conversation="one"),
    )
    answers = part(state, ask(state, "Where do we moor?"), "answers")
    assert answers[1] == pytest.approx(ANSWER * (0.9 - ANSWERED) * share, abs=1e-6)


@pytest.mark.parametrize(
    ("usual", "count", "is_read"), [(UNREAD + 0.05, 40, False), (UNREAD - 0.05, 40, True), (UNREAD + 0.05, 20, True)]
)
def test_where_all_is_near_no_question_is_like_it(usual, count, is_read):
    """An encoder that does not read a language finds all of it alike: whatever was asked would be asked again.

    Not told by a few messages, nor by those that are not trusted: whoever plants some would change what is found.
    """
    others = [Said(text=PADDING, cosine=usual, conversation="two") for _ in range(count)]
    planted = [Said(text=PADDING, cosine=1.0, conversation="two", trust=0.5) for _ in range(60 - count)]
    asked = [Said(text="Where is the berth?", cosine=0.9, conversation="one"), Said(text=PADDING, conversation="one")]
    state = state_of(*asked, *others, *planted)
    answers = part(state, ask(state, "Where do we moor?"), "answers")
    assert answers[1] == pytest.approx(ANSWER * (0.9 - ANSWERED) if is_read else 0.0, abs=1e-6)


def test_without_a_question_like_it_nothing_is_an_answer():
    """Also where the encoder failed, so that nothing is like anything."""
    state = state_of(Said(text="Where is the berth?", cosine=0.2), Said(text=PADDING))
    for by_meaning in (True, False):
        assert set(part(state, ask(state, "Where is it?", by_meaning=by_meaning), "answers").values()) == {0.0}


def test_words_count_less_where_the_question_has_few_that_tell():
    """One word that several messages have is little to go by; two that are rare are enough."""
    state = state_of(*(Said(text=text) for text in ("berth", "berth", "keel", "mast", PADDING)))
    number = len(state.words)

    def idf(having):
        return math.log(1 + (number - having + 0.5) / (having + 0.5))

    ranking = ask(state, "which berth?", config=Config(min_relevance=-10))
    parts = parts_of(ranking)
    expected = (idf(2) / (TELLING * idf(1)) - 1) * (parts["words"] + parts["neighbours"])
    np.testing.assert_allclose(parts["vague"], expected, atol=1e-9)
    assert expected.min() < -0.1
    assert set(part(state, ask(state, "keel or mast?"), "vague").values()) == {0.0}


def test_vague_words_still_open_the_gate():
    """If all messages speak of it, that is no reason to find none; also by words alone."""
    state = state_of(*(Said(text=f"berth {number}") for number in range(30)))
    assert recalled(state, ask(state, "berth?", by_meaning=False)) == list(range(29, 4, -1))


def test_words_that_frame_a_question_find_nothing():
    """Who once spoke of conversations does not answer every question for what was said in them."""
    state = state_of(Said(text="What conversations! What an order!"), Said(text="The boat is red."), Said(text=PADDING))
    plain, framed = (
        part(state, ask(state, question, config=Config(min_relevance=-10)), "words")
        for question in ("the boat?", "Can you list the order in which I mentioned the boat in our conversations?")
    )
    assert plain == framed
    assert framed[0] == 0.0 < framed[1]
    asked = ask(state, "Step by step, so far?", config=Config(min_relevance=-10))
    assert set(part(state, asked, "words").values()) == {0.0}


def test_a_framed_question_that_was_asked_before_is_known():
    """It lends its words to its answer, and not to what stood before it."""
    question = "Can you tell me the order in which we painted the boat?"
    state = state_of(Said(text=PADDING), Said(text=question), Said(text=PADDING))
    lent = part(state, ask(state, question, config=Config(min_relevance=-10)), "neighbours")
    assert lent[0] == 0.0 < lent[2]


def test_the_words_of_a_long_message_count_once():
    """Its nearest signal has them, the others only what they mean: else one message took the whole block."""
    state = state_of(
        Said(text=f"The berth of Kestrel is 31. {PADDING}", pieces=(0.2, 0.6, 0.4)), Said(text=PADDING, cosine=0.1)
    )
    ranking = ask(state, "Which berth has Kestrel?")
    of_first = [place for place, sequence in enumerate(order(state, ranking)) if sequence == 0]
    words = parts_of(ranking)["words"][of_first]
    assert parts_of(ranking)["meaning"][of_first] == pytest.approx([0.6, 0.4, 0.2], abs=1e-6)
    assert words[0] > 0.3
    assert words[1:].tolist() == [0.0, 0.0]


def test_of_signals_that_tie_one_has_the_words():
    """Also where the encoder failed, so that none is nearer than another."""
    state = state_of(Said(text="The berth of Kestrel is 31.", pieces=(0.5, 0.5, 0.5)))
    for by_meaning in (True, False):
        words = parts_of(ask(state, "Which berth has Kestrel?", by_meaning=by_meaning))["words"]
        assert sorted(words > 0) == [False, False, True]


def test_an_answer_is_found_by_the_words_of_the_question_before_it():
    """Alone "for twelve years" means nothing; only neighbours in its own conversation lend their words."""
    state = state_of(
        Said(text="How long have you kept the anchor Bertha?", conversation="a"),
        Said(text="Something else was said here, far away.", conversation="b"),
        Said(text="For twelve years, it was a gift of my aunt.", conversation="a"),
        Said(text="It rains, and nobody minds at all.", conversation="a"),
    )
    ranking = ask(state, "the anchor Bertha")
    words, lent = part(state, ranking, "words"), part(state, ranking, "neighbours")
    assert words[0] > lent[2] > 0.2
    assert lent[3] > 0.0
    assert words[1] == words[2] == words[3] == 0.0
    assert lent[0] == lent[1] == 0.0


def test_in_a_chat_of_a_few_words_more_messages_stand_around_each():
    """Until they say as much as two long neighbours do; never farther than three."""
    said = ["And the anchor Bertha?", "Oh, her!", "Yes.", "Twelve years old.", "Really?"]
    for more, reached in (("", [False, True, True, True, False]), (PADDING * 3, [False, True, False, False, False])):
        state = state_of(*(Said(text=f"{text} {more}", conversation="a") for text in said))
        lent = part(state, ask(state, "the anchor Bertha", config=Config(min_relevance=-10)), "neighbours")
        assert [lent[sequence] > 0 for sequence in range(len(said))] == reached


def test_words_that_neighbours_have_too_are_shared_by_how_often_each_has_them():
    """Of four mentions in a row of messages, one is its own: it has a quarter of their worth."""
    state = state_of(
        *(Said(text=f"{word} {PADDING}") for word in ("berth", "berth", "berth berth", "?", "?", "?", "rope"))
    )
    ranking = ask(state, "berth", config=Config(min_relevance=-10))
    words, lent = part(state, ranking, "words"), part(state, ranking, "neighbours")
    found = state.words.scores([hashed("berth")])
    own, around = found.own[1], found.around[1]
    assert words[1] == pytest.approx(OWN_WORDS * own + WORDS_AROUND * around / 4)
    assert lent[1] == pytest.approx(WORDS_AROUND * around * 3 / 4)
    assert (words[3], words[6], lent[6]) == (0.0, 0.0, 0.0)
    assert lent[3] > 0.0


def test_what_is_told_in_other_words_than_the_question_is_among_the_words_and_not_lent():
    """A message that has the question's own word is not helped twice, and one that stands beside has said nothing."""
    state = state_of(
        *(
            Said(text=f"{words} {PADDING}", conversation=words[-1])
            for words in ("A dog, a cat", "Rain", "Snow", "A pet, no dog", "Hail")
        )
    )
    ranking = ask(state, "pet?", config=Config(min_relevance=-10))
    words, lent = part(state, ranking, "words"), part(state, ranking, "neighbours")
    found = state.words.scores([hashed("pet")], matters=asked_for(["pet"]))
    assert words[0] == pytest.approx(TOLD * found.told[0])
    assert words[3] == pytest.approx(OWN_WORDS * found.own[3] + WORDS_AROUND * found.around[3])
    assert [words[1], words[2], words[4], lent[0], lent[1]] == [0.0] * 5
    assert found.told.tolist()[1:] == [0.0] * 4


def test_a_question_that_was_asked_before_lends_to_its_answer_alone():
    """What stands before it had nothing to do with it."""
    state = state_of(Said(text=f"Rain. {PADDING}"), Said(text="the anchor Bertha"), Said(text=f"A gift. {PADDING}"))
    lent = part(state, ask(state, "the anchor Bertha", config=Config(min_relevance=-10)), "neighbours")
    assert lent[0] == lent[1] == 0.0 < lent[2]


@pytest.mark.parametrize("question", ["Which berth is mine?", "berth", "Where do I moor now?"])
def test_a_correction_stands_above_what_it_replaces(question):
    """The old berth, however well it fits, is not what is true; of a chain of corrections the newest is lifted."""
    state = state_of(
        Said(text=f"My berth is number 31, berth 31 is mine, {PADDING}", cosine=0.9),
        Said(text=f"The weather is fine, {PADDING}", cosine=0.3),
        Said(text=f"From now on I moor at number 12, {PADDING}", cosine=0.5, replaces=(0,)),
        Said(text=f"Make that 14, {PADDING}", cosine=0.4, replaces=(2,)),
    )
    ranking = ask(state, question)
    found = [one for one in recalled(state, ranking) if one != 1]
    assert found[0] == 3
    assert sorted(found) == [0, 2, 3]
    change = part(state, ranking, "change")
    assert change[0] == change[1] == 0.0
    assert min(change.values()) == 0.0
    assert change[3] > 0.0


@pytest.mark.parametrize("question", ["Which berth is mine?", "berth"])
def test_a_correction_that_was_stored_before_what_it_replaces_stands_above_it(question):
    """The whole chain came the other way round, told by its days."""
    state = state_of(
        Said(text=f"Make that 14, {PADDING}", cosine=0.4, replaces=(1,), when=NOON),
        Said(
            text=f"From now on I moor at number 12, {PADDING}",
            cosine=0.5,
            replaces=(2,),
            when=NOON - timedelta(days=400),
        ),
        Said(text=f"My berth is number 31, berth 31 is mine, {PADDING}", cosine=0.9, when=NOON - timedelta(days=800)),
    )
    assert order(state, ask(state, question))[0] == 0
    assert order(state, ask(state, "Which berth did I have at first?"))[0] == 2


def test_a_question_for_the_former_state_gets_it():
    """What was replaced is still there, and is what was asked for."""
    state = state_of(
        Said(text=f"My berth is number 31, {PADDING}", cosine=0.9),
        Said(text=f"My berth is number 12, {PADDING}", cosine=0.5, replaces=(0,)),
    )
    ranking = ask(state, "Which berth did I have at first?")
    assert order(state, ranking) == [0, 1]
    assert set(part(state, ranking, "change").values()) == {0.0}


def test_what_was_so_at_first_stands_above_all_that_it_became():
    """However many states there were since, and however well the last one fits."""
    state = state_of(
        Said(text=f"My berth is number 31, {PADDING}", cosine=0.3),
        *(
            Said(text=f"My berth is number {place}, {PADDING}", cosine=0.3 + place / 10, replaces=(place - 1,))
            for place in range(1, 6)
        ),
    )
    assert order(state, ask(state, "Which berth did I have at first?"))[0] == 0


def test_it_stands_above_what_it_became_where_that_fits_better():
    """Who asks for it in the words of the newer message means the older one."""
    state = state_of(
        Said(text=f"My berth is number 31, {PADDING}", cosine=0.4),
        Said(text=f"My berth is number 12, {PADDING}", cosine=0.9, replaces=(0,)),
    )
    ranking = ask(state, "Which berth did I have at first?")
    assert order(state, ranking) == [0, 1]
    assert part(state, ranking, "change")[0] > 0.0


def test_a_correction_above_already_gains_nothing_and_an_unknown_one_harms_nothing():
    """What is replaced may have been deleted since."""
    state = state_of(
        Said(text=PADDING, cosine=0.3),
        Said(text=PADDING, cosine=0.8, replaces=(0, 0, 77)),
        Said(text=PADDING, cosine=0.1, replaces=(2,)),
    )
    ranking = ask(state, "which berth?")
    assert order(state, ranking) == [1, 0, 2]
    assert part(state, ranking, "change")[1] == 0.0


def test_a_fresh_and_a_learned_signal_gain_a_little():
    """So little that a better match wins."""
    state = state_of(
        Said(text=PADDING, cosine=0.5, uses=1, weight=1.0, last_used=3),
        Said(text=PADDING, cosine=0.5, weight=0.1, last_used=0),
        Said(text=PADDING, cosine=0.6, weight=0.1, last_used=0),
    )
    ranking = ask(state, "which berth?")
    fresh, learned = part(state, ranking, "activation"), part(state, ranking, "learning")
    most = Config().activation_share * FRESH
    assert fresh == pytest.approx({0: most, 1: most / 2, 2: most / 2})
    # That the others were sent in vain does not speak against them.
    assert learned == pytest.approx({0: LEARNING / 2, 1: 0.0, 2: 0.0})
    assert order(state, ranking) == [2, 0, 1]


VECTOR = Config(strategy="vector")
"""What a signal scores without activation is its cosine, which the test chooses."""


def test_what_was_learned_stays_out_of_other_questions():
    """It counts for what scores as much as the tenth best without it, and not for what scores .2 less."""
    state = state_of(
        *(Said(text=PADDING, cosine=0.8, uses=9, last_used=13) for _ in range(10)),
        *(Said(text=PADDING, cosine=cosine, uses=9, last_used=13) for cosine in (0.7, 0.6, 0.3)),
    )
    learned = part(state, ask(state, "which berth?", config=VECTOR), "learning")
    full = LEARNING * 0.9
    assert learned == pytest.approx(dict(enumerate([*[full] * 10, full / 2, 0.0, 0.0])), abs=1e-6)


def test_a_question_asked_before_hides_no_learned_answer():
    """Nine copies of it fit better than any answer; what was learned is compared with the tenth."""
    state = state_of(
        *(Said(text=f"Which berth, {n}?", cosine=0.9 + n / 100) for n in range(9)),
        Said(text=PADDING, cosine=0.5, uses=1, last_used=10),
    )
    for config in (Config(), VECTOR):
        assert part(state, ask(state, "which berth?", config=config), "learning")[9] == pytest.approx(LEARNING / 2)


def test_what_was_learned_does_not_depend_on_what_may_be_found():
    """Its part is the same with the best left out, so that a score does not depend on a filter."""
    state = state_of(*(Said(text=PADDING, cosine=0.9 - n / 50, uses=3, last_used=0) for n in range(15)))
    every = part(state, ask(state, "which berth?"), "learning")
    some = part(state, ask(state, "which berth?", without=set(range(6))), "learning")
    assert some == {n: every[n] for n in range(6, 15)}
    assert 0.0 < every[14] < every[11] < every[9] == every[0]


def test_what_is_not_trusted_gains_nothing_and_moves_no_bar():
    """Texts planted to fit a question neither rise by being used nor keep what was learned of the others away."""
    said = [Said(text=PADDING, cosine=0.5, uses=1, last_used=0) for _ in range(5)]
    planted = [Said(text=f"Berth {n}, {PADDING}", cosine=0.95, uses=30, trust=0.5) for n in range(20)]
    state = state_of(*said, *planted)
    learned = part(state, ask(state, "which berth?", config=VECTOR), "learning")
    assert {learned[n] for n in range(5, 25)} == {0.0}
    assert all(LEARNING / 3 < learned[n] < LEARNING * 0.55 for n in range(5))
    lifted = replace(VECTOR, max_untrusted_weight=8.0)
    assert part(state, ask(state, "which berth?", config=lifted), "learning")[24] == pytest.approx(
        LEARNING * 21.8 / 22.8, rel=0.02
    )


@pytest.mark.parametrize("strategy", ["hybrid", "keyword"])
def test_what_was_learned_counts_without_meaning_too(strategy):
    """If the encoder failed, words say what is among the best."""
    state = state_of(
        Said(text=f"Our berth lies by the crane, {PADDING}", uses=1, last_used=12),
        *(Said(text=PADDING, uses=1, last_used=12) for _ in range(11)),
    )
    ranking = ask(state, "Which berth has a crane?", config=Config(strategy=strategy), by_meaning=False)
    assert part(state, ranking, "learning")[0] == pytest.approx(LEARNING / 2)


def test_the_published_score_is_a_sum_too():
    """Similarity, and by how much the weight after decay and what was learned change it."""
    config = Config.classic()
    state = state_of(
        Said(text=PADDING, cosine=0.5, weight=2.0, last_used=2), Said(text=PADDING, cosine=0.8), Said(text=PADDING)
    )
    ranking = ask(state, "berth", config=config)
    assert part(state, ranking, "meaning") == pytest.approx({0: 0.5, 1: 0.8, 2: 0.0}, abs=1e-6)
    assert part(state, ranking, "learning") == pytest.approx({0: 0.5, 1: 0.0, 2: 0.0}, abs=1e-6)
    faded = part(state, ranking, "activation")
    assert faded[0] == pytest.approx(math.exp(-config.decay_rate) - 1.0, abs=1e-6)
    np.testing.assert_allclose(np.sum(list(parts_of(ranking).values()), axis=0), ranking.scores, rtol=0, atol=1e-9)


def test_what_is_shown_anyway_is_left_out():
    """Its place goes to others; the parts of the others stay what they are."""
    state = state_of(*(Said(text=f"berth {n}, {PADDING}", cosine=n / 10) for n in range(5)))
    every, some = ask(state, "berth"), ask(state, "berth", without={4, 2})
    assert order(state, some) == [one for one in order(state, every) if one not in {4, 2}]
    for name in PARTS:
        assert part(state, some, name) == {
            sequence: value for sequence, value in part(state, every, name).items() if sequence not in {4, 2}
        }


def test_now_is_when_the_question_is_asked():
    """A "yesterday" in it is the day before."""
    state = state_of(Said(text=PADDING, when=NOON - timedelta(days=1)), Said(text=PADDING, when=NOON))
    assert part(state, ask(state, "What did I say yesterday?"), "time") == {0: DATE, 1: 0.0}
    later = ask(state, "What did I say yesterday?", asked_at=NOON + timedelta(days=1))
    assert part(state, later, "time") == {0: 0.0, 1: DATE}
