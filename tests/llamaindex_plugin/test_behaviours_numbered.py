"""Every behaviour that was promised has a test that names it."""

import ast
import re
from pathlib import Path

HERE = Path(__file__).parent
BEHAVIOURS = range(1, 20)
_NUMBER = re.compile(r"\b9\.(\d+)\b")


def numbers_in(path):
    """The numbers of behaviours in the docstrings of a file's tests."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    tests = [node for node in functions if node.name.startswith("test_")]
    return {int(number) for test in tests for number in _NUMBER.findall(ast.get_docstring(test) or "")}


def test_every_behaviour_has_a_test():
    """A promise without a test is broken sooner or later, and nobody notices."""
    named = set().union(*map(numbers_in, HERE.glob("test_*.py")))
    missing = [f"9.{number}" for number in BEHAVIOURS if number not in named]
    assert not missing, f"no test names these behaviours: {', '.join(missing)}"
