"""A finished game to look at: its moves and last position as text, its positions one after the other as a picture.

The idea: the arena and self-play keep actions alone, since a game is its moves; `replay` plays them again and keeps
every board, and text and picture are made from that.

*Source:* own design.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Int8, Int32

from research.game import Game, State
from research.go import coords, to_text
from research.visualise import overlays, svg
from research.visualise.drawing import Svg, document, moved, text_at
from research.visualise.empty_board import board_width, empty_board

MOVES_A_LINE = 8  # of the text
NUM_COLUMNS = 6  # boards side by side in the picture
MAX_BOARDS = 48  # of the picture; a longer game shows positions evenly spaced over it
PICTURE_WIDTH = 1080.0  # user units
CAPTION_HEIGHT = 26.0  # user units, under each board

_COLOURS = ("Black", "White")


class GameRecord(NamedTuple):
    """A game, move by move, on the host."""

    boards: Int8[np.ndarray, "positions size size"]  # before the first move, then after each one
    actions: Int32[np.ndarray, " plies"]  # one fewer than the boards
    players: Int32[np.ndarray, " plies"]  # who played each: 0 Black, 1 White
    score: float  # Black's points minus White's at the end, komi included
    outcome: float  # +1 Black won, -1 White won, 0 drawn or not over
    is_over: bool  # whether the game was played to its end


def replay(
    game: Game,
    actions: Int[Array | np.ndarray, " plies"],
    draw_board: Callable[[State], Int8[Array, "size size"]],
) -> GameRecord:
    """The game of these actions from the start, -1 after its end; `draw_board` is `go.board` for Go."""
    moves = np.asarray(actions, np.int32)
    moves = moves[: int((moves >= 0).sum())]

    def play(state: State, action: Int32[Array, ""]) -> tuple[State, tuple[Array, Array]]:
        after = game.step(state, action)
        return after, (game.to_play(state), draw_board(after))

    def play_all(moves: Int32[Array, " plies"]) -> tuple[Array, ...]:
        start = game.init()
        end, (players, boards) = jax.lax.scan(play, start, moves)
        boards = jnp.concatenate([draw_board(start)[None], boards])
        return boards, players, game.score(end), game.outcome(end), game.is_over(end)

    boards, players, score, outcome, is_over = jax.device_get(jax.jit(play_all)(moves))
    return GameRecord(boards, moves, players, float(score), float(outcome), bool(is_over))


def result_text(record: GameRecord) -> str:
    """Who won, in words."""
    if not record.is_over:
        return "not played to the end"
    if record.outcome == 0:
        return "a draw"
    return f"{_COLOURS[0] if record.outcome > 0 else _COLOURS[1]} wins by {abs(record.score):g}"


def game_text(record: GameRecord) -> str:
    """The result, the moves in order, and the last position with its coordinates."""
    size = record.boards.shape[1]
    moves = [
        f"{ply + 1:>3} {_COLOURS[player][0]} {coords.gtp_from_action(action, size):<4}"
        for ply, (action, player) in enumerate(zip(record.actions.tolist(), record.players.tolist(), strict=True))
    ]
    lines = ["  ".join(moves[start : start + MOVES_A_LINE]).rstrip() for start in range(0, len(moves), MOVES_A_LINE)]
    heading = f"{size}x{size}, {len(moves)} moves: {result_text(record)}"
    last_move = coords.point_from_action(int(record.actions[-1]), size) if moves else None
    return "\n".join([heading, "", *lines, "", to_text(record.boards[-1], last_move)]) + "\n"


def game_svg(record: GameRecord) -> Svg:
    """The positions of the game, row by row, as the text of an SVG file; each last stone has a ring and a caption."""
    size = record.boards.shape[1]
    plies = _shown_plies(len(record.actions))
    num_columns = min(NUM_COLUMNS, max(1, len(plies)))
    cell = PICTURE_WIDTH / num_columns
    width = board_width(size)
    scale = 0.95 * cell / width
    # Drawn once and repeated by reference: the wood is most of a board's text.
    parts = ["<defs>", '<g id="empty-board">', *empty_board(size, size), "</g>", "</defs>"]
    for index, ply in enumerate(plies):
        action, player = int(record.actions[ply - 1]), int(record.players[ply - 1])
        stones = record.boards[ply]
        board = ['<use href="#empty-board"/>', *svg.stone_parts(stones), *overlays.last_move_ring(stones, action, {})]
        row, column = divmod(index, num_columns)
        y = row * (cell + CAPTION_HEIGHT)
        parts += moved(board, (column + 0.025) * cell, y, scale)
        caption = f"{ply}. {_COLOURS[player]} {coords.gtp_from_action(action, size)}"
        parts.append(text_at((column + 0.5) * cell, y + cell + 0.3 * CAPTION_HEIGHT, caption, 14, "caption"))
    height = math.ceil(len(plies) / num_columns) * (cell + CAPTION_HEIGHT)
    return document(f"{size}x{size}: {result_text(record)}", PICTURE_WIDTH, max(height, 1.0), parts)


def numbered_svg(record: GameRecord, first: int = 1, last: int | None = None, title: str | None = None) -> Svg:
    """Moves `first` to `last` (from 1; None: all) as numbers on one board, as printed game records show them.

    Below are the stones as they stood before move `first`. A stone that was captured since stays in the picture, and
    a move on its point is told under the board, as is a pass: "12 at D4".

    *Raises:* ValueError if there are no such moves.
    """
    num_moves = len(record.actions)
    last = num_moves if last is None else last
    if not 1 <= first <= last + 1 or last > num_moves:
        raise ValueError(f"moves {first} to {last} were asked for; the game has moves 1 to {num_moves}")
    stones = np.array(record.boards[first - 1])
    size, marks, notes = len(stones), dict[int, str](), list[str]()
    for ply in range(first, last + 1):
        action, player = int(record.actions[ply - 1]), int(record.players[ply - 1])
        if action == size * size:
            notes.append(f"{ply} pass")
        elif stones.flat[action]:
            notes.append(f"{ply} at {coords.gtp_from_action(action, size)}")
        else:
            stones.flat[action] = player + 1
            marks[action] = str(ply)
    return svg.board_svg(stones, marks=marks, title=title or f"Moves {first} to {last}", caption=", ".join(notes))


def _shown_plies(num_moves: int) -> list[int]:
    """Numbers of the moves after which the position is shown; the last one always is."""
    if num_moves <= MAX_BOARDS:
        return list(range(1, num_moves + 1))
    return [math.ceil(num_moves * (index + 1) / MAX_BOARDS) for index in range(MAX_BOARDS)]
