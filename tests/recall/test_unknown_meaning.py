"""What has no vector yet, because the encoder failed when it came, is found by its words among all that has one."""

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import OfflineMiniLM, offline_available
from streetai_core.stores.reference import ReferenceStore
from tests.encoders.failing import Breakable, Unsteady

pytestmark = pytest.mark.skipif(not offline_available(), reason="needs the extra `offline`")

BEFORE = """\
I keep bees behind the barn and harvested nine jars of honey this summer.
The landlord wants the rent on the first of each month by bank transfer.
My sister Ines is getting married in Porto next May.
We replaced the boiler last winter and it still makes a strange noise.
I started running again, five kilometres before breakfast.
The dentist said I grind my teeth at night and need a guard.
Our cat Pepper only eats the salmon flavour.
I finished the novel about the lighthouse keeper and cried at the end.
The car failed its inspection because of the brakes.
I am learning the cello, the bow hand is the hardest part.
Dad's hip operation went well and he is home again.
The office moves to the fourth floor in October.
I cannot eat shellfish, it gives me hives.
My passport expires in March, I must renew it.
The tomatoes on the balcony have blossom end rot.
We booked a cabin near the lake for the second week of August.
I switched to a standing desk and my back feels better.
The neighbours are building an extension and start drilling at seven.
I sold the old piano to a music school for four hundred euros.
My favourite tea is a smoky one from Fujian.
The bike shop will true the wheel until Friday.
Mum's birthday is on the ninth of June and she wants a garden party.
I passed the exam for the sailing licence with two mistakes.
The washing machine leaks when it spins.
I have a dentist appointment again on Monday morning.
Our team lost the final by one goal.
I bake sourdough on Saturdays, the starter is six years old.
The kitchen light flickers whenever the oven is on.
My manager is called Priya and she likes short reports.
We are saving for a new roof, it will cost eighteen thousand.
I dream of walking the coast path from end to end.
The vaccination for the dog is due in the autumn.
I work from home on Tuesdays and Thursdays.
The train to the coast takes just under three hours.
I bought a second hand camera with a fifty millimetre lens.
My daughter starts school after the summer.
The insurance paid for the broken window.
I sleep badly when there is a full moon.
We painted the hall in a dark green.
My allergy to birch pollen is worst in April.
The choir rehearses every Wednesday evening in the old church.
I lost my umbrella on the bus again.
The garage quoted six hundred for the clutch.
My brother moved to Oslo for a job in shipping.
I prefer window seats on long flights.
The library fined me for three late books.
Our wifi drops out in the attic room.
I volunteer at the food bank once a month.
The pears are ripe and nobody picks them.
I am trying to drink less coffee in the afternoon.
""".splitlines()

MEANWHILE = """\
The spare key for the allotment shed hangs behind the blue watering can.
Tanja from accounts said the invoice number is K-4471 and the due date is the 14th.
The vet prescribed Metacam for Pepper, half a tablet each evening.
Our tent pitch at the Fernhill campsite is number 27, right beside the river.
Jonas is allergic to walnuts, so no walnut cake for the party.
""".splitlines()

PLAIN = {
    "Where does the spare key for the allotment shed hang?": MEANWHILE[0],
    "When is the invoice due?": MEANWHILE[1],
    "Which pitch at the Fernhill campsite is ours?": MEANWHILE[3],
    "Who is allergic to walnuts?": MEANWHILE[4],
    # Second before, because the cosine 0 is that of what is farthest from the question.
    "What cake must not be at the party?": MEANWHILE[4],
}
"""Questions, and which of these their words point to."""

OTHERS = {
    "When does my passport expire?": "My passport expires in March, I must renew it.",
    "What is my manager called?": "My manager is called Priya and she likes short reports.",
    "How long does the train to the coast take?": "The train to the coast takes just under three hours.",
    "Where did my brother move?": "My brother moved to Oslo for a job in shipping.",
    "Which seat do I like when flying?": "I prefer window seats on long flights.",
}
"""Questions that all else answers."""


@pytest.fixture(scope="module")
def encoder():
    """The real model, which can be broken."""
    return Breakable(OfflineMiniLM())


