"""Sequential halving's schedule: worked out by hand, and its properties."""

import pytest

from research.search.halving import considered_visits, equal_runs, schedule, sweep_widths


@pytest.mark.parametrize(
    ("num_candidates", "num_simulations", "widths"),
    [
        (16, 32, [16, 8, 4, 4]),
        (4, 16, [4, 4, 2, 2, 2, 2]),
        (16, 10, [10]),  # not enough for the first sweep
        (3, 7, [3, 2, 2]),
        (1, 3, [1, 1, 1]),
        (2, 5, [2, 2, 1]),
    ],
)
def test_the_sweeps_halve_and_spend_every_simulation(num_candidates, num_simulations, widths):
    assert list(sweep_widths(num_candidates, num_simulations)) == widths


def test_an_action_is_considered_when_it_has_the_visits_of_the_sweeps_before():
    assert considered_visits(4, 16) == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert considered_visits(1, 3) == [0, 1, 2]


def test_every_number_of_candidates_has_a_row_of_all_simulations():
    table = schedule(5, 12)
    assert table.shape == (6, 12)
    for candidates in range(1, 6):
        visits = [0] * candidates
        for considered in table[candidates]:
            visits[visits.index(considered)] += 1  # ValueError if nobody has so many
        assert sum(visits) == 12


def test_equal_widths_are_grouped():
    assert list(equal_runs([16, 8, 4, 4])) == [(16, 1), (8, 1), (4, 2)]
