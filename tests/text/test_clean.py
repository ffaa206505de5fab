"""Cleaning keeps every character that can be stored, and ids are safe keys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.errors import InputError
from streetai_core.text.clean import check_id, clean, is_blank

ANY_TEXT = st.text(st.characters(exclude_categories=()))
"""Lone surrogates and NUL included."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\x00b", "a\ufffdb"),
        ("\ud800", "\ufffd"),
        ("\udfffx", "\ufffdx"),
        ("\ud83d\ude00", "\ufffd\ufffd"),
        ("\x00\x00", "\ufffd\ufffd"),
    ],
)
def test_unstorable_characters_are_replaced_one_by_one(text, expected):
    """NUL and surrogates become U+FFFD each, so that positions do not move."""
    assert clean(text) == (expected, True)


@pytest.mark.parametrize("text", ["", "plain", "\r\n\t\x01\x7f\ufeff\u200b\ufffd", "\U0001f600 e\u0301", "a\u2028b"])
def test_everything_else_is_kept(text):
    """Control characters, byte order marks and unnormalised text come back as they were."""
    assert clean(text) == (text, False)


@given(ANY_TEXT)
def test_cleaned_text_differs_only_where_it_must(text):
    """The result has UTF-8, and a character differs exactly where it could not be stored."""
    cleaned, replaced = clean(text)
    assert cleaned.encode().decode() == cleaned
    assert replaced == (cleaned != text)
    assert len(cleaned) == len(text)
    for old, new in zip(text, cleaned, strict=True):
        assert new == ("\ufffd" if old == "\x00" or 0xD800 <= ord(old) <= 0xDFFF else old)


@pytest.mark.parametrize("text", [None, 3, b"bytes"])
def test_only_strings_are_cleaned(text):
    """Another type is refused with its name."""
    with pytest.raises(InputError, match=type(text).__name__):
        clean(text)


@pytest.mark.parametrize("value", ["u", "user 1", "\u00e9" * 256, "x" * 512, "\U0001f600" * 128, " ", "a\nb"])
def test_ids_up_to_512_bytes_are_accepted(value):
    """1 to 512 bytes of UTF-8 pass unchanged."""
    assert check_id(value, "memory_id") == value


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (None, "must be a string, got NoneType"),
        (7, "must be a string, got int"),
        (b"user", "must be a string, got bytes"),
        ("", "must not be empty"),
        ("a\x00", "must not contain NUL"),
        ("a\ud800", "must not contain NUL or lone surrogates"),
        ("x" * 513, "512 bytes of UTF-8, got 513"),
        ("\u00e9" * 257, "512 bytes of UTF-8, got 514"),
    ],
)
def test_other_ids_are_refused_by_name(value, problem):
    """The error names the argument and the rule."""
    with pytest.raises(InputError, match=f"^conversation_id {problem}|^conversation_id .*{problem}"):
        check_id(value, "conversation_id")


@pytest.mark.parametrize("text", ["", " ", "\r\n\t", "\u3000\u00a0\u2029"])
def test_white_space_is_blank(text):
    """White space of any script is nothing."""
    assert is_blank(text)


@pytest.mark.parametrize("text", ["x", " . ", "\u3042", "\x00"])
def test_anything_else_is_not_blank(text):
    """One visible or control character is something."""
    assert not is_blank(text)
