"""The number of the rules by which words are told changes with what they make of any text."""
# ruff: noqa: RUF001 - letters of many scripts are what is tested

import hashlib
from datetime import datetime, timedelta, timezone

from streetai_core.planning.words import RULES, fingerprint, with_marks, words_row
from streetai_core.testing.factories import make_message
from streetai_core.text.marks import ANNOUNCED, CONFIRMS, WISH, beside_text, news_about, qualified
from streetai_core.text.words import hashed

RECORDED = {
    1: "369d14e6a8162d6d606bb58fc4fce03a",
    2: "a620a7f47e1b7b674b626a3b3290d2c4",
    3: "7a74056ee648dc4dfabb2280f889be09",
    4: "11c8472e1f90f89cd65da63ff77b0435",
    5: "920273b23466946dc68f9d4bbf2aaf61",
    6: "1228865da0a5fa13fbfbb17e0cd18c78",
    7: "65209bd9925b8176314232f5d131cfb6",
    8: "b4eda278567405f8cb462b9a4bf1fbb5",
    9: "3562ba09c5b350f0aac8fec5c4f6489b",
    10: "6dcd053d9fbec918bc0a3cbac2af003f",
    11: "877fcbf4c74bc0f9b0716dfd077fbb08",
    12: "154a89111e006912426d4d78e63818b6",
    13: "154a89111e006912426d4d78e63818b6",
}
"""Version of the rules -> what they make of the sample. A change of the rules adds an entry, under the next number."""

FINGERPRINTS = "26e9761c7bb89ba0ea8ede98a2f1dca0"
"""Of the texts of the sample: never to be changed, for the texts of cues are not kept."""

SAMPLE = (
    "Our yawl is called the Heron, and she leaks.",
    "The berths, the berth: 31, 31a and 31-B!",
    "Where did we eat on 14 March 2024?",
    "Yesterday we sailed; next Friday we won't.",
    "Always use metric units.",
    "Please never call me before 9:30 a.m., I'm asleep.",
    "I moved from Nice to Bergen in May, two years ago.",
    "don't can't it's John's o'clock rock'n'roll",
    "José ate crème brûlée in São Paulo, façade and all.",
    "Straße, STRASSE, Größe, Äpfel und Öl; ewig währt am längsten.",
    "L'été dernier, qu'est-ce qu'on a mangé aujourd'hui ?",
    "¿Dónde está el niño? ¡Mañana por la mañana!",
    "Il gatto dell'amico è già qui, perché?",
    "Zażółć gęślą jaźń, Łódź i Kraków.",
    "İstanbul'da ılık bir çay içtik.",
    "Tôi sống ở Hà Nội từ năm 2019.",
    "Мы живём в Москве, на улице Льва Толстого.",
    "Де живе твоя сестра? У Києві, з 2020 року.",
    "Η γάτα μου λέγεται Ίρις και ζει στην Αθήνα.",
    "أسكن في القاهرة منذ عام ٢٠١٩، وأحب الشاي.",
    "אני גר בתל אביב, ואתה?",
    "मेरी बहन दिल्ली में रहती है।",
    "আমার ভাই ঢাকায় থাকে।",
    "என் அம்மா சென்னையில் வாழ்கிறார்.",
    "ฉันอาศัยอยู่ที่กรุงเทพฯ ตั้งแต่ปีที่แล้ว",
    "我住在上海，每天骑自行车上班。",
    "私は東京に住んでいます。猫の名前はタマです。",
    "저는 서울에 살고 고양이 두 마리를 키워요.",
    "ကျွန်တော် ရန်ကုန်မှာ နေပါတယ်။",
    "བོད་སྐད་ཡིག",
    "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ",
    "🎉🎉 Party at 8pm!!! 👩‍👩‍👧 #fun @ada",
    "def read_file(path): return open(path).read()  # snake_case camelCase",
    "https://example.org/a/b?c=d&e=f and ada@example.org",
    "Version 3.10.4, €1,234.56, 50 %, 1e-9, 0x1F, +49 30 123456",
    "ＦＵＬＬ　ＷＩＤＴＨ？",
    "No\u0308el soft\u00adhyphen zero\u200bwidth",
    "and of the to a in is it",
    "?",
    "From Monday to Wednesday, the first week of April, in summer 2023, at Christmas",
    "the day after tomorrow\nat noon\n\n- milk\n- eggs",
    "x" * 300,
)
"""Sentences in many scripts, with dates, wishes, questions, numbers, code and marks."""

