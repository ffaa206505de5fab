"""Drift measured: what a long time of learning does to questions that were repeated, and to all others.

Every second question is asked again and again, answered and learned from, with small talk in between so that the clock
goes on. Afterwards the repeated questions are asked in other words, and the others as they are. A second memory lives
through the same without learning, so that the difference is what learning did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from streetai_core.config import Config
from streetai_core.encoders.base import Encoder
from streetai_core.evaluation.datasets import RecordedQuestion, Recording
from streetai_core.evaluation.metrics import recall_at, reciprocal_rank
from streetai_core.evaluation.needed import with_answers
from streetai_core.evaluation.recall import RANKS
from streetai_core.evaluation.replay import MOST_HITS, as_new_message, open_memory
from streetai_core.evaluation.replies import echoing, reworded, terse
from streetai_core.evaluation.token_use import PROMPT_BUDGET
from streetai_core.memory import Memory

TURNS = 1_000
"""Turns that are played."""


def measure_drift(
    recording: Recording,
    config: Config,
    encoder: Encoder,
    *,
    turns: int = TURNS,
    progress: Callable[[], None] | None = None,
) -> dict[str, Any]:
    """The figures of both memories as JSON values; needs at least two questions with evidence and an answer.

    Keys `learned` and `control`, each with `repeated` and `unrelated`: shares of the evidence in the first hits, mean
    reciprocal rank, and the largest share of the questions that have one and the same message on top.
    """
    questions = with_answers(recording)
    repeated, unrelated = questions[::2], questions[1::2]
    figures: dict[str, Any] = {"recording": recording.recording_id, "turns": turns}
    for name, learns in (("learned", True), ("control", False)):
        with open_memory(recording, config, encoder) as memory:
            memory.add_messages([as_new_message(message) for message in recording.messages])
            for turn in range(turns):
                _play(memory, repeated[turn % len(repeated)], turn, learns=learns)
                if progress is not None:
                    progress()
            figures[name] = {
                "repeated": _recall(memory, [(reworded(one.text), one.evidence) for one in repeated]),
                "unrelated": _recall(memory, [(one.text, one.evidence) for one in unrelated]),
            }
    return figures


def _play(memory: Memory, question: RecordedQuestion, turn: int, *, learns: bool) -> None:
    """One turn: the question with its prompt, a reply that is terse or echoing in turn, and a remark about nothing.

    Question and reply are not stored: they would be found instead of the evidence.
    """
    # No question has more tokens than characters, so that even a long one is answered.
    prompt = memory.build_prompt(question.text, token_budget=max(PROMPT_BUDGET, len(question.text)))
    if learns:
        answer = question.answer
        memory.post_process(prompt.retrieved, terse(answer) if turn % 2 else echoing(question.text, answer))
    memory.add_message(f"Small talk, remark {turn + 1}.", role="user", conversation_id="small talk")


def _recall(memory: Memory, questions: Sequence[tuple[str, Sequence[str]]]) -> dict[str, float]:
    ranked = [
        list(dict.fromkeys(hit.signal.parent_turn_id for hit in memory.retrieve(text, limit=MOST_HITS)))
        for text, _ in questions
    ]
    tops = Counter(names[0] for names in ranked if names)
    pairs = list(zip(ranked, (evidence for _, evidence in questions), strict=True))
    shares = {f"rec@{rank}": sum(recall_at(names, gold, rank) for names, gold in pairs) / len(pairs) for rank in RANKS}
    return {
        **shares,
        "mrr": sum(reciprocal_rank(names, gold) for names, gold in pairs) / len(pairs),
        "most_on_top": max(tops.values(), default=0) / len(pairs),
    }
