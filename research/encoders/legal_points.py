"""Where a stone may be played, as the planes of the encoders mean it: by the rules of the board alone.

A point is legal if it is empty, not banned by ko (or by superko where the rules say so), and no suicide (unless the
rules allow it). That a game is over takes nothing away: the planes of a position do not depend on how it came to stop.

Some planes ask what the opponent could play if it were his turn. There is no ban for him then, neither of ko, which is
for one player and one move, nor of superko, which a move out of turn knows nothing of.

A node of a search tree carries the situations of its own path only, so there superko bans what repeats one of those.

*Source:* own reading of the published tables, which say "legal" and no more.
"""

from jaxtyping import Array, Bool

from research.go import Go, GoState, superko
from research.go import grid as grids
from research.go.legality import legal_points
from research.go.state import History, with_to_play


def own_legal_points(game: Go, state: GoState) -> Bool[Array, "size size"]:
    """Where the player to move may play a stone, whether or not the game is over."""
    return grids.to_points(game.grid, own_legal_band(game, state))


def own_legal_band(game: Go, state: GoState) -> Bool[Array, " band"]:
    """`own_legal_points` in the layout of grid.py's band."""
    legal = legal_points(game.grid, game.rules, state)
    if game.has_superko and state.history.shape[1]:
        history = History(state.history, state.history_length)
        legal = superko.without_repeats(game.grid, game.rules, state, legal, (history,))
    return legal


def opponent_legal_points(game: Go, state: GoState) -> Bool[Array, "size size"]:
    """Where the opponent could play a stone if he were to move; bans of ko and superko do not count."""
    return grids.to_points(game.grid, opponent_legal_band(game, state))


def opponent_legal_band(game: Go, state: GoState) -> Bool[Array, " band"]:
    """`opponent_legal_points` in the layout of grid.py's band."""
    return legal_points(game.grid, game.rules, with_to_play(state, 1 - state.to_play))
