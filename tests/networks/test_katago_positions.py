"""From positions to a network's opinion: what is read, what a search is told, and that what tests keep is current.

*Source:* none.
"""

from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from katago_inputs import game_of, state_of
from networks.katago_networks import made_up
from networks.test_katago_outputs import CASES, POSITIONS, inputs_of

from research import go
from research.evaluation.gtp_rules import rule_set_named
from research.go.coords import action_from_gtp
from research.networks.katago import KataGoNetwork, encoder_for, evaluate, make_katago_evaluate, make_read

SIZE = 3


@pytest.mark.slow
def test_a_search_is_told_the_evaluation_of_the_board_as_it_lies() -> None:
    game = go.Go(go.Rules(SIZE, komi=0.5, ko="simple"))
    network, variables = KataGoNetwork(made_up(14).description), made_up(14).variables
    encoder = encoder_for(network, ladders=False)
    states = go.from_text(game.rules, ".X.\n.XO\n...", to_play="white")
    batch = jax.tree.map(lambda leaf: leaf[None], states)
    read = jax.jit(make_read(game, encoder, side=5))
    inputs = read(batch)
    assert inputs.planes.shape == (1, 5, 5, 22)
    assert bool(inputs.may_be_void[0])
    assert np.asarray(inputs.legal[0, :-1]).reshape(5, 5)[:SIZE, :SIZE].tolist() == [
        [True, False, True],
        [True, False, False],
        [True, True, True],
    ]
    assert int(inputs.legal.sum()) == 7, "six points and the pass"
    found = jax.jit(partial(evaluate, network))(variables, inputs, jnp.zeros(1, jnp.int32))
    prediction = jax.jit(make_katago_evaluate(game, network, encoder))(variables, batch)
    np.testing.assert_allclose(prediction.value, found.win - found.loss, atol=1e-5)
    np.testing.assert_allclose(prediction.ownership[0], found.ownership[0, :SIZE, :SIZE], atol=1e-5)
    legal = game.legal_actions(states)
    told = jax.nn.softmax(jnp.where(legal, prediction.policy_logits[0], -jnp.inf))
    points = np.asarray(found.policy[0, :-1]).reshape(5, 5)[:SIZE, :SIZE].ravel()
    np.testing.assert_allclose(told, [*points, found.policy[0, -1]], atol=1e-5)


def test_a_board_that_does_not_fit_is_refused() -> None:
    network = KataGoNetwork(made_up().description)
    with pytest.raises(ValueError, match="side is 7; allowed is 9, the size of the board, or more"):
        make_read(go.Go(go.Rules(9)), encoder_for(network), side=7)


def test_other_planes_are_refused() -> None:
    network = KataGoNetwork(made_up().description)
    with pytest.raises(ValueError, match="got 17 planes and 19 globals; this network reads 22 planes and 19 globals"):
        network.apply(made_up().variables, jnp.zeros((1, 5, 5, 17)), jnp.zeros((1, 19)))


@pytest.mark.slow
@pytest.mark.parametrize("kept", CASES, ids=lambda kept: kept["id"].split("/")[1])
def test_the_inputs_of_evaluations_are_what_katago22_draws(kept: dict) -> None:
    case = kept["case"] | {"size": [kept["size"]] * 2}
    options = {"max_history": case["max_history"], "friendly_pass_ok": case["rules"]["friendly_pass_ok"]}
    assert_as_drawn(kept, game_of(case), state_of(case), options)


@pytest.mark.slow
@pytest.mark.parametrize("kept", POSITIONS.values(), ids=lambda kept: kept["id"])
def test_the_inputs_of_raw_evaluations_are_what_katago22_draws(kept: dict) -> None:
    rule_set, size = rule_set_named(kept["rules"]), kept["size"]
    rules = rule_set.sized(size)
    game = go.Go(go.Rules(size, komi=0, ko=rules.ko, suicide=rules.suicide, tax=rules.tax))
    step, state = jax.jit(game.step), game.init(komi=float(kept["komi"]))
    for vertex in kept["moves"].split()[1::2]:
        state = step(state, jnp.int32(action_from_gtp(vertex, size)))
    assert_as_drawn(kept, game, state, {"friendly_pass_ok": rule_set.is_friendly})


@cache
def reader(game: go.Go, **options: Any) -> Any:
    """What reads positions of a game, compiled once for those that share it."""
    return jax.jit(make_read(game, encoder_for(KataGoNetwork(made_up().description), **options), side=19))


def assert_as_drawn(kept: dict, game: go.Go, state: go.GoState, options: dict) -> None:
    found = reader(game, **options)(jax.tree.map(lambda leaf: leaf[None], state))
    wanted = inputs_of(kept)
    for name in found._fields:
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), atol=1e-6, err_msg=name)
    assert int(state.to_play) == ("black", "white").index(kept["to_play"])
