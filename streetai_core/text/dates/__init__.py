"""Dates in language: the times that a message names and a question asks for, as spans of days.

Rules over text, without I/O, a clock or any dependency. The conventions are in `expressions`.
"""

from streetai_core.text.dates.expressions import mentioned_dates
from streetai_core.text.dates.questions import NO_TIME, QuestionTime, question_times, without_distances
from streetai_core.text.dates.spans import Mention, TimeSpan

__all__ = [
    "NO_TIME",
    "Mention",
    "QuestionTime",
    "TimeSpan",
    "mentioned_dates",
    "question_times",
    "without_distances",
]
