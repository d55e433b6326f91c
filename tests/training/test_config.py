"""Configs: they survive config.json, and what cannot work is refused in one line, before anything compiles."""

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import pytest

from configs import PRESETS
from research import go
from research.evaluation.arena import MatchConfig
from research.networks import NetworkConfig
from research.toys import BanditRules, TicTacToeRules
from research.training import loop
from research.training.config import EvaluationConfig, RunConfig, differing_fields, read_config, to_json, write_config
from research.training.iteration import make_program
from research.training.losses import LossConfig
from research.training.optimizers import OptimizerConfig
from research.training.sharding import make_mesh
from tests.training.runs import BACKEND_COMPILE, tiny_config


@pytest.fixture
def nothing_compiles() -> Iterator[None]:
    """Fails the test if XLA was asked to compile anything."""
    compiled: list[str] = []

    def listen(event: str, duration: float, **_: Any) -> None:
        if event == BACKEND_COMPILE:
            compiled.append(event)

    jax.monitoring.register_event_duration_secs_listener(listen)
    yield
    jax.monitoring.unregister_event_duration_listener(listen)
    assert not compiled


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_survives_its_config_file(preset: str, tmp_path: Path) -> None:
    config = PRESETS[preset]()
    assert config.name == preset
    write_config(config, tmp_path / "config.json")
    assert read_config(tmp_path / "config.json") == config


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_can_be_laid_out_on_the_devices_that_it_is_for(preset: str) -> None:
    config = PRESETS[preset]()
    for num_devices in (1, 2, 4, 8):
        config.check_devices(num_devices)
    assert config.self_play.num_games % config.num_lanes == config.batch_size % config.num_lanes == 0


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_builds_its_whole_program(preset: str) -> None:
    program = make_program(PRESETS[preset](), make_mesh(1))
    assert program.state_shapes.games.num_plies.shape == (PRESETS[preset]().self_play.num_games,)


@pytest.mark.parametrize(
    "game",
    [BanditRules(payoffs=(0.5, -1.0)), TicTacToeRules(size=4), go.Rules(size=3, komi=-2.0, ko="simple", max_moves=20)],
)
def test_every_kind_of_game_survives_the_config_file(game: Any, tmp_path: Path) -> None:
    encoder = {BanditRules: "bandit", TicTacToeRules: "tictactoe", go.Rules: "agz17"}[type(game)]
    config = tiny_config(game=game, encoder=encoder, num_devices=None)
    write_config(config, tmp_path / "config.json")
    assert read_config(tmp_path / "config.json") == config


