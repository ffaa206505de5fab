"""What a message can be found by, worked out when it is written."""

from datetime import date, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.planning.words import words_row
from streetai_core.stores.reference import ReferenceStore
from streetai_core.stores.types import Changes
from streetai_core.testing.factories import NOON, make_head, make_message
from streetai_core.testing.store_reading import comparable, read, write
from streetai_core.text.marks import TOLD, VALUES, WISH
from streetai_core.text.words import hashed

EARLIEST, LATEST = datetime(1, 1, 1, tzinfo=timezone.utc), datetime(9999, 12, 31, 23, 59, tzinfo=timezone.utc)
A_YEAR_IN, A_YEAR_LEFT = datetime(2, 1, 1), datetime(9998, 12, 31)  # noqa: DTZ001 - the zone is drawn too
"""Every zone has these times in UTC too."""
SUNDAY = date(2026, 3, 1)
"""The day of `NOON`."""


def days_of(row):
    """The times that a row speaks of, as dates."""
    return [(date.fromordinal(first), date.fromordinal(last)) for first, last in row.days.tolist()]


def terms_of(row):
    """Hash -> count."""
    return dict(zip(row.terms.tolist(), row.counts.tolist(), strict=True))


def test_a_row_says_what_the_message_says():
    """Recall reads the row instead of the message: who, where, when, how long, which words."""
    row = words_row(
        make_message(
            7,
            content="The berths, the berth: 31.",
            role="assistant",
            name="Zoë",
            conversation_id="kitchen",
        ),
        replaces=(3, 5),
    )
    assert (row.sequence, row.conversation_id, row.name, row.role) == (7, "kitchen", "Zoë", "assistant")
    assert (row.day, row.characters, row.question, row.replaces) == (SUNDAY.toordinal(), 26, False, (3, 5))
    assert terms_of(row) == {hashed("zoe"): 1, hashed("berth"): 2, hashed("31"): 1, TOLD: 0, VALUES["number"]: 0}
    assert days_of(row) == []


def test_the_author_is_one_of_the_words():
    """A question that names somebody would not find what they said, for they seldom say their own name."""
    named, nameless = (words_row(make_message(0, content="I moor here", name=name)) for name in ("Ilse Berg", None))
    assert terms_of(named) == {**terms_of(nameless), hashed("ils"): 1, hashed("berg"): 1}
    assert named.characters == nameless.characters == 11


@pytest.mark.parametrize("source", ["user", "assistant", "tool", "document", "import"])
def test_that_a_user_states_a_wish_is_one_of_the_words(source):
    """Whoever plants one in a document has no mark to be found by."""
    row = words_row(make_message(0, content="Always use metric units.", source=source))
    assert (WISH in terms_of(row)) is (source == "user")
    assert WISH not in terms_of(words_row(make_message(0, content="Some use metric units.", source=source)))


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Which berth?", True),
        ("Which berth? \n", True),
        ("どの席\uff1f", True),
        ("أي مرسى\u061f", True),
        ("Which berth? 31.", False),
        ("?!", False),
        ("31", False),
    ],
)
def test_a_question_ends_by_asking(text, asks):
    """In any script; a question that is followed by its answer is none."""
    assert words_row(make_message(0, content=text)).question is asks


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("I sailed yesterday.", [(date(2026, 2, 28), date(2026, 2, 28))]),
        ("In March 2023 and on 5 May 2024.", [(date(2023, 3, 1), date(2023, 3, 31)), (date(2024, 5, 5),) * 2]),
        ("Yesterday, yes, yesterday; and on 28 February 2026.", [(date(2026, 2, 28),) * 2]),
        ("I like it here.", []),
    ],
)
def test_times_that_a_message_speaks_of_are_dates(text, spans):
    """A question about last week would not find what was said of it then; the same time counts once."""
    row = words_row(make_message(0, content=text))
    assert days_of(row) == [tuple(span) for span in spans]
    assert (row.days.dtype, row.days.shape) == (np.int32, (len(spans), 2))


def test_a_document_keeps_its_words_and_not_its_dates():
    """Twenty thousand characters in, a pasted file would be found for every date in its log."""
    padding = "pier " * 4000
    row = words_row(make_message(0, content=f"On 5 May 2024. {padding} on 6 May 2024: the berth"))
    assert days_of(row) == [(date(2024, 5, 5),) * 2]
    assert terms_of(row)[hashed("berth")] == 1
    assert terms_of(row)[hashed("pier")] == 4000
    assert row.characters > 20_000


def test_pasted_code_is_found_by_its_words_and_says_nothing_of_its_own():
    """What a prompt in it orders is no wish of the user's, and a fact before it stands in no long message."""
    code = "```\nAlways use metric units. I moved to Bergen.\n" + "berth = 31\n" * 400 + "```"
    row = words_row(make_message(0, content=f"The prompt of our bot reads like this, you see.\n{code}"))
    alone = words_row(make_message(0, content="The prompt of our bot reads like this, you see."))
    assert terms_of(row)[hashed("berth")] == 400
    assert row.characters == pytest.approx(48 + len(code) / 4, abs=1)
    assert {term for term, count in terms_of(row).items() if not count} == {
        term for term, count in terms_of(alone).items() if not count
    }


def test_what_is_quoted_is_found_by_its_words_and_says_nothing():
    """Who answers a mail says none of what stands below the answer."""
    answer = "At the usual berth, as I told you."
    row = words_row(make_message(0, content=f"{answer}\n\n> I moved to Bergen.\n> Always use metric units."))
    assert terms_of(row)[hashed("bergen")] == 1
    assert row.characters == len(answer) + 3 + 46 // 4
    assert {term for term, count in terms_of(row).items() if not count} == {
        term for term, count in terms_of(words_row(make_message(0, content=answer))).items() if not count
    }


@pytest.mark.parametrize("text", ["yesterday", "tomorrow", "last year and next year", "400 years ago", "in 9000 years"])
@pytest.mark.parametrize("when", [EARLIEST, LATEST, NOON])
def test_the_ends_of_the_calendar_are_no_error(text, when):
    """A message dated by a broken clock could not be stored."""
    row = words_row(make_message(0, content=text, created_at=when))
    assert all(first <= last for first, last in days_of(row))


@given(
    content=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200)
    | st.lists(
        st.sampled_from(["yesterday", "3 weeks ago", "May", "2024-02-30", "12", "next Friday", "on the 31st of", "?"])
    ).map(" ".join),
    name=st.none() | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
    when=st.datetimes(
        min_value=A_YEAR_IN,
        max_value=A_YEAR_LEFT,
        timezones=st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes))),
    ),
)
def test_every_message_has_a_row_that_can_be_stored(content, name, when):
    """Property: whatever is said, whoever says it and whenever, the store takes the row and gives it back."""
    message = make_message(0, content=content, name=name, created_at=when)
    row = words_row(message)
    with ReferenceStore() as store:
        write(store, Changes(head=make_head(), messages=[make_message(0)], words=[row]))
        assert comparable(read(store).words) == comparable([row])
    assert comparable(words_row(message)) == comparable(row)
