"""Data files: everything usable is read as it is, and what is wrong is named so that its author finds it."""

from datetime import datetime, timezone

import pytest

from streetai_core.errors import InputError
from streetai_core.evaluation.datasets import _Place, _Reading, _report_twice, read_dataset
from streetai_core.evaluation.dates import parse_date
from tests.counted import CountedName
from tests.evaluation import recordings


def test_a_file_is_read_as_it_is(tmp_path):
    """If it fails, figures are about other messages than those of the file."""
    found = read_dataset(recordings.write(tmp_path))
    assert ("tiny", "made up", "Apache-2.0", ()) == (found.name, found.source, found.licence, found.warnings)
    assert ["harbour", "garden"] == [one.recording_id for one in found.recordings]
    first = found.recordings[0].messages[0]
    assert ("1", "1", "Mara", "user") == (first.message_id, first.session, first.speaker, first.role)
    assert recordings.SPOKEN["harbour"][0][3] == first.text
    assert datetime(2026, 1, 10, 10, 1, tzinfo=timezone.utc) == first.date
    question = found.recordings[0].questions[3]
    assert (3, ("3", "9"), "several") == (question.number, question.evidence, question.category)


def test_only_the_first_conversations_are_kept(tmp_path):
    """If it fails, a quick look takes as long as the whole run."""
    assert ["harbour"] == [one.recording_id for one in read_dataset(recordings.write(tmp_path), most=1).recordings]


def test_numbers_are_ids_and_what_is_left_out_has_a_default(tmp_path):
    """If it fails, sets with numbered messages and without dates or questions cannot be read."""
    values = {"name": 7, "conversations": [{"id": 1, "messages": [{"role": "user", "text": "Hello there"}]}]}
    recording = read_dataset(recordings.write(tmp_path, values)).recordings[0]
    message = recording.messages[0]
    assert ("1", ()) == (recording.recording_id, recording.questions)
    assert ("0", None, None, "user", None) == (
        message.message_id,
        message.session,
        message.date,
        message.speaker,
        message.name,
    )


def test_blank_messages_are_left_out_and_may_be_evidence(tmp_path):
    """If it fails, a set with an empty message cannot be measured, although a memory does not store it."""
    values = recordings.document()
    values["conversations"][0]["messages"][0]["text"] = " \n"
    recording = read_dataset(recordings.write(tmp_path, values)).recordings[0]
    assert "2" == recording.messages[0].message_id
    assert ("1",) == recording.questions[0].evidence


def test_questions_without_evidence_are_not_answerable(tmp_path):
    """If it fails, unanswerable questions count as missed."""
    values = recordings.document()
    values["conversations"][1]["qa"][0].pop("evidence")
    recording = read_dataset(recordings.write(tmp_path, values)).recordings[1]
    assert (2, 1) == (len(recording.questions), len(recording.answerable))


def test_questions_without_evidence_are_counted_in_one_warning(tmp_path):
    """If it fails, a slip in the evidence takes questions out of the figures, and nobody knows."""
    values = recordings.document()
    values["conversations"][0]["qa"][1].pop("evidence")
    values["conversations"][1]["qa"][0]["evidence"] = []
    values["conversations"][1]["messages"][0]["date"] = "in spring"
    counted, date = read_dataset(recordings.write(tmp_path, values)).warnings
    assert "questions without evidence: 2 of 6, and nothing is measured on them" == counted
    assert "in spring" in date


def test_dates_in_an_unknown_form_are_warned_of(tmp_path):
    """If it fails, dates are dropped without a word, or a whole set is refused for one of them."""
    values = recordings.document()
    values["conversations"][0]["messages"][2]["date"] = "last spring"
    found = read_dataset(recordings.write(tmp_path, values))
    assert found.recordings[0].messages[2].date is None
    told = "conversations[0].messages[2].date is a date in no known form and is ignored, write it like 2026-03-02"
    assert (f'{told}: "last spring"',) == found.warnings


