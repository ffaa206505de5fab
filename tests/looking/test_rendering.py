"""What objects look like in a terminal and in a notebook; whatever was said stays text."""

import sqlite3
from contextlib import closing
from html.parser import HTMLParser

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.rendering import bars, escaped, excerpt, folded, number, sum_of, table, visible
from streetai_core.stores.reference import ReferenceStore

HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(2)> \"'`&amp; </td></table>"
    " \x1b[31mred\x07 \u202egnol\u202c \u2066x\u2069 \u200bzero \U000e0041tag \x00 \u2028 line\r\nend"
)
"""Everything that could become more than text."""

ALLOWED = {"table", "caption", "thead", "tbody", "tr", "th", "td", "span", "br", "details", "summary"}
ATTRIBUTES = {"style", "scope"}


class Structure(HTMLParser):
    """The tags, attributes and text of a piece of HTML."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), []
        self.open = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        """Note what is opened, and with which attributes."""
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        """Every tag is closed in its order."""
        assert self.open.pop() == tag

    def handle_data(self, data):
        """Note the text."""
        self.text.append(data)


def checked(page):
    """The text of HTML that has only what our own code writes, every tag closed."""
    structure = Structure(page)
    assert structure.tags <= ALLOWED
    assert structure.attributes <= ATTRIBUTES
    assert structure.open == []
    text = "".join(structure.text)
    assert not [one for one in text if one not in "\n\t" and not one.isprintable()]
    return text


@pytest.fixture
def memory():
    """A memory whose every text is hostile."""
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder()).get(f"<b>{HOSTILE[:40]}")
    for number_ in range(3):
        memory.add_message(
            f"{HOSTILE} my boat, number {number_}",
            "user",
            name="<i>Mara\u202e</i>",
            conversation_id=f"<u>{number_}",
            message_id=f"<s>{number_}",
        )
    return memory


def objects(memory):
    """One of each object that shows itself."""
    why = memory.why(f"Where is my boat? {HOSTILE}", message="<s>0")
    prompt = memory.build_prompt("Where is my boat? <script>", conversation_id="another", system="<b>\x1b[2J")
    return {"why": why, "hit": why.hits[0], "prompt": prompt, "stack": memory.stacks[0], "memory": memory}


@pytest.mark.parametrize("name", ["why", "hit", "prompt", "stack", "memory"])
def test_hostile_content_stays_text_in_a_notebook(memory, name):
    """No tag, no attribute, no invisible character that is not ours; the text is there to be read."""
    text = checked(objects(memory)[name]._repr_html_())
    if name in {"why", "hit"}:
        assert "<script>alert(1)</script>" in text
        assert "[U+202E]gnol[U+202C]" in text
        assert "[U+001B][31mred[U+0007]" in text
    if name == "memory":
        assert "<b><script>" in text


@pytest.mark.parametrize("name", ["why", "hit", "prompt", "stack", "memory"])
def test_a_terminal_gets_printable_lines(memory, name):
    """Short, and nothing that moves the cursor."""
    shown = repr(objects(memory)[name])
    lines = shown.split("\n")
    assert all(line.isprintable() for line in lines)
    assert len(lines) == 1 or name == "why"
    assert max(map(len, lines)) < 400


def test_the_short_forms(harbour):
    """What a terminal shows of a real memory."""
    prompt = harbour.build_prompt("What is my boat called?", conversation_id="new")
    sent, full = prompt.inspector["tokens_sent"], prompt.inspector["tokens_full_history"]
    assert repr(prompt) == f"Prompt(1 messages, {len(prompt.retrieved)} recalled, {sent} tokens of {full})"
    hit = harbour.retrieve("What is my boat called?")[0]
    assert repr(hit).startswith(f"Hit({hit.score:.3f}, ")
    assert f"{hit.signal.role} at turn {hit.signal.turn}" in repr(hit)
    stack = harbour.stacks[0]
    assert repr(stack) == f"Stack({stack.stack_id!r}, {stack.size} signals)"
    assert repr(harbour) == "Memory('mara')"
    assert repr(harbour.why("What is my boat called?")).startswith("Why('What is my boat called?', turn ")


def test_empty_objects_show_themselves():
    """Before anything was said."""
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder()).get("m")
    assert "m" in checked(memory._repr_html_())
    assert checked(memory.why("boat")._repr_html_()).startswith("boat (turn 0)")
    checked(memory.build_prompt("boat")._repr_html_())
    assert repr(memory.why("boat")) == "Why('boat', turn 0: 0 hits, 0 near misses)"


def test_a_memory_that_cannot_be_read_says_so(tmp_path):
    """A notebook cell that ends with it does not fail."""
    path = tmp_path / "<i>m.db"
    with MemoryRegistry(path, encoder=HashingEncoder()) as registry:
        memory = registry.get("m")
        memory.add_message("My boat.", "user")
        assert "total_signals" in checked(memory._repr_html_())
        registry.reset("m")
        assert "StaleMemoryError" in checked(memory._repr_html_())
    assert "cannot be read" in checked(memory._repr_html_())
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    with MemoryRegistry(other, encoder=HashingEncoder()) as registry:
        assert "DamagedFileError" in checked(registry.get("m")._repr_html_())
        assert repr(registry.get("m")) == "Memory('m')"


def test_visible_keeps_what_texts_need():
    """Letters of all scripts, joined emoji, line ends; lone surrogates cannot be written to a file and are named."""
    assert visible("Äpfel 日本 👩‍🚀\n\tx") == "Äpfel 日本 👩‍🚀\n\tx"
    assert visible("\ud800\u202e\ufeff") == "[U+D800][U+202E][U+FEFF]"
    assert escaped("<\"'&>") == "&lt;&quot;&#x27;&amp;&gt;"
    assert escaped(None) == "None"


def test_the_small_pieces():
    """Signs, lengths and order."""
    assert (number(-0.0001), number(0.12345)) == ("0.000", "0.123")
    assert excerpt("a" * 70) == repr("a" * 57 + "...")
    assert sum_of({"meaning": 0.5, "words": -0.7, "time": 0.0}) == "words -0.700 + meaning 0.500"
    assert checked(bars({"meaning": 0.5, "<b>": -2.0, "none": 0.0})) == " meaning 0.500 <b> -2.000"
    assert checked(table(("<a>",), [("x",)], "<c>")) == "<c><a>x"
    assert checked(folded("<t>", "x")) == "<t>x"
