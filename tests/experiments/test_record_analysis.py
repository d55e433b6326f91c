"""A network sees of a record what it would have seen in play, and its value is turned to Black's side."""

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from configs import PRESETS
from experiments.record_analysis import BATCH, analyse, katago_judge, main_line, playout_judge, positions, run_judge
from experiments.record_view import view_record
from research import go
from research.go.state import NO_KO
from research.interop import sgf
from research.networks import NetworkConfig, make_network
from research.networks.katago import KataGoNetwork, encoder_for, evaluate, make_read, read_network
from research.search import make_evaluate
from research.training.errors import RunError
from research.training.trained import Trained
from research.visualise.viewer import EMPTY

NETWORKS = Path(__file__).parents[1] / "data" / "katago" / "networks"
NUM_REPLAYED = 16  # moves, the last of them the one behind two passes

# A ko at once, a pass, White twice, stones set up in the middle, moves behind two passes.
RECORD = (
    "(;SZ[5]KM[2.5]RU[Chinese];B[bb];W[cb];B[ac];W[dc];B[bd];W[cd];B[cc];W[bc](;B[ee];W[];W[ea];AB[aa][ba]AE[cb]PL[W]"
    f";W[da];B[];W[];B[de]{';W[]' * BATCH})(;B[aa]))"
)


@pytest.fixture(scope="module")
def record() -> sgf.Record:
    """The record above."""
    return sgf.parse(RECORD)[0]


@pytest.fixture(scope="module")
def trained() -> Trained:
    """A small network for 5x5 with opinions of its own."""
    config: Any = PRESETS["smoke5"]()
    game, encoder = config.make_game(), config.make_encoder()
    small = NetworkConfig(num_blocks=0, num_channels=4, num_value_units=4, output_scale=1.0)
    network = make_network(small, game.board_shape, encoder.num_planes, game.num_actions)
    return Trained(config, game, encoder, network, jax.jit(network.init)(jax.random.key(0)), 1)


def test_positions_are_those_that_replaying_the_record_gives(record: sgf.Record) -> None:
    game, view = go.Go(sgf.rules_of(record)), view_record(record)
    line = list(main_line(view))
    states = list(positions(game, view))
    assert len(states) == len(line) == 1 + len(record.moves) + 1  # the start, the moves, the set-up
    for index, (step, state) in enumerate(zip(line, states, strict=True)):
        if index + 1 < len(line) and line[index + 1].number == step.number:
            continue  # replaying goes on to the set-up behind the move
        if step.number > NUM_REPLAYED:
            break
        expected = sgf.replay(game, record, step.number)
        # Whose turn it is was set with the stones here, and changed after that there.
        expected = expected._replace(ko=jnp.int32(NO_KO)) if step.player == EMPTY and step.number else expected
        for got, wanted in zip(jax.tree.leaves(state), jax.tree.leaves(expected), strict=True):
            np.testing.assert_array_equal(got, wanted, f"after move {step.number}")


def test_values_are_blacks_and_policies_hold_legal_moves_alone(record: sgf.Record, trained: Trained) -> None:
    view = view_record(record)
    analysis = analyse(record, view, run_judge(trained, "small"))
    game = go.Go(sgf.rules_of(record))
    states = list(positions(game, view))
    assert analysis.policies is not None
    assert len(analysis.values) == len(analysis.policies) == len(states) > BATCH, "more than one batch"
    assert analysis.player == "small"
    batch = jax.tree.map(lambda *leaves: jnp.stack(leaves), *states)
    evaluate = jax.jit(make_evaluate(game, trained.encoder, trained.network))
    own_values = np.asarray(evaluate(trained.variables, batch).value)
    np.testing.assert_allclose(analysis.values, np.where(batch.to_play == 0, 1, -1) * own_values, atol=1e-5)
    legal = np.asarray(jax.jit(jax.vmap(game.legal_actions))(batch))
    assert (analysis.policies[~legal] == 0).all()
    assert (analysis.policies[legal] > 0).all()
    np.testing.assert_allclose(analysis.policies.sum(axis=-1), 1, atol=1e-5)
    assert len(set(np.sign(analysis.values))) == 2, "some positions are Black's, some White's"


