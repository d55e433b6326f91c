"""Pieces of SVG that every picture here is made from, and where the points of a board lie in one.

*Source:* own drawing.
"""

from collections.abc import Sequence
from html import escape

CELL = 40.0  # distance between two lines, in user units
MARGIN = 46.0  # from the outermost line to the board's edge; holds the coordinates
STONE_RADIUS = 0.475 * CELL
DARK, LIGHT = "#1a1a1a", "#ffffff"  # what is drawn on light stones and on wood, and on dark stones

DEFINITIONS = """<defs>
<linearGradient id="wood" x1="0" y1="0" x2="1" y2="1">
<stop offset="0" stop-color="#edc883"/><stop offset="0.55" stop-color="#e0b36a"/><stop offset="1" stop-color="#d2a055"/>
</linearGradient>
<radialGradient id="black-stone" cx="0.36" cy="0.32" r="0.75" fx="0.32" fy="0.26">
<stop offset="0" stop-color="#7d8085"/><stop offset="0.3" stop-color="#3b3d40"/><stop offset="1" stop-color="#060607"/>
</radialGradient>
<radialGradient id="white-stone" cx="0.38" cy="0.34" r="0.78" fx="0.33" fy="0.27">
<stop offset="0" stop-color="#ffffff"/><stop offset="0.55" stop-color="#f4f1ea"/><stop offset="1" stop-color="#bdb5a6"/>
</radialGradient>
<radialGradient id="shadow">
<stop offset="0.72" stop-color="#2a1a06" stop-opacity="0.5"/><stop offset="1" stop-color="#2a1a06" stop-opacity="0"/>
</radialGradient>
</defs>"""


class Svg(str):
    """The text of an SVG file, which a notebook shows as the picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def document(title: str, width: float, height: float, parts: Sequence[str]) -> Svg:
    """A whole SVG file around `parts`, which may use the gradients of wood and stones."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" '
        f'width="{number(width)}" height="{number(height)}" role="img" font-family="Helvetica, Arial, sans-serif">',
        f"<title>{escape(title)}</title>",
        DEFINITIONS,
        *parts,
        "</svg>",
    ]
    return Svg("\n".join(lines) + "\n")


def moved(parts: Sequence[str], x: float, y: float, scale: float = 1.0) -> list[str]:
    """`parts` with their origin at (x, y)."""
    zoom = f" scale({number(scale)})" if scale != 1 else ""
    return [f'<g transform="translate({number(x)} {number(y)}){zoom}">', *parts, "</g>"]


def text_at(x: float, y: float, text: str, height: int, role: str, colour: str = "#777777", bold: bool = False) -> str:
    """A text centred on (x, y); `role` becomes its class."""
    # Lowered by about a third of its height, which centres it also where dominant-baseline is unknown.
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{number(x)}" y="{number(y + 0.35 * height)}" font-size="{height}" fill="{colour}" '
        f'text-anchor="middle"{weight} class="{role}">{escape(text)}</text>'
    )


def number(value: float) -> str:
    """A coordinate with at most three decimals, written in one way only."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def at(line: int) -> float:
    """Where a row lies below the board's upper edge, a column right of its left one."""
    return MARGIN + line * CELL


def contrast(stone: int) -> str:
    """The colour that can be read on a black stone (1), a white stone (2), or the wood (0)."""
    return LIGHT if stone == 1 else DARK
