"""Which of the recalled messages a reply was made of: by the words that they share.

    credit = DOUBT + (1 - DOUBT) * (3 * new + asked + standing) / 5

`new` counts the words of the reply that the question did not have, `asked` those of the question, `standing` is the
place that recall gave the message. What is not known is left out of the mean. Without anything new the credit stays
below 0.5, so that a message which shares nothing with the reply is never boosted, however well it fits the question.

The weights are rounded from logistic regressions on replies made from the gold answers of five conversations, each
measured with the weights of the four others.
"""

from __future__ import annotations

import numpy as np

from streetai_core.arrays import Floats
from streetai_core.text.rarity import idf

NEW_WORDS = 3.0
"""Weight of what the reply has and the question has not: it came from somewhere."""
ASKED_WORDS = 1.0
"""Weight of the question's words, whether the reply repeats them or not."""
STANDING = 1.0
"""Weight of the place among the hits."""
DOUBT = 0.15
"""Credit of a message that shares nothing with anything: below `Config.low_relevance` by so much that of the messages
that did hold the answer, in words of their own, about one in a hundred is demoted."""
NOTHING_NEW = DOUBT + (1.0 - DOUBT) * (ASKED_WORDS + STANDING) / (NEW_WORDS + ASKED_WORDS + STANDING)
"""No message that shares nothing new with the reply has more credit."""
ONE_WORD = 1.0
"""One word that stands in a single message of the memory. The best of the hits gets half of what it can if it shares
just that; more if it shares more."""


def rarity(number: int, having: int) -> float:
    """How much a word tells a message from the others, in (0, 1]; 1 for a word of one message only.

    `idf(having) / idf(1)` squared, with the idf of `text.rarity`. Squared as in the product of two tf-idf vectors, so
    that the common words of a long reply do not add up to a rare one.

    Args:
        number: messages, from 1.
        having: those that have the word; less than 1 counts as 1.
    """
    having = max(1, having)
    number = max(number, having)
    return (idf(number, having) / idf(number, 1)) ** 2


def share_of_best(overlap: Floats) -> Floats:
    """The summed rarity of shared words, shape (n,), on a scale of [0, 1).

    `overlap / (best + ONE_WORD)`: compared with the best of the hits, and little for all of them where even the best
    shares nothing rare.
    """
    share: Floats = overlap / (overlap.max(initial=0.0) + ONE_WORD)
    return share


def standing(scores: Floats) -> Floats:
    """`1 / sqrt(1 + number of better hits)`, in (0, 1]; NaN where the score is NaN. Shape (n,).

    Places, not scores: these have another scale with each strategy.
    """
    known = ~np.isnan(scores)
    places = np.full(len(scores), np.nan)
    better = np.searchsorted(np.sort(-scores[known]), -scores[known], side="left")
    places[known] = 1.0 / np.sqrt(1.0 + better)
    return places


def credit(new: Floats, asked: Floats, place: Floats) -> Floats:
    """The credit of each hit, in [DOUBT, 1); all arrays have shape (n,), NaN is not known. `new` is always known."""
    parts = np.stack([new, asked, place])
    weights = np.array([[NEW_WORDS], [ASKED_WORDS], [STANDING]]) * ~np.isnan(parts)
    mean = (weights * np.nan_to_num(parts)).sum(axis=0) / weights.sum(axis=0)
    total: Floats = DOUBT + (1.0 - DOUBT) * mean
    return total
