"""Code, logs and configurations without a fence are told from talk that merely looks alike."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.text.pasted import pasted

DATA = Path(__file__).parent.parent / "benchmarks" / "data" / "pasted_or_said.json"


def found(text):
    """What is pasted into a text."""
    return [text[start:end] for start, end in pasted(text)]


PYTHON = """def berth_of(name):
    for boat in boats:
        if boat.name == name:
            return boat.berth

    # nothing of that name
    raise KeyError(name)
"""
SCRIPT = """const [open, setOpen] = useState(false);
useEffect(() => {
  fetchBoats().then(setBoats);
}, []);
"""
QUERY = """SELECT b.name, count(*)
FROM boat b
LEFT JOIN berth r ON r.boat_id = b.id
WHERE b.sold_at IS NULL
GROUP BY b.name;
"""
YAML = """services:
  web:
    image: harbour/web:1.4
    ports:
      - "8080:80"
    environment:
      DEBUG: "0"
"""
TRACE = """Traceback (most recent call last):
  File "/srv/harbour/app.py", line 12, in <module>
    main()
KeyError: 'Heron'
"""
LOG = """2026-03-02 09:12:01,114 INFO harbour.web starting up
2026-03-02 09:12:02,330 WARN harbour.db slow answer
2026-03-02 09:12:05,871 ERROR harbour.db no answer
"""
SHELL = """$ git status --short
 M app.py
$ python app.py
app.py:12: DeprecationWarning: old
$ ls dist/
"""
DIFFERENCE = """diff --git a/app.py b/app.py
--- a/app.py
+++ b/app.py
@@ -1,2 +1,2 @@
-port = 80
+port = 8080
"""


@pytest.mark.parametrize("code", [PYTHON, SCRIPT, QUERY, LOG, TRACE, SHELL])
def test_what_is_pasted_is_told_from_the_talk_around_it(code):
    """Whole lines of it, whatever is said before and behind."""
    before, behind = "Why does this not work on my machine?\n", "I moved to the new server last week."
    assert found(before + code + behind) == [code]
    assert found(f"{before}\n{code}\n{behind}\n\n{code}") == [code, code]


@pytest.mark.parametrize("code", [YAML, DIFFERENCE])
def test_lines_at_the_edges_that_could_be_talk_are_left_out(code):
    """A stretch goes from one plain line to another."""
    (told,) = found(f"Here it is.\n{code}Does it look right to you?")
    assert told in code
    assert len(told) > 0.7 * len(code)


@pytest.mark.parametrize(
    "text",
    [
        "rent = 1200\nfood = 400\nboat = 150\nsaved = 200",
        "Mon => gym\nTue => rest\nWed => swim\nThu => gym",
        "Monday:\n  lunch: soup (leek)\n  dinner: pasta\nTuesday:\n  lunch: bread, cheese\n  dinner: out",
        "milk(2)\neggs(12)\nbread(1)\ncheese(1)",
        "[02/03/2026, 12:30:01] Mara: hi\n[02/03/2026, 12:30:09] Nils: hello\n[02/03/2026, 12:31:40] Mara: lunch?",
        "The tide goes out;\nthe herons stand;\nthe masts are bare;\nand so is the sand;",
        "From: mara@example.org\nTo: nils@example.org\nSubject: the boat\nDate: 2 March 2026\n\nDear Nils,",
        "#harbour #sunset\n#boats\n@mara\n@nils\n#nofilter",
        "<sighs> I don't know.\n<looks away> Maybe.\n<laughs> Fine.",
        "**Heron**\n- berth: 31\n- mast: 9.4 m\n- built: 1987\n\n1. Clean the hull.\n2. Paint it.",
        "| boat | berth |\n|---|---|\n| Heron | 31 |\n| Tern | 7 |",
        "Name: Mara Lind\nStreet: Kirkegata 3\nPhone: +47 55 12 34 56\nBorn: 1987-03-02",
        "ORDER BY MARA\nFROM THE HEART\nAND THEN SOME\nSET IN STONE",
        "let me be clear: no\nreturn home by six\nif you can: come\nfor Nils: bread",
        "e4 e5 2. Nf3 Nc6\n3. Bb5 a6\n4. Ba4 Nf6\n5. O-O Be7",
        "\\[\nP(A) = \\frac{1}{2}\n\\]\n\\[\nP(B) = \\frac{1}{3}\n\\]\nP(AB) = \\frac{1}{6}",
        "I'm tired :(\nso tired :(\nand cold :(\nwhere are you :(",
    ],
)
def test_talk_that_looks_like_code_is_left_alone(text):
    """It says something, and facts in it would not be read."""
    assert found(text) == []


@pytest.mark.parametrize("code", ["", "x = f(1)\n", "x = f(1)\ny = g(x)\n", "\n\n\n", "x = f(1)\n\n\n\ny = g(x)"])
def test_a_line_or_two_may_be_said(code):
    """A short piece of code costs little as talk, and two such lines may be chance."""
    assert found(code + "That is what I have.") == []


def test_a_line_of_talk_ends_it():
    """Else what is said between two files would not be read."""
    said = "And the other one is from my old boat, the Tern:\n"
    assert found(PYTHON + said + SCRIPT) == [PYTHON, SCRIPT]
    assert found(PYTHON + "次のファイルです。\n" + SCRIPT) == [PYTHON, SCRIPT]


def test_few_plain_lines_among_many_others_are_no_code():
    """Notes with three dates of a program's form among twenty short points are notes."""
    notes = [f"point {number}" for number in range(8)]
    assert found("\n".join([*notes, "x = f(1)", *notes, "y = f(2)", *notes, "z = f(3)"])) == []


def test_messages_that_nobody_had_seen_are_told_mostly():
    """Seventy with code and seventy that look alike; when they came .63 of the code was told, and one was taken."""
    messages = json.loads(DATA.read_text(encoding="utf-8"))
    assert len(messages) == 140
    with_code = [one for one in messages if any(part["code"] for part in one["parts"])]
    told = [one for one in with_code if found("\n".join(part["text"] for part in one["parts"]))]
    assert len(told) >= 50
    others = [one for one in messages if one not in with_code]
    assert len(others) == 70
    assert [one["kind"] for one in others if found(one["parts"][0]["text"])] == []


@given(
    st.lists(st.sampled_from([*PYTHON.splitlines(), *LOG.splitlines(), "", "  ", "Is it so?", "x", "{"]), max_size=30)
)
def test_spans_are_whole_lines_in_order(lines):
    """Whatever they are made of, and with every kind of line end."""
    for end in ("\n", "\r\n"):
        text = end.join(lines)
        position = 0
        for start, stop in pasted(text):
            assert position <= start < stop <= len(text)
            assert start == 0 or text[start - 1] == "\n"
            assert stop == len(text) or text[stop - 1] == "\n"
            position = stop


@pytest.mark.parametrize(
    "unit", ["a_", "a.", "import a, ", "const a, ", "[", "((", "at ", "a: ", "<a ", "x y ", "\\", "$"]
)
def test_it_ends_with_lines_that_patterns_could_go_over_again_and_again(unit):
    """One that has a repetition within another would not come back in a lifetime."""
    text = (unit * 240 + "\n") * 100
    assert all(end <= len(text) for _, end in pasted(text))
