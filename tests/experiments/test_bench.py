"""The benchmarks play legal moves, and their tables say what they say they say."""

import json

import jax
import numpy as np
import pytest

from experiments import bench, bench_search, random_play, timing


def test_a_random_move_is_legal_and_a_pass_when_it_is_due():
    masks = np.random.default_rng(0).random((200, 10)) < 0.5
    masks[:, -1] = True
    seeds = np.asarray(random_play.mix(np.arange(200), 3))
    actions = np.asarray(jax.jit(jax.vmap(random_play.choose))(masks, seeds))
    assert masks[np.arange(200), actions].all()
    is_free = masks.sum(1) > 1
    np.testing.assert_array_equal((actions == 9)[is_free], (seeds % random_play.PASS_EVERY == 0)[is_free])
    assert len(np.unique(actions)) == 10


def test_tables_made_of_times_give_their_ratios():
    def row(what, batch, time):
        return {"what": what, "size": 9, "batch": batch, "us_a_ply": time}

    rows = [row("positional", 1, 6.0), row("simple", 1, 4.0), row("positional", 32, 3.0), row("simple", 32, 2.4)]
    assert [(found["batch"], found["times_simple"]) for found in bench.superko_rows(rows)] == [(1, 1.5), (32, 1.25)]
    assert [(found["times_games"], found["times_time"]) for found in bench.batch_rows(rows)] == [(1, 1), (32, 16)]


def test_a_small_bench_writes_what_it_prints(tmp_path, capsys):
    output = tmp_path / "bench.json"
    bench.bench(sizes=(3,), batches=(2,), num_rounds=1, growth=False, output=output)
    tables = json.loads(output.read_text())
    assert {"speed", "superko", "batches"} == set(tables)
    assert [row["what"] for row in tables["speed"]] == ["positional", "simple", "planes"]
    assert all(row["us_a_ply"] > 0 and row["compile_s"] > 0 for row in tables["speed"])
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("positional", "simple", "planes"))


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        (lambda: bench.bench(batches=(0,)), "batch is 0; allowed: 1 or more games"),
        (lambda: bench_search.bench_search(shapes=((9, -1),)), "batch is -1; allowed: 1 or more games"),
        (lambda: bench_search.bench_search(num_simulations=0), "num_simulations is 0; allowed: 1 or more"),
        (lambda: timing.time_in_turns({}, 0), "num_rounds is 0; allowed: 1 or more"),
    ],
)
def test_nothing_to_time_is_one_line(call, fault):
    with pytest.raises(ValueError, match=fault):
        call()


def test_a_small_search_is_timed_beside_nothing(tmp_path):
    output = tmp_path / "search.json"
    bench_search.bench_search(num_simulations=2, shapes=((3, 2),), num_rounds=1, output=output)
    (rows,) = json.loads(output.read_text()).values()
    assert [row["what"] for row in rows] == ["ours", "nothing"]
    assert rows[1]["times_nothing"] == 1
    assert np.isclose(rows[0]["times_nothing"], rows[0]["us_a_simulation"] / rows[1]["us_a_simulation"])
