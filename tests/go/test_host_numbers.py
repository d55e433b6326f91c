"""Numbers from the host: numpy's scalars are numbers, and what is no action, player or point does nothing or says so.

Wrong types are tried in a process of its own, as a user would meet them: here the type checks would answer first.
"""

import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

from research import go

ROOT = Path(__file__).parents[2]
RULES = go.Rules(size=3, komi=0.5)
GAME = go.Go(RULES)

SCRIPT = """
import jax, numpy as np
from research import go
rules = go.Rules(size=np.int64(3), komi=np.float32(0.5), suicide=np.bool_(False), max_moves=np.int32(18))
assert rules == go.Rules(size=3, komi=0.5, suicide=False, max_moves=18)
assert hash(rules) == hash(go.Rules(size=3, komi=0.5, suicide=False, max_moves=18))
game = go.Go(rules)
state = game.init(komi=np.float32(1.5))
assert float(state.komi) == 1.5
for action in (np.int64(2**32 + 5), 3.7, 10**20):
    jax.tree.map(np.testing.assert_array_equal, game.step(state, action), state)
assert int(game.step(state, np.int64(4)).recent_moves[0]) == 4
for call in [
    lambda: go.with_to_play(state, 1.5),
    lambda: go.Rules(size=3, komi="6.5"),
    *[lambda ko=ko: go.from_text(rules, "...\\n...\\n...", ko=ko) for ko in (4, "B2", (1,), (1.0, 1.0), (1, 2, 3))],
]:
    try:
        call()
    except ValueError as error:
        print(error)
    else:
        raise AssertionError("no error")
"""


def test_wrong_types_are_refused_in_one_line_and_numpy_scalars_taken_as_numbers():
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) == 7
    assert lines[0].startswith("player 1.5: allowed is")
    assert lines[1].startswith("komi='6.5': allowed is a multiple of 0.5")
    assert all("is no point; wanted is a pair of whole numbers" in line for line in lines[2:])


@pytest.mark.parametrize("komi", [0.25, float("nan"), float("inf"), 10**400, True, 30.0])
def test_a_komi_that_is_none_is_refused(komi):
    with pytest.raises(ValueError, match=r"^komi="):
        go.Rules(size=3, komi=komi)


@pytest.mark.parametrize("action", [10, -1, 2**31, -(2**31) - 1, 2**32 + 5])
def test_a_number_that_is_no_action_changes_nothing(action):
    state = GAME.init()
    jax.tree.map(np.testing.assert_array_equal, GAME.step(state, action), state)


@pytest.mark.parametrize("player", [2, -1, "Black", "red"])
def test_a_player_that_is_none_is_refused(player):
    with pytest.raises(ValueError, match=r"^player "):
        go.with_to_play(GAME.init(), player)


def test_a_game_of_many_moves_is_no_larger_program():
    def num_lines(max_moves):
        game = go.Go(go.Rules(size=3, komi=0.5, max_moves=max_moves))
        return jax.jit(game.legal_actions).lower(game.init()).as_text().count("\n")

    assert num_lines(50_000) < 1.5 * num_lines(2_000)
