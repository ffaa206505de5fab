"""Details of long messages: `python -m tests.benchmarks.long_messages`.

24 messages of 2,700 to 4,900 characters, each of another kind (minutes, a log, a contract, a letter), and eight
questions to each, by a name, by words of the message or by other ones: how often the place that answers is in what is
recalled. They are asked of one memory. `by_meaning`: each message is led by the piece nearest in meaning, and shown
with what stands around it. `chunks`: the same pieces by their cosine alone, as many as fit. `lines`: 90 questions that
name one line, function, person or section of many alike in one message, made by rules. `unspaced`: 62 questions to
seven messages of 640 to 900 characters in Chinese, Japanese and Korean, of which each character is a token.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import numpy as np

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders import default_encoder
from streetai_core.tokens import EstimatedTokens
from streetai_core.verbs import finding
from tests.benchmarks.recording import record

DATA = Path(__file__).parent / "data"
BUDGETS = (250, 500, 1500)

NAMES = ("Anna", "Bruno", "Carla", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Ines", "Jonas")
TOWNS = ("Tallinn", "Riga", "Porto", "Ghent", "Graz", "Brno", "Cork", "Lille", "Turku", "Aarhus")
PROMISES = ("call the printer", "count the chairs", "book the ferry", "ask for quotes", "label the seed trays")
TALK = ("There was talk about the heating.", "Nobody objected and we moved on.", "Coffee was served.")


def long_messages(name="long_messages"):
    """All of them, in the order of the file."""
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))["messages"]


def lines():
    """Messages of many lines alike, each with questions and what answers them."""
    yield (
        "\n".join(f"Invoice INV-{1000 + n}: {200 + n * 13 % 700} euros, due {1 + n % 28} July." for n in range(400)),
        [(f"How much is INV-{1000 + n}?", f"INV-{1000 + n}:") for n in range(7, 400, 20)],
    )
    yield (
        "\n\n".join(f"def step_{n}(value):\n    return value * {n + 3} - {n * 7 % 11}" for n in range(400)),
        [(f"What does step_{n} return?", f"step_{n}(") for n in range(7, 400, 20)],
    )
    yield (
        "\n".join(f"10:{n % 60:02} worker-{n} job {5000 + n * 17} took {n * 37 % 900} ms" for n in range(400)),
        [(f"How long did worker-{n} take?", f"worker-{n} job") for n in range(7, 400, 20)],
    )
    yield (
        "\n".join(
            f"Item {n}. {TALK[n % 3]} {name} promised to {PROMISES[n * 3 % 5]}. {TALK[(n + 1) % 3]}"
            for n, name in enumerate(NAMES)
        ),
        [(f"what did {name.lower()} promise to do", f"{name} promised") for name in NAMES],
    )
    yield (
        "\n\n".join(
            f"## {town}\n\nWe arrived late and the room was cold. The next day we walked along the water and had lunch "
            f"near the station. The bill came to {40 + n * 7} euros."
            for n, town in enumerate(TOWNS)
        ),
        [
            (f"{ask} in {spelled}?", f"came to {40 + n * 7} euros")
            for n, town in enumerate(TOWNS)
            for ask, spelled in (("What was the bill", town), ("how much did we pay", town.lower()))
        ],
    )


def sent(memory, budget):
    """Gives what is recalled for a question."""
    return lambda question: memory.build_prompt(question, token_budget=budget, conversation_id="later").recalled_text


def nearest(memory, budget, encoder):
    """Gives the pieces nearest to a question that fit into a budget."""
    pieces, counter = [signal.content for signal in memory.signals], EstimatedTokens()
    vectors = encoder.encode(pieces, "document")

    def send(question):
        chosen, left = [], budget
        for place in np.argsort(-(vectors @ encoder.encode([question], "query")[0]), kind="stable").tolist():
            cost = counter.measure(pieces[place]) // 4 + 1
            if cost <= left:
                chosen.append(pieces[place])
                left -= cost
        return "\n".join(chosen)

    return send


def by_meaning():
    """Nothing is told of the pieces of long messages."""
    return mock.patch.object(finding, "weighed", return_value={})


def flat(text):
    """A text without the quote marks of a prompt, and without line breaks."""
    return " ".join(text.replace("\n> ", "\n").split())


def answered(send, asked):
    """How many questions have what answers them in what is sent."""
    return sum(flat(gold) in flat(send(question)) for question, gold in asked)


def compared(memory, asked, encoder):
    """The same by each way, for each budget."""
    figures = {}
    for budget in BUDGETS:
        figures[str(budget)] = {"led_by_words": answered(sent(memory, budget), asked)}
        with by_meaning():
            figures[str(budget)]["by_meaning"] = answered(sent(memory, budget), asked)
        figures[str(budget)]["chunks"] = answered(nearest(memory, budget, encoder), asked)
    return figures


def of_rows(memory, rows, encoder):
    """The figures of some messages, told to a memory of their own."""
    asked = [(one["question"], one["gold"]) for row in rows for one in row["questions"]]
    memory.add_messages([NewMessage(content=row["text"], role=row["role"], conversation_id=row["id"]) for row in rows])
    return {"questions": len(asked), **compared(memory, asked, encoder)}


def main():
    """Ask all of them and record."""
    encoder = default_encoder()
    with TemporaryDirectory() as folder, MemoryRegistry(f"{folder}/memory.db", encoder=encoder) as registry:
        figures = of_rows(registry.get("written"), long_messages(), encoder)
        rows = long_messages("long_messages_unspaced")
        figures["unspaced"] = {
            language: of_rows(registry.get(language), [row for row in rows if row["language"] == language], encoder)
            for language in dict.fromkeys(row["language"] for row in rows)
        }
        alike = dict.fromkeys(("led_by_words", "by_meaning", "chunks"), 0)
        number = 0
        for text, questions in lines():
            memory = registry.get(f"lines {number}")
            number += len(questions)
            memory.add_message(text, "user", conversation_id="march")
            memory.add_messages(
                [
                    NewMessage(content=f"Day {day}: the ferry was late.", role="user", conversation_id="may")
                    for day in range(15)
                ]
            )
            for way, count in compared(memory, questions, encoder)["500"].items():
                alike[way] += count
        figures["lines"] = {"questions": number, "500": alike}
    record("long_messages", figures)


if __name__ == "__main__":
    main()
