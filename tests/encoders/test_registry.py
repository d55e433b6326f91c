"""The registry of encoders: what it lists, and what it says when a name, an option or a game is wrong."""

import inspect

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import TypeCheckError

from research import encoders, go
from research.toys import Bandit, TicTacToe

GO_ENCODERS = (
    "absolute17",
    "agz17",
    "alphago48",
    "alphago48_roc",
    "history48",
    "katago22",
    "liberty48",
    "rules22",
)


def test_every_listed_encoder_can_be_made_and_names_its_planes() -> None:
    assert encoders.names() == tuple(sorted(encoders.names()))
    assert set(encoders.names()) == {*GO_ENCODERS, "bandit", "tictactoe"}
    for name in encoders.names():
        encoder = encoders.get(name)
        assert encoder.name == name
        assert encoder.num_planes == len(encoder.plane_names) == len(set(encoder.plane_names))
        assert hash(encoder) == hash(encoders.get(name))
        assert encoder == encoders.get(name)


def test_an_unknown_name_is_an_error_that_names_the_near_ones() -> None:
    with pytest.raises(ValueError, match=r"no encoder 'agz71' \(did you mean agz17\?\); encoders: .*agz17.*tictactoe"):
        encoders.get("agz71")
    with pytest.raises(ValueError, match="no encoder 'qqqqq'; encoders: "):
        encoders.get("qqqqq")


@pytest.mark.parametrize("name", [None, 3, ["agz17"], "AGZ17"])
def test_what_is_no_name_is_an_error_that_shows_it(name: object) -> None:
    with pytest.raises((ValueError, TypeCheckError), match="AGZ17.*agz17" if name == "AGZ17" else None):
        encoders.get(name)  # type: ignore[arg-type]


def test_an_unknown_option_is_an_error_that_names_the_encoder() -> None:
    with pytest.raises(ValueError, match="encoder 'agz17' has no option 'value_plane'; it has no options"):
        encoders.get("agz17", value_plane=True)


def test_an_option_that_is_no_plain_value_is_an_error_that_names_it() -> None:
    with pytest.raises(ValueError, match=r"ladder_ko=\['prey'\] of the encoder 'liberty48': allowed is a plain value"):
        encoders.get("liberty48", ladder_ko=["prey"])


def test_options_out_of_range_are_errors_and_numpy_numbers_are_numbers() -> None:
    for name, option, value in (
        ("alphago48", "value_plane", 1),
        ("alphago48", "ladders", "no"),
        ("alphago48", "ladder_max_plies", 10**9),
        ("alphago48", "ladder_max_nodes", 10**12),
        ("katago22", "pass_alive_suicide", "maybe"),
    ):
        with pytest.raises((ValueError, TypeCheckError), match=option.removeprefix("ladder_")):
            encoders.get(name, **{option: value})
    assert encoders.get("alphago48", ladder_max_nodes=np.int64(300)) is encoders.get("alphago48", ladder_max_nodes=300)


def test_the_same_options_give_the_same_encoder_and_others_another() -> None:
    plain = encoders.get("history48", ladders=False)
    assert plain is encoders.get("history48", ladders=False)
    assert plain != encoders.get("history48")
    with pytest.raises(ValueError, match="max_nodes=0"):
        encoders.get("history48", ladder_max_nodes=0)


def test_the_maker_of_a_name_tells_its_options() -> None:
    assert "ladder_max_nodes" in inspect.signature(encoders.maker_of("history48")).parameters
    with pytest.raises(ValueError, match=r"no encoder 'history' \(did you mean history48"):
        encoders.maker_of("history")


def test_a_game_that_the_encoder_cannot_read_is_an_error_that_names_both() -> None:
    encoder = encoders.get("tictactoe")
    encoder.check_game(TicTacToe())
    with pytest.raises(ValueError, match=r"encoder 'tictactoe' reads positions of TicTacToe, .* game of Bandit"):
        encoder.check_game(Bandit())
    with pytest.raises(ValueError, match="game of Bandit"):
        encoder.encode(Bandit(), Bandit().init())


def test_a_state_that_is_no_position_of_the_game_is_an_error_that_says_what_was_wanted() -> None:
    encoder, game = encoders.get("agz17"), go.Go(go.Rules(size=5))
    with pytest.raises(ValueError, match="state is a TicTacToeState; wanted a GoState"):
        encoder.encode(game, TicTacToe().init())
    with pytest.raises(ValueError, match=r"label of the state has the shape \(110,\); wanted \(42,\)"):
        encoder.encode(game, go.Go(go.Rules(size=9)).init())
    batch = jax.vmap(lambda _: game.init())(jnp.arange(3))
    with pytest.raises(ValueError, match=r"the shape \(3, 42\): encode takes one position; use jax.vmap"):
        encoder.encode(game, batch)
