"""What a KataGo network says of a position, and what it is, in words and as a picture."""

import jax
import numpy as np

from research import go
from research.go import coords
from research.go.state import PLAYERS
from research.networks import katago
from research.networks.katago import Evaluation
from research.visualise.svg import board_svg

NUM_BEST = 8  # moves that are printed


def text_of(state: go.GoState, found: Evaluation) -> str:
    """The board, who wins and by how much, the best moves, who owns what."""
    size, player = go.board(state).shape[0], PLAYERS[int(state.to_play)].capitalize()
    best = np.argsort(-found.policy)[:NUM_BEST]
    moves = ", ".join(f"{coords.gtp_from_action(int(action), size)} {found.policy[action]:.1%}" for action in best)
    owned = np.asarray(found.ownership) * (1 if player == "Black" else -1)
    rows = [" ".join(f"{round(9 * float(number)):3d}" for number in row) for row in owned]
    return "\n".join(
        [
            f"{go.to_text(state)}",
            f"{player} to move wins {float(found.win):.1%}, loses {float(found.loss):.1%}; "
            f"leads by {float(found.lead):+.1f}, would end at {float(found.score_mean):+.1f} points",
            f"policy: {moves}",
            "ownership, from 9 (Black's) to -9 (White's):",
            *rows,
        ]
    )


def picture_of(state: go.GoState, found: Evaluation) -> str:
    """The position with policy and ownership."""
    size, sign = go.board(state).shape[0], 1 - 2 * int(state.to_play)
    last = int(state.recent_moves[0])
    return board_svg(
        go.board(state),
        last_move=last if last >= 0 else None,
        heat=found.policy[:-1].reshape(size, size),
        ownership=sign * np.asarray(found.ownership),
        caption=f"{PLAYERS[int(state.to_play)].capitalize()} to move wins {float(found.win):.1%}",
    )


def summary_of(file: katago.KataGoFile) -> str:
    """One line about a network."""
    described = file.description
    num_parameters = sum(leaf.size for leaf in jax.tree.leaves(file.variables["params"]))
    return (
        f"{described.name}, version {described.version}, {described.trunk.num_blocks} blocks, "
        f"{described.trunk.num_channels} channels, {num_parameters:,} parameters"
    )
