"""Code fences are found as Markdown has them and as people write them in chats."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.text.clean import is_blank
from streetai_core.text.fences import blocks


def found(text):
    """The blocks of `text` without the white space round them, code marked by a leading `>`."""
    return [(">" if block.kind == "code" else "") + text[block.start : block.end].strip() for block in blocks(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```\na\n```\nb", [">```\na\n```", "b"]),
        ("a\n```py\nb\n```", ["a", ">```py\nb\n```"]),
        ("a\r\n```\r\nb\r\n```\r\nc", ["a", ">```\r\nb\r\n```", "c"]),
        ("   ```\na\n   ```  \nb", [">```\na\n   ```", "b"]),
        ("````\n```\na\n```\n````\nb", [">````\n```\na\n```\n````", "b"]),
        ("```\na\n`````\nb", [">```\na\n`````", "b"]),
        ("```\na\n```\n\n```\nb\n```", [">```\na\n```", ">```\nb\n```"]),
        ("~~~\na\n```\n~~~\nb", [">~~~\na\n```\n~~~", "b"]),
        ("```\na\n~~~\n```\nb", [">```\na\n~~~\n```", "b"]),
        ("`a` and ``b``", ["`a` and ``b``"]),
    ],
)
def test_a_fence_closes_with_a_line_of_as_many_marks(text, expected):
    """The Markdown form: at the start of a line, up to three spaces, at least as many of the same marks to close."""
    assert found(text) == expected


@pytest.mark.parametrize(
    "code",
    [
        '```py\ns = """```"""\nt = "```"\n```',
        "```js\n/**\n * ```ts\n * a\n * ```\n */\n```",
        "```\n    ```\n```",
    ],
)
def test_marks_inside_the_code_do_not_close_it(code):
    """Marks in strings and comments, and indented like code, are part of the code."""
    assert found(f"before\n{code}\nafter") == ["before", f">{code}", "after"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see ```a = 1``` here", ["see", ">```a = 1```", "here"]),
        ("```a``` here", [">```a```", "here"]),
        ("see ```py\na\n``` here", ["see", ">```py\na\n```", "here"]),
        ("```SELECT 1\nFROM t``` slow?", [">```SELECT 1\nFROM t```", "slow?"]),
        ("```SELECT 1;```\n```x```", [">```SELECT 1;```", ">```x```"]),
        ("- item\n    ```\n    a\n    ```\n- item", ["- item", ">```\n    a\n    ```", "- item"]),
        ("write ``` to open\n```py\na\n```\nb", ["write ``` to open", ">```py\na\n```", "b"]),
        ("~~~~ hello ~~~~\nb", ["~~~~ hello ~~~~\nb"]),
        ("a ~~~ b", ["a ~~~ b"]),
    ],
)
def test_backticks_also_open_in_the_middle_of_a_line(text, expected):
    """The chat form: open anywhere, close behind the code; a mere mention and decoration open nothing."""
    assert found(text) == expected


@pytest.mark.parametrize("code", ["```py\na\n\nb", "```", "~~~\na\n```", "````\na\n```"])
def test_an_unclosed_fence_runs_to_the_end(code):
    """Such as a reply that was cut off."""
    assert found(f"before\n{code}") == ["before", f">{code}"]


def test_an_unclosed_fence_in_the_middle_of_a_line_runs_to_the_end():
    """As at the start of a line."""
    assert found("see ```a\nb") == ["see", ">```a\nb"]


def test_white_space_belongs_to_the_block_before():
    """Indentation and line feeds before a fence belong to the text, those behind it to the fence."""
    text = "\n a\n  ```\nb\n```\n\n c"
    assert [(block.start, block.end, block.kind) for block in blocks(text)] == [
        (0, 6, "chunk"),
        (6, 18, "code"),
        (18, 19, "chunk"),
    ]


TEXTS = st.lists(
    st.sampled_from(["```", "````", "~~~", "~~~~", "\n", "\r\n", " ", "   ", "    ", "a", "py", '"', "\u4e2d"]),
    max_size=40,
).map("".join)


@given(TEXTS.filter(lambda text: not is_blank(text)))
def test_blocks_tile_any_text(text):
    """Joined, the blocks give back the text; none is blank, and text blocks never touch."""
    result = list(blocks(text))
    assert "".join(text[block.start : block.end] for block in result) == text
    assert not any(is_blank(text[block.start : block.end]) for block in result)
    kinds = [block.kind for block in result]
    assert ("chunk", "chunk") not in list(pairwise(kinds))
