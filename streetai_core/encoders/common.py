"""What the vectors of an encoder have in common, whatever they are of.

Many encoders put all texts into a narrow cone. The cosine of texts that have nothing to do with each other is about 0
with all-MiniLM-L6-v2; with E5 cosines begin at .7 (its model card), with the first BGE at .6 (its README), with
text-embedding-ada-002 at .7 (users in OpenAI's forum). So they are told apart by little, and fixed scales would take
all for near.
"""

from __future__ import annotations

import numpy as np

from streetai_core.types import Matrix

TEXTS = (
    "The night train to Lyon leaves from platform nine.",
    "Whisk two eggs with a pinch of salt.",
    "My knee has hurt since the marathon.",
    "Interest rates were raised by a quarter of a point.",
    "She plays the cello in a string quartet.",
    "The function returns a list of tuples.",
    "Penguins huddle together against the wind.",
    "He was appointed ambassador in 1961.",
    "Could you water the tomatoes while I am away?",
    "The glacier has retreated by forty metres.",
    "Our landlord wants to sell the flat.",
    "The goalkeeper saved a penalty in the last minute.",
    "This enamel dries within two hours.",
    "I dreamt of my grandmother's kitchen.",
    "The court dismissed the appeal.",
    "Chlorophyll absorbs red and blue light.",
    "Which bus goes to the harbour?",
    "The printer is out of toner again.",
    "They got married on a beach in Goa.",
    "A haiku has seventeen syllables.",
    "The puppy chewed up a slipper.",
    "Tickets are refundable until Friday.",
    "Mars has two small moons.",
    "I never learned to whistle.",
)
"""Of unlike content and form, as short as chat messages."""

_EVERY = 6
QUESTIONS = TEXTS[::_EVERY]
"""Those that are embedded as questions too, by an encoder that tells these from messages: many embed them one by one,
each in a call that is paid for."""

_USUAL = 0.05
"""What these texts have in common for being sentences of English; .04 with all-MiniLM-L6-v2."""


_LEAST = 0.1
"""Less than this may be these texts: .03 with words that are hashed to 384 numbers."""

_MOST = 0.95
"""What is beyond is made twenty times as much then; more would make much of rounding. An encoder that gives all texts
one vector, as those do that stand for a model in tests, has everything in common."""


def common_cosine(questions: Matrix, messages: Matrix) -> float:
    """How much all vectors have in common, 0 to .95.

    Args:
        questions: unit vectors of `QUESTIONS` as queries, shape (q, dim), or of all `TEXTS`.
        messages: of `TEXTS` as documents, shape (n, dim).
    """
    texts = np.arange(len(messages))
    others = texts != texts[:: len(messages) // len(questions), None]
    usual = float(np.median((questions @ messages.T)[others]))
    common = (usual - _USUAL) / (1.0 - _USUAL)
    return min(common, _MOST) if common >= _LEAST else 0.0
