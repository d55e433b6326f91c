"""Show what a network would see: `python -m experiments.show_planes --encoder alphago48 --sgf game.sgf --move 60`.

The position is that after so many moves of a record, or after `--moves "D4 Q16 pass"` on an empty board. Printed are
the board and every plane under its name; OUTPUT.txt holds the same, OUTPUT.png the planes as pictures. In a notebook
`research.visualise.planes.planes_figure(encoder.encode(game, state), encoder.plane_names)` draws the picture.
"""

import dataclasses
import sys
from pathlib import Path

import jax
import numpy as np

from experiments.command_line import run_command
from experiments.record_view import chosen_record
from research import go
from research.encoders import Encoder
from research.encoders.option_words import encoder_with
from research.go import coords
from research.go.state import PLAYERS, board_size
from research.interop import sgf as records
from research.training.files import write_atomically
from research.visualise.planes import planes_figure, planes_text
from research.visualise.plots import to_png


def show(
    encoder: str = "agz17",
    sgf: Path | None = None,
    move: int | None = None,
    game: int = 1,
    moves: str = "",
    size: int = 19,
    options: tuple[str, ...] = (),
    planes: tuple[int, ...] = (),
    output: Path | None = None,
) -> None:
    """Print a position's planes and write them as text and as a picture.

    Args:
        encoder: its name in the registry.
        sgf: a record; of a file or folder with several games, `game` says which.
        move: moves of the record to play, all by default.
        game: which game of the file, from 1.
        moves: without a record, the moves from the empty board, Black first, as in "D4 Q16 pass".
        size: without a record, points a side.
        options: the encoder's options, as in `ladder_ko=plain value_plane=True`.
        planes: numbers of the planes to show, all by default.
        output: path and name of the files, without ending; by default ENCODER-SGF-MOVE in this folder.

    """
    chosen = encoder_with(encoder, options)
    if sgf is None:
        board_game, state = after_moves(moves, size)
        source = "moves"
    else:
        board_game, state = after_record(sgf, game, move)
        source = sgf.stem
    position = position_text(state)
    text, picture = draw(chosen, board_game, state, planes, position.splitlines()[0])
    print(f"{position}\n{text}", end="")
    stem = output or Path(f"{encoder}-{source}-{int(state.num_moves)}")
    write_atomically(stem.with_name(f"{stem.name}.txt"), f"{position}\n{text}")
    write_atomically(stem.with_name(f"{stem.name}.png"), picture)
    print(f"\nwritten: {stem}.txt and {stem}.png")


def after_moves(moves: str, size: int) -> tuple[go.Go, go.GoState]:
    """The game, and the position after `moves` ("D4 Q16 pass") on an empty board, Black first.

    *Raises:* ValueError for a move that is none, or illegal (simple ko).
    """
    rules = go.Rules(size=size, ko="simple")
    actions = [coords.action_from_gtp(vertex, size) for vertex in moves.split()]
    game = go.Go(dataclasses.replace(rules, max_moves=max(rules.num_moves_allowed, len(actions) + 1)))
    return game, records.replay(game, records.from_actions(actions, rules))


def after_record(path: Path, number: int, num_moves: int | None) -> tuple[go.Go, go.GoState]:
    """The game, and the position after `num_moves` moves of game `number` (from 1) of a record; None: all moves.

    *Raises:* FileNotFoundError, ValueError (SgfError is one) if there is no such file, game or move.
    """
    record = chosen_record(path, number)
    game = go.Go(records.rules_of(record))
    return game, records.replay(game, record, num_moves)


def position_text(state: go.GoState) -> str:
    """What is to be seen: move number, last move, player to move, and the board with coordinates."""
    last = int(state.recent_moves[0])
    played = f", the last {coords.gtp_from_action(last, board_size(state))}" if last >= 0 else ""
    to_play = PLAYERS[int(state.to_play)].capitalize()
    return f"After {int(state.num_moves)} moves{played}; {to_play} to move.\n\n{go.to_text(state)}\n"


def draw(encoder: Encoder, game: go.Go, state: go.GoState, chosen: tuple[int, ...], title: str) -> tuple[str, bytes]:
    """(Planes and globals as text, the planes as PNG) of the `chosen` planes, all if none is.

    *Raises:* ValueError for a number that no plane has.
    """
    wrong = [index for index in chosen if not 0 <= index < encoder.num_planes]
    if wrong:
        raise ValueError(f"there is no plane {wrong[0]}; {encoder.name} has planes 0 to {encoder.num_planes - 1}")
    numbers = chosen or tuple(range(encoder.num_planes))
    names = [encoder.plane_names[number] for number in numbers]
    values = np.asarray(jax.jit(encoder.encode, static_argnums=0)(game, state))[..., list(numbers)]
    text = planes_text(values, names, numbers)
    if encoder.global_names:
        inputs = np.asarray(jax.jit(encoder.encode_globals, static_argnums=0)(game, state)).tolist()
        lines = [f"{value:>8.3f}  {name}" for name, value in zip(encoder.global_names, inputs, strict=True)]
        text += "\n" + "\n".join(["globals", *lines]) + "\n"
    return text, to_png(planes_figure(values, names, f"{encoder.name}. {title}", numbers))


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 when the planes were shown, 2 for a wrong call."""
    return run_command(show, "show_planes", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
