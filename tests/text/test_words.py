"""Terms of a text: what is found by another form of the same word, in any script, and by the same number for ever."""

# ruff: noqa: RUF001 - letters of many scripts are what is tested

import base64
import itertools
import os
import re
import subprocess
import sys
import unicodedata
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.text.characters import UNSPACED
from streetai_core.text.words import STOP_WORDS, counted, hashed, is_piece, stem, terms, whole_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Anna moved quickly; the boats were moving.", ["anna", "move", "quick", "boat", "move"]),
        ("The berth of the boat is 31", ["berth", "boat", "31"]),
        ("a_snake and an e-mail, v1.4", ["snake", "e", "mail", "v1", "4"]),
        ("the of and", []),
        ("", []),
        (" \n\t.,;!?-()", []),
    ],
)
def test_english_is_stemmed_and_common_words_are_left_out(text, expected):
    """A question in other forms of the words would find nothing, or every message."""
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("forms", "expected"),
    [
        (["move", "moved", "moving", "moves", "MOVED"], "move"),
        (["berth", "berths", "Berth's", "berths'", "BERTH\u2019S", "berth\u02bcs"], "berth"),
        (["fine", "\ufb01ne", "\uff46\uff49\uff4e\uff45"], "fine"),
        (["café", "cafe\u0301", "CAFÉ", "cafe"], "cafe"),
        (["José", "Jose\u0301", "JOSÉ", "jose"], "jose"),
        (["Straße", "STRASSE", "STRA\u1e9eE", "Stra\u00adße"], "strass"),
        (["Işık", "IŞIK", "isik"], "isik"),
        (["İzmir", "IZMIR", "i\u0307zmir"], "izmir"),
        (["Łukasz", "lukasz"], "lukasz"),
        (["Ærø", "aero"], "aero"),
        (["2026", "\u0662\u0660\u0662\u0666", "२०२६", "２０２６"], "2026"),
    ],
)
def test_forms_of_a_word_are_one_term(forms, expected):
    """Case, possessives, kinds of apostrophe and of encoding would hide a message from its question."""
    assert [terms(form) for form in forms] == [[expected]] * len(forms)


