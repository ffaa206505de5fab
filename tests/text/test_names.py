"""Whom a question names."""

# ruff: noqa: RUF001 - names in letters of many scripts are what is tested

import pytest

from streetai_core.text.names import in_first_person, said_words


def test_words_are_read_as_names_are_written():
    """Lower case, without accents, possessives and punctuation; a hyphen is part of a name."""
    words = said_words("Did Nora's, BEN\u2019S and Jean-Luc (or \u00c5sa?) sail with the Pilot of 1999")
    assert words.every == {
        "did", "nora", "ben", "and", "jean-luc", "or", "asa", "sail", "with", "the", "pilot", "of", "1999",
    }  # fmt: skip
    assert words.capital == {"did", "nora", "ben", "jean-luc", "asa", "pilot", "1999"}


@pytest.mark.parametrize(
    ("author", "question"),
    [
        ("Nora Lind", "what did nora say?"),
        ("Nora Lind", "What of NORA's boat?"),
        ("Will Smith", "What did Will Smith say?"),
        ("Dr. Smith", "what did smith prescribe?"),
        ("Professor Kim", "What did Kim think of it?"),
        ("J. Brandt", "What does Brandt want?"),
        ("Project Manager", "What did the Project Manager think of the price?"),
        ("User Interface", "Why did User Interface disagree?"),
        ("Marketing", "What did Marketing want?"),
        ("support", "What did Support promise?"),
        ("PhD A", "What did PhD A say about the corpus?"),
        ("SPEAKER_01", "What did Speaker 01 say?"),
        ("J S", "What did J S say?"),
        ("José Muñoz", "What did Jose say?"),
        ("Jose", "What did JOSÉ say?"),
        ("José", "What did Jose\u0301 say?"),
        ("Jose\u0301", "¿Qué dijo José?"),
        ("Weiß", "WEISS?"),
        ("Işık", "IŞIK nerede?"),
        ("İbrahim", "Where does Ibrahim live?"),
        ("Семён", "Где живёт Семен?"),
        ("प्रिया", "प्रिया कहाँ है?"),
        ("মিতা", "মিতা কোথায়?"),
    ],
)
def test_an_author_is_named(author, question):
    """By the first name, in full where that is a common word; by a title with capitals."""
    assert said_words(question).name(author)


@pytest.mark.parametrize(
    ("author", "question"),
    [
        ("Nora Lind", "What did Lind say? And Norah?"),
        ("Will Smith", "Will it rain?"),
        ("Dr. Smith", "Which doctor did I see, Dr. Brandt?"),
        ("Project Manager", "What did they think of the project's manager?"),
        ("Project Manager", "When does the Project begin?"),
        ("User Interface", "What was said of the user interface?"),
        ("Marketing", "How much is for marketing?"),
        ("support", "Does it support this?"),
        ("user", "Which user did I mean?"),
        ("PhD A", "What did PhD B say?"),
        ("SPEAKER_01", "Who is speaker 02?"),
        ("प्रिया", "मैं क्या काम करता हूँ, प से र और य?"),
        ("মিতা", "আম তারা?"),
        ("X", "What did X say?"),
        ("", "Who?"),
    ],
)
def test_an_author_is_not_named(author, question):
    """By a surname alone, by an ordinary word, by a part of a title, by a letter."""
    assert not said_words(question).name(author)


@pytest.mark.parametrize(
    ("question", "authors", "meant"),
    [
        ("Where does Nora moor?", ["Nora"], "Where does I moor?"),
        ("what is nora's boat called?", ["Nora Lind"], "what is my boat called?"),
        ("What is Nora Lind\u2019s boat called?", ["Nora Lind"], "What is my boat called?"),
        ("What did Dr. Smith say to Nora?", ["Dr. Smith", "Nora"], "What did I say to I?"),
        ("When was James' birthday, and James's?", ["James"], "When was my birthday, and my?"),
        ("What did Will Smith want of Will?", ["Will Smith"], "What did I want of Will?"),
        ("Did the Project Manager meet a project manager?", ["Project Manager"], "Did the I meet a project manager?"),
        ("What did Speaker 01 say to SPEAKER_01?", ["SPEAKER_01"], "What did I say to I?"),
        ("Does Jean-Luc know where Jean is?", ["Jean"], "Does Jean-Luc know where I is?"),
        ("Where does Jose live, and Jos\u00e9's dog?", ["Jos\u00e9 Mu\u00f1oz"], "Where does I live, and my dog?"),
        ("Where does Jose\u0301 Munoz live?", ["Jos\u00e9 Mu\u00f1oz"], "Where does I live?"),
        ("Wo wohnt Nora?", ["Nora"], "Wo wohnt Nora?"),
        ("Where is it?", [], "Where is it?"),
    ],
)
def test_a_question_in_the_first_person(question, authors, meant):
    """Whoever is named becomes "I", and what is theirs "my"; a title only where it is a name, and in English only."""
    assert in_first_person(question, authors) == meant


def test_a_name_is_no_pattern():
    """Whatever signs it has, also long ones."""
    for author in ("Nora (she/her)", "a+b*c", "[x]", "Nora \\d", "Ann " * 500):
        assert in_first_person("What does Nora want of Ann?", [author]).startswith("What does ")
