"""Positions of KataGo's own tests of its network inputs, and what `katago22` gives for them.

A case is a board, moves from there on, rules, and what KataGo's network would be told: planes, globals, or the moves of
the past that it would see. `state_of` plays a case on research.go. Two things differ from a plain game: colours may
repeat, and KataGo plays on after the end. A third pass after two is played here too, as it changes nothing but the
player to move; a stone after the end is not (see `why_left_out`).

A bonus for handicap stones goes in through the komi.

*Source:* KataGo at commit 6a1fc5d, cpp/tests/testnninputs.cpp (tests/data/katago, see tests/data/README.md).
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from research import encoders, go
from research.encoders.katago_history import HistoryConfig, shown_past
from research.go.state import NO_MOVE

DATA = Path(__file__).parent / "data" / "katago"
COLOUR_NAMES = {"X": "black", "O": "white"}
MAX_MOVES = 400  # plies: KataGo's games have no limit

Case = dict[str, Any]

step = jax.jit(go.Go.step, static_argnums=0)


def load(name: str) -> list[Case]:
    """What is in tests/data/katago/`name`.json."""
    return json.loads((DATA / f"{name}.json").read_text())


def why_left_out(case: Case) -> str | None:
    """Why the case is none of ours, or None."""
    if case["rules"]["scoring"] == "TERRITORY":
        return "territory scoring"
    if case["rules"]["has_button"]:
        return "button"
    if case["size"][0] != case["size"][1]:
        return "rectangle"
    num_passes = 0
    for _, point in case["moves"]:
        if point != "pass" and num_passes >= 2:
            return "a stone after two passes in a row"
        num_passes = num_passes + 1 if point == "pass" else 0
    return None


def game_of(case: Case) -> go.Go:
    """The game by the case's rules; komi is data of the state, so that fewer games are compiled for."""
    return _game(
        case["size"][0],
        case["rules"]["ko"].lower(),
        case["rules"]["multi_stone_suicide"],
        case["rules"]["tax"].lower(),
    )


@cache
def _game(size: int, ko: Any, suicide: bool, tax: Any) -> go.Go:
    """The game by those rules and KataGo's area."""
    rules = go.Rules(size, komi=0, ko=ko, suicide=suicide, scoring="area-pass-dead", tax=tax, max_moves=MAX_MOVES)
    return go.Go(rules)


def state_of(case: Case, moves: list[Any] | None = None) -> go.GoState:
    """The position after the case's moves, or after `moves`."""
    game = game_of(case)
    komi = case["rules"]["komi"] + handicap_bonus(case)
    first = COLOUR_NAMES[case.get("first_player") or case["to_play"]]
    state = go.from_text(game.rules, "\n".join(case["board"]), to_play=first, komi=komi)
    for colour, point in case["moves"] if moves is None else moves:
        state = play(game, go.with_to_play(state, COLOUR_NAMES[colour]), point)
    return go.with_to_play(state, COLOUR_NAMES[case["next_player"]]) if moves is None else state


def play(game: go.Go, state: go.GoState, point: list[int] | str) -> go.GoState:
    """The position after a move at [column, row] or "pass", which must be legal; a pass is so after the end too."""
    size = game.rules.size
    if isinstance(point, str):
        passed = step(game, state._replace(passes=jnp.int32(0)), jnp.int32(size * size))
        return passed._replace(passes=state.passes + 1)
    after = step(game, state, jnp.int32(point[1] * size + point[0]))
    assert int(after.num_moves) == int(state.num_moves) + 1, point
    return after


def handicap_bonus(case: Case) -> int:
    """Points for White: as many as stones that Black is ahead at the start, or one less, or none.

    The stones are those of a start without white ones, and where the case says so the black moves before any white one.
    """
    rule, stones = case["rules"]["white_handicap_bonus"], "".join(case["board"])
    num_stones = 0 if "O" in stones else stones.count("X")
    if case.get("params", {}).get("multiple_initial_black_moves_are_handicap"):
        colours = [colour for colour, _ in case["moves"]] + ["O"]
        num_stones += colours.index("O") if "O" not in stones else 0
    return 0 if rule == "0" or num_stones < 2 else num_stones - (rule == "N-1")


def history_options_of(case: Case) -> dict[str, bool]:
    """The encoder's options about passes that the case speaks of."""
    params = case.get("params", {})
    return {
        "conservative_pass": params.get("conservative_pass_and_is_root", False),
        "passing_hacks": params.get("enable_passing_hacks", False),
        "friendly_pass_ok": case["rules"]["friendly_pass_ok"],
    }


BATCH = 16  # positions that the ladder planes are asked of at once, always, so that one program a size is compiled
LADDER_PLANES = (14, 15, 16, 17)
OTHER_PLANES = tuple(number for number in range(22) if number not in LADDER_PLANES)


@cache
def planes_of(game: go.Go, numbers: tuple[int, ...], **options: Any) -> Any:
    """A jitted state -> (those planes of `katago22` by number, its globals), without ladders."""
    encoder = encoders.get("katago22", ladders=False, **options)

    def encode(state: go.GoState) -> tuple[dict[int, Any], Any]:
        planes = encoder.encode(game, state)
        return {number: planes[..., number] for number in numbers}, encoder.encode_globals(game, state)

    return jax.jit(encode)


@cache
def globals_of(game: go.Go, **options: Any) -> Any:
    """A jitted state -> the globals of `katago22`."""
    encoder = encoders.get("katago22", **options)
    return jax.jit(lambda state: encoder.encode_globals(game, state))


@cache
def _encode_batch(size: int) -> Any:
    """A jitted (BATCH positions without superko history) -> all planes."""
    encoder, game = encoders.get("katago22"), _plain_game(size)
    return jax.jit(jax.vmap(lambda state: encoder.encode(game, state)))


@cache
def _plain_game(size: int) -> go.Go:
    """The game that ladders are read for: they are the same under all rules."""
    return go.Go(go.Rules(size, komi=0, ko="simple", max_moves=MAX_MOVES))


def encode_all(states: list[go.GoState]) -> np.ndarray:
    """All planes of at most BATCH positions of one size, planes last, under simple ko."""
    plain = [state._replace(history=jnp.zeros((3, 0), jnp.uint32), history_length=jnp.int32(0)) for state in states]
    filled = plain + plain[:1] * (BATCH - len(plain))
    batch = jax.tree.map(lambda *leaves: jnp.stack(leaves), *filled)
    return np.asarray(_encode_batch(go.board(states[0]).shape[0])(batch))[: len(states)]


def plane_of(rows: list[str]) -> np.ndarray:
    """The plane that rows of 0 and 1 draw."""
    return np.array([[symbol == "1" for symbol in row] for row in rows])


@cache
def past_of(game: go.Go, **options: bool) -> Any:
    """A jitted state -> the moves that are shown; the planes 9 to 13 and the globals 0 to 4 are drawn from it."""
    config = HistoryConfig(**options)
    return jax.jit(lambda state: shown_past(game, state, config).moves)


def history_seen(moves: Any, size: int) -> list[Any]:
    """The last five moves, newest first, as points or "pass"; None: not shown."""
    seen = []
    for move in np.asarray(moves).tolist():
        row, column = divmod(move, size)
        seen.append(None if move == NO_MOVE else "pass" if move == size * size else [column, row])
    return seen
