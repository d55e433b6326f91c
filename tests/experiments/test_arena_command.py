"""The arena's command: a run meets chance, and what cannot meet is said in a line.

*Source:* none.
"""

from pathlib import Path

import pytest

from experiments import arena
from research.training import checkpoint
from research.training.config import write_config
from tests.training.runs import shared_program, tiny_config


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that has learned nothing."""
    directory = tmp_path_factory.mktemp("arena") / "run"
    write_config(tiny_config(), directory / "config.json")
    checkpoint.save(directory / "checkpoints", 2, shared_program().start(), 1)
    return directory


def test_a_network_meets_chance_with_both_colours(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert arena.main([f"{run}:policy", "random", "--match.num-games", "4"]) == 0
    output = capsys.readouterr().out
    assert "random" in output
    assert "W-D-L" in output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{run}x", "random"], "{run}x: wanted a run's folder, but it does not exist; did you mean {run}?"),
        (["{run}@7", "random"], "{run}: wanted the checkpoint of iteration 7, it has [2]"),
        (["{run}@x", "random"], "{run}@x: after the @ wanted an iteration's number, got x"),
        (["{run}:x", "random"], "{run}:x: after the colon wanted policy or a number of simulations, got x"),
        (["random", "random"], "wanted a run's folder for at least one player: it says which game is played"),
        (["{run}", "random", "--seed", "-1"], "seed is -1; it must be in 0..2147483647"),
        (
            ["{run}", "random", "--match.opening-plies", "9"],
            "match.opening_plies is 9; it must leave some of a game's 9 moves",
        ),
        (["{run}", "random", "--num-simulations", "-1"], "num_simulations is -1; allowed: 0 or more"),
    ],
)
def test_what_cannot_meet_is_one_line(
    words: list[str], message: str, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert arena.main([word.format(run=run) for word in words]) == 2
    assert capsys.readouterr() == ("", f"error: {message.format(run=run)}\n")
