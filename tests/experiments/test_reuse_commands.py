"""The commands that measure tree reuse run through and write figures that hang together."""

import json
from pathlib import Path

import pytest

from experiments.bench_reuse import bench_reuse
from experiments.reuse_strength import reuse_strength


@pytest.mark.slow
def test_the_times_are_those_of_a_simulation_an_advance_and_the_maps(tmp_path: Path) -> None:
    bench_reuse(shapes=((5, 4, 6),), num_channels=0, num_rounds=1, output=tmp_path / "times.json")
    ((title, rows),) = json.loads((tmp_path / "times.json").read_text()).items()
    assert "one simulation" in title
    assert [row["what"] for row in rows] == ["simulation", "advance", "influence"]
    assert rows[0]["simulations_worth"] == 1.0
    assert 0.0 < rows[0]["kept_share"] < 1.0


@pytest.mark.slow
def test_the_match_plays_every_opening_with_both_colours(tmp_path: Path) -> None:
    reuse_strength(
        size=3,
        num_simulations=4,
        num_openings=3,
        opening_plies=2,
        komi=0.5,
        num_rounds=1,
        output=tmp_path / "match.json",
    )
    ((row,),) = json.loads((tmp_path / "match.json").read_text()).values()
    assert row["games"] == 6
    assert row["plain_simulations"] >= row["reuse_simulations"] == 4
    assert 0.0 <= row["low_95"] <= row["rate"] == row["reuse_points"] / 6 <= row["high_95"] <= 1.0
