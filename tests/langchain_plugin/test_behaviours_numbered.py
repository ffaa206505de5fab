"""Each of the behaviours that the plug-in promises has a test that names it.

A test that shows behaviour 7 begins its docstring with "6.7: "; one that shows several, with "6.1, 6.7: ". The 6 is the
part of the plug-in's requirements that lists them; the numbers are those of `BEHAVIOURS`.
"""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

BEHAVIOURS = {
    1: "One user turn is one recall, one constant step of the clock, and is learned from at most once.",
    2: "Storing is idempotent, by the message's id, else by what and where it is; the order is that of storing.",
    3: "Without a session there is a clear error, never a shared default; nothing crosses between sessions.",
    4: "Streaming equals invoking; a stream that is closed early loses neither the message nor the partial reply.",
    5: "What was recalled never enters state or history; if nothing was recalled, the request is the same as without.",
    6: "Async twins never block the event loop; constructors and handles do no I/O.",
    7: "A failing memory is reported once and costs no reply; wrong input to our own API raises.",
    8: "Chunks are stored as messages, all fields survive, no tool message is orphaned; budgets hold when reading.",
    9: "An interrupt and a resume keep what was recalled.",
    10: "The handler is thread-safe and bounded, learns once per root run, and not from what a view learns from.",
    11: "A history handle keeps its view, adds in bulk, and clears its own session only.",
    12: "`k` is taken by the constructor and by each call; there are exactly k documents if there are as many.",
    13: "No part says that LangChain can load it.",
}
"""All of them. A new one is added here first, and fails until a test names it."""

_NUMBERS = re.compile(r"6\.\d+(?:, 6\.\d+)*: \S")
"""How a docstring begins that names behaviours."""


def named(folder):
    """Number of a behaviour -> names of the tests that say they show it."""
    tests = defaultdict(list)
    for path in sorted(folder.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                start = _NUMBERS.match(ast.get_docstring(node) or "")
                for number in re.findall(r"6\.(\d+)", start.group()) if start else []:
                    tests[int(number)].append(f"{path.name}::{node.name}")
    return tests


TESTS = named(Path(__file__).parent)


@pytest.mark.parametrize("number", BEHAVIOURS, ids=lambda number: f"6.{number}")
def test_a_behaviour_has_a_test(number):
    """A promise that nothing checks is broken unseen."""
    assert TESTS[number], f"no test here begins its docstring with '6.{number}: ', for: {BEHAVIOURS[number]}"


def test_no_other_behaviour_is_named():
    """A test whose number is mistyped counts for nothing."""
    assert set(TESTS) <= set(BEHAVIOURS)


def test_what_counts_as_naming(tmp_path):
    """A docstring that only mentions a number does not count, nor does that of a helper."""
    source = '''
def test_one(): """6.1, 6.12: shows two."""
async def test_two(): """6.2: shows one."""
def test_three(): """See 6.3: it is shown elsewhere."""
def test_four(): """6.4 without a colon."""
def helper(): """6.5: is no test."""
class TestGroup:
    def test_six(self): """6.6: in a class."""
'''
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "test_source.py").write_text(source, encoding="utf-8")

    assert {number: len(names) for number, names in named(tmp_path).items()} == {1: 1, 12: 1, 2: 1, 6: 1}