@pytest.mark.parametrize(
    "forms",
    [
        ["Семён", "семен", "СЕМЕ\u0308Н"],
        ["σκύλος", "ΣΚΥΛΟΣ", "σκυλοσ"],
        ["مَرْحَبًا", "مرحبا", "مرحـــبا"],
        ["أسماء", "اسماء", "أسماء"],
        ["لوزة", "لوزه"],
        ["على", "علي", "علی"],
        ["می\u200cخواهم", "میخواهم"],
        ["שָׁלוֹם", "שלום"],
        ["मूँगफली", "मूंगफली"],
        ["ज़रूर", "जरूर", "\u095bरूर"],
        ["안녕", "\u110b\u1161\u11ab\u1102\u1167\u11bc"],
    ],
    ids=lambda forms: forms[0],
)
def test_spellings_of_a_word_in_other_letters_are_one(forms):
    """Whoever types without accents, vowels or the letter that his keyboard lacks would find nothing."""
    assert terms(forms[0])
    assert [terms(form) for form in forms] == [terms(forms[0])] * len(forms)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("привет", ["_пр", "при", "рив", "иве", "вет", "ет_"]),
        ("я и кот", ["_я_", "_и_", "_ко", "кот", "от_"]),
        ("σκύλου", ["_σκ", "σκυ", "κυλ", "υλο", "λου", "ου_"]),
        ("हिन्दी", ["_हि", "हिन", "िन्", "न्द", "्दी", "दी_"]),
        ("বাংলা", ["_বা", "বাং", "াংল", "ংলা", "লা_"]),
        ("강아지가", ["_강", "강아", "아지", "지가", "가_"]),
        ("개를", ["_개", "개를", "를_"]),
        ("wifi를 3층", ["wifi", "_를", "를_", "3", "_층", "층_"]),
        ("الWiFi", ["_ال", "ال_", "wifi"]),
    ],
)
def test_words_in_other_letters_are_cut_into_pieces(text, expected):
    """Endings, articles and particles would hide a word from every other form: no stemmer knows them."""
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Машину продали", "машина"),
        ("дали собаку", "наша собака"),
        ("강아지를 입양했어요", "우리 강아지 이름"),
        ("بعنا السيارة", "سيارتي"),
        ("έναν σκύλο", "ο σκύλος"),
        ("दो फूलदान", "फूलदानों को"),
    ],
)
def test_a_word_is_found_by_another_form(said, asked):
    """Of the longest word of the question at least a third of the pieces are said."""
    pieces = terms(max(asked.split(), key=len))
    assert sum(piece in terms(said) for piece in pieces) >= len(pieces) / 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wir sangen", ["wir", "sangen", "~_san", "~sang", "~ange", "~ngen"]),
        ("Kirası ne kadar?", ["kirasi", "~_kir", "~kira", "~iras", "~rasi", "ne", "kadar"]),
        ("evde değil", ["evd", "~_evd", "~evde", "degil"]),
        ("é o pé", ["e", "o", "pe", "~_pe"]),
        ("31 und A4", ["31", "und", "a4", "~_a4"]),
        ("wir und Анна", ["wir", "und", "_ан", "анн", "нна", "на_"]),
        ("und 港です", ["und", "港で", "です"]),
    ],
)
def test_words_of_other_languages_are_cut_into_pieces_too(text, expected):
    """Endings would hide a word from its other forms; the whole finds names in a message by an English question."""
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Wir haben die Küche schon gestrichen.", "Wann wurde die Küchenlieferung gebracht?"),
        ("ayda on sekiz bin lira kira ödeyeceğiz", "evin kirası ne kadar?"),
        ("Se oli vaihdelaatikko, joka hajosi.", "Mitä vaihdelaatikolle tapahtui?"),
        ("Zjadł orzechy i jest mu źle.", "Jakich orzechów nie może jeść?"),
        ("We hebben geschaatst op de plas.", "Waar gaan we schaatsen?"),
    ],
)
def test_a_word_of_another_language_is_found_by_another_form(said, asked):
    """None of these has a whole word of substance in common with its question."""
    assert len({term for term in terms(said) if is_piece(term)}.intersection(terms(asked))) > 1


@pytest.mark.parametrize(
    ("english", "foreign"),
    [("Where does Petra live?", "Petra wohnt nicht mehr hier."), ("Anna's dog", "el perro de Anna")],
)
def test_an_english_question_finds_names_in_other_languages(english, foreign):
    """People ask in English for what they said in another language, and the other way round."""
    assert not any(is_piece(term) for term in terms(english))
    assert set(terms(english)).intersection(terms(foreign))


def test_no_piece_is_a_word():
    """A word of four letters would be found in all longer ones that have these."""
    assert set(terms("sang rasi kira evde")).isdisjoint(
        term for term in terms("wir sangen, kirası evde") if is_piece(term)
    )


@pytest.mark.parametrize(
    ("author", "text", "added"),
    [
        ("José", "Nice photo!", ["jose"]),
        ("Jens Müller", "Nice photo!", ["jen", "muller"]),
        ("Hanna", "Kissa on täällä nyt.", ["hanna", "~_han", "~hann", "~anna"]),
        ("Иван", "Nice photo!", ["_ив", "ива", "ван", "ан_"]),
    ],
)
def test_an_author_is_counted_in_the_language_of_the_text(author, text, added):
    """A name would make short messages in English foreign; and whoever asks for "Hannan" means what Hanna said."""
    alone, _ = counted(text)
    with_author, counts = counted(text, author=author)
    assert set(with_author.tolist()) - set(alone.tolist()) == set(map(hashed, added))
    assert int(counts.sum()) == len(terms(text)) + len(added)


