"""The encoder benchmark: what it measures is what it says, and it writes its figures."""

import json
from pathlib import Path

import jax
import numpy as np
import pytest

from experiments import bench_encoders, game_positions, host_encoders
from research import encoders, go

NUM_GAMES = 2


@pytest.fixture(scope="module")
def positions() -> game_positions.Positions:
    return game_positions.of_random_games(size=5, num_games=NUM_GAMES, seed=3)


def test_random_games_fill_no_eye_and_their_positions_are_those_of_their_moves(positions) -> None:
    lengths = (positions.actions >= 0).sum(1)
    assert len(positions.chosen) == lengths.sum()
    assert lengths.min() > 10
    step = jax.jit(positions.game.step)
    for number in range(NUM_GAMES):
        state = positions.game.init()
        for num_moves in range(8):
            index = np.flatnonzero((positions.chosen == (number, num_moves)).all(1)).item()
            assert (go.board(state) == go.board(jax.tree.map(lambda leaf, i=index: leaf[i], positions.states))).all()
            state = step(state, positions.actions[number, num_moves])


@pytest.mark.parametrize(
    ("draw", "name", "options"),
    [
        (host_encoders.agz17, "agz17", {}),
        (host_encoders.alphago48, "alphago48", {"ladders": False}),
    ],
)
def test_the_host_draws_what_the_device_draws(positions, draw, name: str, options: dict) -> None:
    encoder = encoders.get(name, **options)
    wanted = np.asarray(jax.jit(jax.vmap(lambda state: encoder.encode(positions.game, state)))(positions.states))
    for index, position in enumerate(game_positions.on_host(positions)):
        found = draw(position)
        for number, plane in enumerate(encoder.plane_names):
            assert (found[..., number] == wanted[index][..., number]).all(), f"position {index}, plane {plane}"
    assert wanted[..., -2 if name == "agz17" else 46].any()


def test_records_with_set_up_stones_or_too_few_of_them_are_refused(tmp_path: Path) -> None:
    moves = "".join(f";{'BW'[ply % 2]}[{'abcde'[ply // 5]}{'abcde'[ply % 5]}]" for ply in range(8))
    (tmp_path / "handicap.sgf").write_text(f"(;SZ[5]AB[ea]{moves})")
    (tmp_path / "even.sgf").write_text(f"(;SZ[5]{moves})")
    found = game_positions.of_records(tmp_path, size=5, num_games=1)
    assert found.actions.tolist() == [[0, 5, 10, 15, 20, 1, 6, 11]]
    assert len(found.chosen) == 8
    with pytest.raises(ValueError, match="wanted 2 games of size 5 played from an empty board") as caught:
        game_positions.of_records(tmp_path, size=5, num_games=2)
    assert "stones are set up" in str(caught.value)


@pytest.mark.slow  # compiles every reader of ladders anew for each budget
def test_the_command_writes_its_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(bench_encoders, "NUM_POSITIONS", 8)
    monkeypatch.setattr(bench_encoders, "BUDGETS", (1, 1000))
    output = tmp_path / "figures.json"
    arguments = ["--size", "5", "--num-games", "1", "--names", "rules22", "--batches", "4", "--num-rounds", "1"]
    assert bench_encoders.main([*arguments, "--output", str(output)]) == 0
    figures = json.loads(output.read_text())
    names = [row["encoder"] for row in figures["times"]]
    assert names == ["agz17", "rules22", "agz17 on the host, no ladders", "alphago48 on the host, no ladders"]
    assert figures["times"][0]["x_agz17"] == 1
    assert figures["ladders"][1]["share_read"] == 1
    assert figures["ladders"][0]["nodes_a_board"] <= figures["ladders"][1]["nodes_a_board"]
    assert "planes of one board of 5x5, 1 games of random moves" in capsys.readouterr().out


def test_an_unknown_folder_is_one_line(capsys) -> None:
    assert bench_encoders.main(["--games", "nowhere"]) == 2
    assert capsys.readouterr().err == "error: nowhere: no such file or folder\n"
