"""Tactics on 5x5: both rules find the capture, with no more to go by than the score of the position as it stands.

The first six were made by hand. The others come from random games: positions with one capture of two stones or more,
which looking three plies ahead at every move shows to be worth at least three points more than anything else.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import go
from research.go import coords
from research.search import SearchConfig, make_search
from tests.search.stand_ins import batch_of, uniform_prior_and_score

RULES = go.Rules(size=5, komi=0.5)
GAME = go.Go(RULES)
POSITIONS = (
    ("OO.../XX.../...../...../.....", "black", "C5"),
    ("...../..X../.XO../..X../.....", "black", "D3"),
    ("...../.XX../XOO../.XX../.....", "black", "D3"),
    ("...../...../...../.XXX./XOOO.", "black", "E1"),
    (".OX../OOX../XXX../...../.....", "black", "A5"),
    (".OOX./OOOX./XXXX./...../.....", "black", "A5"),
    (".XXOO/XXO.X/XOX.O/O...X/X...O", "white", "A5"),
    (".O.../..XO./X..../...OX/.X.OX", "white", "E3"),
    (".OX.X/OXXXO/.OXOO/OXXOO/XXXO.", "white", "D5"),
    ("O.OOX/.OOOX/.XOXX/XX.XO/XX.OO", "white", "C2"),
    ("X.XOO/XX.OO/OOOXX/X..O./XO..X", "black", "C4"),
    ("OX.XO/.OOO./...../X.X../XX...", "white", "C5"),
    (".O.../.O.XX/OO.OX/XXOOX/..XOX", "black", "C3"),
    ("..X.X/X..OX/XO.O./.XOXO/XO..O", "white", "A2"),
    ("O...X/.XX../X.XOX/.OO.O/.O.XO", "black", "D2"),
    ("X.X.X/.XOXX/X.OOO/XXXOO/XOOO.", "white", "D5"),
    ("OO.XX/XXOXO/.XXO./.X.XO/X.XO.", "white", "C5"),
    ("OOO.X/.OOX./OXXOO/OXXOX/X.XXX", "white", "B1"),
    ("XOXXX/X...O/OXO.X/OXOXO/.O...", "white", "B4"),
    ("X.XXO/OXX../...OX/.OXXO/O.OOO", "black", "B1"),
    (".X.X./.OXXO/...O./OO.XO/OXXXO", "black", "E3"),
    ("XXOOO/OXOO./O.XXX/OX.X./X.X.X", "white", "B3"),
    ("X.OO./.OXOO/OOXOX/XX..X/X.XOO", "black", "D2"),
    (".XX.O/X.O.X/..OOX/XO.X./.XOOX", "black", "C2"),
    (".X.OO/OOOXO/XX..X/XXXOO/.XXOO", "white", "D3"),
    ("O..X./OO.XX/X..X./OOXXX/OOOXX", "black", "B3"),
    ("O.OO./OXOXO/XO.XX/..OX./X.X.O", "black", "B5"),
    (".X.XX/XXXXX/.OOOX/OX.OO/.OXOO", "white", "C2"),
    ("XX..O/X.OXX/OXOX./OOX.X/X.OOO", "black", "B1"),
    (".OOXO/.X.X./.XXOO/.O.XX/.XOOX", "white", "C2"),
    ("O...X/.OXX./XOOX./XXXOO/XXOOO", "white", "A4"),
    ("XXOX./X.OX./O.OO./OXOOX/XXOOX", "black", "B3"),
)
CONFIGS = {
    "gumbel": SearchConfig(num_simulations=64, gumbel_scale=0.0, max_num_considered_actions=GAME.num_actions),
    "puct": SearchConfig(num_simulations=64, rule="puct", dirichlet_fraction=0.0, temperatures=(0.0,)),
}


@pytest.mark.parametrize("rule", [pytest.param("gumbel", marks=pytest.mark.slow), "puct"])
def test_the_capture_is_found(rule):
    states = batch_of(
        [go.from_text(RULES, diagram.replace("/", "\n"), to_play=player) for diagram, player, _ in POSITIONS]
    )
    search = jax.jit(make_search(GAME, uniform_prior_and_score(GAME), CONFIGS[rule]))
    result = jax.tree.map(np.asarray, search(None, states, jax.random.key(0)))
    missed = [
        f"{diagram} {player}: {answer}, got {coords.gtp_from_action(int(action), 5)}"
        for (diagram, player, answer), action in zip(POSITIONS, result.action, strict=True)
        if coords.gtp_from_action(int(action), 5) != answer
    ]
    assert len(POSITIONS) - len(missed) >= 20
    assert not missed
    assert jnp.isfinite(result.q).all()
