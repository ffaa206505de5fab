"""The forms in which English says that something changed, by what they mean."""

from streetai_core.knowledge.forms import changed, corrected, ended, now, undone
from streetai_core.knowledge.forms.form import CueKind, Form

__all__ = ["STRONG", "WEAK", "CueKind", "Form"]

STRONG: tuple[Form, ...] = (*undone.STRONG, *ended.STRONG, *changed.STRONG, *now.STRONG, *corrected.STRONG)
"""Meant so by themselves. Retractions come first, because they name the change that they take back."""

WEAK: tuple[Form, ...] = (*corrected.WEAK, *now.WEAK, *changed.WEAK, *undone.WEAK)
"""Said in many other ways too: they need a closer match between the statements."""
