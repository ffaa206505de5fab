"""The notebooks' diagrams: titles, axes, words, and one clear line where matplotlib is missing."""

import sys

import pytest

from streetai_core.errors import MissingExtraError
from streetai_core.report.style import figure, show


def test_a_diagram_says_what_it_shows():
    """Title, axes, and a text for whoever cannot see it; the legend has no frame."""
    made, axes = figure("Tokens", "turn", "tokens")
    axes.plot([1, 2], [3, 4], label="sent")
    axes.legend()
    shown = show(made, "Two points.")
    data, metadata = shown._repr_mimebundle_()
    assert metadata["image/png"]["alt"] == "Two points."
    assert data["image/png"]
    assert (axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel()) == ("Tokens", "turn", "tokens")
    assert not axes.get_legend().get_frame_on()


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    """And without IPython."""
    made, _ = figure("Tokens", "turn", "tokens")
    monkeypatch.setitem(sys.modules, "IPython.display", None)
    with pytest.raises(MissingExtraError, match=r"streetai\[notebooks\]"):
        show(made, "Nothing.")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"streetai\[notebooks\]"):
        figure("Tokens", "turn", "tokens")
