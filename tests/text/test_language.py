"""What is told to be in another language than English: only that is cut into pieces."""

import pytest

from streetai_core.text.language import SMALL_WORDS, is_foreign

# ruff: noqa: RUF001 - other languages are what is tested


@pytest.mark.parametrize(
    "text",
    [
        "Der Nachbar beschwert sich über unsere Hecke.",
        "Waar ligt de boot?",
        "Vilken veckodag spelar bandet?",
        "Hvor længe gik han med krykker?",
        "Qui s'occupe de mon chat ?",
        "¿Cuál es el día libre de Diego?",
        "Quanto custa o aluguel do meu apartamento?",
        "Dove si trova la libreria?",
        "Unde mergem în excursia promisă?",
        "Na co choruje mój kot?",
        "Kdy má Tereza rodit?",
        "Gdje je moj bicikl?",
        "Milyen színű macskát tartottak meg?",
        "Mitä Hannan polvelle tapahtui?",
        "Kus sa elad?",
        "Murat'ın oğlunun işi ne?",
        "Siapa yang menjaga Ibu?",
        "Saan nakatira si Maria ngayon, sa Cebu ba siya?",
        "On que viu la teva germana?",
        "Con mèo của tôi tên là gì?",
    ],
)
def test_other_languages_are_told(text):
    """Whoever writes in one would find a word in the very form only."""
    assert is_foreign(text)


@pytest.mark.parametrize(
    "text",
    [
        "kde je muj klic",
        "bugun ise zor kalktim cok yorgunum",
        "que tal, como estas",
        "mein auto ist kaputt",
    ],
)
def test_other_languages_are_told_without_accents(text):
    """Many people type none on a phone."""
    assert is_foreign(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "42",
        "Nice photo!",
        "gym cancelled tomorrow, rain",
        "eggs, milk, bread, 2 lemons",
        "import numpy as np; print(np.zeros(3))",
        "We met José and Zoë at the café in São Paulo.",
        "Zoë Müller!",
        "la la land",
        "Los Angeles, Las Vegas?",
        "Vincent van Gogh",
        "my train to Rio de Janeiro",
        "He said 'qué pasa' to the man from Kraków and they laughed.",
        "The die is cast, an ode to a hat in Den Haag.",
    ],
)
def test_english_stays_english(text):
    """Its terms would be others than they ever were, and long texts of them."""
    assert not is_foreign(text)


@pytest.mark.parametrize("word", ["nicht", "qué", "önce", "café"])
def test_one_word_tells_nothing(word):
    """It would be one term with an accent and another one without."""
    assert not is_foreign(word)
    assert is_foreign(f"{word} {word}")


@pytest.mark.parametrize(
    "text", ["東京駅 の 声", "Привет, как дела?", "강아지 이름이 뭐야", "où", "\u0301\u0301 \u0301"]
)
def test_other_scripts_are_none_of_it(text):
    """They are cut into pieces whatever their language."""
    assert not is_foreign(text)


def test_the_language_of_most_words_counts():
    """A reply in English that teaches a few words of German is in English."""
    assert not is_foreign("'Nicht' and 'noch' are what you want there.")
    assert is_foreign("Das heißt 'what you want', und ich weiß nicht, warum wir es noch sagen.")


def test_a_long_text_is_told_by_its_beginning():
    """A pasted book would be read to its end before it is stored."""
    german = "Der Hund ist noch nicht da. "
    assert is_foreign(german * 100 + "and they are what you want " * 1000)


def test_small_words_are_words():
    """What is typed with an accent is looked for without, in small letters."""
    assert {word for word in SMALL_WORDS if not (word.isascii() and word.isalpha() and word.islower())} == set()
    assert min(map(len, SMALL_WORDS)) > 1
