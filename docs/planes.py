"""The page of all planes, docs/planes.md, and its pictures, written from the encoders themselves.

`python -m docs.planes` writes them again (`make pictures` does too). What an encoder is stands in its file's docstring,
what its options are in the docstring and the parameters of the function that makes it, and what a plane is in its name;
so the page cannot say anything else. Encoders of one file are described once, and the second lists what differs. The
hand features, which are numbers and no planes, come last.

The pictures show one position: Honinbo Shusaku (Black) against Inoue Gennan Inseki in 1846, the game with the
ear-reddening move, when White's 40th move has just taken the ko at R1.

*Source:* of the game's moves, memory; no independent record was at hand to compare them with.
"""

import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import jax
import numpy as np

from research import encoders, go
from research.encoders import hand_features
from research.visualise.plane_svg import planes_svg
from research.visualise.svg import board_svg

FOLDER = Path(__file__).parent
PAGE = FOLDER / "planes.md"
PICTURES = FOLDER / "plane_pictures"
POSITION_PICTURE = PICTURES / "position.svg"

MOVES = (  # from memory; columns and rows as in game records: letters from the top left
    "qd dc pq oc cp cf ep qo pe np po pp op qp oq oo pn qq nq on "
    "pm om pl mp mq ol pk lq lr kr lp kq qr rr rs mr nr pr ps qs"
)
SIZE = 19
KOMI = 7.5
TITLE = "Shusaku - Gennan Inseki 1846, after move 40"

HEAD = """# The planes

This page is written by `python -m docs.planes`; what it says stands in the encoders' own files.

`encoders.get(name)` gives an encoder, options by keyword. `encode(game, state)` gives its planes, [rows, columns,
planes], row 0 on top; `encode_globals(game, state)` the numbers that belong to no point, where there are any. *Own* is
the player to move, *opponent* the other. `plane_names` says what each plane is; `planes_text` and `planes_figure` in
`research/visualise/planes.py` show them, as does `python -m experiments.show_planes`.

Legal means what the rules allow on that board: not on a stone, not what ko or superko forbids, no suicide unless the
rules allow it. The opponent is asked as if he were to move, without a ban. Liberties after a move are counted after
captures are taken off. The board k plies ago is the one after k moves less; a pass is a ply, and stones that were set
up are there at ply 0. Turning the board turns the planes and changes nothing else.

The pictures show one position: Honinbo Shusaku, Black, against Inoue Gennan Inseki in 1846, the game of the
ear-reddening move, which came later, as move 127. White's 40th move has just taken the ko in the lower right corner.
The moves were written down from memory and have not been held against a published record. They are legal, and the
pictures show what they lead to; for the game itself, look into a collection.

![the position](plane_pictures/position.svg)
"""


def planes_page() -> str:
    """The text of docs/planes.md."""
    described: dict[str, str] = {}  # module -> the first encoder that was described from it
    sections = []
    for name in encoders.names():
        module = inspect.getmodule(encoders.maker_of(name))
        assert module is not None
        first = described.setdefault(module.__name__, name)
        sections.append("\n".join(_section(name, first, inspect.getdoc(module) or "")))
    return "\n".join([HEAD, *_overview(), *sections, *_hand_features()])


def position() -> tuple[go.Go, go.GoState]:
    """The game and the position of the pictures."""
    game = go.Go(go.Rules(size=SIZE, komi=KOMI, ko="simple"))
    step = jax.jit(game.step)
    state = game.init()
    for move in MOVES.split():
        column, row = (ord(letter) - ord("a") for letter in move)
        state = step(state, row * SIZE + column)
    return game, state


def position_picture() -> str:
    """The text of the picture of the position."""
    _, state = position()
    return board_svg(np.asarray(go.board(state)), last_move=int(state.recent_moves[0]), title=TITLE)


@cache
def planes_of(name: str) -> np.ndarray:
    """The planes of the position."""
    game, state = position()
    return np.asarray(jax.jit(lambda state: encoders.get(name).encode(game, state))(state))


def planes_picture(name: str) -> str:
    """The text of an encoder's picture."""
    return planes_svg(planes_of(name), encoders.get(name).plane_names, f"{name}: {TITLE}")


def picture_path(name: str) -> Path:
    """Where an encoder's picture is."""
    return PICTURES / f"{name}.svg"


def pictured_names() -> tuple[str, ...]:
    """The encoders of Go; the toys have no position that all could show."""
    return tuple(name for name in encoders.names() if issubclass(go.Go, encoders.get(name).game_type))


def _overview() -> Iterator[str]:
    """A line an encoder."""
    yield "| name | game | planes | globals |\n| --- | --- | --- | --- |"
    for name in encoders.names():
        encoder = encoders.get(name)
        link = f"[`{name}`](#{name})"
        yield f"| {link} | {encoder.game_type.__name__} | {encoder.num_planes} | {encoder.num_globals or ''} |"
    yield ""


def _section(name: str, first: str, text: str) -> Iterator[str]:
    """Everything about one encoder; `first` was the first of its file, whose docstring is `text`."""
    encoder = encoders.get(name)
    yield f"## {name}\n"
    yield f"{text}\n" if name == first else f"Its file is that of [`{first}`](#{first}); below is what differs.\n"
    yield from _options(name)
    if name in pictured_names():
        yield f"![the planes of {name}](plane_pictures/{name}.svg)\n"
    known = encoders.get(first)
    yield from _table("plane", encoder.plane_names, known.plane_names if name != first else ())
    yield from _table("global", encoder.global_names, known.global_names if name != first else ())


def _options(name: str) -> Iterator[str]:
    """The options of an encoder and what its maker says of them."""
    parameters = inspect.signature(encoders.maker_of(name)).parameters.values()
    listing = ", ".join(f"`{parameter.name}={parameter.default!r}`" for parameter in parameters)
    says = " ".join((inspect.getdoc(encoders.maker_of(name)) or "").split())
    yield f"Options: {listing or 'none'}.\n"
    if listing:
        yield f"{says}\n"


def _hand_features() -> Iterator[str]:
    """What the hand features are; what each means stands behind its field."""
    yield "## Hand features\n"
    yield f"{inspect.getdoc(hand_features)}\n"
    num_patterns = int(hand_features.pattern_numbers().max()) + 1
    yield f"There are {num_patterns} patterns. `hand_features(game, state)` gives, at each point:\n"
    source = inspect.getsource(hand_features.HandFeatures)
    meanings = dict(re.findall(r"^    (\w+): .*?  # (.*)$", source, re.MULTILINE))
    yield "| feature | |\n| --- | --- |"
    yield from (f"| {name} | {meanings[name]} |" for name in hand_features.HandFeatures._fields)
    yield ""


def _table(heading: str, names: tuple[str, ...], known: tuple[str, ...]) -> Iterator[str]:
    """A line for each of `names` that is not in the same place of `known`."""
    rows = [(index, name) for index, name in enumerate(names) if known[index : index + 1] != (name,)]
    if rows:
        yield f"| {heading} | |\n| --- | --- |"
        yield from (f"| {index} | {name} |" for index, name in rows)
        yield ""


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    PAGE.write_text(planes_page())
    POSITION_PICTURE.write_text(position_picture())
    for encoder_name in pictured_names():
        picture_path(encoder_name).write_text(planes_picture(encoder_name))
