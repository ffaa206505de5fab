"""What a measurement needs of its data: without it there would be tables without a figure."""

from __future__ import annotations

from streetai_core.errors import InputError
from streetai_core.evaluation.datasets import Dataset, RecordedQuestion, Recording

_ELSEWHERE = "streetai bench tokens needs no questions"


def with_answers(recording: Recording) -> tuple[RecordedQuestion, ...]:
    """The questions that name their evidence and their answer, from which replies are simulated."""
    return tuple(question for question in recording.answerable if question.answer.strip())


def check_evidence(dataset: Dataset, benchmark: str) -> None:
    """What is asked about must be known.

    Raises:
        InputError: no question names its evidence.
    """
    if not any(recording.answerable for recording in dataset.recordings):
        raise InputError(
            f"there is nothing to measure {benchmark} on: no question about {_measured(dataset)} names its evidence. "
            'Each needs "q" and "evidence", the ids of the messages that answer it, in the "qa" of its conversation; '
            f"{_ELSEWHERE}"
        )


def check_answers(dataset: Dataset, benchmark: str) -> None:
    """Replies must be there to be simulated.

    Raises:
        InputError: no question names its evidence and its answer.
    """
    check_evidence(dataset, benchmark)
    if not any(with_answers(recording) for recording in dataset.recordings):
        raise InputError(
            f"there is nothing to measure {benchmark} on: no question about {_measured(dataset)} with evidence has an "
            f'answer, "a", to simulate replies from; {_ELSEWHERE}'
        )


def check_turns(dataset: Dataset, benchmark: str) -> None:
    """Somebody must have asked something.

    Raises:
        InputError: no message is a user's.
    """
    if not any(message.role == "user" for recording in dataset.recordings for message in recording.messages):
        raise InputError(
            f"there is nothing to measure {benchmark} on: no message of {_measured(dataset)} has the role user, and "
            "only for those prompts are built"
        )


def _measured(dataset: Dataset) -> str:
    """The conversations that are measured, which may be the first of a file only."""
    count = len(dataset.recordings)
    return f"the {f'{count:,} conversations' if count > 1 else 'conversation'} of {dataset.name!r}"