@pytest.fixture(scope="module")
def memory(encoder):
    """One in which fifty messages have vectors and five have none yet."""
    memory = MemoryRegistry(ReferenceStore(), encoder=encoder).get("m")
    for number, text in enumerate(BEFORE):
        memory.add_message(text, "user", conversation_id=str(number // 5))
    encoder.broken = True
    for text in MEANWHILE:
        memory.add_message(text, "user", conversation_id="meanwhile")
    encoder.broken = False
    assert memory.stats()["without_vector"] == len(MEANWHILE)
    return memory


WHY = "; it has no vector (the encoder failed for it, or makes nothing of it)"
"""What is said of a signal without one: of rows that are zero nobody can tell which it was."""


def found(memory, question):
    """The texts of the hits, best first."""
    return [hit.signal.content for hit in memory.retrieve(question)]


@pytest.mark.parametrize(("question", "answer"), PLAIN.items())
def test_what_the_words_plainly_point_to_is_found_first(memory, question, answer):
    """Its meaning is not known, which is no reason to put it behind all that is known to mean something else."""
    assert found(memory, question)[0] == answer


@pytest.mark.parametrize(("question", "answer"), OTHERS.items())
def test_it_is_in_nobody_s_way(memory, question, answer):
    """What nothing is known of is not what is asked for."""
    hits = found(memory, question)
    assert hits[0] == answer
    assert not set(hits) & set(MEANWHILE)


def test_it_counts_as_near_as_the_others_on_average(memory):
    """The mean of what the others mean, whatever is in quarantine."""
    question = "Who is allergic to walnuts?"
    every = memory.why(question, misses=100)
    hits = [*every.hits, *(miss.hit for miss in every.near_misses)]
    assert len(hits) == len(BEFORE) + len(MEANWHILE)
    known = [hit.parts["meaning"] for hit in hits if hit.signal.content in BEFORE]
    unknown = [hit.parts["meaning"] for hit in hits if hit.signal.content in MEANWHILE]
    assert unknown == [pytest.approx(sum(known) / len(known))] * len(MEANWHILE)
    for hit in hits:
        assert hit.score == pytest.approx(sum(hit.parts.values()))


def test_the_reasons_say_that_it_has_no_vector(memory):
    """A meaning of 0.000 read as if it had nothing to do with the question."""
    why = memory.why("Who is allergic to walnuts?", misses=100)
    reasons = dict(zip((hit.signal.content for hit in why.hits), why.gates, strict=True))
    reasons |= {miss.hit.signal.content: miss.reason for miss in why.near_misses}
    said = f"{WHY}, and counts as near as the others on average"
    assert {text for text, reason in reasons.items() if said in reason} == set(MEANWHILE)


def test_the_reasons_say_so_too_where_nothing_has_a_meaning(memory, encoder):
    """The encoder fails at the question too."""
    encoder.broken = True
    why = memory.why("Who is it that is allergic to walnuts?")
    encoder.broken = False
    gate = dict(zip((hit.signal.content for hit in why.hits), why.gates, strict=True))[MEANWHILE[4]]
    assert gate.endswith(WHY)


def test_the_reasons_promise_no_vector_to_what_means_nothing():
    """The encoder has been asked for one, and gives zeros whenever it is."""
    memory = MemoryRegistry(ReferenceStore(), encoder=Unsteady()).get("m")
    memory.add_message("Hmm, walnuts.", "user")
    for text in BEFORE:
        memory.add_message(text, "user")
    [about] = memory.why("walnuts?", message=memory.messages()[0].message_id).considered
    assert about.reason.endswith(f"{WHY}, and counts as near as the others on average")


def test_by_meaning_alone_it_is_not_found(memory):
    """Nothing tells that it answers."""
    why = memory.why("Who is allergic to walnuts?", strategy="vector", misses=100)
    assert not {hit.signal.content for hit in why.hits} & set(MEANWHILE)
    reasons = {one.hit.signal.content: one.reason for one in why.near_misses if one.hit.signal.content in MEANWHILE}
    assert reasons.keys() == set(MEANWHILE)
    assert all(reason.endswith(WHY) for reason in reasons.values())


def test_what_is_in_quarantine_counts_nothing(encoder):
    """It would lift what has no vector, as if somebody had planted texts that are near to the question."""

    def of_walnuts(*, planted):
        memory = MemoryRegistry(ReferenceStore(), encoder=encoder).get("m")
        memory.add_message(BEFORE[0], "user")
        if planted:
            memory.add_message("Walnuts, walnuts, allergic to walnuts.", "user", writer="planter")
            memory.quarantine(writer="planter")
        encoder.broken = True
        memory.add_message(MEANWHILE[4], "user")
        encoder.broken = False
        [hit] = [hit for hit in memory.retrieve("Who is allergic to walnuts?") if hit.signal.content == MEANWHILE[4]]
        return hit.parts["meaning"]

    assert of_walnuts(planted=True) == of_walnuts(planted=False)
