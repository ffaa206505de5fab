"""Questions that lean on the one before: `python -m tests.benchmarks.follow_ups`.

Forty of them ("who is my accountant?" - "how did i find her?") about the conversations of `everyday.json`, by what is
sent of the message that answers them. They are asked after the question that they lean on and its answer, and, as
`alone`, in a conversation of their own, in which nothing is known of that. `dense` are whole messages by their cosine
with the question alone. Sixteen were written before any had been asked, `first`.
"""

import json
from pathlib import Path

import numpy as np

from streetai_core import Config, NewMessage
from streetai_core.encoders import default_encoder
from streetai_core.evaluation.datasets import read_dataset
from streetai_core.evaluation.embedding_cache import DiskCachedEncoder, default_folder
from streetai_core.evaluation.metrics import SentText
from streetai_core.evaluation.replay import as_new_message, open_memory, text_without_question
from tests.benchmarks.recording import record

DATA = Path(__file__).parent / "data"
BUDGETS = (500, 1500)


def follow_ups():
    """All of them, in the order of the file."""
    return json.loads((DATA / "follow_ups.json").read_text(encoding="utf-8"))["follow_ups"]


def alone(memory, question, budget):
    """What is sent for a question of which nothing went before."""
    return text_without_question(memory.build_prompt(question, token_budget=budget, conversation_id="alone"), question)


def after(memory, row, name, budget):
    """What is sent for a question after the one that it leans on."""
    talk = {"conversation_id": "talk"}
    memory.add_messages(
        [
            NewMessage(content=row["asked"], role="user", name=name, **talk),
            NewMessage(content=row["answered"], role="assistant", **talk),
        ]
    )
    prompt = memory.build_prompt(row["follow_up"], token_budget=budget, **talk)
    memory.delete_conversation("talk")
    return text_without_question(prompt, row["follow_up"])


def dense(recording, question, budget, encoder):
    """The messages nearest to a question that fit into a budget."""
    texts = [message.text for message in recording.messages]
    nearest = np.argsort(-(encoder.encode(texts, "document") @ encoder.encode([question], "query")[0]), kind="stable")
    sent, left = [], budget
    for place in nearest.tolist():
        cost = len(texts[place]) // 4 + 1
        if cost <= left:
            sent.append(texts[place])
            left -= cost
    return "\n".join(sent)


def main():
    """Ask all of them and record."""
    local = DiskCachedEncoder(default_encoder(), default_folder())
    recordings = {one.recording_id: one for one in read_dataset(str(DATA / "everyday.json")).recordings}
    figures = {"follow_ups": len(follow_ups()), "first": sum(not row["seen"] for row in follow_ups())}
    for budget in BUDGETS:
        found = dict.fromkeys(["after", "alone", "dense", "first_after", "first_alone", "first_dense"], 0)
        for name, recording in recordings.items():
            said = [as_new_message(message) for message in recording.messages]
            texts = {message.message_id: message.text for message in recording.messages}
            user = next(message.name for message in said if message.role == "user")
            with open_memory(recording, Config(), local) as memory:
                memory.add_messages(said)
                for row in [one for one in follow_ups() if one["conversation"] == name]:
                    sent = {
                        "after": after(memory, row, user, budget),
                        "alone": alone(memory, row["follow_up"], budget),
                        "dense": dense(recording, row["follow_up"], budget, local),
                    }
                    for way, text in sent.items():
                        holds = all(SentText(text).holds(texts[gold]) for gold in row["evidence"])
                        found[way] += holds
                        found[f"first_{way}"] += holds and not row["seen"]
        figures[str(budget)] = found
    record("follow_ups", figures)


if __name__ == "__main__":
    main()
