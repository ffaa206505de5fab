"""The same conversations as other apps would keep them: `python -m tests.benchmarks.other_talk FILE VARIANT`.

FILE has recorded conversations (the shape of `streetai bench`), VARIANT names the results. Each way to keep them takes
something away that the recording has: sessions, dates, names, whole messages, spelling. The figures are points of
evidence in the prompt, of the memory and of the built-in rankers, which rank whole messages.
"""

import re
import sys
from dataclasses import replace
from statistics import mean

from streetai_core import Config
from streetai_core.encoders import default_encoder
from streetai_core.evaluation.baselines import Baseline
from streetai_core.evaluation.datasets import read_dataset
from streetai_core.evaluation.embedding_cache import DiskCachedEncoder, default_folder
from streetai_core.evaluation.recall import measure
from streetai_core.evaluation.replay import MemorySystem
from tests.benchmarks.recording import record

BUDGETS = (500, 1500, 3000)
RANKERS = ("dense", "bm25", "zsum")

SHORTEST = 25
"""Characters of a sentence that is a message of its own in a burst; a shorter one goes with the next."""

BEGINNING = 5
"""Characters by which words are compared where the sentence with the answer is looked for."""


def without_sessions(recording):
    """All in one conversation, as where an app names none."""
    return replace(recording, messages=tuple(replace(one, session=None) for one in recording.messages))


def without_dates(recording):
    """And nobody knows when it was said."""
    whole = without_sessions(recording)
    return replace(whole, messages=tuple(replace(one, date=None) for one in whole.messages))


def without_names(recording):
    """As a recorder writes down who speaks, while the questions know the names."""
    number = {
        speaker: number for number, speaker in enumerate(dict.fromkeys(one.speaker for one in recording.messages))
    }
    messages = tuple(replace(one, speaker=f"Speaker {number[one.speaker] + 1}") for one in recording.messages)
    return replace(recording, messages=messages)


def careless(recording):
    """Typed in small letters, without stops and apostrophes."""
    return replace(recording, messages=tuple(replace(one, text=carelessly(one.text)) for one in recording.messages))


def bursts(recording):
    """Each sentence a message of its own, typed carelessly, in one conversation without dates.

    The evidence is the sentence of each message with the most words of the answer, and of the question.
    """
    whole = without_dates(recording)
    sentences = {one.message_id: sentences_of(one.text) for one in whole.messages}
    messages = tuple(
        replace(one, message_id=f"{one.message_id}.{number}", text=carelessly(text))
        for one in whole.messages
        for number, text in enumerate(sentences[one.message_id])
    )
    questions = tuple(
        replace(
            one,
            evidence=tuple(
                f"{message}.{telling(sentences[message], one)}" for message in one.evidence if message in sentences
            ),
        )
        for one in whole.questions
    )
    return replace(whole, messages=messages, questions=questions)


def sentences_of(text):
    """The sentences of a message, at least one."""
    sentences = []
    for sentence in re.split(r"(?<=[.!?])\s+", text.strip()):
        if sentences and len(sentences[-1]) < SHORTEST:
            sentences[-1] += f" {sentence}"
        else:
            sentences.append(sentence)
    return sentences


def carelessly(text):
    """The same in small letters, without stops and apostrophes; not nothing."""
    return re.sub(r"[.,!?;:]+(\s|$)", r"\1", text.lower().replace("'", "")).strip() or "ok"


def telling(sentences, question):
    """Which of some sentences has the most words of the answer, which count twice, and of the question."""
    asked, answered = words_of(question.text), words_of(question.answer)

    def words(number):
        own = words_of(sentences[number])
        return 2 * len(own & answered) + len(own & asked), len(sentences[number])

    return max(range(len(sentences)), key=words)


def words_of(text):
    """The beginnings of the longer words of a text."""
    return {word[:BEGINNING] for word in re.findall(r"\w{4,}|\d+", text.lower())}


WAYS = {
    "as recorded": lambda recording: recording,
    "without sessions": without_sessions,
    "without sessions and dates": without_dates,
    "speakers by number": without_names,
    "careless writing": careless,
    "bursts of sentences, careless, without sessions and dates": bursts,
}


def evidence_sent(system, recordings):
    """Percent of the evidence in the prompt, by budget."""
    rows = [row for one in recordings for row in measure(system, one, BUDGETS)]
    return {str(budget): round(100 * mean(row.share(budget) for row in rows), 1) for budget in BUDGETS}


def main(path, variant):
    """Measure and record."""
    recordings = read_dataset(path).recordings
    encoder = DiskCachedEncoder(default_encoder(), default_folder())
    systems = {"streetai": MemorySystem(Config(), encoder)}
    systems |= {ranker: Baseline(ranker, "messages", encoder) for ranker in RANKERS}
    figures = {}
    for way, change in WAYS.items():
        changed = [change(one) for one in recordings]
        figures[way] = {name: evidence_sent(system, changed) for name, system in systems.items()}
    record("other_talk", figures, variant)


if __name__ == "__main__":
    main(*sys.argv[1:])
