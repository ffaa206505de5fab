"""Weights fitted without what is measured: `python -m tests.benchmarks.held_out FILE...`.

Each FILE has recorded conversations of one kind (the shape of `streetai bench`). A score is a sum of parts, each a
weight times what the part says of a message, so weights can be fitted to questions with known evidence (`fitting`).
`held_out` measures each conversation with weights fitted on all others, `other_kind` with weights fitted on the other
files alone, and `shipped` with those of the library. A kind without names, or without long messages, teaches no weight
for them.

This fit was chosen among eighteen, twelve of them measured with real prompts, by the mean of `held_out` over seven
files and three budgets; without BEAM in the mean it is the best too. The others: the likelihood alone, also with the
price of tokens or the room that messages take; every question, conversation or file counting the same; three files;
other widths. Means lie between 80.3 and 82.0, with a standard error of .2 to .3 for a difference; BEAM at 500 tokens
between 41 and 47 with the price in the likelihood, and between 49 and 53 without.

What is no weight of a part is as shipped, and has seen LoCoMo and BEAM: the price of tokens, how far words are lent,
how much newness needs to bear on the question, how long stretches are, and where lengths and cosines begin to count;
what "you said" means has seen `data/kinds_of_talk.json`, and how wishes are put BEAM.
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
from streetai_core.recall import evidence, lending
from streetai_core.tokens import EstimatedTokens
from tests.benchmarks.ablation import NOTHING, WEIGHTS
from tests.benchmarks.fitting import BUDGETS, Conversation, fitted, likeliest
from tests.benchmarks.recording import record

NAMES = [name for module, name in WEIGHTS.values() if module is evidence and name not in NOTHING]
SHIPPED = {name: getattr(evidence, name) for name in NAMES}
gather = lending.gather
COUNTER = EstimatedTokens()


def use(weights):
    """Make these the weights of recall."""
    for name, weight in weights.items():
        setattr(evidence, name, weight)


def spoken_for(index, question, near, trusted_from):
    """What each part says of each message, with a weight of 1, and what of it the gate sees; meaning first.

    Both of shape (messages, parts).
    """
    parts, relevant = [near.nearest], [near.nearest]
    for name in NAMES:
        use(dict.fromkeys(NAMES, 0.0) | {name: 1.0})
        # What a length costs is worked out once, with the weight of that time.
        index._derived.clear()
        told = gather(index, question, near, trusted_from)
        parts.append(told.total())
        relevant.append(told.words)
    use(SHIPPED)
    index._derived.clear()
    return np.column_stack(parts)[index.alive], np.column_stack(relevant)[index.alive]


def questions_of(recording, encoder):
    """What a conversation teaches."""
    asked = []

    def noting(index, question, near, trusted_from):
        noted.append((spoken_for(index, question, near, trusted_from), index.column("sequence")[index.alive]))
        return gather(index, question, near, trusted_from)

    with open_memory(recording, Config(), encoder) as memory:
        stored = memory.add_messages([as_new_message(message) for message in recording.messages])
        kept = [message for message, signals in zip(recording.messages, stored, strict=True) if signals]
        lending.gather = noting
        try:
            for question in recording.answerable:
                noted = []
                memory.retrieve(question.text, limit=1)
                (parts, relevant), sequences = noted[0]
                # Sequences ascend as the messages were stored.
                in_order = np.argsort(sequences)
                wanted = np.array([message.message_id in question.evidence for message in kept])
                if wanted.any():
                    share = wanted / wanted.sum()
                    asked.append((parts[in_order], relevant[in_order], share, COUNTER.count(question.text)))
        finally:
            lending.gather = gather
    parts, relevant, share, tokens = map(np.array, zip(*asked, strict=True))
    sizes = np.array([COUNTER.count(message.text) for message in kept])
    # Half the digits do for a search, in a third of the time.
    return Conversation(parts.astype(np.float32), relevant.astype(np.float32), share, sizes, tokens)


def results(recordings, weights_of, encoder):
    """What is found in each conversation with weights of its own."""
    rows = []
    for one, weights in zip(recordings, weights_of, strict=True):
        use(weights)
        rows += measure(MemorySystem(Config(), encoder), one, BUDGETS)
    use(SHIPPED)
    figures = {str(budget): round(100 * mean(row.share(budget) for row in rows), 1) for budget in BUDGETS}
    return figures | {f"rec@{rank}": round(100 * mean(row.recall_at[rank] for row in rows), 1) for rank in (5, 25)}


def by_name(weights):
    """Fitted weights without that of meaning, which is 1."""
    return dict(zip(NAMES, weights[1:].tolist(), strict=True))


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
    start = likeliest([one for some in asked for one in some], np.zeros(len(NAMES) + 1))
    figures = {}
    for kind, (path, recordings) in enumerate(zip(paths, kinds, strict=True)):
        others = [one for number, some in enumerate(asked) if number != kind for one in some]
        own = asked[kind]
        held_out = [by_name(fitted([*others, *own[:number], *own[number + 1 :]], start)) for number in range(len(own))]
        found = {
            "shipped": results(recordings, [SHIPPED] * len(own), encoder),
            "held_out": results(recordings, held_out, encoder),
        }
        if others:
            found["other_kind"] = results(recordings, [by_name(fitted(others, start))] * len(own), encoder)
        names = [one.recording_id for one in recordings]
        chosen = {name: rounded(weights) for name, weights in zip(names, held_out, strict=True)}
        figures[path.rsplit("/", 1)[-1]] = found | {"weights": chosen}
    record("held_out", figures | {"shipped_weights": SHIPPED})


if __name__ == "__main__":
    main(*sys.argv[1:])