def test_the_analysis_ends_where_the_rules_do() -> None:
    on_a_stone = view_record(sgf.parse("(;SZ[5];B[aa];W[aa];B[bb])")[0])
    no_liberty = view_record(sgf.parse("(;SZ[5];B[cc];AB[aa]AW[ba][ab];W[bb])")[0])
    game = go.Go(sgf.rules_of(sgf.parse(RECORD)[0]))  # that of the tests above: it is compiled
    assert [len(list(positions(game, view))) for view in (on_a_stone, no_liberty)] == [2, 2]


def test_a_network_for_another_board_is_refused_by_name(trained: Trained) -> None:
    for text, fault in (
        ("(;SZ[9];B[aa])", "small: it plays 5x5, not 9x9"),
        ("(;SZ[5:7];B[aa])", "square"),
        ("(;SZ[25];B[aa])", "25"),
    ):
        record = sgf.parse(text)[0]
        with pytest.raises(ValueError, match=fault):
            analyse(record, view_record(record), run_judge(trained, "small"))
    other = trained._replace(game=PRESETS["tictactoe"]().make_game())
    with pytest.raises(RunError, match="small: it plays another game than Go"):
        run_judge(other, "small")


@pytest.mark.slow
def test_playouts_say_whose_points_are_with_a_network_and_without(trained: Trained) -> None:
    # Black lives on the left, White on the right; nobody can be caught, and two passes end it.
    sides = "AB[ba][bb][bc][bd][be][ab][ad]AW[da][db][dc][dd][de][eb][ed]"
    record = sgf.parse(f"(;SZ[5]KM[2.5]RU[Chinese]{sides}PL[B];B[ca];W[cb];B[];W[])")[0]
    view = view_record(record)
    alone = analyse(record, view, playout_judge(4))
    assert np.isnan(alone.values).all()
    assert alone.policies is None
    assert alone.ownerships is not None
    maps = alone.ownerships.reshape(-1, 5, 5)
    assert (maps[:, :, :2] == 1).all()
    assert (maps[:, :, 3:] == -1).all()
    both, network = (
        analyse(record, view, judge)
        for judge in (playout_judge(4, run_judge(trained, "small")), run_judge(trained, "small"))
    )
    assert both.player == "small"
    np.testing.assert_array_equal(both.values, network.values)
    np.testing.assert_array_equal(both.ownerships, alone.ownerships)


@pytest.mark.slow
def test_a_network_of_katagos_also_says_who_will_own_what(record: sgf.Record) -> None:
    file = read_network(NETWORKS / "tiny-b1c6nbt-v11-mish.bin.gz")
    view = view_record(record)
    analysis = analyse(record, view, katago_judge(file, "tiny"))
    game = go.Go(sgf.rules_of(record))
    network = KataGoNetwork(file.description)
    states = jax.tree.map(lambda *leaves: jnp.stack(leaves), *positions(game, view))
    inputs = jax.jit(make_read(game, encoder_for(network)))(states)
    seen = jnp.zeros(len(inputs.legal), jnp.int32)
    expected = jax.device_get(jax.jit(lambda variables: evaluate(network, variables, inputs, seen))(file.variables))
    sign = np.where(np.asarray(states.to_play) == 0, 1, -1)
    np.testing.assert_allclose(analysis.values, sign * (expected.win - expected.loss), atol=1e-5)
    np.testing.assert_allclose(analysis.policies, expected.policy, atol=1e-5)
    owned = sign[:, None] * expected.ownership.reshape(len(sign), -1)
    np.testing.assert_allclose(analysis.ownerships, owned, atol=1e-5)
    assert np.ptp(owned) > 0.1
