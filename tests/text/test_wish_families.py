"""Families of wishes that say neither "always" nor "never", and beside each what sounds like it and is none.

They were written before the forms that tell them.
"""

import json
from pathlib import Path

import pytest

from streetai_core.text.wish_forms import FORMS
from streetai_core.text.wishes import states_wish

SHORT = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "knowledge" / "data" / "short_wishes.jsonl")
    .read_text("utf-8")
    .splitlines()
]

WISHES = {
    "how to put it": [
        "No emojis, they come out as boxes here.",
        "no jargon pls",
        "Metres only, please. Yards mean nothing to me.",
        "Kilos, not pounds.",
        "Euros please, I don't know what a dollar buys.",
        "Surname first, please, as in the register.",
        "Variable names should be in English, the team is mixed.",
        "Answers must be short enough for a watch.",
        "An example in every explanation, that helps me most.",
        "Sources under each claim, that's a habit of our newsroom.",
        "Prices in francs, please. How much is a decent bike?",
        "How do I fry a plaice? Skip the small talk by the way.",
        "Spare me the disclaimers.",
        "Short paragraphs, please, I read on a tiny screen.",
        "Fewer exclamation marks, it reads like an advert.",
    ],
    "habits": [
        "I always cook for seven.",
        "I only wear cotton. What should I take to Crete?",
        "We only ever get two days off in a row.",
        "I boycott fast fashion.",
        "I avoid motorways when I can. How do I get to Lyon?",
        "I won't pay more than 60 a night for any room.",
        "I refuse to buy from a shop that has no union.",
        "I won't spend money on anything that needs an app.",
        "I stick to night trains where there is one.",
        "I don't buy new books.",
        "We always holiday with my mother, who is ninety.",
        "I no longer eat bread.",
        "I stay away from loans.",
        "Everything I wear has to be free of wool.",
        "Anything we buy must fit through a door of 70 cm.",
        "Our budget for a birthday is 25, never more.",
        "I work night shifts.",
        "I try to avoid palm oil.",
    ],
    "projects": [
        "We use pnpm for everything.",
        "I'm stuck with Java 11 until the bank moves.",
        "All our services are in Go.",
        "I do all my writing in Emacs.",
        "Docstrings in every function, that's our convention.",
        "I'm on Windows, by the way. How do I list open ports?",
        "Our codebase is plain JavaScript without a build step.",
        "We're limited to Postgres 12.",
        "We deploy with Nomad for all of our apps, how do I add a health check?",
        "I only know R.",
    ],
    "names": [
        "It's Sara without an h.",
        "My name is Joanna, not Joan.",
        "Please say Mr Okafor.",
        "I go by Kit. What's on in town tonight?",
        "Everyone calls me Dot.",
        "My pronouns are she/her.",
        "they/them for me, thanks",
        "It's Stephen with a ph, by the way.",
        "My name is spelled Aoife and said Eefa.",
    ],
    "voice": [
        "Talk like a neighbour, not like a lawyer.",
        "As an electrician, I don't need the safety talk.",
        "I hate waffle. What's a mortgage?",
        "I can't stand corporate speak.",
        "Be blunt with me. Is the poem any good?",
        "As someone with no maths, I need pictures more than formulas.",
        "You can be rude, I like that better.",
        "You don't have to apologise, just fix it.",
        "English isn't my first language. What does 'lien' mean?",
        "I speak Swiss German, so should you.",
        "I'm a complete beginner with computers, so small steps.",
        "I don't need to be told that you are a machine.",
        "Feel free to contradict me.",
        "Write like a person, not like a press office.",
        "I dislike long preambles.",
    ],
    "the work": [
        "Before you delete anything of mine, ask.",
        "Check with me before you rewrite a paragraph.",
        "Don't touch my footnotes without asking.",
        "Ask first if something is unclear.",
        "When you edit my letters, mark what you changed.",
        "Leave my commas alone.",
        "Number your questions so that I can answer them one by one.",
        "Nothing goes out without my approval.",
        "Don't you ever send a file before I have seen it.",
        "Feel free to skip the tests in future.",
        "I'm on Lisbon time, remember that.",
    ],
    "health": [
        "I'm deaf, which theatres in Leeds would suit me?",
        "I'm breastfeeding.",
        "I get seasick on anything smaller than a ferry.",
        "I use a walking frame.",
        "My doctor told me to cut out salt for good.",
        "My cardiologist wants me off coffee.",
        "I have asthma. Which sport is worth a try?",
        "My knees can't take stairs.",
        "Strobe lights give me migraines.",
        "I'm terrified of heights.",
        "I'm on blood thinners.",
        "I'm sober, ten years in May.",
        "I have epilepsy.",
        "I can't swim. What is there to do in Malta?",
        "My eyes aren't what they used to be.",
        "I've given up sugar for good.",
        "I'm a pescatarian.",
        "My son has a nut allergy.",
        "Garlic doesn't agree with me.",
    ],
    "a life": [
        "I have no car. Where can we go on Sunday?",
        "I don't own a printer.",
        "We haven't got a freezer.",
        "I think in miles.",
        "I only have one hand.",
        "We keep the sabbath.",
        "For religious reasons I leave out gelatine.",
        "I don't work on Fridays.",
        "I don't speak any French.",
    ],
}

