"""A run's network, taken from its folder: what matches, notebooks and engines start from."""

import difflib
from pathlib import Path
from typing import Any, NamedTuple

from research.encoders import Encoder
from research.game import Game
from research.networks import Network, make_network
from research.training import checkpoint
from research.training.config import RunConfig, read_config
from research.training.errors import RunError
from research.training.iteration import make_program
from research.training.sharding import make_mesh


class Trained(NamedTuple):
    """A network with everything that is needed to ask it."""

    config: RunConfig
    game: Game
    encoder: Encoder
    network: Network
    variables: dict[str, Any]  # what `network.apply` takes
    iteration: int  # of the checkpoint


def load_trained(directory: Path | str, iteration: int | None = None) -> Trained:
    """The network of a run's newest checkpoint, or of the one at `iteration`.

    Raises: RunError if there is no such folder, it is no run's, or it holds no such checkpoint.
    """
    directory = Path(directory)
    path = directory / "config.json"
    if not path.exists():
        raise RunError(f"{directory}: wanted a run's folder, {_what_is_there(directory)}")
    config = read_config(path)
    available = checkpoint.iterations(directory / "checkpoints")
    chosen = (available or [None])[-1] if iteration is None else iteration
    if chosen is None or chosen not in available:
        wanted = "a checkpoint" if chosen is None else f"the checkpoint of iteration {chosen}"
        raise RunError(f"{directory}: wanted {wanted}, it has {available or 'none'}")
    program = make_program(config, make_mesh(1))
    state = checkpoint.restore(directory / "checkpoints", chosen, program.state_shapes, program.shardings)
    game, encoder = config.make_game(), config.make_encoder()
    network = make_network(config.network, game.board_shape, encoder.num_planes, game.num_actions)
    return Trained(config, game, encoder, network, state.learner.variables, chosen)


def _what_is_there(directory: Path) -> str:
    """Why a path is no run's folder, in words, and the runs that may have been meant."""
    if directory.is_dir():
        return "but it holds no config.json"
    if directory.exists():
        return "but it is a file"
    beside = {found.parent for place in (directory.parent, Path("runs")) for found in place.glob("*/config.json")}
    by_name = {found.name: found for found in sorted(beside)}
    near = difflib.get_close_matches(directory.name, by_name)
    return "but it does not exist" + (
        f"; did you mean {' or '.join(f'{by_name[name]}' for name in near)}?" if near else ""
    )
