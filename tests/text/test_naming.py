"""Where a text has what a question names."""

import pytest

from streetai_core.text.naming import Sought

INVOICES = "\n".join(f"Invoice INV-{1000 + n}: customer Berg, {200 + n} euros, due 3 July." for n in range(100))


def names(question, text):
    """What stands at the places of the names, to the end of the word."""
    words = [word for word in Sought(question).found(text) if word.is_name]
    return [text[place:].split(maxsplit=1)[0].strip(",.:") for word in words for place in word.places]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How much is INV-1077?", ["INV-1077"]),
        ("how much is inv-1077, the invoice of berg?", ["INV-1077"]),
        ("Which invoice is over 299 euros?", ["299"]),
        ("How much is INV-10?", []),
        ("How much is INV-107?", []),
        ("How much are the invoices of customer Berg?", []),
        ("What is it?", []),
        ("", []),
    ],
)
def test_a_name_stands_in_few_places(question, found):
    """What stands in every line, or nowhere, or only as a part of another number leads nowhere."""
    assert names(question, INVOICES) == found


def test_what_a_text_spells_as_a_name_is_one_however_it_is_asked():
    """Who types the question writes "quentin"; ordinary words name nothing, at the beginning of a sentence neither."""
    text = "Quentin keeps bees. Ropes are sold there, and the ropes are good. We met Quentin by the harbour."
    assert names("does quentin sell ropes by the harbour?", text) == ["Quentin", "Quentin"]


def test_identifiers_are_found_as_they_are_and_words_in_other_forms():
    """Who writes "moorings" means the Mooring; "max_size" is no part of "max_size_old"."""
    text = "max_size_old: 4, max_size: 7, worker-7 and worker-71 wait at the Mooring, the well-known one."
    assert names("What is max_size, for the moorings?", text) == ["max_size", "Mooring"]
    assert names("How long did worker-7 wait?", text) == ["worker-7"]
    assert names("Which one is well-known?", text) == []


def test_places_are_those_of_the_text():
    """One letter is two in lower case."""
    text = "\u0130\u0130\u0130 and Riga"
    assert names("Is it in riga?", text) == ["Riga"]
    assert [word.places for word in Sought("Is it in riga?").found(text)] == [(8,)]


def test_letters_within_other_words_are_looked_at_for_a_while_only():
    """A base64 text is full of them; what is behind a thousand of them is not found by them any more."""
    assert names("Is it aa or Riga?", "xaa " * 900 + "Aa and Riga") == ["Aa", "Riga"]
    assert names("Is it aa or Riga?", "xaa " * 1000 + "Aa and Riga") == ["Riga"]


def test_a_name_that_stands_everywhere_tells_nothing():
    """The speaker of each line of a chat, for one."""
    assert names("What did Ana say?", "Ana: yes. " * 8) == ["Ana"] * 8
    assert names("What did Ana say?", "Ana: yes. " * 9) == []
    assert len(Sought("What did Ana say?").found("Ana: yes. " * 64)) == 1
    assert Sought("What did Ana say?").found("Ana: yes. " * 65) == []


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("INV-1077の金額はいくらですか", "請求書INV-1077は四十ユーロ"),
        ("發票INV-1077是多少", "本月的發票INV-1077沒付"),
        ("INV-1077의 금액은?", "청구서 INV-1077은 40유로"),
    ],
)  # fmt: skip
def test_an_identifier_stands_beside_other_scripts_without_a_space(question, text):
    """Particles follow it, and what it is the number of stands before it."""
    assert [
        text[place : place + 8] for word in Sought(question).found(text) if word.is_name for place in word.places
    ] == ["INV-1077"]


def test_what_is_written_without_spaces_is_looked_for_in_pairs():
    """No space tells where a word begins; which of them are names nothing tells."""
    text = "票在小林那裡。小林住在高雄。"
    found = Sought("小林住哪裡").found(text)
    assert [(text[word.places[0] :][:2], word.places) for word in found] == [("小林", (2, 7)), ("林住", (8,))]
    assert all(word.is_pair and not word.is_name for word in found)


def test_a_word_has_its_marks():
    """Vowel signs and accents are no letters to Python; a word ends neither before nor behind one."""
    text = "\u0915\u093f\u0924\u093e\u092c, \u0915\u093f\u0924\u093e\u092c\u0947\u0902, cafe\u0301s, cafe\u0301"
    assert [word.places for word in Sought("\u0915\u093f\u0924\u093e\u092c?").found(text)] == [(0,)]
    assert [word.places for word in Sought("cafe\u0301?").found(text)] == [(text.rindex("cafe"),)]


def test_a_korean_word_is_found_with_another_particle():
    """And within a longer one."""
    found = Sought("승강기는?").found("새승강기를")
    assert [word.places for word in found] == [(1,), (2,)]
