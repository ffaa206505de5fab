"""How the notebooks draw: one quiet style, and a text for whoever cannot see the picture. Needs matplotlib."""

from __future__ import annotations

import io
from importlib import import_module
from typing import TYPE_CHECKING, Any

from streetai_core.errors import MissingExtraError
from streetai_core.report.palette import INK, LINE, SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 8.0, 4.2
"""Inches: as wide as the text of a notebook."""
_DPI = 100

_STYLE: dict[str, Any] = {
    "axes.edgecolor": LINE,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "figure.dpi": _DPI,
    "font.size": 10,
    "grid.color": LINE,
    "lines.linewidth": 2,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def figure(title: str, x: str, y: str, *, height: float = _HEIGHT) -> tuple[Figure, Axes]:
    """An empty diagram: its title, and what its axes show, with units.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl  # noqa: PLC0415 - an extra
        from cycler import cycler  # noqa: PLC0415 - comes with matplotlib
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("matplotlib", "notebooks") from error
    style: Any = {**_STYLE, "axes.prop_cycle": cycler(color=SERIES)}
    with mpl.rc_context(style):
        # Not through pyplot: it keeps every figure, and draws it a second time at the end of a notebook's cell.
        made = Figure(figsize=(_WIDTH, height), layout="constrained")
        axes = made.add_subplot()
        axes.set(title=title, xlabel=x, ylabel=y)
        axes.set_axisbelow(True)
    return made, axes


def show(made: Figure, alt: str) -> Any:
    """The diagram for a notebook's cell, with what it shows in words.

    Raises:
        MissingExtraError: IPython is not installed.
    """
    try:
        display: Any = import_module("IPython.display")
    except ImportError as error:
        raise MissingExtraError("IPython", "notebooks") from error
    for axes in made.axes:
        legend = axes.get_legend()
        if legend is not None:
            # Made after `figure` had set the style.
            legend.set_frame_on(False)
    drawn = io.BytesIO()
    made.savefig(drawn, format="png", dpi=_DPI, facecolor="white", metadata={"Software": None, "Description": alt})
    return display.Image(data=drawn.getvalue(), alt=alt)
