"""Matters of a person's life: by which words people ask for them, and by which they tell of them; English only.

"What do I do for a living?" and "I was hired as a nurse" have no word in common, and embeddings bring them little
nearer than other talk. Such words are few and known: those of home and work, kin and health, food and pastime. The
table has them from general knowledge of the language; seven of the hundred facts of `tests.benchmarks.old_facts` were
known when it was written, and of the 160 told otherwise only the matters. Words that tell of many things, as "floor",
cost a matter more than they find, because it weighs by how many messages speak of it. A word that asks also tells; one
that tells asks for nothing: who asks for a nurse does not want to hear of teachers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from streetai_core.text.words import hashed, terms


class _Matter(NamedTuple):
    """One row of the table; words with spaces between them."""

    asking: str
    """Words that ask for it, and tell of it."""
    telling: str
    """Words that tell of it."""
    idioms: tuple[str, ...] = ()
    """What asks for it and means something else word by word; lower case."""


_TABLE = (
    # Home.
    _Matter(
        "live home house apartment flat address reside neighbourhood neighborhood",
        "moved relocated settled rent city town village street suburb landlord based tenant mortgage lease downtown "
        "countryside condo cottage bungalow postcode",
    ),
    _Matter("roommate flatmate housemate", "sharing sublet dorm"),
    # Origin.
    _Matter(
        "hometown originally birthplace nationality grow grew",
        "born raised native childhood village emigrated immigrated homeland passport citizen accent roots",
        ("where am i from", "where i am from", "come from"),
    ),
    # Work.
    _Matter(
        "job work occupation profession professional career employer company workplace",
        "hired firm office position role colleague coworker shift retired freelance intern internship apprentice "
        "unemployed promoted startup quit resigned fired redundant sacked payroll clients gig trainee contractor "
        "contract agency clinic ward hospital warehouse factory bakery workshop laboratory lab salon garage "
        "courthouse nurse teacher engineer developer programmer designer doctor lawyer accountant chef cook driver "
        "manager carpenter electrician plumber mechanic waiter waitress cashier consultant analyst scientist "
        "researcher writer editor journalist photographer architect pharmacist therapist librarian professor "
        "secretary receptionist clerk firefighter pilot farmer baker hairdresser translator dentist surgeon vet "
        "veterinarian midwife paramedic optician physiotherapist psychologist barista bartender butcher tailor "
        "welder bricklayer roofer landscaper janitor cleaner postman courier soldier policeman detective paralegal "
        "solicitor banker broker realtor salesperson marketing recruiter tutor coach actor illustrator animator "
        "biologist chemist physicist economist statistician geologist surveyor sailor fisherman miner steward "
        "stewardess conductor technician administrator founder entrepreneur trader florist jeweller beautician "
        "barber caretaker childminder nanny lecturer interpreter copywriter bookkeeper",
        ("for a living", "pay the bills", "pays my bills", "pay my bills", "pays the bills"),
    ),
    # Who leads one at work.
    _Matter("boss supervisor manager", "report director ceo"),
    # Love.
    _Matter(
        "relationship partner married marriage single dating boyfriend girlfriend husband wife spouse engaged fiance",
        "fiancee broke split divorce separated wedding honeymoon proposed widow ex anniversary vows tied knot ring "
        "crush romantic",
    ),
    # Name; not asked for by "name" or "called", which ask for those of boats and files too.
    _Matter("nickname", "name called", ("call me",)),
    # Age.
    _Matter("age birthday", "old turned born candles thirties forties fifties sixties twenties", ("how old",)),
    # Kin.
    _Matter(
        "family relatives",
        "mother father mom dad mum parents brother sister son daughter aunt uncle cousin grandmother grandfather "
        "grandma grandpa niece nephew wife husband nan gran granny",
    ),
    _Matter("sibling", "brother sister twin"),
    _Matter("parent", "mother father mom dad mum"),
    _Matter("grandparent", "grandmother grandfather grandma grandpa nan gran granny"),
    _Matter(
        "child children kid",
        "son daughter baby toddler pregnant twins kindergarten newborn stepson stepdaughter infant nursery preschool "
        "teenager boy girl",
    ),
    _Matter("friend", "buddy pal mate bestie roommate classmate"),
    # Animals of the house.
    _Matter(
        "pet animal",
        "dog cat puppy kitten rabbit hamster parrot bird goldfish horse tortoise vet terrier spaniel labrador "
        "retriever poodle dachshund beagle collie tabby budgie canary gecko lizard turtle ferret chickens hen pony "
        "leash litter paws aquarium",
    ),
    # Health.
    _Matter(
        "health illness sick disease condition diagnosed diagnosis medical",
        "doctor hospital surgery diabetes asthma migraine arthritis cancer injury pain chronic therapy symptoms "
        "anxiety depression blood pressure thyroid epilepsy anaemia anemia eczema psoriasis endometriosis hernia "
        "tinnitus vertigo heart kidney liver infection flu pneumonia operation flare",
    ),
    _Matter("injury injured hurt", "broke fracture sprained tore torn ankle wrist knee shoulder cast crutches"),
    _Matter(
        "medication medicine drug pills prescription prescribed",
        "tablets dose mg milligrams antibiotics insulin inhaler capsule injection statin ibuprofen paracetamol "
        "aspirin",
    ),
    _Matter(
        "allergy allergic intolerant eat",
        "reaction rash hives celiac coeliac anaphylaxis peanuts nuts shellfish lactose gluten pollen penicillin "
        "swell swollen itchy sneeze epipen epinephrine throat bee wasp sting latex",
    ),
    _Matter("sleep bedtime insomnia", "bed asleep awake nap tired midnight wake snore alarm pillow"),
    _Matter("smoke smoker cigarettes", "vape nicotine tobacco cigar pack patches"),
    _Matter("glasses eyesight vision", "contacts lenses optician shortsighted nearsighted"),
    _Matter("tall height weigh weight", "cm centimetres metre meter feet foot inches kilos kg pounds stone"),
    _Matter("size shoe clothes wear", "trainers sneakers boots shirt jeans dress medium large xl"),
    _Matter(
        "afraid fear scared phobia",
        "terrified panic spiders heights snakes nightmare dread freak petrified claustrophobic flying",
    ),
    # Food and drink.
    _Matter(
        "diet dietary eat",
        "vegan vegetarian pescatarian keto kosher halal gluten dairy meat fasting calories carbs",
    ),
    _Matter(
        "food meal dish cuisine",
        "pizza pasta sushi curry soup salad cake bread rice noodles restaurant cook dinner lunch breakfast recipe "
        "delicious lasagna dumplings ramen tacos stew burger pancakes chocolate cheese dessert pie",
    ),
    _Matter(
        "drink beverage",
        "coffee tea wine beer juice water alcohol espresso latte cocoa lemonade cider whisky gin soda",
    ),
    _Matter("alcohol drinker", "sober wine beer pint teetotal drinking whisky booze"),
    # Money.
    _Matter(
        "earn salary income wage paid pay budget savings afford",
        "raise bonus debt loan pension rent grand euros dollars pounds gross net hourly monthly",
    ),
    # Learning.
    _Matter(
        "study school college university degree education major graduate",
        "course bachelor master phd diploma student semester thesis exam campus faculty dropped enrolled "
        "dissertation tuition scholarship doctorate",
    ),
    # What one has.
    _Matter(
        "drive car vehicle",
        "van truck motorbike motorcycle bike bicycle scooter suv toyota honda ford bmw volkswagen tesla audi skoda "
        "hybrid fiat peugeot renault mazda nissan volvo kia hyundai mercedes hatchback estate convertible diesel "
        "mileage parked garage dealership",
    ),
    _Matter(
        "commute transport",
        "bus tram train subway metro tube bike cycle ferry station carpool",
        ("get to work", "getting to work"),
    ),
    _Matter(
        "phone computer laptop device",
        "mobile smartphone iphone android pixel macbook tablet ipad samsung galaxy thinkpad chromebook dell lenovo "
        "linux screen",
    ),
    _Matter(
        "garden plant",
        "tomatoes roses herbs tulips seeds lawn greenhouse basil courgettes lavender compost soil sowed raised",
    ),
    _Matter(
        "color colour",
        "red blue green yellow purple orange pink turquoise teal navy burgundy lilac maroon violet",
    ),
    # Pastime.
    _Matter(
        "hobby interests pastime",
        "enjoy painting gardening fishing reading knitting photography hiking cooking pottery chess dancing drawing "
        "collecting sewing baking gaming crochet birdwatching woodworking origami embroidery stargazing astronomy "
        "calligraphy puzzles carving sketching watercolour watercolor telescope",
        ("spare time", "free time", "for fun"),
    ),
    _Matter(
        "sport exercise workout",
        "football soccer tennis basketball swimming running jogging cycling rowing yoga gym climbing volleyball "
        "hockey golf marathon boxing karate skiing surfing training badminton squash rugby cricket judo pilates "
        "fencing handball bouldering laps kayak",
    ),
    _Matter(
        "instrument",
        "guitar piano violin cello drums flute saxophone trumpet clarinet ukulele bass harp accordion banjo trombone "
        "keyboard viola oboe mandolin",
    ),
    _Matter(
        "music song band musician",
        "album concert singer playlist jazz rock techno classical metal punk rap folk blues opera reggae indie gig "
        "vinyl",
    ),
    _Matter("book read author", "novel chapter page library paperback thriller trilogy biography"),
    _Matter(
        "movie film show series",
        "watched cinema episode netflix season binge sitcom documentary director trailer",
    ),
    _Matter("game console", "nintendo playstation xbox zelda steam minecraft chess poker"),
    _Matter(
        "holiday vacation trip travel",
        "flew flight visited beach hotel abroad tour cruise camping weekend backpacking airbnb hostel resort "
        "itinerary tickets booked island",
    ),
    # Tongue and faith.
    _Matter(
        "language",
        "english spanish french german italian portuguese chinese mandarin japanese korean russian arabic dutch "
        "turkish hindi polish swedish fluent bilingual greek danish norwegian finnish czech hungarian ukrainian "
        "hebrew persian urdu vietnamese thai swahili catalan duolingo",
    ),
    _Matter(
        "religion religious faith",
        "church mosque synagogue temple christian catholic muslim jewish hindu buddhist atheist pray prayer bible "
        "quran mass baptised baptized ramadan lent sabbath shabbat quaker orthodox protestant agnostic",
    ),
    # What is to come.
    _Matter("appointment", "dentist doctor clinic checkup scheduled booked surgery"),
    _Matter("goal ambition dream resolution", "someday aim bucket promised determined"),
    _Matter("volunteer charity", "shelter donate kitchen nonprofit unpaid"),
)  # fmt: skip

# Case by ASCII alone: else the dotless i and the long s would match too, and no idiom has them.
_IDIOMS = re.compile(rf"\b(?ai:{'|'.join(idiom for matter in _TABLE for idiom in matter.idioms)})\b")

Telling = tuple[int, ...]
"""Hashes of the terms by which a matter is told, each once."""


def without_idioms(question: str) -> tuple[str, tuple[str, ...]]:
    """What is left of a question without its idioms, and these in lower case."""
    idioms = tuple(idiom.lower() for idiom in _IDIOMS.findall(question))
    return _IDIOMS.sub(" ", question) if idioms else question, idioms


def asked_for(said: Iterable[str], idioms: Iterable[str] = ()) -> tuple[Telling, ...]:
    """The matters that a question asks for, each once.

    Args:
        said: its terms.
        idioms: as `without_idioms` found them.
    """
    found = [_of_idioms()[idiom] for idiom in idioms]
    found += [place for term in said for place in _of_terms().get(term, ())]
    return tuple(map(_telling, dict.fromkeys(found)))


@cache
def _of_idioms() -> dict[str, int]:
    """The place in the table of what each idiom asks for."""
    return {idiom: place for place, matter in enumerate(_TABLE) for idiom in matter.idioms}


@cache
def _of_terms() -> dict[str, tuple[int, ...]]:
    """The places in the table of what each term asks for."""
    found: dict[str, tuple[int, ...]] = {}
    for place, matter in enumerate(_TABLE):
        for term in dict.fromkeys(terms(matter.asking)):
            found[term] = (*found.get(term, ()), place)
    return found


@cache
def _telling(place: int) -> Telling:
    """The terms by which the matter at a place of the table is told."""
    matter = _TABLE[place]
    return tuple(dict.fromkeys(map(hashed, terms(f"{matter.asking} {matter.telling}"))))
