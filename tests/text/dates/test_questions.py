"""What questions want to know about time."""

from dataclasses import replace
from datetime import date, datetime

import pytest

from streetai_core.text.dates import NO_TIME, TimeSpan, question_times, without_distances

ASKED_AT = datetime(2023, 6, 14, 15, 0)  # noqa: DTZ001 - a wall clock, as chats have them


def wants(question):
    """The wishes of a question, by name."""
    times = question_times(question, ASKED_AT)
    return {name for name in ("explicit", "asks_when", "recency", "past") if getattr(times, name)}


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("What did I say last Saturday?", "What did I say   Saturday?"),
        ("Where was I two weeks ago?", "Where was I  ?"),
        ("Whom did I meet yesterday evening?", "Whom did I meet   evening?"),
        ("What happened last summer, and what in March 2021?", "What happened   summer, and what in March 2021?"),
        ("What was the last thing that I bought this week?", "What was the last thing that I bought  ?"),
        ("WHAT DID I SAY LAST WEEK?", "WHAT DID I SAY    ?"),
        ("How did Father\u2019s Day go last year?", "How did Father\u2019s Day go  ?"),
        ("We met. Yesterday was it?", "We met. was it?"),
    ],
)
def test_what_counts_from_now_is_left_out(question, left):
    """The same words of a message count from another day."""
    assert " ".join(left.split()) == " ".join(without_distances(question, ASKED_AT).split())


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote The Year of the Flood?",
        'Who wrote the song "yesterday"?',
        "Who wrote \u201clast christmas\u201d and 'a year ago today'?",
        "Who sings Yesterday?",
        "Who wrote Last Night in Soho?",
        "Is Three Years Ago a book?",
        "what did i do on new year's day?",
        "What did I do on Mother\u2019s Day 2022?",
        "What was on boxing day?",
    ],
)
def test_names_of_days_and_things_are_left_in(question):
    """What is left of "new year's day" and of the song without them is everybody's."""
    assert without_distances(question, ASKED_AT) == question


@pytest.mark.parametrize(
    "question",
    [
        "When did Ana run the marathon?",
        "when is my exam",
        "And when's the party?",
        "Do you remember when I bought the bike?",
        "How long ago did we move?",
        "Which year did they marry?",
        "What month is her birthday in?",
        "What date did we agree on?",
        "Since when do I own a boat?",
        "How many days lay between the exam and the party?",
        "What is the deadline of the report?",
        "When Tom lost his job?",
    ],
)
def test_questions_for_a_date(question):
    """Messages that name dates would not be preferred where a date is the answer."""
    assert "asks_when" in wants(question)


@pytest.mark.parametrize(
    ("question", "present"),
    [
        ("Where do I live?", True),
        ("What's our budget?", True),
        ("When is the standup?", True),
        ("Where did I live?", False),
        ("What was our budget?", False),
        ("Where do I live since I moved?", False),
        ("What is the name of the cat I used to have?", False),
        ("What is my previous address?", False),
        ("Who walks the dog on weekdays?", True),
        ("Which painting hangs over the sofa?", True),
        ("How many people work in the bakery?", True),
        ("What do I need for the trip?", True),
        ("Who walked the dog?", False),
        ("Which painting fell down when we moved?", False),
        ("How many people worked here?", False),
        ("Who taught me to sail?", False),
        ("Which cities have I been to?", False),
        ("What has Ada written?", False),
        ("How many chickens have we got?", True),
        ("How many days of leave do I have left?", True),
        ("What has Rosa ordered for the farewell?", True),
        ("Which cake did we choose?", True),
        ("Where did we decide to go in May?", True),
        ("Which cake did we choose at first?", False),
        ("Which hotel am I booked into?", True),
        ("Are they registered?", True),
        ("What's the filling of the cake I ordered?", True),
        ("Which date did I register for?", True),
        ("What kind of boat have my brother and I got?", True),
        ("Where did I say I keep the key?", True),
        ("where did i park the car", True),
        ("Where have we put the good scissors?", True),
        ("What did we call the second kitten?", True),
        ("What did I set the thermostat to?", True),
        ("Where did I park when I was in Rome?", False),
        ("When did I call the plumber?", False),
        ("What did they leave behind?", False),
        ("What did my boss say when we booked?", False),
        ("Did she order that he left?", False),
        ("Who has left the team?", False),
        ("If I draw two cards, what is the chance of a pair?", False),
        ("What if we are late?", False),
        ("Can you tell me if we are late?", True),
        ("budget", False),
    ],
)
def test_questions_that_plainly_ask_for_what_is(question, present):
    """In others a verb of the past may mean that what was is asked for."""
    assert question_times(question, ASKED_AT).present is present


