"""Weights fitted without what is measured: `python -m tests.benchmarks.held_out FILE...`.

Each FILE has recorded conversations of one kind (the shape of `streetai bench`). A score is a sum of parts, each a
weight times what the part says of a message, so weights that find the evidence of some questions can be fitted: those
under which it is likeliest, of all messages, by a softmax of the scores (a logistic regression with a choice among
many). Every question counts the same. `held_out` measures each conversation with weights fitted on all others,
`other_kind` with weights fitted on the other files alone, and `shipped` with those of the library. A kind without
names, or without long messages, teaches no weight for them.

What is no weight of a part is as shipped, and has seen LoCoMo and BEAM: the price of tokens, how far words are lent,
how long stretches are, and where lengths and cosines begin to count; what "you said" means has seen
`data/kinds_of_talk.json`, and how wishes are put BEAM.
"""

import sys
from statistics import mean

import numpy as np

from streetai_core import Config
from streetai_core.encoders import default_encoder
from streetai_core.evaluation.datasets import read_dataset
from streetai_core.evaluation.embedding_cache import DiskCachedEncoder, default_folder
from streetai_core.evaluation.recall import measure
from streetai_core.evaluation.replay import MemorySystem, as_new_message, open_memory
from streetai_core.recall import evidence, scoring
from tests.benchmarks.ablation import WEIGHTS
from tests.benchmarks.recording import record

BUDGETS = (500, 1500, 3000)
NAMES = [name for module, name in WEIGHTS.values() if module is evidence]
SHIPPED = {name: getattr(evidence, name) for name in NAMES}
gather = scoring.gather

RIDGE = 0.3
"""Holds back weights that few questions tell of; ten times as much moves evidence by a point at most."""

STEPS = 50
"""Of Newton's method; some ten are enough."""


def use(weights):
    """Make these the weights of recall."""
    for name, weight in weights.items():
        setattr(evidence, name, weight)


def spoken_for(index, question, near, trusted_from):
    """What each part says of each message, with a weight of 1; meaning first. Shape (messages, parts)."""
    columns = [near.nearest]
    for name in NAMES:
        use(dict.fromkeys(NAMES, 0.0) | {name: 1.0})
        # What a length costs is worked out once, with the weight of that time.
        index._derived.clear()
        columns.append(gather(index, question, near, trusted_from).total())
    use(SHIPPED)
    index._derived.clear()
    return np.column_stack(columns)[index.alive]


def questions_of(recording, encoder):
    """For each question what the parts say of each message, and which share of the evidence each is."""
    asked = []

    def noting(index, question, near, trusted_from):
        noted.append((spoken_for(index, question, near, trusted_from), index.column("sequence")[index.alive]))
        return gather(index, question, near, trusted_from)

    with open_memory(recording, Config(), encoder) as memory:
        stored = memory.add_messages([as_new_message(message) for message in recording.messages])
        kept = [message.message_id for message, signals in zip(recording.messages, stored, strict=True) if signals]
        scoring.gather = noting
        try:
            for question in recording.answerable:
                noted = []
                memory.retrieve(question.text, limit=1)
                parts, sequences = noted[0]
                # Sequences ascend as the messages were stored.
                name_of = dict(zip(sorted(sequences.tolist()), kept, strict=True))
                wanted = np.array([name_of[sequence] in question.evidence for sequence in sequences.tolist()])
                if wanted.any():
                    asked.append((parts, wanted / wanted.sum()))
        finally:
            scoring.gather = gather
    return asked


def fitted(recordings):
    """The weights under which the evidence is likeliest; `recordings` are questions by conversation."""
    weights = np.zeros(len(NAMES) + 1)
    for _ in range(STEPS):
        slope, curve = -RIDGE * weights, -RIDGE * np.eye(len(weights))
        for asked in recordings:
            for parts, share in asked:
                score = parts @ weights
                likely = np.exp(score - score.max())
                likely /= likely.sum()
                middle = likely @ parts
                slope += share @ parts - middle
                curve -= (parts * likely[:, None]).T @ parts - np.outer(middle, middle)
        step = np.linalg.solve(curve, -slope)
        # Far from the best weights a whole step would go too far.
        weights = weights + step * min(1.0, 5.0 / np.abs(step).max())
        if np.abs(step).max() < 1e-6:
            break
    # In units of the cosine, as the library's are.
    return dict(zip(NAMES, (weights[1:] / weights[0]).tolist(), strict=True))


def results(recordings, weights_of, encoder):
    """What is found in each conversation with weights of its own."""
    rows = []
    for one, weights in zip(recordings, weights_of, strict=True):
        use(weights)
        rows += measure(MemorySystem(Config(), encoder), one, BUDGETS)
    use(SHIPPED)
    figures = {str(budget): round(100 * mean(row.share(budget) for row in rows), 1) for budget in BUDGETS}
    return figures | {f"rec@{rank}": round(100 * mean(row.recall_at[rank] for row in rows), 1) for rank in (5, 25)}


def rounded(weights):
    """For reading."""
    return {name: round(weight, 2) for name, weight in weights.items()}


def main(*paths):
    """Fit, measure and record."""
    encoder = DiskCachedEncoder(default_encoder(), default_folder())
    kinds = [read_dataset(path).recordings for path in paths]
    if sum(map(len, kinds)) < 2:
        raise SystemExit("holding one conversation out needs at least two: python -m tests.benchmarks.held_out FILE...")
    asked = [[questions_of(one, encoder) for one in recordings] for recordings in kinds]
    figures = {}
    for kind, (path, recordings) in enumerate(zip(paths, kinds, strict=True)):
        others = [one for number, some in enumerate(asked) if number != kind for one in some]
        own = asked[kind]
        held_out = [fitted([*others, *own[:number], *own[number + 1 :]]) for number in range(len(own))]
        found = {
            "shipped": results(recordings, [SHIPPED] * len(own), encoder),
            "held_out": results(recordings, held_out, encoder),
        }
        if others:
            found["other_kind"] = results(recordings, [fitted(others)] * len(own), encoder)
        names = [one.recording_id for one in recordings]
        chosen = {name: rounded(weights) for name, weights in zip(names, held_out, strict=True)}
        figures[path.rsplit("/", 1)[-1]] = found | {"weights": chosen}
    record("held_out", figures | {"shipped_weights": SHIPPED})


if __name__ == "__main__":
    main(*sys.argv[1:])
