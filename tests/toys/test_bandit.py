"""The bandit: one pull, and the payoff of that arm is the score."""

import jax.numpy as jnp
import pytest

from research.toys import Bandit, BanditRules

GAME = Bandit(BanditRules(payoffs=(-0.5, 2.0, 0.0, 0.25)))


@pytest.mark.parametrize(("arm", "score", "outcome"), [(0, -0.5, -1.0), (1, 2.0, 1.0), (2, 0.0, 0.0), (3, 0.25, 1.0)])
def test_the_pulled_arm_pays_and_its_sign_is_the_outcome(arm: int, score: float, outcome: float) -> None:
    start = GAME.init()
    end = GAME.step(start, jnp.int32(arm))
    assert (bool(GAME.is_over(start)), bool(GAME.is_over(end))) == (False, True)
    assert (float(GAME.score(start)), float(GAME.outcome(start))) == (0.0, 0.0)
    assert (float(GAME.score(end)), float(GAME.outcome(end))) == (score, outcome)
    assert (int(GAME.to_play(start)), int(GAME.to_play(end))) == (0, 1)


def test_there_is_one_pull_and_no_arm_beyond_the_last() -> None:
    start = GAME.init()
    assert GAME.step(start, jnp.int32(4)) == start
    assert GAME.step(start, jnp.int32(-1)) == start
    end = GAME.step(start, jnp.int32(2))
    assert GAME.step(end, jnp.int32(1)) == end


@pytest.mark.parametrize("payoffs", [(1.0,), (1.0, float("nan"))])
def test_payoffs_that_make_no_game_are_named(payoffs: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"payoffs is .*two or more finite numbers"):
        BanditRules(payoffs=payoffs)