@pytest.mark.parametrize("word", ["iş", "önce", "à", "só"])
def test_no_word_is_common_for_its_letters_without_accents(word):
    """Turkish "iş" is work, Portuguese "só" alone: as "is" and "so" they would be left out."""
    assert len(terms(word)) == 1


@pytest.mark.parametrize(
    ("term", "piece"),
    [("boat", False), ("31", False), ("isik", False), ("_пр", True), ("를_", True), ("東京", True), ("~sang", True)],
)
def test_pieces_are_told_from_words(term, piece):
    """A word that nobody has said tells something, a piece of one may only be its ending."""
    assert is_piece(term) == piece


@pytest.mark.parametrize("apostrophe", ["'", "\u2019", "\u02bc"])
@pytest.mark.parametrize("word", ["don't", "can't", "isn't", "it's", "I've", "you'll", "I'm", "she'd", "they're"])
def test_contractions_are_common_words(word, apostrophe):
    """Two messages would be alike because both say "don't"."""
    assert terms(word.replace("'", apostrophe)) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京駅", ["東京", "京駅"]),
        ("港", ["港"]),
        ("カタカナ", ["カタ", "タカ", "カナ"]),
        ("ｶﾀｶﾅ", ["カタ", "タカ", "カナ"]),
        ("東京2020大会", ["東京", "2020", "大会"]),
        ("berth港です4", ["berth", "港で", "です", "4"]),
        ("สวัสดี", ["สว", "วั", "ัส", "สด", "ดี"]),
        ("东京。大阪", ["东京", "大阪"]),
        ("𠀀𠀁𠀂𠀃", ["𠀀𠀁", "𠀁𠀂", "𠀂𠀃"]),
        ("人々の声", ["人々", "々の", "の声"]),
        ("བོད་སྐད", ["བོ", "ོད", "ད་", "་ས", "སྐ", "ྐད"]),
        ("ㄅㄆㄇ", ["ㄅㄆ", "ㄆㄇ"]),
    ],
)
def test_scripts_without_spaces_are_cut_into_pairs(text, expected):
    """A Japanese, Chinese, Tibetan or Thai message would be one long word, found only by itself."""
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("🎉", []), ("🎉 party 👩‍👩‍👧 time 🇯🇵", ["parti", "time"]), ("boat🚤boat", ["boat", "boat"])]
)
def test_emoji_are_no_terms(text, expected):
    """They part words as a space does, and one of them in common makes no two messages alike."""
    assert terms(text) == expected


