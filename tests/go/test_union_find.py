"""The union-find class joins, splits and counts as a player would, and agrees with the device's labels.

*Source:* none; the positions are the smallest in which each thing happens.
"""

import numpy as np
import pytest
from states_in_play import InPlay, games_in_play, on_points, parts

from research.go.union_find import BLACK, EMPTY, WHITE, Chains, Played


def chains_of(drawing: str) -> Chains:
    """The stones of a drawing, placed row by row."""
    lines = drawing.split()
    chains = Chains(len(lines), len(lines[0]))
    for row, line in enumerate(lines):
        for column, content in enumerate(line):
            if content in "XO":
                chains.place((row, column), BLACK if content == "X" else WHITE)
    return chains


def drawing_of(chains: Chains) -> str:
    """The stones as rows of a drawing with spaces between them."""
    rows = range(chains.rows)
    return " ".join("".join(".XO"[chains.colour((row, c))] for c in range(chains.columns)) for row in rows)


def test_a_liberty_that_two_joining_chains_share_counts_once():
    chains = chains_of("X.X .X. ...")
    assert chains.liberties((0, 0)) == {(0, 1), (1, 0)}
    chains.play((0, 1), BLACK)
    assert chains.find((0, 0)) == chains.find((0, 2)) == chains.find((1, 1))
    assert chains.stones((0, 2)) == {(0, 0), (0, 1), (0, 2), (1, 1)}
    assert chains.liberties((0, 0)) == {(1, 0), (1, 2), (2, 1)}


def test_stones_of_two_colours_and_stones_that_touch_at_corners_stay_apart():
    chains = chains_of("XO X. OX")
    assert len({chains.find(point) for point in ((0, 0), (0, 1), (2, 0), (2, 1))}) == 4
    assert chains.find((0, 0)) == chains.find((1, 0))
    assert np.array_equal(np.sign(chains.labels()), [[1, -1], [1, 0], [-1, 1]])
    assert chains.liberty_counts().tolist() == [[1, 1], [1, 0], [0, 1]]


def test_a_capture_gives_its_points_back_as_liberties():
    chains = chains_of(".XX. XOO. .XX.")
    move = chains.play((1, 3), BLACK)
    assert move == Played((1, 3), BLACK, captured=frozenset({(1, 1), (1, 2)}), lost=frozenset())
    assert drawing_of(chains) == ".XX. X..X .XX."
    assert chains.liberties((0, 1)) == {(0, 0), (0, 3), (1, 1), (1, 2)}
    assert chains.liberties((1, 0)) == {(0, 0), (1, 1), (2, 0)}


def test_one_move_captures_two_chains():
    chains = chains_of("XO.OX .X.X. .....")
    assert chains.play((0, 2), BLACK).captured == {(0, 1), (0, 3)}
    assert drawing_of(chains) == "X.X.X .X.X. ....."
    assert chains.liberties((0, 2)) == {(0, 1), (0, 3), (1, 2)}


def test_a_move_without_a_liberty_takes_its_own_chain_off():
    chains = chains_of("X.O OO. ...")
    before = chains.labels()
    move = chains.play((0, 1), BLACK)
    assert (move.captured, move.lost) == (frozenset(), {(0, 0), (0, 1)})
    assert drawing_of(chains) == "..O OO. ..."
    assert chains.liberties((0, 2)) == {(0, 1), (1, 2)}
    chains.undo()
    assert np.array_equal(parts(chains.labels()), parts(before))


def test_taking_back_a_joining_move_splits_the_chains_again():
    chains = chains_of("XX.XX .X.X. .....")
    chains.play((0, 2), BLACK)
    assert len(chains.stones((0, 0))) == 7
    chains.undo()
    assert chains.stones((0, 0)) == {(0, 0), (0, 1), (1, 1)}
    assert chains.stones((0, 4)) == {(0, 3), (0, 4), (1, 3)}
    assert chains.liberties((0, 0)) == {(0, 2), (1, 0), (1, 2), (2, 1)}
    assert chains.moves == []


def test_taking_back_a_capture_puts_the_stones_back_as_one_chain_in_atari():
    chains = chains_of(".XX. XOO. .XX.")
    chains.play((1, 3), BLACK)
    chains.play((1, 2), WHITE)
    chains.undo()
    chains.undo()
    assert drawing_of(chains) == ".XX. XOO. .XX."
    assert chains.stones((1, 1)) == {(1, 1), (1, 2)}
    assert chains.liberties((1, 1)) == {(1, 3)}
    assert chains.liberties((0, 1)) == {(0, 0), (0, 3)}


def test_a_stone_taken_out_of_the_middle_leaves_two_chains():
    chains = chains_of("XXXXX ..O..")
    chains.remove({(0, 2)})
    assert chains.stones((0, 0)) == {(0, 0), (0, 1)}
    assert chains.stones((0, 4)) == {(0, 3), (0, 4)}
    assert chains.liberties((0, 3)) == {(0, 2), (1, 3), (1, 4)}
    assert chains.liberties((1, 2)) == {(0, 2), (1, 1), (1, 3)}


def test_what_cannot_be_done_is_refused_with_the_reason():
    chains = chains_of("X. ..")
    with pytest.raises(ValueError, match="occupied"):
        chains.play((0, 0), WHITE)
    with pytest.raises(ValueError, match="off the board"):
        chains.place((0, 2), WHITE)
    with pytest.raises(ValueError, match="no stone"):
        chains.remove({(1, 1)})
    with pytest.raises(ValueError, match="colour=0"):
        chains.place((1, 1), EMPTY)
    with pytest.raises(ValueError, match="no move"):
        chains.undo()


def check(game: InPlay) -> int:
    """Play the game on union-find and back again; its chains are the device's at every ply. How many moves there were.

    Labels and bits of one liberty are those that the device keeps in play; liberties it counts from scratch.
    """
    size, pass_action = game.setting.rows, game.setting.rows**2
    chains = chains_of(game.setting.board)
    seen = []
    for ply, action in enumerate(game.actions):
        liberties = chains.liberty_counts()
        assert np.array_equal(parts(chains.labels()), parts(on_points(size, game.state.label[ply])))
        assert np.array_equal(liberties == 1, on_points(size, game.state.atari[ply]))
        assert np.array_equal(liberties, on_points(size, game.num_liberties[ply]))
        seen.append((len(chains.moves), parts(chains.labels()), liberties))
        is_last = ply + 1 == len(game.actions)
        if action != pass_action and not is_last and game.state.num_moves[ply + 1] > game.state.num_moves[ply]:
            chains.play(divmod(action, size), BLACK if game.state.to_play[ply] == 0 else WHITE)
    num_moves = len(chains.moves)
    for num_before, labels, liberties in reversed(seen):
        while len(chains.moves) > num_before:
            chains.undo()
        assert np.array_equal(parts(chains.labels()), labels)
        assert np.array_equal(chains.liberty_counts(), liberties)
    return num_moves


def test_union_find_agrees_with_the_devices_labels_on_random_games():
    assert sum(check(game) for game in games_in_play(6, "simple", True, num_games=12, max_moves=72)) > 200


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 4, 5, 7, 8, 9, 13, 19])
@pytest.mark.parametrize("suicide", [False, True])
def test_union_find_agrees_with_the_devices_labels_on_all_sizes(size, suicide):
    num_games, max_moves = (24, 2 * size * size) if size <= 9 else (2, size * size)
    num_moves = sum(check(game) for game in games_in_play(size, "positional", suicide, num_games, max_moves))
    print(f"{size}x{size} suicide={suicide}: {num_moves} moves there and back")
    assert num_moves > 50