def edited(path: Path, **changes: Any) -> Path:
    """A config file with some entries replaced; a dotted path is written with two underscores."""
    data = to_json(tiny_config())
    for name, value in changes.items():
        *folders, leaf = name.split("__")
        entry = data
        for folder in folders:
            entry = entry[folder]
        entry[leaf] = value
    path.write_text(json.dumps(data))
    return path


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_iteration": 5}, "config.json: unknown field 'num_iteration'; did you mean 'num_iterations'?"),
        (
            {"optimizer__learning_rat": 0.1},
            "config.json.optimizer: unknown field 'learning_rat'; did you mean 'learning_rate'?",
        ),
        ({"qqq": 5}, "config.json: unknown field 'qqq'"),
        ({"game": {"type": "Chess"}}, "config.json.game: wanted a game of type Rules or TicTacToeRules or BanditRules"),
        ({"game": "tictactoe"}, "config.json.game: wanted a game of type"),
        ({"network": 3}, "config.json.network: wanted the fields of NetworkConfig, got 3"),
        ({"batch_size": 0}, "batch_size is 0; it must be at least 1"),
        ({"batch_size": "many"}, "config.json.batch_size: wanted int, got 'many'"),
        ({"batch_size": 2.5}, "config.json.batch_size: wanted int, got 2.5"),
        ({"batch_size": True}, "config.json.batch_size: wanted int, got True"),
        ({"optimizer__name": "adamw"}, "config.json.optimizer.name: wanted one of adam, sgd, got 'adamw'"),
        ({"search__max_depth": "deep"}, "config.json.search.max_depth: wanted int or None, got 'deep'"),
        ({"game": {"type": "TicTacToeRules", "size": 9}}, "size is 9; it must be 3 to 5"),
    ],
)
def test_a_wrong_entry_is_named_with_the_file(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = edited(tmp_path / "config.json", **changes)
    with pytest.raises(ValueError, match=r"config\.json") as error:
        read_config(path)
    assert str(error.value).startswith(f"{path}: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_whole_number_stands_for_a_float(tmp_path: Path) -> None:
    assert read_config(edited(tmp_path / "config.json", optimizer__learning_rate=1)).optimizer.learning_rate == 1.0


@pytest.mark.parametrize("content", [b"", b"{", b"[1, 2]", b"null", b"\xff\xfe", b'{"name": "a"}', b'"a"'])
def test_a_damaged_file_is_one_clear_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"config\.json: ") as error:
        read_config(path)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"config\.json: wanted a run's config\.json, got .*No such file"):
        read_config(tmp_path / "config.json")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_updates": 0}, "num_updates is 0; it must be at least 1"),
        ({"num_iterations": -1}, "num_iterations is -1; it must be 0 or more"),
        ({"checkpoint_interval": 0}, "checkpoint_interval is 0; it must be at least 1"),
        ({"num_checkpoints": 0}, "num_checkpoints is 0; it must be at least 1"),
        ({"name": "a/b"}, "name is 'a/b'; it must be a plain folder name"),
        ({"name": ".."}, r"name is '\.\.'; it must be a plain folder name"),
        ({"name": ""}, "name is ''; it must be a plain folder name"),
        ({"seed": 2**31}, "seed is 2147483648; it must be in 0"),
        (
            {"evaluation": EvaluationConfig(match=MatchConfig(num_games=2, opening_plies=9))},
            "evaluation.match.opening_plies is 9; it must leave some of a game's 9 moves",
        ),
        ({"encoder": "tictactow"}, r"no encoder 'tictactow' \(did you mean tictactoe\?\)"),
        ({"encoder": "agz17"}, "encoder 'agz17' reads positions of Go, and this is a game of TicTacToe"),
    ],
)
@pytest.mark.usefixtures("nothing_compiles")
def test_a_setting_that_cannot_work_is_refused_when_the_config_is_made(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tiny_config(**changes)


@pytest.mark.parametrize("size", [1, 20])
@pytest.mark.usefixtures("nothing_compiles")
def test_a_board_size_out_of_range_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=rf"size={size}: allowed is a whole number from 2 to 19"):
        go.Rules(size=size)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_devices": 4, "batch_size": 18}, "batch_size is 18; it must be a multiple of the 4 devices"),
        ({"num_devices": 3}, r"self_play\.num_games is 8; it must be a multiple of the 3 devices"),
        ({"num_devices": 5}, "num_devices is 5; this machine has 4"),
        ({"num_devices": 0}, "num_devices is 0; this machine has 4"),
    ],
)
@pytest.mark.usefixtures("nothing_compiles")
def test_a_config_that_does_not_split_over_the_devices_leaves_no_folder_behind(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        loop.train(tiny_config(**changes), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_differing_fields_are_named_with_their_path() -> None:
    first = tiny_config()
    second = dataclasses.replace(
        first, seed=1, search=dataclasses.replace(first.search, num_simulations=9), game=TicTacToeRules(size=4)
    )
    assert differing_fields(first, second) == ["game.size", "search.num_simulations", "seed"]
    assert differing_fields(first, tiny_config()) == []


def test_lanes_are_as_many_as_divide_both_games_and_batch() -> None:
    config: RunConfig = tiny_config(batch_size=12)
    assert (config.self_play.num_games, config.num_lanes) == (8, 4)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0])
def test_a_weight_that_is_no_finite_number_is_refused(value: float) -> None:
    for make, field in (
        (LossConfig, "l2"),
        (LossConfig, "value_weight"),
        (OptimizerConfig, "learning_rate"),
        (OptimizerConfig, "weight_decay"),
        (OptimizerConfig, "max_gradient_norm"),
        (NetworkConfig, "output_scale"),
    ):
        with pytest.raises(ValueError, match=f"{field} is {value}; it must be .*finite"):
            make(**{field: value})
