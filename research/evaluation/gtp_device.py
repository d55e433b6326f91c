"""A controller's game on the device, move by move: what a search is asked about.

One compiled step serves games of any length, and the state of the latest question is kept, so that the next question
costs the moves that have come since. A controller's game is freer than the device's: the colour that plays is turned to
first, and two passes in a row are forgotten when somebody plays on. Nothing here decides what is legal (gtp_game.py
does); if the device refuses a move all the same, since rules were changed in the middle of a game to some that forbid
how it came here, the position is set up without its past.

*Source:* own design.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float32, Int32

from research.evaluation.gtp_game import HostGame, Record
from research.go import coords
from research.go.game import Go
from research.go.rules import Rules
from research.go.state import GoState, with_to_play
from research.go.text import from_text, plain_text

_PLAYER = {"black": 0, "white": 1}


def device_rules(game: HostGame) -> Rules:
    """The device's rules for a game of the host's: no last move in sight, territory played as area, komi as data."""
    max_moves = 4 * game.size**2
    while max_moves < game.num_moves + game.size**2:
        max_moves *= 2
    rules = game.rules
    is_territory = rules.scoring == "territory"
    return Rules(
        size=game.size,
        komi=0.0,
        ko=rules.ko,
        suicide=rules.suicide,
        scoring="area" if is_territory else rules.scoring,
        tax="none" if is_territory else rules.tax,
        max_moves=max_moves,
    )


class DeviceGame:
    """Positions of games by the same rules."""

    def __init__(self, rules: Rules):
        """Nothing is compiled yet."""
        self.game = Go(rules)
        self._step = jax.jit(self._turn_and_step)
        self._ask = jax.jit(self._as_question, static_argnames="goes_on")
        self._kept: tuple[Record, GoState] | None = None

    def states(self, host: HostGame, colour: str, komi: float, goes_on: bool = True) -> GoState:
        """The host's position with `colour` to move and so many points for White, as a batch of one.

        After two passes the game goes on, unless `goes_on` is false.
        """
        state = self._follow(host)
        return self._ask(state, jnp.int32(_PLAYER[colour]), jnp.float32(komi), goes_on=goes_on)

    def states_after(self, host: HostGame, colour: str, komi: float, action: int) -> GoState:
        """The position after one more move, by `colour`, with the opponent to move, as a batch of one."""
        player = _PLAYER[colour]
        state = self._step(self._follow(host), jnp.int32(action), jnp.int32(player))
        return self._ask(state, jnp.int32(1 - player), jnp.float32(komi), goes_on=True)

    def compile_set_up(self) -> None:
        """Compile what positions with stones at the start need."""
        from_text(self.game.rules, plain_text(np.zeros((self.game.rules.size,) * 2, np.int8)))

    def _follow(self, host: HostGame) -> GoState:
        record, rules = host.record, self.game.rules
        kept, state, num_done = self._kept, None, 0
        if kept is not None and kept[0] == record._replace(moves=record.moves[: len(kept[0].moves)]):
            state, num_done = kept[1], len(kept[0].moves)
        if state is None:
            state = self._first_state(HostGame(host.rules, record._replace(moves=())), record.first_player)
        for colour, point in record.moves[num_done:]:
            action = coords.action_from_point(point, rules.size)
            state = self._step(state, jnp.int32(action), jnp.int32(_PLAYER[colour]))
        num_accepted = int(state.num_moves)
        if num_accepted != len(record.moves):
            return self._first_state(host, host.to_play)
        self._kept = (record, state)
        return state

    def _first_state(self, host: HostGame, colour: str) -> GoState:
        """The stones as they stand, without a past."""
        stones = host.stones()
        if not stones.any() and colour == "black":
            return self.game.init()
        return from_text(self.game.rules, plain_text(stones), _PLAYER[colour])

    def _turn_and_step(self, state: GoState, action: Int32[Array, ""], player: Int32[Array, ""]) -> GoState:
        turned = with_to_play(state, player)
        passes = jnp.where(state.passes >= 2, 0, state.passes)
        return self.game.step(turned._replace(passes=passes), action)

    def _as_question(
        self, state: GoState, player: Int32[Array, ""], komi: Float32[Array, ""], goes_on: bool
    ) -> GoState:
        turned = with_to_play(state, player)
        passes = jnp.where(goes_on & (state.passes >= 2), 0, state.passes)
        return jax.tree.map(lambda leaf: leaf[None], turned._replace(passes=passes, komi=komi))
