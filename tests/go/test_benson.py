"""Pass-alive areas and group tax: positions that a player would choose, and three programs that must agree.

The device (research/go/benson.py, group_tax.py), the host (host_scoring.py) and the slow oracle (tests/pass_alive.py)
are written apart from each other. KataGo's own area tests are in test_katago_cases.py.

*Source:* D. B. Benson, Life in the game of Go (1976); KataGo's rules for tax.
"""

import random
from collections import Counter

import numpy as np
import pytest
from area_maps import ALL, PASS_ALIVE, as_numbers, maps_on_device, maps_on_host, numbers_of, random_board, rows_of
from pass_alive import area_map
from referee import new_game

SIZE = 7  # of the diagrams: one program for all
NUM_BOARDS = 40  # random ones a size


def pass_alive_on(diagram: str, suicide: bool = False) -> list[str]:
    """The pass-alive chains and their small territory, by the device."""
    return rows_of(maps_on_device(numbers_of(diagram.split()), suicide)[PASS_ALIVE])


def test_a_group_with_two_eyes_is_alive_with_what_is_in_them() -> None:
    found = pass_alive_on("""
        .X.XO..
        XXXXO..
        OOOOO..
        .......
        .......
        .......
        .......
    """)
    assert found == ["XXXX...", "XXXX...", *["......."] * 5]


def test_one_big_eye_is_not_enough() -> None:
    found = pass_alive_on("""
        ..XO...
        XXXO...
        OOOO...
        .......
        .......
        .......
        .......
    """)
    assert found == ["......."] * SIZE


def test_a_false_eye_joins_nothing() -> None:
    """The upper eye of Black's lower chain is false: that chain has one vital region of its own."""
    found = pass_alive_on("""
        XXO.O..
        .XO....
        XOO....
        .XO....
        XXO....
        OOO....
        .......
    """)
    assert found == ["......."] * SIZE


def test_chains_share_the_eyes_that_make_them_alive() -> None:
    """Neither chain has an eye of its own, but both are next to all of two regions."""
    found = pass_alive_on("""
        .XO....
        X.XO...
        OXXO...
        OOOO...
        .......
        .......
        .......
    """)
    assert found[:3] == ["......."] * 3
    found = pass_alive_on("""
        .X.XO..
        X.XXO..
        XXXOO..
        OOOO...
        .......
        .......
        .......
    """)
    assert found[:3] == ["XXXX...", "XXXX...", "XXX...."]


def test_a_prisoner_in_an_eye_is_dead() -> None:
    found = pass_alive_on("""
        .X.OXO.
        XXXXXO.
        OOOOOO.
        .......
        .......
        .......
        .......
    """)
    assert found == ["XXXXX..", "XXXXX..", *["......."] * 5]


def test_an_enemy_with_room_for_two_eyes_keeps_a_region_from_being_territory() -> None:
    """The rest of the board is next to Black's living chain alone, but White could live there."""
    found = pass_alive_on("""
        .X.X...
        XXXX...
        .......
        .......
        .....O.
        .......
        .......
    """)
    assert found == ["XXXX...", "XXXX...", *["......."] * 5]


def test_an_eye_that_suicide_can_fill_must_touch_its_chain_everywhere() -> None:
    """White's corner stone is not next to the chain: where suicide is legal White may fill the eye and begin again."""
    diagram = """
        O.X.X..
        OXXXX..
        XX.....
        .......
        .......
        .......
        .......
    """
    alive = ["XXXXX..", "XXXXX..", "XX.....", *["......."] * 4]
    assert pass_alive_on(diagram, suicide=False) == alive
    assert pass_alive_on(diagram, suicide=True) == ["......."] * SIZE


def test_nothing_is_anybodys_on_the_empty_board() -> None:
    maps = maps_on_device(numbers_of(["." * SIZE] * SIZE), False)
    assert all(not found.any() for found in maps.values())


def test_a_lone_stone_owns_the_board_though_it_is_not_alive() -> None:
    maps = maps_on_device(numbers_of(["." * SIZE] * 3 + ["...O..."] + ["." * SIZE] * 3), False)
    assert rows_of(maps[ALL]) == ["O" * SIZE] * SIZE
    assert not maps[PASS_ALIVE].any()


def check_agreement(size: int, seed: int) -> Counter:
    """Compares the three programs on random boards; says how often what had its say."""
    rng = random.Random(seed)
    boards = [random_board(size, size, rng) for _ in range(NUM_BOARDS)]
    numbers = np.stack([as_numbers(board, size) for board in boards])
    events = Counter()
    for suicide in (False, True):
        device = maps_on_device(numbers, suicide)
        for index, board in enumerate(boards):
            host = maps_on_host(numbers[index], suicide)
            drawn = "\n".join(rows_of(numbers[index]))
            oracle = as_numbers(area_map(new_game(size, board=board, suicide=suicide)), size)
            np.testing.assert_array_equal(host[ALL], oracle, f"host and oracle, suicide {suicide}, on\n{drawn}")
            for name, wanted in host.items():
                found = device[name][index]
                np.testing.assert_allclose(found, wanted, 1e-6, 1e-6, err_msg=f"{name}, suicide {suicide}, on\n{drawn}")
            alive = host[PASS_ALIVE]
            events["alive"] += bool(alive.any())
            events["dead"] += bool(((alive > 0) & (numbers[index] > 0) & (alive != numbers[index])).any())
            events["taxed"] += bool((host["tax", False, True] != host[ALL]).any())
            events["two areas"] += host[("areas",)].sum() > 1
    return events


@pytest.mark.parametrize("size", [7, 9])
def test_device_host_and_oracle_agree_on_random_boards(size: int) -> None:
    events = check_agreement(size, seed=size)
    print(dict(events))
    assert min(events["alive"], events["taxed"]) > 0
    if size == 9:
        assert min(events["dead"], events["two areas"]) > 0


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 8, 13, 19])
def test_device_host_and_oracle_agree_on_random_boards_of_other_sizes(size: int) -> None:
    assert check_agreement(size, seed=size)["taxed"] > 0
