"""Words in other languages than English find messages that have them in another form, whatever the encoder reads."""

# ruff: noqa: RUF001 - other languages are what is tested

import pytest

from tests.recall.saying import Said, ask, order, part, state_of

TURKISH = (
    "Nehre yakın bir ev bulduk, aylık kira on sekiz bin lira.",
    "Kızım haziranda sınava girecek, çok çalışıyor.",
    "Barınaktan yaşlı bir köpek aldık, adı Fındık.",
)
GERMAN = (
    "Die Küche ist da, aber die Platte ist nicht aus Granit.",
    "Der Nachbar will unsere Hecke vermessen lassen.",
    "Lena möchte auf dem Gymnasium Latein nehmen.",
)
FINNISH = (
    "Automme oli rikki, vaihdelaatikko sanoi sopimuksen irti.",
    "Ostimme vanhan mökin järven rannalta.",
    "Polvesta meni ristiside, se täytyy leikata.",
)


@pytest.mark.parametrize(
    ("said", "asked", "found"),
    [
        (TURKISH, "Evin kirası ne kadar?", 0),
        (TURKISH, "Kızın sınavları nasıl geçti?", 1),
        (TURKISH, "Köpeğin ismi nedir?", 2),
        (GERMAN, "Woraus sind die Küchenplatten?", 0),
        (GERMAN, "Was haben die Nachbarn vermessen?", 1),
        (GERMAN, "Welche Gymnasien lehren Lateinisch?", 2),
        (FINNISH, "Mitä vaihdelaatikolle tapahtui?", 0),
        (FINNISH, "Paljonko mökistä maksettiin?", 1),
        (FINNISH, "Milloin polvi leikataan?", 2),
    ],
)
def test_another_form_of_a_word_finds_the_message(said, asked, found):
    """The encoder reads English, so that words decide."""
    state = state_of(*(Said(text=text, conversation=str(number)) for number, text in enumerate(said)))
    assert order(state, ask(state, asked, by_meaning=False))[0] == found


@pytest.mark.parametrize(
    ("message", "question"),
    [
        ("Petra wohnt jetzt nicht mehr in Lüneburg.", "Did Petra leave Lüneburg?"),
        ("Petra left Lüneburg last summer, and that was it.", "Wo wohnt denn Petra jetzt?"),
    ],
)
def test_names_are_found_in_the_other_language(message, question):
    """Whoever speaks two languages asks in one for what was said in the other."""
    state = state_of(Said(text=message, conversation="one"), Said(text="Nothing of the kind.", conversation="other"))
    words = part(state, ask(state, question), "words")
    assert words[0] > words[1] == 0.0


def test_pieces_that_nobody_has_tell_nothing():
    """Where endings differ, the question is as telling as if it had none of its own."""
    state = state_of(
        Said(text="Wir haben noch Latein.", conversation="one"),
        Said(text="Wir haben noch Musik.", conversation="other"),
    )
    # Both have one whole word that is unknown.
    same, other = (part(state, ask(state, asked), "words")[0] for asked in ("Noch Lateinen?", "Noch Lateinerinnen?"))
    assert same == pytest.approx(other)
