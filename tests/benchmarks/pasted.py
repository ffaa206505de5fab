"""Code without fences: how much of it is told from talk, and the talks about code as they are without their fences.

`python -m tests.benchmarks.pasted FILE` measures, and writes FILE, recorded conversations for `streetai bench recall
--data FILE`; `python -m tests.benchmarks.recall` keeps what that found. Characters are counted without white space. In
`pasted_or_said.json` every second message has code, and the others are such that they could be taken for it; of talks
about code the fences are taken away, and count as the truth, though some logs never had any.
"""

import json
import re
import sys
from pathlib import Path

from streetai_core.text.fences import fences
from streetai_core.text.pasted import pasted
from tests.benchmarks.recording import record

DATA = Path(__file__).parent / "data"
MARKS = re.compile(r"\A[ ]*[`~]{3,}[^\n]*\n?|\n?[ ]*[`~]{3,}\s*\Z")
"""The first and the last marks of a fence."""
FALSE = 10
"""Characters of talk up to which a message counts as rightly told: half of a line beside code."""


def unfenced(text):
    """The parts of a text with whether each is code, without the marks of fences."""
    position = 0
    for start, end in fences(text):
        yield text[position:start], False
        yield MARKS.sub("", text[start:end]), True
        position = end
    yield text[position:], False


def shares(messages):
    """How much of the code is told, and how much of the talk is taken for it; each message is parts."""
    counts = {(code, told): 0 for code in (True, False) for told in (True, False)}
    with_code = half_told = taken = 0
    for parts in messages:
        text = "".join(part for part, _ in parts)
        code = [is_code for part, is_code in parts for _ in part]
        told = [False] * len(text)
        for start, end in pasted(text):
            told[start:end] = [True] * (end - start)
        own = dict.fromkeys(counts, 0)
        for character, *kind in zip(text, code, told, strict=True):
            own[tuple(kind)] += not character.isspace()
        counts = {kind: number + own[kind] for kind, number in counts.items()}
        with_code += any(code)
        half_told += any(code) and own[True, True] >= own[True, False]
        taken += own[False, True] > FALSE
    return {
        "messages": len(messages),
        "with_code": with_code,
        "half_of_it_told": half_told,
        "code_told": round(counts[True, True] / (counts[True, True] + counts[True, False]), 3),
        "talk_taken_for_code": round(counts[False, True] / (counts[False, True] + counts[False, False]), 4),
        "messages_with_talk_taken_for_code": taken,
    }


def main(path):
    """Measure, record, and write the talks."""
    blind = json.loads((DATA / "pasted_or_said.json").read_text(encoding="utf-8"))
    talks = json.loads((DATA / "talks_about_code.json").read_text(encoding="utf-8"))
    said = [one for conversation in talks["conversations"] for one in conversation["messages"]]
    figures = {
        "pasted_or_said": shares([[(part["text"] + "\n", part["code"]) for part in one["parts"]] for one in blind]),
        "talks_about_code": shares([list(unfenced(one["text"])) for one in said]),
    }
    for one in said:
        one["text"] = "".join(part for part, _ in unfenced(one["text"]))
    Path(path).write_text(json.dumps(talks, ensure_ascii=False), encoding="utf-8")
    record("pasted", figures)


if __name__ == "__main__":
    main(*sys.argv[1:])
