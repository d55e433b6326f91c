"""Ladders: published positions, agreement with the reader on the host, limits, batches.

One program a board size and convention reads everything that is asked of it here, sixteen boards at a time.

*Source:* tests/data/encoders/ladders.json and tests/data/katago_ladders.json (see the READMEs there).
"""

import json
import random
import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import PartitionSpec
from jaxtyping import TypeCheckError
from ladder_boards import (
    BOARDS_AT_ONCE,
    CAN_EXTEND,
    LADDER,
    NUM_LANES,
    PLAYERS,
    SYMBOLS,
    Seen,
    as_arrays,
    drawn,
    found_in,
    program,
    random_bans,
    read,
    tactical_position,
)
from ladder_reader import NO_BANS, Found, TooMany, find_ladders
from referee import BLACK, EMPTY, WHITE, liberties_at, new_game, other

from research.go import chains
from research.go.grid import Grid
from research.go.ladders import Effort, LadderConfig, Ladders, mover_ban, read_ladders, read_ladders_counted, shared_ban
from research.training.sharding import AXIS, make_mesh, split_rows

DATA = Path(__file__).parents[1] / "data"
CASES = json.loads((DATA / "encoders" / "ladders.json").read_text())
KATAGO_CASES = json.loads((DATA / "katago_ladders.json").read_text())
HOST_MOVES = 3_000  # what the reader on the host may play for one first move


# Published positions.


def expected_points(case: dict[str, Any]) -> set[int]:
    """Points where the case's plane is set."""
    return {point for point, value in enumerate("".join(case["expected"])) if value == "1"}


def plane_points(case: dict[str, Any], found: dict[str, Found]) -> set[int]:
    """Points where the case's plane would be set by what was `found`."""
    mover = BLACK if case["to_play"] == "B" else WHITE
    if case["plane"] in (44, 17):
        return found[other(mover)].captures
    if case["plane"] == 14:
        return found[BLACK].laddered | found[WHITE].laddered
    return found[mover].escapes - {ko_of(case)}


def ko_of(case: dict[str, Any]) -> int | None:
    """The point banned by ko."""
    return None if case["ko"] is None else case["ko"][0] * case["size"] + case["ko"][1]


def bans_of(case: dict[str, Any]) -> dict[str, int | None]:
    """In katago22 a ban binds both players."""
    mover = BLACK if case["to_play"] == "B" else WHITE
    return {player: ko_of(case) if player == mover or case["encoder"] == "katago22" else None for player in PLAYERS}


def convention_of(case: dict[str, Any]) -> str:
    """The ko convention that the case is for."""
    return "plain" if "plain" in case["encoder"] else "prey"


def marked(cases: list[dict[str, Any]], is_slow: Callable[[dict[str, Any]], bool]) -> list[Any]:
    """The cases as parameters, some marked as slow: for some a program would be compiled that nothing else uses."""
    return [pytest.param(case, marks=pytest.mark.slow) if is_slow(case) else case for case in cases]


def case_id(case: dict[str, Any]) -> str:
    """For pytest."""
    return f"{case['id']}-{case['encoder']}-{case['plane']}"


@cache
def cases_read(size: int, ko: str) -> dict[str, Seen]:
    """What the device says about the published positions of that size and convention."""
    cases = [case for case in CASES if (case["size"], convention_of(case)) == (size, ko)]
    seen = read(size, ["".join(case["rows"]) for case in cases], [bans_of(case) for case in cases], ko)
    return dict(zip(map(case_id, cases), seen, strict=True))


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_published_position_on_the_host(case: dict[str, Any]) -> None:
    found = find_ladders(case["size"], case["size"], "".join(case["rows"]), convention_of(case), bans_of(case))
    assert plane_points(case, found) == expected_points(case)


@pytest.mark.parametrize("case", marked(CASES, lambda case: case["size"] == 6), ids=case_id)
def test_published_position_on_the_device(case: dict[str, Any]) -> None:
    seen = cases_read(case["size"], convention_of(case))[case_id(case)]
    assert plane_points(case, seen.found) == expected_points(case)
    assert seen.effort.num_cut == 0


def katago_id(case: dict[str, Any]) -> str:
    """For pytest."""
    return case["id"].removeprefix("ladder/")


