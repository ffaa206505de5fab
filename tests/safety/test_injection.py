"""What people write is data: never a query, never code, never an object, never a path."""

import ast
import json
import random
from datetime import date
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import streetai_core
from streetai_core import MemoryRegistry, NewMessage, RecallFilter
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import InputError
from streetai_core.stores.reference import ReferenceStore
from streetai_langchain.messages import from_stored

PACKAGES = ("streetai_core", "streetai_langchain", "streetai_llamaindex")
ROOT = Path(streetai_core.__file__).parents[1]
FILES = sorted(file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))

SYNTAX = (
    "AND OR NOT", "NEAR(", "a NEAR/3 b", '" "" * ^', "cat*", "mem:b", "x:secret", "-", "(", ")", "{x}:secret", 'cats"',
    "*", 'a" OR x:"secret', "\0", "", " ", "?!.,;", "船は赤い", "boat\0OR", "^boat", "boat NOT red",
    "NEAR(boat red, 5)", '"', "'", "''", "--", "/*", "%", "_", "\ud800",
)  # fmt: skip

PIECES = (
    "'", '"', "`", ";", "--", "/*", "*/", "%", "_", "\\", "\0", "\n", "(", ")", "=", " OR 1=1", "' OR '1'='1",
    "UNION SELECT 1", "DROP TABLE messages", "$.a", "$[0]", "..", "{}", "{0}", "%s", "?", ":x", "null", "\u202e",
    "\uff11", "a" * 600, "json_extract(",
)  # fmt: skip


def payloads(number):
    """Hostile names, the same every time."""
    randomness = random.Random(20)
    return ["".join(randomness.choices(PIECES, k=randomness.randint(1, 4))) for _ in range(number)]


@pytest.fixture
def filled(memory):
    """Two conversations and two authors, one of whom is a secret."""
    memory.add_message("The boat is red.", "user", conversation_id="mine", name="Mara")
    memory.add_message("The boat is green, which is a secret.", "user", conversation_id="other", name="Eve")
    return memory


def found(memory, question="boat", **conditions):
    """What is recalled under a filter."""
    return [hit.signal.name for hit in memory.retrieve(question, wanted=RecallFilter(**conditions))]


@pytest.mark.parametrize("payload", payloads(200))
def test_a_filter_of_hostile_text_finds_nothing_more(filled, payload):
    """As author, as conversation, as key and as value of metadata: it matches itself, or it is refused by name."""
    for condition in ({"names": [payload]}, {"conversations": [payload]}):
        assert found(filled, **condition) == []
    assert found(filled, names=["Mara", payload]) == ["Mara"]
    for condition in ({"roles": [payload]}, {"kinds": [payload]}):
        with pytest.raises(InputError, match=next(iter(condition))):
            RecallFilter(**condition)
    filled.add_message("The mast is high.", "user", metadata={payload: payload}, message_id="m")
    assert filled.messages()[-1].metadata == {payload: payload}


@pytest.mark.parametrize("wrong", [{"since": "2026-01-01' OR 1=1"}, {"until": 7}])
def test_a_filter_of_another_kind_is_refused(wrong):
    """Dates are dates."""
    with pytest.raises(InputError, match=next(iter(wrong))):
        RecallFilter(**wrong)
    assert RecallFilter(since=date(2026, 1, 1)).since == date(2026, 1, 1)


QUERIES = st.one_of(
    st.lists(st.sampled_from(SYNTAX) | st.text(max_size=6), max_size=5).map(" ".join),
    st.text(max_size=40),
)

WORDED = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder()).get("m")
WORDED.add_messages([NewMessage(content=f"The {what} is red.", role="user") for what in ("boat", "mast", "keel")])


@settings(max_examples=1000, suppress_health_check=[HealthCheck.too_slow])
@given(QUERIES)
def test_no_question_is_query_syntax(question):
    """1,000 texts: no error, whatever stands in them, and only the three messages are ever found."""
    hits = WORDED.retrieve(question, strategy="keyword")
    assert {hit.signal.content for hit in hits} <= {f"The {what} is red." for what in ("boat", "mast", "keel")}


OPERATORS = [one for one in SYNTAX if not any(character.isalnum() for character in one)]


@pytest.mark.parametrize("operator", OPERATORS)
def test_operators_of_search_engines_mean_nothing(operator):
    """The same is found with them and without."""
    bare, *others = (
        [(hit.signal.signal_id, hit.score) for hit in WORDED.retrieve(question, strategy="keyword")]
        for question in ("boat", f"{operator}boat", f"boat{operator}", f"{operator} boat {operator}")
    )
    assert bare
    assert others == [bare] * 3


