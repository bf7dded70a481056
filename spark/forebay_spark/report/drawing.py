"""A matplotlib figure as SVG for a page: in the page's font and colours, with a text for those who can't see it."""

import re
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 4.2
"""Inches; narrow, so that letters can be read where the page is as wide as a phone."""
SERIES = ("#3b6fb6", "#d9822b", "#3f9b5b", "#b8485a", "#7d5ba6", "#8c6d46", "#d06aa8", "#3d979c")
"""What series are drawn in where the page says nothing else."""
REST = "#9aa0a6"
"""For what has no colour of its own."""
VARIABLES = {**{colour: f"--series-{number}" for number, colour in enumerate(SERIES, 1)}, REST: "--rest"}
"""The page's names of these."""
INK = "#bb0001"
"""Stands for the colour of the page's text."""
FAINT = "#bb0002"
"""Stands for the colour of lines that only guide the eye."""
_COLOURS = {
    INK: "currentColor",
    FAINT: "var(--faint, #dfe3e8)",
    **{colour: f"var({name}, {colour})" for colour, name in VARIABLES.items()},
}
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.color": INK,
    "grid.color": FAINT,
    "grid.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
}
_PROLOGUE = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_SIZE = re.compile(r' (?:width|height)="[\d.]+pt"')
_FONT = re.compile(r"(font: [\d.]+px|font-family:) [^;\"]*")
"""The one or the other, by matplotlib's version."""


class Drawing:
    """A figure with one pair of axes."""

    def __init__(self, name: str, height: float) -> None:
        """name: unique in the page. height: in inches."""
        self._name = name
        with rc_context(_SETTINGS):
            self._figure = Figure((WIDTH, height), layout=ConstrainedLayoutEngine(w_pad=0.01, h_pad=0.01))
            self.axes: Axes = self._figure.add_subplot()

    def svg(self, alternative: str) -> str:
        """The drawing as an element of a page. alternative: the text for those who can't see it."""
        target = StringIO()
        with rc_context({**_SETTINGS, "svg.hashsalt": self._name}):
            self._figure.savefig(target, format="svg", transparent=True, metadata={"Date": None})
        return _in_page(target.getvalue(), alternative)


def _in_page(svg: str, alternative: str) -> str:
    svg = _METADATA.sub("", _PROLOGUE.sub("", svg))
    svg = _SIZE.sub("", svg, count=2)
    svg = _FONT.sub(r"\1 system-ui, sans-serif", svg)
    for colour, name in _COLOURS.items():
        svg = svg.replace(colour, name)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{escape(alternative)}" ', 1)