OTHERS = {
    "how to put it": [
        "No trains today, the snow is too deep.",
        "No idea, ask the porter.",
        "Only two people came, not ten.",
        "First come, first served.",
        "The results should be in by Friday.",
        "There are mistakes in every chapter of that book.",
        "Skip the third paragraph of this one.",
        "Please put the date in French on this card.",
        "Give me the price in francs.",
        "Shorter, please.",
        "No more jokes about the boat, my uncle said.",
        "Drop the second verse.",
        "Is it metres or yards?",
        "Fewer people came than last year.",
        "Short films are shown on Mondays.",
    ],
    "habits": [
        "I always thought that he was Danish.",
        "We always had a dog.",
        "I only wanted to help.",
        "I only bought one because it was cheap.",
        "He only buys new.",
        "My colleague boycotts that shop.",
        "I used to avoid motorways.",
        "They won't pay him for it.",
        "I won't tell anybody!",
        "I won't be there tomorrow.",
        "I only have an hour left.",
        "Everything has its time.",
        "Our budget was cut again, can you believe it?",
        "I only asked.",
        "I always enjoy our talks.",
        "I avoided the question, of course.",
        "She no longer eats bread.",
    ],
    "projects": [
        "What do people use for tests nowadays?",
        "I'm stuck in traffic.",
        "I'm stuck on the second chapter, it bores me.",
        "All my friends are in Spain.",
        "The rule in our block is no music, as if.",
        "I'm on the bus.",
        "We used Go for everything at my old firm.",
        "They use Tailwind, I think.",
        "Is Windows any good for this?",
        "I only know that she left.",
    ],
    "names": [
        "My name came up at the meeting.",
        "Please say yes!",
        "I go by bus.",
        "He calls me every day.",
        "It's a house with a view.",
        "What's the name of the river?",
        "Just say hello from me.",
        "Everyone called me after the show.",
    ],
    "voice": [
        "It sounds like a friend of mine.",
        "As a child, I needed no sleep.",
        "As a result, I need a new bike.",
        "I hate Mondays.",
        "I hated the intro of that film.",
        "Be back at ten.",
        "You can say that again.",
        "You don't have to come.",
        "What is your first language?",
        "She is a beginner.",
        "I don't need it today.",
        "Feel free to come by.",
        "It looks like rain, not like snow.",
        "You can be there by noon if you leave now.",
        "My boss hates long mails.",
    ],
    "the work": [
        "Before you go, take an umbrella.",
        "Ask your mother first.",
        "Have you checked with her?",
        "He left without asking.",
        "Leave the second comma alone.",
        "Before you arrive, we'll have eaten.",
        "Edit this letter for me.",
        "Don't you love that song?",
        "Remember that?",
        "My number is on the list.",
        "When you fall asleep, the cat comes in.",
    ],
    "health": [
        "How many children are allergic to milk?",
        "What is it like to be deaf?",
        "My aunt is pregnant, we are all so glad.",
        "My cousin is a vegan now.",
        "I was diabetic for a while when I was expecting.",
        "Are all Jains vegetarian?",
        "I used to be vegan.",
        "My neighbour uses a wheelchair.",
        "My doctor told me a joke.",
        "He gets seasick.",
        "Does asthma go away?",
        "I've given up hope of seeing them.",
        "Can a blind man ski?",
        "My brother's allergic to cats, poor him.",
        "I can't stand the heat today.",
        "My eyes lit up.",
        "I get home at six.",
        "I have a car.",
    ],
    "a life": [
        "I have no idea.",
        "I have no time for this today.",
        "We haven't got a reply.",
        "I think in the end he was right.",
        "I don't work there.",
        "He has no car.",
        "For some reason I left it out.",
        "We keep the rest.",
    ],
    "once, and idioms": [
        "I'd prefer the left one to the right one, and you?",
        "I prefer the second photo.",
        "I'd rather not say.",
        "From now on things can only get better, she laughed.",
        "Whatever you decide, love.",
        "Whatever you do, enjoy it!",
        "Just this once, reply in Latin.",
        "In this letter, please call her Mrs Ames.",
        "For today's class, use the blue book.",
        "Keep it up!",
        "Keep going, you are nearly there.",
        "Thanks, I'll let you know if I need anything.",
        "I'll never give up.",
        "For this one, no commas please.",
        "This time keep it short.",
    ],
}

WISHED = [(family, text) for family, texts in WISHES.items() for text in texts]
OTHER = [(family, text) for family, texts in OTHERS.items() for text in texts]


@pytest.mark.parametrize(("family", "text"), WISHED)
def test_wishes(family, text):
    """Of each family, however the apostrophe is typed."""
    assert states_wish(text)
    assert states_wish(text.replace("'", "\u2019"))


@pytest.mark.parametrize(("family", "text"), OTHER)
def test_what_only_sounds_like_one(family, text):
    """Others' wishes, past ones, what is wanted once, questions about anybody, idioms."""
    assert not states_wish(text)


def test_short_ones_of_any_kind():
    """Of 260 wishes and 160 others that were written to see how far the forms reach, and then seen."""
    told = {kind: [states_wish(row["text"]) for row in SHORT if row["kind"] == kind] for kind in ("wish", "other")}
    assert sum(told["wish"]) >= 229
    assert sum(told["other"]) <= 9


@pytest.mark.parametrize("cues", [cues for cues, _ in FORMS])
def test_cues_stand_for_texts_as_they_are_typed(cues):
    """In small letters, or the form would never be tried; none empty, or it would be tried on every text."""
    assert cues == cues.lower()
    assert all(cue.strip("_^") for cue in cues.split())
