"""How much of the past `katago22` shows: none where a pass would end the game and the caller plays on regardless.

The idea: a network that saw two passes coming would judge the position as finished. KataGo hides the last moves from
it where the searcher means to treat a pass as no end: at the root of a conservative search, under friendly passes, or,
under passing hacks, where the end would be no win for the player to move. Once the game is over only its last move is
shown. Moves are shown as long as the colours alternate, the last being the opponent's.

KataGo's rules end a phase also when a player passes in the situation of an earlier pass of his; here, as in
research.go, two passes in a row end the game, and its length, and nothing else does.

*Source:* KataGo 1.17.2, NNInputs::fillRowV7 and BoardHistory::shouldSuppressEndGameFromFriendlyPass, as facts.
"""

from dataclasses import dataclass
from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int16, Int32

from research.go import Go, GoState
from research.go.state import NO_MOVE

MAX_HISTORY = 5  # turns


@dataclass(frozen=True)
class HistoryConfig:
    """What the searcher makes of passes; by default the past is shown as it was."""

    max_history: int = MAX_HISTORY  # turns shown at most, 0..5
    conservative_pass: bool = False  # a pass here is not believed to end the game, whoever wins
    friendly_pass_ok: bool = False  # the pass that would end the game is not treated as its end
    passing_hacks: bool = False  # nor is a pass that would not win the game for the player to move

    def __post_init__(self) -> None:
        """Refuse what has no meaning; *Raises:* ValueError that names field, value and what is allowed."""
        is_count = isinstance(self.max_history, int) and not isinstance(self.max_history, bool)
        if not is_count or not 0 <= self.max_history <= MAX_HISTORY:
            raise ValueError(f"max_history={self.max_history!r}: allowed is a whole number from 0 to {MAX_HISTORY}")
        for field in ("conservative_pass", "friendly_pass_ok", "passing_hacks"):
            if not isinstance(getattr(self, field), bool):
                raise ValueError(f"{field}={getattr(self, field)!r}: allowed is True or False")


class Past(NamedTuple):
    """The turns that are shown."""

    moves: Int16[Array, "5"]  # actions, newest first; NO_MOVE from the first that is not shown on
    num_turns: Int32[Array, ""]  # how many are shown
    pass_ends: Bool[Array, ""]  # a pass would end the game, and is believed to


def shown_past(game: Go, state: GoState, config: HistoryConfig) -> Past:
    """What the network sees of the moves before `state`."""
    would_end = state.passes >= 1
    is_hidden = would_end & _is_disbelieved(game, state, config)
    limit = jnp.where(is_hidden, 0, jnp.where(game.is_over(state), 1, MAX_HISTORY))
    limit = jnp.minimum(limit, config.max_history)
    # Counted so that the loop over five bits is five selects: each turn is shown if all newer ones are.
    num_turns = jnp.int32(0)
    for turn in range(MAX_HISTORY):
        player = state.recent_players >> turn & 1
        is_alternating = player == (state.to_play + turn + 1) % 2
        is_shown = is_alternating & (state.recent_moves[turn] != NO_MOVE) & (turn < limit)
        num_turns = num_turns + (is_shown & (num_turns == turn))
    is_shown = jnp.arange(MAX_HISTORY) < num_turns
    moves = jnp.where(is_shown, state.recent_moves[:MAX_HISTORY], jnp.int16(NO_MOVE))
    return Past(moves=moves, num_turns=num_turns, pass_ends=would_end & ~is_hidden)


def _is_disbelieved(game: Go, state: GoState, config: HistoryConfig) -> Bool[Array, ""]:
    """Whether the searcher plays on after a pass that ends the game by the rules."""
    if config.conservative_pass:
        return jnp.bool_(True)
    is_disbelieved = jnp.bool_(False)
    if config.friendly_pass_ok:
        is_disbelieved = is_disbelieved | (state.passes == 1)
    if config.passing_hacks:
        own_score = game.score(state) * (1 - 2 * game.to_play(state))
        is_disbelieved = is_disbelieved | (own_score <= 0)
    return is_disbelieved