def katago_laddered(case: dict[str, Any], found: dict[str, Found]) -> set[tuple[int, int]]:
    """Laddered stones (column, row) of the chains that the case asks about: in atari, or with two liberties."""
    columns, rows = case["size"]
    game = new_game(rows, columns, board="".join(case["board"]))
    num_liberties = 1 if case["group"] == "ladder_1lib_defender_first" else 2
    stones = found[BLACK].laddered | found[WHITE].laddered
    return {
        (stone % columns, stone // columns)
        for stone in stones
        if len(liberties_at(game, game.board, stone)) == num_liberties
    }


def check_katago_case(case: dict[str, Any], found: dict[str, Found]) -> None:
    """Laddered stones and working moves are KataGo's."""
    marked = enumerate(case["laddered"])
    assert katago_laddered(case, found) == {
        (column, row) for row, values in marked for column, value in enumerate(values) if value == "1"
    }
    columns, _ = case["size"]
    working: dict[str, set[int]] = {BLACK: set(), WHITE: set()}
    for chain in case["working_moves"]:
        working[chain["color"]] |= {row * columns + column for column, row in chain["working_moves"]}
    if case["group"] == "ladder_2lib_attacker_first":
        assert {player: found[player].captures for player in PLAYERS} == working


@pytest.mark.parametrize("case", marked(KATAGO_CASES, lambda case: "wholeboard" in case["id"]), ids=katago_id)
def test_katago_case_on_the_host(case: dict[str, Any]) -> None:
    columns, rows = case["size"]
    check_katago_case(case, find_ladders(rows, columns, "".join(case["board"]), "prey", max_moves=10**6))


@pytest.mark.parametrize("case", [case for case in KATAGO_CASES if len(set(case["size"])) == 1], ids=katago_id)
def test_katago_case_on_the_device(case: dict[str, Any]) -> None:
    (seen,) = read(case["size"][0], ["".join(case["board"])])
    check_katago_case(case, seen.found)
    assert seen.effort.num_cut == 0


# Lines, limits, bans.


def test_a_ladder_across_19x19_is_read_to_its_end_and_a_stone_in_its_way_is_seen() -> None:
    board, start = drawn(19, LADDER)
    in_its_way, _ = drawn(19, LADDER, r15c15=WHITE)
    beside_it, _ = drawn(19, LADDER, r15c10=WHITE)
    seen = read(19, [board, in_its_way, beside_it])
    assert [start in one.found[WHITE].captures for one in seen] == [True, False, True]
    assert seen[0].found[WHITE].laddered == {2 * 19 + 2}
    assert seen[0].effort.num_nodes > 50


@pytest.mark.slow
def test_a_line_of_too_many_plies_is_no_ladder() -> None:
    board, start = drawn(9, LADDER)
    assert read(9, [board])[0].found[WHITE].captures == {start}
    assert read(9, [board], max_plies=12, max_nodes=1000)[0].found[WHITE].captures == set()
    assert find_ladders(9, 9, board, "prey", max_plies=12)[WHITE].captures == set()


def test_a_reading_that_is_given_up_is_no_ladder_and_is_counted() -> None:
    board, _ = drawn(9, LADDER)
    enough, cut = read(9, [board, EMPTY * 81]), read(9, [board, EMPTY * 81], max_nodes=8)
    assert [one.effort.num_chains for one in enough] == [1, 0]
    assert [one.effort.num_cut for one in enough] == [0, 0]
    assert [one.effort.num_cut for one in cut] == [1, 0]
    assert cut[0].found[WHITE] == Found()
    assert cut[0].effort.num_nodes < enough[0].effort.num_nodes


@pytest.mark.parametrize("ko", ["prey", "plain"])
def test_a_ban_of_the_hunter_binds_his_first_move_and_nobody_else(ko: str) -> None:
    board, start = drawn(5, LADDER)
    free, banned, other_banned = read(
        5, [board] * 3, [NO_BANS, {BLACK: start, WHITE: None}, {BLACK: None, WHITE: start}], ko
    )
    assert free.found[WHITE].captures == other_banned.found[WHITE].captures == {start}
    assert banned.found[WHITE].captures == set()


@pytest.mark.parametrize("ko", ["prey", "plain"])
def test_a_ban_of_the_prey_is_lifted_unless_ko_is_plain(ko: str) -> None:
    board, liberty = drawn(5, CAN_EXTEND)
    free, banned = read(5, [board] * 2, [NO_BANS, {BLACK: None, WHITE: liberty}], ko)
    assert free.found[WHITE] == Found(escapes={liberty})
    stone = liberty - 5
    assert banned.found[WHITE] == (Found(escapes={liberty}) if ko == "prey" else Found(laddered={stone}))


def test_bans_of_one_player_and_of_both() -> None:
    assert mover_ban(jnp.int32(30), jnp.int32(1)).tolist() == [0, 30]
    assert mover_ban(jnp.int32(-1), jnp.int32(0)).tolist() == [0, 0]
    assert shared_ban(jnp.int32(30)).tolist() == [30, 30]
    assert shared_ban(jnp.int32(-1)).tolist() == [0, 0]


@pytest.mark.parametrize("field", ["max_plies", "max_nodes", "num_lanes"])
def test_a_config_without_meaning_is_refused(field: str) -> None:
    for value in (0, -1, True):
        with pytest.raises(ValueError, match=f"{field}={value!r}: allowed is a whole number from 1"):
            LadderConfig(**{field: value})
    with pytest.raises((ValueError, TypeCheckError), match="ko"):  # the type check of the tests may come first
        LadderConfig(**{"ko": "both"})


# Agreement with the reader on the host.


def check_random_positions(size: int, ko: str, num_positions: int, seed: int) -> None:
    """Both readers find the same, but where the host cannot read to the end."""
    rng = random.Random(seed)
    boards = [tactical_position(size, rng) for _ in range(num_positions)]
    bans = [random_bans(board, rng) for board in boards]
    num_read, num_found = 0, 0
    for board, ban, seen in zip(boards, bans, read(size, boards, bans, ko), strict=True):
        try:
            wanted = find_ladders(size, size, board, ko, ban, max_moves=HOST_MOVES)
        except TooMany:
            continue
        lines = "\n".join(board[start : start + size] for start in range(0, size * size, size))
        assert seen.found == wanted, f"{ko}, bans {ban}\n{lines}"
        num_read += 1
        num_found += sum(wanted[player] != Found() for player in PLAYERS)
    assert num_read > 0.97 * num_positions
    assert num_found > num_positions / 2


@pytest.mark.parametrize(
    ("size", "ko", "num_positions"), [(5, "prey", 32), (5, "plain", 32), (7, "prey", 32), (9, "prey", 16)]
)
def test_random_positions_are_read_as_on_the_host(size: int, ko: str, num_positions: int) -> None:
    check_random_positions(size, ko, num_positions, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("ko", ["prey", "plain"])
@pytest.mark.parametrize("size", [5, 7, 9, 13, 19])
def test_many_random_positions_are_read_as_on_the_host(size: int, ko: str) -> None:
    check_random_positions(size, ko, 400, seed=2)


def test_boards_that_no_game_leads_to_are_survived() -> None:
    rng = random.Random(3)
    boards = ["".join(rng.choices(SYMBOLS, weights=(1, 9, 9), k=25)) for _ in range(BOARDS_AT_ONCE)]
    for board, seen in zip(boards, read(5, boards), strict=True):
        for player in PLAYERS:
            assert {board[point] for point in seen.found[player].laddered} <= {player}
            assert {board[point] for point in seen.found[player].captures | seen.found[player].escapes} <= {EMPTY}


# Symmetries and batches.


def test_all_eight_symmetries_commute_with_reading() -> None:
    rng = random.Random(4)
    for _ in range(4):
        board = tactical_position(7, rng)
        points = np.arange(49).reshape(7, 7)
        views = [np.rot90(flipped, turns) for flipped in (points, points.T) for turns in range(4)]
        seen = read(7, ["".join(board[point] for point in view.ravel()) for view in views])
        for view, one in zip(views, seen, strict=True):
            original = {
                player: Found(*({int(view.ravel()[point]) for point in points} for points in vars(found).values()))
                for player, found in one.found.items()
            }
            assert original == seen[0].found


def test_swapped_colours_give_swapped_ladders() -> None:
    rng = random.Random(5)
    boards = [tactical_position(7, rng) for _ in range(8)]
    bans = [random_bans(board, rng) for board in boards]
    swapped = [board.translate(str.maketrans("XO", "OX")) for board in boards]
    seen = read(7, boards + swapped, bans + [{BLACK: ban[WHITE], WHITE: ban[BLACK]} for ban in bans])
    for one, two in zip(seen[:8], seen[8:], strict=True):
        assert one.found == {player: two.found[other(player)] for player in PLAYERS}
        assert one.effort == two.effort


def test_what_is_read_does_not_depend_on_the_rest_of_the_batch_and_compiles_once() -> None:
    rng = random.Random(6)
    boards = [tactical_position(7, rng) for _ in range(BOARDS_AT_ONCE)]
    together = read(7, boards)
    assert [read(7, [board])[0] for board in boards[:4]] == together[:4]
    assert read(7, boards[::-1]) == together[::-1]
    assert program(7, LadderConfig(num_lanes=NUM_LANES))._cache_size() == 1


def test_one_board_is_read_as_in_a_batch_and_one_player_as_both() -> None:
    rng = random.Random(7)
    boards = [tactical_position(5, rng) for _ in range(BOARDS_AT_ONCE)]
    stones, bans = as_arrays(5, boards, [NO_BANS] * BOARDS_AT_ONCE)

    @jax.jit
    def read_half(stones: jax.Array, bans: jax.Array, player: jax.Array) -> tuple[Ladders, Effort]:
        grid = Grid(5)
        config = LadderConfig(num_lanes=NUM_LANES)
        return read_ladders_counted(grid, chains.label_chains(grid, stones), bans, config, player)

    num_laddered = 0
    for index, (board, seen) in enumerate(zip(boards, read(5, boards), strict=True)):
        game = new_game(5, board=board)
        num_chains = 0
        for number, player in enumerate(PLAYERS):
            ladders, effort = jax.device_get(read_half(stones[index], bans[index], jnp.int32(number)))
            found, enemy = found_in(ladders), other(player)
            in_atari = {stone for stone in range(25) if len(liberties_at(game, board, stone)) == 1}
            mine, theirs = seen.found[player], seen.found[enemy]
            assert found[player] == Found(laddered=mine.laddered & in_atari, escapes=mine.escapes)
            assert found[enemy] == Found(laddered=theirs.laddered - in_atari, captures=theirs.captures)
            num_chains += effort.num_chains
            num_laddered += len(found[player].laddered) + len(found[enemy].laddered)
        assert num_chains == seen.effort.num_chains
    assert num_laddered > 0


def batch_of_5x5() -> tuple[jax.Array, jax.Array, Ladders]:
    """(stones and bans of sixteen boards, what they come to)."""
    rng = random.Random(8)
    boards = [tactical_position(5, rng) for _ in range(BOARDS_AT_ONCE)]
    stones, bans = as_arrays(5, boards, [random_bans(board, rng) for board in boards])
    return stones, bans, program(5, LadderConfig(num_lanes=NUM_LANES))(stones, bans)[0]


def ladders_5x5(stones: jax.Array, bans: jax.Array) -> Ladders:
    """The ladders of one 5x5 board."""
    grid = Grid(5)
    return read_ladders(grid, chains.label_chains(grid, stones), bans, LadderConfig(num_lanes=NUM_LANES))


def check_equal(seen: Ladders, wanted: Ladders) -> None:
    """Equal masks, whatever the axes in front."""
    for some, all_wanted in zip(seen, wanted, strict=True):
        np.testing.assert_array_equal(np.reshape(some, all_wanted.shape), all_wanted)


@pytest.mark.slow
def test_without_jit_the_same_is_read() -> None:
    stones, bans, wanted = batch_of_5x5()
    for index in range(4):
        check_equal(
            ladders_5x5(stones[index], bans[index]), jax.tree.map(lambda leaf, index=index: leaf[index], wanted)
        )


@pytest.mark.slow
def test_batches_of_batches_scans_and_unbatched_bans_are_read() -> None:
    stones, bans, wanted = batch_of_5x5()
    twice = jax.jit(jax.vmap(jax.vmap(ladders_5x5)))
    check_equal(twice(stones.reshape(4, 4, 5, 5), bans.reshape(4, 4, 2)), wanted)
    scanned = jax.jit(lambda *pair: jax.lax.scan(lambda carry, one: (carry, ladders_5x5(*one)), 0, pair)[1])
    check_equal(scanned(stones, bans), wanted)
    unbatched = jax.jit(jax.vmap(ladders_5x5, in_axes=(0, None)))(stones, bans[0])
    repeated = jax.jit(jax.vmap(ladders_5x5))(stones, jnp.broadcast_to(bans[0], bans.shape))
    check_equal(unbatched, repeated)


@pytest.mark.slow
def test_boards_that_are_split_over_devices_are_read_where_they_are() -> None:
    stones, bans, wanted = batch_of_5x5()
    grid, mesh = Grid(5), make_mesh()
    labels = jax.vmap(partial(chains.label_chains, grid))(stones)
    rows = split_rows(mesh)
    split = jax.device_put((labels, bans), rows)
    read_labels = jax.vmap(lambda label, ban: read_ladders(grid, label, ban, LadderConfig(num_lanes=NUM_LANES)))
    program = jax.jit(read_labels, in_shardings=rows, out_shardings=rows).lower(*split).compile()
    check_equal(program(*split), wanted)
    exchanges = re.findall(r"= (\S+) (?:all-reduce|all-gather|all-to-all|collective-permute)\(", program.as_text())
    assert set(exchanges) <= {"pred[]"}  # whether to count liberties once more
    axis = PartitionSpec(AXIS)
    apart = jax.shard_map(read_labels, mesh=mesh, in_specs=axis, out_specs=axis, check_vma=False)
    check_equal(jax.jit(apart)(*split), wanted)
