"""The nineteen globals of `katago22`: passes among the last moves, komi, rules, and what a pass would do.

The idea: what belongs to no point goes beside the planes. Komi is seen by the player to move: what he is given, so
positive for White. A drawn game may be worth other than half a win to White (`draw_weight`); where the result can be a
draw that shifts the komi by the difference.

The parity wave tells whether the last half point matters. Under area rules the difference of the areas has the parity
of the board's points, if nothing is left neutral, so every second whole komi can give a draw; the wave is zero at those
and halfway between, rises to a half above a drawable komi and falls to minus a half below one.

*Source:* KataGo 1.17.2, NNInputs::fillRowV7, as facts; Wu, "Accelerating Self-Play Learning in Go" (2019), appendix A.
"""

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Float32, Int32

from research.encoders.katago_history import MAX_HISTORY, Past
from research.go import Go, GoState
from research.go.rules import KOMI_MARGIN, Rules

GLOBAL_NAMES = (
    *(f"the move {turn} turns ago was a pass" for turn in range(1, MAX_HISTORY + 1)),
    "komi for the player to move / 20",
    "superko",
    "superko: +0.5 positional, -0.5 situational",
    "suicide of two stones or more is legal",
    "territory scoring (0)",
    "tax on seki",
    "tax on groups",
    "clean-up phase (0)",
    "second clean-up phase (0)",
    "a pass would end the game",
    "playout doubling advantage: is there one",
    "playout doubling advantage / 2",
    "button (0)",
    "komi parity wave",
)

KOMI_UNIT = 20.0  # points
MAX_ADVANTAGE = 3.0  # doublings, the range of KataGo's own setting
_KO_GLOBALS = {"simple": (0.0, 0.0), "positional": (1.0, 0.5), "situational": (1.0, -0.5)}


@dataclass(frozen=True)
class GlobalConfig:
    """What the globals depend on beside the position, the rules and the moves that are shown."""

    draw_weight: float | int = 0.5  # wins that a draw is worth to White, 0..1
    playout_doubling_advantage: float | int = (
        0.0  # of the player to move: doublings of his playouts over the opponent's
    )

    def __post_init__(self) -> None:
        """Refuse what has no meaning; *Raises:* ValueError that names field, value and what is allowed."""
        for field, low, high in (
            ("draw_weight", 0.0, 1.0),
            ("playout_doubling_advantage", -MAX_ADVANTAGE, MAX_ADVANTAGE),
        ):
            value = getattr(self, field)
            if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
                raise ValueError(f"{field}={value!r}: allowed is a number from {low} to {high}")


def draw_globals(game: Go, state: GoState, past: Past, config: GlobalConfig) -> Float32[Array, "19"]:
    """The globals of one position, in the order of GLOBAL_NAMES."""
    rules = game.rules
    komi = own_komi(rules, state.komi, state.to_play, config.draw_weight)
    passes = (past.moves == rules.size * rules.size).astype(jnp.float32)
    before_pass = (*_KO_GLOBALS[rules.ko], rules.suicide, 0.0, rules.tax != "none", rules.tax == "all", 0.0, 0.0)
    advantage = config.playout_doubling_advantage
    after_pass = (advantage != 0, 0.5 * advantage, 0.0)
    return jnp.concatenate(
        [
            passes,
            (komi / KOMI_UNIT)[None],
            jnp.array(before_pass, jnp.float32),
            past.pass_ends.astype(jnp.float32)[None],
            jnp.array(after_pass, jnp.float32),
            parity_wave(rules.size, komi)[None],
        ]
    )


def own_komi(
    rules: Rules, komi: Float32[Array, ""], to_play: Int32[Array, ""], draw_weight: float
) -> Float32[Array, ""]:
    """Points that the player to move is given, clipped to the board's area and 20 more.

    `draw_weight`: wins that a draw is worth to White, 0..1.
    """
    is_whole = komi == jnp.round(komi)
    komi = komi + jnp.where(is_whole, jnp.float32(draw_weight - 0.5), jnp.float32(0))
    limit = float(rules.size * rules.size + KOMI_MARGIN)
    return jnp.clip(komi * (2 * to_play - 1), -limit, limit)


def parity_wave(size: int, own_komi: Float32[Array, ""]) -> Float32[Array, ""]:
    """The wave, -0.5..0.5; zero at komis that can give a draw."""
    parity = size % 2
    drawable = jnp.floor((own_komi - parity) / 2) * 2 + parity
    above = jnp.clip(own_komi - drawable, 0, 2)
    return jnp.where(above < 0.5, above, jnp.where(above < 1.5, 1 - above, above - 2))
