"""The commands that measure searches, small."""

import json

import pytest

from experiments import bench_lanes, bench_thinking, search_match


@pytest.mark.slow
def test_the_loops_benchmark_has_a_row_for_each_search_and_number_of_leaves(tmp_path):
    output = tmp_path / "figures.json"
    bench_lanes.bench_lanes(shapes=((3, 2, 8),), preset="tictactoe", num_rounds=1, output=output)
    loops, leaves = json.loads(output.read_text()).values()
    assert [row["search"] for row in loops] == list(bench_lanes.SEARCHES) * len(bench_lanes.LOGITS)
    assert all(row["us_a_simulation"] > 0 and row["depth"] > 0 for row in loops)
    assert [row["leaves"] for row in leaves] == list(bench_lanes.LEAVES) * 2


@pytest.mark.slow
def test_the_thinking_benchmark_compares_what_is_kept_and_leaves_together(tmp_path):
    output = tmp_path / "figures.json"
    words = "--num-moves 2 --num-searches 2 --num-simulations 8 --leaves 2 --num-rounds 1"
    ways = "gumbel, table", "puct, tree"
    assert bench_thinking.main([*words.split(), "--ways", *ways, "--output", str(output)]) == 0
    moves, leaves = json.loads(output.read_text()).values()
    assert tuple(row["search"] for row in moves) == ways
    table, tree = (row["evaluations_known"] for row in moves)
    assert tree == 0.0 < table < 1.0
    assert all(row["simulations_behind_a_move"] >= 16 for row in moves)
    assert [(row["rule"], row["leaves"]) for row in leaves] == [("gumbel", 2), ("puct", 2)]
    assert bench_thinking.main(["--ways", "luck"]) == 2


@pytest.mark.slow
@pytest.mark.parametrize("evaluation", ["score", "playout"])
def test_two_searches_meet(capsys, evaluation):
    arguments = "--size 3 --first.num-simulations 4 --second.num-simulations 2 --second.rule puct --match.num-games 4"
    assert search_match.main([*arguments.split(), "--match.opening-plies", "1", "--evaluation", evaluation]) == 0
    printed = capsys.readouterr().out
    assert "first: num_simulations 4\nsecond: num_simulations 2, rule puct\n" in printed
    named = [word for word in printed.split() if word in {"first", "against", "second"}]
    assert named == ["first", "against", "second"]


def test_a_setting_that_will_not_do_is_refused_by_name(capsys):
    with pytest.raises(SystemExit) as stopped:
        search_match.main(["--first.num-simulations", "-1"])
    assert stopped.value.code == 2
    assert "num_simulations is -1; allowed: 0 or more" in capsys.readouterr().err


def test_noise_and_temperature_are_refused_where_a_match_does_without(capsys):
    assert search_match.main(["--second.temperatures", "0.5"]) == 2
    assert "temperatures is (0.5,); a match is played without noise and temperature" in capsys.readouterr().err