def test_only_the_start_of_a_very_long_word_counts():
    """A pasted key or picture is one term, the same from wherever it was copied as far as that."""
    pasted = base64.b64encode(bytes(range(48)) * 10).decode().replace("+", "x").replace("/", "y")
    assert terms(pasted) == terms(pasted[:64]) == [stem(pasted[:64].lower())]
    assert terms(pasted[:63]) != terms(pasted)


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("x", {"x" * 64: 1}),
        ("'", {}),
        ("a's ", {}),
        ("=/+", {}),
        ("boat's\u2019 ", {"boat": 65535}),
    ],
    ids=["one word", "apostrophes", "possessives", "signs", "words"],
)
def test_ten_megabytes_are_read_to_the_end(unit, expected):
    """A pasted file of any kind would hold up the one who sends it; a step back per character would take days."""
    hashes, counts = counted(unit * (10_000_000 // len(unit.encode())))
    assert dict(zip(hashes.tolist(), counts.tolist(), strict=True)) == {
        hashed(term): count for term, count in expected.items()
    }


def test_a_megabyte_of_pairs_is_read_to_the_end():
    """The longest run without a space there is: a book in Japanese."""
    hashes, counts = counted("東京駅" * 111_111)
    assert len(hashes) == 3
    assert counts.tolist() == [65535] * 3


@pytest.mark.parametrize(
    ("term", "expected"),
    # The first is the check value that the definition of CRC-32 gives; the others are in files on people's disks.
    [("123456789", 0xCBF43926), ("boat", 3631121226), ("港", 945549257), ("東京", 2451981039), ("", 0)],
)
def test_hashes_are_the_same_for_ever(term, expected):
    """Every stored message would be found by other words after an upgrade."""
    assert hashed(term) == expected


def test_all_scripts_without_spaces_are_cut_alike():
    """What counts as many words for the length of a message would otherwise be one for those who look for it."""
    inside = re.compile(f"[{UNSPACED}]")
    letters = [character for character in map(chr, range(sys.maxunicode)) if inside.match(character)]
    whole = [one for one in letters if one.isalpha() and unicodedata.is_normalized("NFKC", one)]
    assert len(whole) > 90_000
    assert [one for one in whole if terms(one * 3) != [one * 2] * 2] == []


def test_hashes_are_the_same_in_another_process():
    """Python's own hashes differ from run to run; what one process stores another one has to find."""
    code = "from streetai_core.text.words import counted; print([a.tolist() for a in counted('Boats of 東京, café')])"
    printed = [
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert printed == [f"{[array.tolist() for array in counted('Boats of 東京, café')]}\n"] * 2


def test_hashes_rarely_meet():
    """Words that share a number find each other's messages: of 200,000 there may be a handful of pairs."""
    names = ["".join(letters) for letters in itertools.product("abcdefghijklmnopqrst", repeat=4)]
    many = [*names, *(f"{name}{number}" for number, name in enumerate(names[:40_000]))]
    assert len(many) == 200_000
    assert len(many) - len({hashed(name) for name in many}) <= 20


@pytest.mark.parametrize("count", [1, 2, 65_534, 65_535, 65_536, 200_000])
def test_counts_stop_at_the_most_that_is_told_apart(count):
    """One more would start again at zero, and the most repeated word would count as absent."""
    hashes, counts = counted("berth " + "boat " * count)
    found = dict(zip(hashes.tolist(), counts.tolist(), strict=True))
    assert found == {hashed("berth"): 1, hashed("boat"): min(count, 65_535)}


@given(st.text(max_size=200))
def test_terms_as_hashes(text):
    """Property: ascending and distinct, as the store demands; each term as often as it stands there."""
    hashes, counts = counted(text)
    assert (hashes.dtype, counts.dtype, hashes.shape) == (np.uint32, np.uint16, counts.shape)
    assert (hashes[1:] > hashes[:-1]).all()
    found = terms(text)
    assert int(counts.sum()) == len(found)
    for number, count in zip(hashes.tolist(), counts.tolist(), strict=True):
        assert sum(zlib.crc32(term.encode()) == number for term in found) == count


@given(st.text(max_size=60), st.text(max_size=60))
def test_texts_beside_each_other_keep_their_terms(one, other):
    """Property: a second sentence changes no term of the first but the pieces of words in Latin letters."""
    together, apart = terms(f"{one} {other}"), terms(one) + terms(other)
    assert [term for term in together if term[0] != "~"] == [term for term in apart if term[0] != "~"]


@given(st.text(max_size=200))
def test_terms_are_whole_words_or_pieces(text):
    """Property: no spaces, no signs, no capitals, nothing common; nothing longer than what is looked at."""
    for term in terms(text):
        assert 0 < len(term) <= 64
        assert term == term.lower()
        assert not any(character.isspace() for character in term)


def test_common_words_are_told_before_stemming():
    """A stem would not be in the list, and "being" would be a word to search by."""
    assert terms(" ".join(sorted(STOP_WORDS))) == []
    assert {word for word in STOP_WORDS if word != word.lower() or not word.isalnum()} == set()


@pytest.mark.parametrize(
    "text", ["The boats are at berth 31.", "Wann hat Jürgen das verkauft?", "Где лодка Ana?", "桟橋 31 Kestrel", ""]
)
def test_whole_words_are_those_of_a_text_without_its_pieces(text):
    """Part of another message is looked for by them, whatever language that part is in."""
    assert whole_words(text) == {term for term in terms(text) if not is_piece(term)}
