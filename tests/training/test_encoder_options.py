"""Options of a run's encoder: from words on the command line to the planes that the run's player sees."""

import dataclasses
import json
from pathlib import Path

import jax
import numpy as np
import pytest

from experiments import train as command
from experiments.arena import read_entrant
from research import encoders, go
from research.encoders.option_words import encoder_with, read_option
from research.search import SearchConfig
from research.training import loop
from research.training.config import read_config, write_config
from research.training.trained import load_trained
from tests.training.runs import program_of, read_records, tiny_config

OPTIONS = ("ladder_max_nodes=20", "value_plane=True")


@pytest.mark.parametrize(
    ("word", "option"),
    [
        ("ladder_max_nodes=400", ("ladder_max_nodes", 400)),
        ("ladders=False", ("ladders", False)),
        ("value_plane=true", ("value_plane", True)),
        ("ladder_ko=plain", ("ladder_ko", "plain")),
        ("draw_weight=0.5", ("draw_weight", 0.5)),
        ("ladder_max_plies=None", ("ladder_max_plies", None)),
        ("ladders={[]:1}", ("ladders", "{[]:1}")),
        pytest.param("ladders=" + 20_000 * "-" + "1", ("ladders", 20_000 * "-" + "1"), id="deep"),
    ],
)
def test_a_word_is_a_name_and_a_value(word: str, option: tuple[str, object]) -> None:
    assert read_option(word) == option


def test_the_encoder_is_the_one_that_the_keywords_make() -> None:
    assert encoder_with("alphago48", OPTIONS) is encoders.get("alphago48", ladder_max_nodes=20, value_plane=True)
    assert encoder_with("agz17") is encoders.get("agz17")


@pytest.mark.parametrize(
    ("encoder", "options", "message"),
    [
        ("alphago84", ("ladders=False",), "there is no encoder 'alphago84' (did you mean alphago48"),
        ("alphago48", ("ladders",), "the encoder's option 'ladders': wanted NAME=VALUE"),
        ("alphago48", ("=5",), "the encoder's option '=5': wanted NAME=VALUE"),
        ("alphago48", ("ladder_nodes=5",), "'ladder_nodes=5': the encoder 'alphago48' has no option 'ladder_nodes'"),
        (
            "alphago48",
            ("ladder_max_nodes=-5",),
            "'ladder_max_nodes=-5': max_nodes=-5: allowed is a whole number from 1",
        ),
        ("katago22", ("max_history=9",), "'max_history=9': max_history=9: allowed is a whole number from 0 to 5"),
        (
            "alphago48",
            ("ladders=[1]",),
            "'ladders=[1]': ladders=[1] of the encoder 'alphago48': allowed is a plain value",
        ),
        ("alphago48", ("ladders=1", "ladders=0"), "option ladders is there twice, the second time as 'ladders=0'"),
        ("agz17", ("ladders=False",), "the encoder 'agz17' has no option 'ladders'; it has no options"),
    ],
)
def test_what_is_wrong_is_one_line_before_anything_runs(
    encoder: str, options: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["smoke5", "--runs", str(tmp_path / "runs"), "--encoder", encoder, "--encoder-options", *options]
    assert command.main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert message in err
    assert not (tmp_path / "runs").exists()


def test_a_config_file_from_before_there_were_options_is_read(tmp_path: Path) -> None:
    config = tiny_config(game=go.Rules(size=3), encoder="alphago48", encoder_options=OPTIONS)
    path = tmp_path / "config.json"
    write_config(config, path)
    assert read_config(path) == config
    data = json.loads(path.read_text())
    assert data.pop("encoder_options") == list(OPTIONS)
    path.write_text(json.dumps(data))
    assert read_config(path) == dataclasses.replace(config, encoder_options=())


def test_a_run_with_options_is_resumed_and_its_player_sees_their_planes(tmp_path: Path) -> None:
    config = tiny_config(
        game=go.Rules(size=3, komi=0.5),
        encoder="alphago48",
        encoder_options=OPTIONS,
        search=SearchConfig(num_simulations=0),
        num_iterations=1,
    )
    directory = tmp_path / "run"
    with pytest.MonkeyPatch.context() as monkeypatch:
        program = program_of(config)  # which its length does not change
        monkeypatch.setattr(loop, "make_program", lambda config, mesh: program)
        monkeypatch.setattr(loop, "make_matches", lambda config: lambda variables: ())
        loop.train(config, directory)
        with pytest.raises(ValueError, match=r"other settings \(encoder_options\)"):
            loop.train(dataclasses.replace(config, encoder_options=OPTIONS[1:]), directory, resume=True)
        loop.train(dataclasses.replace(config, num_iterations=2), directory, resume=True)
    assert [record["iteration"] for record in read_records(directory)] == [1, 2]
    trained = load_trained(directory)
    assert trained.encoder is encoders.get("alphago48", ladder_max_nodes=20, value_plane=True)
    make_player, variables, game = read_entrant(f"{directory}:policy")
    player = make_player(game)
    positions = jax.eval_shape(jax.vmap(lambda _: game.init()), np.arange(2))
    assert jax.eval_shape(player.choose, variables, positions, jax.random.key(0)).shape == (2,)
