"""Published encoder cases: positions, and the planes that each encoder must give for them.

`golden_cases(name)` are whole encodings after ten recorded games; a plane that is not listed there is all zeros.
`feature_cases()` are single plane groups on small drawn boards. Both give `Case`s; `position_of(case)` is the game and
the state, reached by playing the moves where the case has any, else set up from its rows with its ko ban.

*Source:* tests/data/encoders (see the README there).
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from research import go

DATA = Path(__file__).parent / "data" / "encoders"
PLAYERS = {"B": "black", "W": "white"}
COLOURS = "BW"
ROC_PLANES = range(20, 28)  # the only planes that are listed where `alphago48_roc` is told apart
LADDER_PLANES = (44, 45)  # likewise for the plain ko convention


class Case(NamedTuple):
    """One position under one encoder."""

    id: str
    encoder: str  # name in the registry
    options: dict[str, Any]  # of the encoder
    position: dict[str, Any]  # as it stands in the file; `position_of` reads it
    planes: dict[int, np.ndarray]  # expected [size, size], by plane number
    global_values: list[float] | None  # expected globals of katago22

    def __str__(self) -> str:
        """The name of a test."""
        return f"{self.id} {self.encoder}"


VARIANTS: dict[str, tuple[str, dict[str, Any], Any]] = {
    # name in the file: encoder, options, the planes that count (None: all of them)
    "alphago48_roc": ("alphago48_roc", {}, ROC_PLANES),
    "alphago48_ladder_plain": ("alphago48", {"ladder_ko": "plain"}, LADDER_PLANES),
}


def golden_cases(name: str) -> list[Case]:
    """The golden games for an encoder, or for "alphago48_ladder_plain" or "absolute17_oldest_first"."""
    encoder, options, numbers = VARIANTS.get(name, (name, {}, None))
    cases = []
    for position in read("golden_games.json"):
        listed, size = position["planes"][name], position["size"]
        if numbers is None:
            numbers = range(int("".join(filter(str.isdigit, name))))  # the house's names end in the number of planes
        assert {int(number) for number in listed} <= set(numbers)
        planes = {number: plane_of(listed.get(str(number), 0), size) for number in numbers}
        cases.append(Case(position["id"], encoder, options, position, planes, position["katago22_global"]))
    return cases


def feature_cases() -> list[Case]:
    """Plane groups on small boards; the forty-ninth plane is asked for only where it is expected."""
    cases = []
    for position in read("features48.json"):
        rows, size = position["expected"], position["size"]
        if position["expected_kind"] == "onehot-digit":
            digits = np.array([[0 if symbol == "." else int(symbol) for symbol in row] for row in rows])
            planes = {number: digits == 1 + index for index, number in enumerate(position["planes"])}
        else:
            planes = {position["plane"]: plane_of(rows, size)}
        options = {"value_plane": True} if max(planes) >= 48 else {}
        cases.append(Case(position["id"], position["encoder"], options, position, planes, None))
    return cases


def position_of(case: Case) -> tuple[go.Go, go.GoState]:
    """The game and the position of a case, checked against the rows and the player that it names."""
    data = case.position
    size, rules = data["size"], data["rules"]
    game = game_of(size, rules["ko"], rules["suicide"], rules.get("komi", 7.5))
    moves = data.get("moves", data.get("history"))
    if moves is None:
        ban = None if data["ko"] is None else tuple(data["ko"])
        return game, go.from_text(game.rules, "\n".join(data["rows"]), to_play=PLAYERS[data["to_play"]], ko=ban)
    state = game.init()
    if data.get("setup"):
        first = data.get("first_player", moves[0][0] if moves else data["to_play"])
        state = go.from_text(game.rules, "\n".join(data["setup"]), to_play=PLAYERS[first])
    for move in moves:
        # A move is [row, column] or "pass", or a pair of its colour and that.
        colour, point = move if isinstance(move[0], str) and move != "pass" else (None, move)
        if colour is not None and COLOURS[int(state.to_play)] != colour:
            state = go.with_to_play(state, PLAYERS[colour])
        state = step(game, state, jnp.int32(size * size if point == "pass" else point[0] * size + point[1]))
    assert text_of(state) == data["rows"], case
    assert COLOURS[int(state.to_play)] == data["to_play"], case
    return game, state


@cache
def game_of(size: int, ko: Any = "simple", suicide: bool = False, komi: float = 7.5) -> go.Go:
    """Go as the cases play it."""
    return go.Go(go.Rules(size=size, ko=ko, suicide=suicide, komi=komi))


step = jax.jit(go.Go.step, static_argnums=0)


def text_of(state: go.GoState) -> list[str]:
    """The rows of the board."""
    return ["".join(".XO"[stone] for stone in row) for row in np.asarray(go.board(state))]


def plane_of(rows: list[str] | float, size: int) -> np.ndarray:
    """A plane given by rows of 0 and 1, or by the one value it has everywhere."""
    if isinstance(rows, list):
        return np.array([[float(symbol) for symbol in row] for row in rows])
    return np.full((size, size), float(rows))


@cache
def read(file_name: str) -> list[dict[str, Any]]:
    """The cases of a file."""
    return json.loads((DATA / file_name).read_text())["cases"]