def wrong(change):
    """The small data with one thing changed."""
    values = recordings.document()
    change(values["conversations"][0])
    return values


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ([], "the file must be an object, not a list"),
        ({"name": "x"}, "conversations is missing"),
        ({"name": "x", "conversations": []}, "conversations has no conversation"),
        ({"conversations": [{"id": "a", "messages": []}]}, "name is missing"),
        ({"name": "x", "conversations": ["a"]}, 'conversations[0] must be an object, not "a"'),
        (wrong(lambda one: one.pop("id")), "conversations[0].id is missing"),
        (wrong(lambda one: one.update(id="garden")), "conversations has the same id twice"),
        (wrong(lambda one: one.update(messages={})), "conversations[0].messages must be a list, not an object"),
        (wrong(lambda one: one["messages"][4].pop("text")), "conversations[0].messages[4].text is missing"),
        (wrong(lambda one: one["messages"][4].update(text=["x"])), "messages[4].text must be text, not a list"),
        (wrong(lambda one: one["messages"][4].update(role="human")), "messages[4].role must be one of user, assistant"),
        (wrong(lambda one: one["messages"][4].update(id="1")), 'messages has the same id twice: "1"'),
        (wrong(lambda one: one["qa"][1].pop("q")), "conversations[0].qa[1].q is missing"),
        (wrong(lambda one: one["qa"][1].update(q=" ")), "conversations[0].qa[1].q must not be blank"),
        (wrong(lambda one: one["qa"][1].update(evidence=["99"])), "qa[1].evidence names messages that are not there"),
        (wrong(lambda one: one["qa"][1].update(evidence="1")), 'qa[1].evidence must be a list, not "1"'),
    ],
)
def test_what_is_wrong_is_named_by_its_place(tmp_path, values, named):
    """If it fails, the author of a file of thousands of messages has to search for the mistake."""
    with pytest.raises(InputError) as caught:
        read_dataset(recordings.write(tmp_path, values))
    assert named in str(caught.value)


def test_ids_that_are_there_twice_are_found_in_proportion_to_the_ids():
    """If it fails, one id that a long conversation has twice takes minutes to be named."""
    names = [CountedName(number) for number in (*range(2_000), 7)]
    CountedName.compared = 0
    place = _Place(_Reading(), names, "messages")
    _report_twice(place, names)
    assert ['messages has the same id twice: "7"'] == place.reading.problems
    assert CountedName.compared < 10 * len(names)


def test_all_problems_are_named_at_once_and_counted(tmp_path):
    """If it fails, a file is repaired one run at a time."""
    values = recordings.document()
    for message in values["conversations"][0]["messages"] + values["conversations"][1]["messages"]:
        message["role"] = "human"
    with pytest.raises(InputError) as caught:
        read_dataset(recordings.write(tmp_path, values))
    assert str(caught.value).count(".role must be one of") == 10
    assert "more" in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "named"),
    [
        (b'{"name": "x",\n "conversations": [}', "Expecting value at line 2, column 20"),
        (b'{"name":\n "\xff"}', "is not UTF-8: byte 12, on line 2"),
        (b"[" * 100_000, "is nested too deeply"),
        (b"", "Expecting value at line 1, column 1"),
        (b'{"name": ' + b"9" * 5_000 + b"}", "has a number with more digits than can be read"),
    ],
)
def test_files_that_are_not_json_are_refused_with_the_line(tmp_path, raw, named):
    """If it fails, a broken file ends in a traceback."""
    path = tmp_path / "data.json"
    path.write_bytes(raw)
    with pytest.raises(InputError) as caught:
        read_dataset(path)
    assert named in str(caught.value)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    """If it fails, a slip in a path ends in a traceback."""
    with pytest.raises(InputError, match="cannot read the data file"):
        read_dataset(tmp_path / "nothing.json")


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("7:48 pm on 21 May, 2023", datetime(2023, 5, 21, 19, 48, tzinfo=timezone.utc)),
        ("January-10-2024", datetime(2024, 1, 10, tzinfo=timezone.utc)),
        ("2023/05/20 (Sat) 02:21", datetime(2023, 5, 20, 2, 21, tzinfo=timezone.utc)),
        ("2026-03-02T18:04:00+01:00", datetime(2026, 3, 2, 17, 4, tzinfo=timezone.utc)),
        ("2026-03-02T18:04:00Z", datetime(2026, 3, 2, 18, 4, tzinfo=timezone.utc)),
        ("2026-03-02", datetime(2026, 3, 2, tzinfo=timezone.utc)),
        (" 21 May, 2023 ", datetime(2023, 5, 21, tzinfo=timezone.utc)),
        ("0001-01-01T00:00:00+14:00", None),
        ("", None),
        ("32 May, 2023", None),
    ],
)
def test_dates_of_published_sets_are_understood(text, moment):
    """If it fails, questions about when something was cannot be measured."""
    assert moment == parse_date(text)


def test_a_date_is_of_the_day_where_it_was():
    """If it fails, what was said in the evening in America is measured as said on the next day, as no app stores it."""
    assert "2026-03-02T23:30:00-08:00" == parse_date("2026-03-02T23:30:00-08:00").isoformat()