ADDED = (
    "The bridge will be closed until Friday, and we've been ferried since May.",
    "They want it painted by the end of the month; the inspection is on 3/14, a week on Tuesday.",
    "In a fortnight I'm off, between Christmas and New Year, after Saturday Night Live.",
    "Late 2019 and mid-March were calm, the weekend was not; how about 10/21, or the 19th to the 23rd?",
    "I only wear cotton.",
    "My sister is vegan.",
    "Celsius, not Fahrenheit.",
    "Reply within three working days, on the last business day of the tax year, or by EOD on this day next month.",
    "Two weeks ago, exactly a month ago, and on the thirteenth; at Diwali, after Passover, for July and August.",
    "I was wrong, it's in Bath.",
    "im off the 12, they bumped me to the 16.",
    "The neighbours fed her and she's back at 6.3 kg.",
    'A letter from the court: "The hearing has been moved to 3 July."',
    "We had to switch the offsite to Ghent.",
    "Whoops, new plan: u free 2nite? By eow Emma's coming for two weeks from Monday, says the class of '87.",
    "My sister's getting married in January, he's got rehearsals on 8 March, Sunday's roast was on me.",
    "We meet at the fountain and she chairs the board.",
    "I moved to Buildkite, it says:\n09:12:01 INFO ok\n\n09:12:02 WARN no cache\n09:12:03 ERROR Always use tabs.\nWhy?",
    "I moved to pnpm, here is the file:\n```json\n{}\n// Always use tabs.\n```\nWhat else?".replace("{}", "{} " * 800),
    "I moved to Zulip.\n\n> Always use tabs.\n> I moved to Slack in May.\n\nMara",
    "I moved to Zulip.\n\nFrom: Mara\nSent: 3 March 2025\nSubject: chat\n\nAlways use tabs. I moved to Slack.",
)
"""Sentences that came later, for rules that would change unnoticed; the fingerprints above do not count them."""


REPLIES = ("Updated in the calendar.", "Noted, Thursday instead.", "Shall I change it?", "Ask when it changed.")
"""Of an assistant."""


def messages():
    """The sample as messages, some of them of people with names, and not all of users; and none in UTC."""
    at = datetime(2024, 2, 28, 23, 15, tzinfo=timezone(timedelta(hours=-5)))
    replies = [
        make_message(-1 - number, content=text, created_at=at, role="assistant", source="assistant")
        for number, text in enumerate(REPLIES)
    ]
    return replies + [
        make_message(
            number,
            content=text,
            created_at=at,
            name=(None, "Zoë", "Ilse Berg")[number % 3],
            source="document" if number % 7 == 6 else "user",
        )
        for number, text in enumerate((*SAMPLE, *ADDED))
    ]


def made_of(message):
    """What the rules make of a message, as bytes."""
    row = words_row(message)
    plain = (row.sequence, row.day, row.characters, row.question)
    arrays = (row.terms.astype("<u4"), row.counts.astype("<u2"), row.days.astype("<i4"))
    return repr(plain).encode() + b"".join(len(one).to_bytes(4, "little") + one.tobytes() for one in arrays)


def digest(parts):
    """A hash of all of them."""
    return hashlib.blake2b(b"".join(parts), digest_size=16).hexdigest()


def test_the_number_is_raised_with_the_rules():
    """With the old number, messages that are stored already would be found by other words than questions ask for."""
    found = digest(map(made_of, messages()))
    assert RECORDED.get(RULES) == found, (
        "the rules that tell words have changed: raise streetai_core.planning.words.RULES by one, and add "
        f"{RULES + 1}: {found!r} to RECORDED (if RULES is raised already, its digest is {found!r})"
    )
    assert max(RECORDED) == RULES


def test_every_row_says_which_rules_made_it():
    """Else it would be made anew with every message, or never."""
    assert {words_row(message).rules for message in messages()} == {RULES}


def test_fingerprints_never_change():
    """A question that was answered would be another one, and its cues would stay when it is forgotten."""
    assert digest(repr(fingerprint(text)).encode() for text in SAMPLE) == FINGERPRINTS


def test_the_sample_has_all_that_rules_tell():
    """Rules of which it has no case could change unnoticed."""
    rows = [words_row(message) for message in messages()]
    assert {row.question for row in rows} == {True, False}
    assert sum(len(row.days) for row in rows) > 5
    assert sum(WISH in row.terms for row in rows) > 1
    assert sum(CONFIRMS in row.terms for row in rows) > 1
    assert any(ANNOUNCED in row.terms for row in rows)


def test_what_older_rules_marked_of_words_is_marked_anew():
    """Those marks are of the text, and newer rules may leave them out."""
    row = words_row(make_message(0, content="The maths exam moved to locker 8."))
    assert qualified(hashed("exam")) in row.terms
    assert beside_text(row.terms, row.counts) == []
    about = with_marks(row, [news_about(3)])
    assert beside_text(about.terms, about.counts) == [news_about(3)]
