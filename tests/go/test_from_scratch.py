"""What play keeps up to date is what the stones alone say: flood fill, counting and hashing from scratch, at every ply.

Of a state that is the labels (which stones form a chain), the bits of one liberty, the hash words, the newest of the
recent boards, the simple-ko ban, and the superko history. Nothing of it is compared with another kept value.

*Source:* the definitions in docs/rules.md.
"""

import numpy as np
import pytest
from diagrams import KO_RULES
from states_in_play import InPlay, games_in_play, on_points, parts

from research.go.grid import Grid
from research.go.state import NO_KO

SAMPLE = ((3, "situational", True), (4, "positional", False))


def turns(game: InPlay) -> list[int]:
    """The plies whose action was a turn: a legal one in a running game."""
    return np.flatnonzero(np.diff(game.state.num_moves)).tolist()


def ban_from_scratch(game: InPlay, ply: int) -> int:
    """The cell that simple ko bans after the turn at `ply`, from the boards before and after it."""
    before, after = game.board[ply], game.board[ply + 1]
    captured = np.flatnonzero((before > 0) & (after == 0))
    action, size = game.actions[ply], game.setting.rows
    if len(captured) != 1 or action == size * size or after.flat[action] == 0:
        return NO_KO
    label, liberties = (on_points(size, cells[ply + 1]).ravel() for cells in (game.label, game.num_liberties))
    is_lone = (label == label[action]).sum() == 1 and liberties[action] == 1
    return int(Grid(size).cells[captured[0]]) if is_lone else NO_KO


def history_from_scratch(game: InPlay) -> list[list[int]]:
    """What superko forbids, oldest first: the start and the boards after the moves, or after all turns."""
    plies = [0]
    for ply in turns(game):
        is_pass = game.actions[ply] == game.setting.rows**2
        if not is_pass or game.setting.ko == "situational":
            plies.append(ply + 1)
    return [game.situation[ply].tolist() for ply in plies]


def check(game: InPlay) -> int:
    """Compare all of it at every ply; how many bans by simple ko there were."""
    size, state = game.setting.rows, game.state
    num_bans, expected_ban = 0, NO_KO
    turn_plies = set(turns(game))
    for ply in range(len(game.actions)):
        label = on_points(size, game.label[ply])
        assert np.array_equal(parts(on_points(size, state.label[ply])), parts(label))
        assert np.array_equal(state.atari[ply], game.num_liberties[ply] == 1)
        assert np.array_equal(state.hashes[ply], game.hashes[ply])
        rows = [((game.board[ply] == colour) << np.arange(size)).sum(1) for colour in (1, 2)]
        assert np.array_equal(state.recent_boards[ply][0], rows)
        assert state.ko[ply] == expected_ban
        num_bans += expected_ban != NO_KO
        if ply in turn_plies:
            expected_ban = ban_from_scratch(game, ply)
    if game.setting.ko != "simple":
        kept = game.last.history[:, : game.last.history_length].T
        assert kept.tolist() == history_from_scratch(game)
    return num_bans


@pytest.mark.parametrize(("size", "ko", "suicide"), SAMPLE)
def test_what_play_keeps_is_what_the_stones_say(size, ko, suicide):
    games = games_in_play(size, ko, suicide, num_games=20, max_moves=2 * size * size)
    num_bans = sum(check(game) for game in games)
    assert num_bans > 0
    assert sum(len(turns(game)) for game in games) > 25


@pytest.mark.slow
@pytest.mark.parametrize("size", range(2, 10))
@pytest.mark.parametrize("ko", KO_RULES)
@pytest.mark.parametrize("suicide", [False, True])
def test_what_play_keeps_is_what_the_stones_say_on_every_size_and_by_all_rules(size, ko, suicide):
    games = games_in_play(size, ko, suicide, num_games=24, max_moves=3 * size * size)
    num_bans = sum(check(game) for game in games)
    num_turns = sum(len(turns(game)) for game in games)
    print(f"{size}x{size} {ko} suicide={suicide}: {num_turns} turns, {num_bans} bans")
    assert num_bans > 0 or size == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "ko", "suicide"), [(13, "situational", True), (13, "simple", False), (19, "positional", True)]
)
def test_what_play_keeps_is_what_the_stones_say_on_big_boards(size, ko, suicide):
    assert sum(check(game) for game in games_in_play(size, ko, suicide, num_games=4, max_moves=2 * size * size)) > 0