REVIVABLE = (
    {"lc": 1, "type": "constructor", "id": ["os", "system"], "kwargs": {"command": "echo"}},
    {"lc": 1, "type": "secret", "id": ["OPENAI_API_KEY"]},
    {"__class__": "subprocess.Popen", "py/object": "os.system", "$type": "x", "class_name": "os.system"},
)


@pytest.mark.parametrize("value", REVIVABLE)
def test_what_a_framework_would_revive_comes_back_as_data(on_disk, value):
    """In content and in metadata, through the core and through LangChain's messages."""
    memory = on_disk.get("m")
    memory.add_message(json.dumps(value), "user", metadata={"given": value})
    message = memory.messages()[0]
    assert message.content == json.dumps(value)
    assert message.metadata == {"given": value}
    assert from_stored(message).content == json.dumps(value)


# ---------------------------------------------------------------- the code itself

FORBIDDEN_MODULES = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}
EXECUTING = {"execute", "executemany", "executescript", "query", "_select", "_many", "select", "blocks"}
"""The last two are given to functions that read; all else is a method."""

FORMATTED = {
    "streetai_core/stores/patience.py": "sets a pragma, which takes no parameter, to a number",
    "streetai_core/transfer/databases.py": "reads tables of other programs, whose names it quotes",
    "streetai_core/testing/torture/exclusive.py": "sets a pragma, which takes no parameter, to a constant",
}
"""Where a statement is formatted, and why it cannot be otherwise."""


@cache
def trees():
    """All modules of the packages, parsed."""
    return [(file.relative_to(ROOT).as_posix(), ast.parse(file.read_text(encoding="utf-8"))) for file in FILES]


def test_nothing_is_unpickled_evaluated_or_loaded_as_an_object():
    """No pickle, no marshal, no eval; NumPy loads no objects."""
    seen = []
    for name, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                seen += [(name, one.name) for one in node.names if one.name.split(".")[0] in FORBIDDEN_MODULES]
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in FORBIDDEN_MODULES:
                seen.append((name, node.module))
            elif isinstance(node, ast.Call):
                called = node.func
                if isinstance(called, ast.Name) and called.id in FORBIDDEN_CALLS:
                    seen.append((name, called.id))
                if any(
                    one.arg == "allow_pickle" and getattr(one.value, "value", None) is not False
                    for one in node.keywords
                ):
                    seen.append((name, "allow_pickle"))
                if (
                    isinstance(called, ast.Attribute)
                    and called.attr == "load"
                    and getattr(called.value, "id", "") == "np"
                ):
                    # Without the word NumPy refuses objects too, but says so only since 1.16.3.
                    assert any(one.arg == "allow_pickle" for one in node.keywords), name
    assert seen == []


def made_of_parts(node):
    """Whether an expression is text put together from something that is not written there."""
    if isinstance(node, ast.JoinedStr):
        return True
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod | ast.Add):
        return isinstance(node.op, ast.Mod) or made_of_parts(node.left) or made_of_parts(node.right)
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("format", "join")


def called(call):
    """The name of the function or method that is called; empty if it has none."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def names_in(node):
    """The names that an expression is made of."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def test_no_sql_is_made_of_data():
    """Every statement that is executed is a constant, or is joined of constants; only FORMATTED formats any."""
    executed = [
        (name, node.args[0])
        for name, tree in trees()
        if name.startswith(("streetai_core/stores", "streetai_core/upkeep", "streetai_core/transfer"))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and called(node) in EXECUTING and node.args
    ]
    assert len(executed) > 80
    assert {name for name, sql in executed if made_of_parts(sql)} <= FORMATTED.keys()
    for name, sql in executed:
        if isinstance(sql, ast.BinOp) and name.startswith("streetai_core/stores"):
            assert all(one.strip("_").isupper() or one in ("sql", "order") for one in names_in(sql)), ast.unparse(sql)


def test_no_sql_text_has_a_hole_in_it():
    """Nor is any text that looks like SQL formatted anywhere before it is executed."""
    verbs = ("SELECT ", "INSERT INTO", "UPDATE ", "DELETE FROM", "PRAGMA ", "ATTACH ")
    found = {
        name
        for name, tree in trees()
        if name.startswith("streetai_core/")
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        and isinstance(node.values[0], ast.Constant)
        and str(node.values[0].value).lstrip().upper().startswith(verbs)
    }
    assert found <= FORMATTED.keys()