@pytest.mark.parametrize(
    ("question", "of_then"),
    [
        ("Where did we camp?", True),
        ("Went to Rome when?", True),
        ("Where have I been?", True),
        ("where we met", True),
        ("Shoe size?", False),
        ("Sweet or savoury popcorn for me?", False),
        ("Where do I live?", False),
        ("If I dent the car, how much do I have to pay?", False),
    ],
)
def test_questions_that_ask_for_what_was(question, of_then):
    """One without any verb does not."""
    assert question_times(question, ASKED_AT).of_then is of_then


@pytest.mark.parametrize(
    "question",
    [
        "What did I eat when I was in Rome?",
        "When I was in Rome, what did I eat?",
        "What's my first name?",
        "Who painted the fence?",
        "Which restaurant has the best soup?",
        "May I eat peanuts?",
    ],
)
def test_questions_that_want_nothing_of_time(question):
    """A preference for dates or for the newest message would push the answer down."""
    assert replace(question_times(question, ASKED_AT), present=False, of_then=False) == NO_TIME


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is my current address?", {"recency"}),
        ("Where do I live now?", {"recency"}),
        ("What is the latest plan?", {"recency"}),
        ("Who is my boss at the moment?", {"recency"}),
        ("What are you reading these days?", {"recency"}),
        ("What was the last book I read?", {"recency"}),
        ("What was my first job?", {"past"}),
        ("What used to be my favourite colour?", {"past"}),
        ("Where did we use to live?", {"past"}),
        ("What do I use to take notes?", set()),
        ("Where did I live before Ghent?", {"past"}),
        ("What did I originally call the cat?", {"past"}),
        ("Who was my boss back then?", {"past"}),
        ("Which is the first film that I watched?", {"past"}),
        ("My first job?", {"past"}),
        ("What is my old address?", {"past"}),
        ("How old is my daughter?", {"asks_when"}),
        ("Is a nine years old child tall?", set()),
        ("What is the deadline for the first sprint focused on the layout?", {"asks_when"}),
        ("What do I have to do before the trip?", set()),
        ("Where can I leave the car once I land?", set()),
        ("What did I do the week before 9 June 2023?", {"explicit"}),
        ("What did we do last week?", {"explicit"}),
    ],
)
def test_newest_and_former_statements(question, expected):
    """The old address would be given where the new one is asked for, or the other way round."""
    assert wants(question) == expected


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("What did I do in March 2023?", date(2023, 3, 1), date(2023, 3, 31)),
        ("What did I do in November?", date(2022, 11, 1), date(2022, 11, 30)),
        ("Who did I meet last Friday?", date(2023, 6, 9), date(2023, 6, 9)),
        ("What film did I see on 1 May 2022?", date(2022, 5, 1), date(2022, 5, 1)),
        ("Where was I between 11 and 15 August 2022?", date(2022, 8, 11), date(2022, 8, 15)),
        ("What did I plan for 2031-01-05?", date(2031, 1, 5), date(2031, 1, 5)),
        ("What happened this month?", date(2023, 6, 1), date(2023, 6, 30)),
        ("What did we talk about today?", date(2023, 6, 14), date(2023, 6, 14)),
        ("What have I told you this week?", date(2023, 6, 12), date(2023, 6, 18)),
    ],
)
def test_named_times_may_filter(question, start, end):
    """Messages of other years would be sent for a question about one month."""
    times = question_times(question, ASKED_AT)
    assert times.explicit
    assert times.spans == (TimeSpan(start, end),)


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("How much have I lost since May?", date(2023, 5, 1)),
        ("what changed since about last Friday", date(2023, 6, 9)),
        ("Since 3 March, how often did I run?", date(2023, 3, 3)),
        ("What have I spent since the beginning of April?", date(2023, 4, 1)),
    ],
)
def test_what_is_asked_since_a_time_goes_on_until_now(question, start):
    """Whoever asks for the weight lost since May wants that of November too."""
    times = question_times(question, ASKED_AT)
    assert times.explicit
    assert times.spans == (TimeSpan(start, ASKED_AT.date()),)


@pytest.mark.parametrize(
    "question", ["What should I cook tonight?", "What are my plans for next summer?", "What is due this month?"]
)
def test_times_to_come_do_not_filter(question):
    """Everything that was ever said about cooking would be filtered out, as nothing was said tonight."""
    times = question_times(question, ASKED_AT)
    assert times.spans
    assert not times.explicit


def test_plans_are_looked_for_ahead():
    """A question about the coming Friday would be answered with the last one."""
    assert question_times("What am I doing on Friday?", ASKED_AT).spans[0].start == date(2023, 6, 16)
