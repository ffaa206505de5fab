"""How wishes for all that is to come are put, and what is put alike and is none; English only.

Each form stands behind parts of words of which it has one, because to look for all of these at once takes a tenth of
the time of looking for the forms. No form repeats what is itself repeated without bound, so that none takes long on any
text.
"""

from __future__ import annotations

from streetai_core.text.wish_forms.calling import CALLING
from streetai_core.text.wish_forms.health import HEALTH
from streetai_core.text.wish_forms.life import LIFE
from streetai_core.text.wish_forms.likings import LIKINGS
from streetai_core.text.wish_forms.look_alikes import NO_WISHES
from streetai_core.text.wish_forms.manner import MANNER
from streetai_core.text.wish_forms.orders import ORDERS
from streetai_core.text.wish_forms.projects import PROJECTS
from streetai_core.text.wish_forms.vocabulary import START, STARTS

FORMS = (*ORDERS, *MANNER, *CALLING, *LIKINGS, *PROJECTS, *LIFE, *HEALTH)
"""How a wish is put, behind parts of words: "_" stands for a space, "^" for where an order may begin."""

__all__ = ["FORMS", "NO_WISHES", "START", "STARTS"]
