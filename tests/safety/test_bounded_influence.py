"""What is not trusted takes at most its share from what is, however often it is said and however well it fits."""

import random

import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.dynamics.trust import Share
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.stores.reference import ReferenceStore
from streetai_core.tokens import EstimatedTokens

TOPICS = ("boat", "harbour", "keel", "mast", "berth", "sail", "anchor", "rope", "tide", "chart")
SHARE = Config().max_untrusted_share
SEED = 20260302


def registry_of(**settings):
    """A registry on the store in RAM, with these settings."""
    settings = {"history_ceiling": False, "recency_turns": 0, **settings}
    return MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), config=Config(**settings))


def sentence(randomness, number):
    """Something about three topics."""
    one, two, three = randomness.sample(TOPICS, 3)
    return f"Note {number} about the {one}, the {two} and the {three} of my boat."


def doubtful(hits):
    """Those that are not trusted."""
    return [hit for hit in hits if hit.signal.trust < 1]


def poisoned(planted, **settings):
    """A thousand notes of the user's, and some planted texts that fit every question better than any of them."""
    randomness = random.Random(SEED)
    memory = registry_of(**settings).get("m")
    messages = [NewMessage(content=sentence(randomness, number), role="user") for number in range(1000)]
    places = randomness.sample(range(1000), len(planted))
    for place, text in zip(places, planted, strict=True):
        messages.insert(place, NewMessage(content=text, role="tool", source="document", writer="mallory"))
    memory.add_messages(messages)
    return memory


LIES = ("sold", "stolen", "broken", "leased", "burnt", "painted", "insured", "haunted", "rotten", "borrowed")
PLANTED = [f"The lantern of my boat is {lie} and {lie[::-1]}." for lie in LIES]
"""What the questions ask about, and the user has never spoken of."""


def question(randomness):
    """About what the user has said, and what was planted; not about "my" boat, which asks for the user's own words."""
    return f"What of the {randomness.choice(TOPICS)} and the lantern of the boat?"


def test_ten_planted_texts_among_a_thousand_hold_their_share_in_a_thousand_questions():
    """Of the hits that `retrieve` gives, in number and in tokens, whatever is asked."""
    memory = poisoned(PLANTED)
    randomness = random.Random(SEED + 1)
    counter = EstimatedTokens()
    unbounded = poisoned(PLANTED, max_untrusted_share=1.0)
    without = [len(doubtful(unbounded.retrieve(question(random.Random(SEED + n))))) for n in range(20)]
    assert min(without) > 5, f"seed {SEED}: nothing needs a bound, so that this shows nothing"
    for number in range(1000):
        asked = question(randomness)
        if number % 2:
            hits = memory.retrieve(asked)
            assert len(hits) == Config().max_thinking_space
            assert len(doubtful(hits)) <= SHARE * len(hits)
        else:
            hits = memory.retrieve(asked, token_budget=300)
            assert sum(counter.count(hit.signal.content) for hit in doubtful(hits)) <= SHARE * 300


@pytest.mark.parametrize("budget", [None, 400, 2000])
def test_the_block_holds_the_share(budget):
    """In number and in tokens of what is sent for recall."""
    memory = poisoned(PLANTED)
    counter = EstimatedTokens()
    for number in range(10):
        asked = question(random.Random(SEED + number))
        prompt = memory.build_prompt(asked, token_budget=budget, conversation_id="new")
        assert len(prompt.retrieved) > 5
        room = 500 if budget is None else budget
        assert sum(counter.count(hit.signal.content) for hit in doubtful(prompt.retrieved)) <= SHARE * room
        if budget is None:
            assert len(doubtful(prompt.retrieved)) <= SHARE * Config().max_thinking_space


def test_a_text_planted_a_thousand_times_counts_once():
    """Under ever other names too; and it hides neither what is trusted nor other documents."""
    memory = registry_of().get("m")
    copies = [
        NewMessage(
            content=PLANTED[0] if number % 3 else PLANTED[0].upper(),
            role="user",
            source="document",
            name=f"Writer {number}" if number % 10 else None,
        )
        for number in range(1000)
    ]
    other = NewMessage(content="The boat: another document.", role="user", source="document")
    own = [NewMessage(content=sentence(random.Random(SEED + number), number), role="user") for number in range(3)]
    memory.add_messages([other, *own, *copies])
    hits = memory.retrieve("What of the boat and the harbour?")
    texts = [hit.signal.content.casefold() for hit in hits]
    assert texts.count(PLANTED[0].casefold()) == 1
    assert other.content.casefold() in texts
    assert sum(hit.signal.trust == 1 for hit in hits) == 3


