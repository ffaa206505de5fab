"""How rare the words of a reply are, by which credit goes: counted by hand over a few messages."""

import pytest

from streetai_core.dynamics.credit import rarity
from streetai_core.planning.crediting import _Vocabulary
from streetai_core.text.words import hashed, stem
from tests.recall.saying import Said, state_of

SAID = ("harbour berth mast", "harbour chart", "berth harbour", "tide early")
REPLY = "Harbour, berth."


def words_of(*texts):
    """The word index of a memory of these messages."""
    return state_of(*(Said(text=text) for text in texts)).words


def overlap(*indexes):
    """What the messages of the first index share with the reply, by row."""
    marks = [hashed(stem(word)) for word in ("harbour", "berth")]
    index = indexes[0]
    return _Vocabulary(indexes, REPLY).overlap(index.rows_of(range(len(index))), marks).tolist()


def test_a_message_that_is_the_reply_does_not_count():
    """Whether a reply is stored before or after learning makes no difference to how rare its words are.

    One that has as many words and only some of the reply's is another message.
    """
    both, harbour = rarity(3, 2) + rarity(3, 1), rarity(3, 2)
    stored, not_stored = overlap(words_of(*SAID)), overlap(words_of(*SAID[:2], *SAID[3:]))
    assert stored == pytest.approx([both, harbour, both, 0.0])
    assert not_stored == pytest.approx([both, harbour, 0.0])


def test_messages_of_the_same_turn_count_with_the_others():
    """They are not in the memory yet when a turn is recorded; a copy of the reply is left out there too."""
    both, harbour = rarity(4, 2) + rarity(4, 2), rarity(4, 2)
    assert overlap(words_of(*SAID), words_of("berth quay", "berth harbour")) == pytest.approx(
        [both, harbour, both, 0.0]
    )


def test_a_reply_without_words_is_no_message():
    """Nothing is left out for it, not even a message without any."""
    index = words_of("the of and", "harbour", "harbour chart")
    shared = _Vocabulary([index], "?!").overlap(index.rows_of(range(3)), [hashed(stem("harbour"))])
    assert shared.tolist() == pytest.approx([0.0, rarity(3, 2), rarity(3, 2)])
