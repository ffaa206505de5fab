"""Terms of a message that say what it is. No text has them: the character they begin with is in no word."""

from __future__ import annotations

import numpy as np

from streetai_core.text.words import hashed

WISH = hashed("\0wish")
"""It states a wish."""

TOLD = hashed("\0told")
"""It is short, and tells how something is."""

CHANGE = hashed("\0change")
"""And says that it has become so."""

MARKS = np.array(sorted((WISH, TOLD, CHANGE)), dtype=np.uint32)
"""All of them. They make no message longer: its words are what is weighed."""
MARKS.setflags(write=False)