def test_a_memory_of_documents_is_recalled_in_full():
    """Where nothing trusted would be there in their place, documents fill the whole room."""
    memory = registry_of().get("m")
    texts = [sentence(random.Random(SEED + number), number) for number in range(40)]
    memory.add_messages([NewMessage(content=text, role="user", source="document") for text in texts])
    most = Config().max_thinking_space
    assert len(memory.retrieve("What of my boat?")) == most
    memory.add_message("My boat is called Kestrel, and she is red.", "user")
    hits = memory.retrieve("What of my boat?")
    assert len(hits) == most
    assert "Kestrel" in "".join(hit.signal.content for hit in hits if hit.signal.trust == 1)


def test_documents_that_the_app_vouches_for_have_no_bound():
    """Trust is the app's to give."""
    memory = registry_of().get("m")
    randomness = random.Random(SEED)
    memory.add_messages([NewMessage(content=sentence(randomness, n), role="user") for n in range(100)])
    memory.add_messages(
        [NewMessage(content=text, role="user", source="document", trust=1.0, writer="us") for text in PLANTED]
    )
    hits = memory.retrieve("What of the keel and the lantern of my boat?")
    assert sum(hit.signal.writer == "us" for hit in hits) > SHARE * Config().max_thinking_space


def test_the_published_pipeline_has_no_share():
    """`Config.classic()` does what was published."""
    assert Config.classic().max_untrusted_share == 1.0
    assert Config.classic().max_boosts is None


def test_a_share_is_never_more_than_it_says():
    """Whole numbers, rounded down; nothing of nothing, also where the room is infinite."""
    assert [Share(room, 0.2).allows(1) for room in (0, 1, 4, 5, 25)] == [False, False, False, True, True]
    share = Share(25, 0.2, taken=4)
    assert share.allows(1)
    share.take(1)
    assert not share.allows(1)
    assert not Share(float("inf"), 0.0).allows(1)
    assert Share(float("inf"), 0.2).allows(10**9)


# --------------------------------------------------------------------------- learning


@pytest.mark.parametrize(
    ("provenance", "highest"),
    [
        ({"role": "tool"}, 1.0),
        ({"role": "user", "source": "document"}, 1.0),
        ({"role": "assistant", "source": "import"}, 1.0),
        ({"role": "user", "trust": 0.7}, 1.0),
        ({"role": "tool", "trust": 0.8}, 8.0),
        ({"role": "user"}, 8.0),
    ],
)
def test_what_is_not_trusted_never_weighs_more_than_at_the_start(provenance, highest):
    """Thirty replies that repeat it, each in another conversation, lift only what is trusted."""
    memory = registry_of().get("m")
    text = "The code of the harbour gate is 4711."
    memory.add_message(text, conversation_id="told", **provenance)
    for number in range(30):
        prompt = memory.build_prompt("What is the code of the harbour gate?", conversation_id=str(number))
        memory.post_process(prompt.retrieved, text)
    assert memory.signals[0].base_weight == pytest.approx(highest)


def test_one_conversation_boosts_once_what_is_not_the_users_own():
    """An answer that repeats itself is no new evidence: the assistant's own words do not lift themselves."""
    memory = registry_of().get("m")
    text = "The code of the harbour gate is 4711."
    memory.add_message(text, "assistant", conversation_id="told")
    actions = []
    for conversation in ("one", "one", "two", "one", None, None):
        prompt = memory.build_prompt("What is the code of the harbour gate?", conversation_id=conversation)
        actions += [update["action"] for update in memory.post_process(prompt.retrieved, text)]
    assert actions == ["boost", "none", "boost", "none", "boost", "none"]
    assert memory.signals[0].base_weight == pytest.approx(1.1**3)


def test_a_recorded_turn_counts_for_its_conversation():
    """The same rule where storing and learning are one step."""
    memory = registry_of().get("m")
    text = "The code of the harbour gate is 4711."
    memory.add_message(text, "assistant", conversation_id="told")
    actions = []
    told = memory.signals
    for number in range(3):
        asked = "What is the code of the harbour gate?"
        turn = [
            NewMessage(content=asked, role="user", conversation_id="c"),
            NewMessage(content=text, role="assistant", conversation_id="c"),
        ]
        actions += [row["action"] for row in memory.record_turn(f"t{number}", turn, retrieved=told, reply=text)]
    assert actions == ["boost", "none", "none"]
