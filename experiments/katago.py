"""KataGo's networks at hand: what one says of a position, what is in a file, and getting files out of a wheel.

`python -m experiments.katago evaluate NETWORK --sgf game.sgf --move 60` prints who wins, by how much, the best moves
and who owns what; `--moves "E5 C3" --size 9` or `--board FILE` give the position otherwise. `python -m
experiments.katago show NETWORK` says what a file holds, `python -m experiments.katago unpack WHEEL` takes the networks
out of a Python package that carries some, such as KaTrain. docs/katago.md says where networks come from.
"""

import dataclasses
import functools
import sys
import time
import zipfile
import zlib
from pathlib import Path
from typing import Annotated

import jax
import jax.numpy as jnp
import numpy as np
import tyro
from tyro.conf import OmitArgPrefixes, OmitSubcommandPrefixes, Positional

from experiments.command_line import run_command
from experiments.katago_position import Source, read_position
from research import go
from research.go import coords, symmetry
from research.go.state import PLAYERS
from research.networks import katago
from research.networks.katago import Evaluation, NetworkFileError
from research.training.files import write_atomically
from research.visualise.svg import board_svg

NETWORK_ENDINGS = (".bin.gz", ".txt.gz")
ALL = "all"
NUM_BEST = 8  # moves that are printed


@dataclasses.dataclass(frozen=True)
class Evaluate:
    """What a network says of a position."""

    network: Positional[Path]  # its file, .bin.gz or .txt.gz
    source: OmitArgPrefixes[Source] = dataclasses.field(default_factory=Source)
    symmetry: str = ALL  # the mean over all eight, or KataGo's number of one, 0 to 7
    svg: Path | None = None  # a picture of the position with policy and ownership

    def run(self) -> None:
        """Print it; *Raises:* ValueError, OSError."""
        numbers = [str(number) for number in range(symmetry.NUM_SYMMETRIES)]
        if self.symmetry not in (*numbers, ALL):
            raise ValueError(f"symmetry is {self.symmetry!r}; allowed: {ALL}, or 0 to 7")
        started = time.monotonic()
        file = katago.read_network(self.network)
        game, state, is_friendly = read_position(self.source)
        number = None if self.symmetry == ALL else symmetry.FROM_KATAGO[int(self.symmetry)]
        found = evaluate_position(file, game, state, number, is_friendly)
        print(f"{file.description.name} ({time.monotonic() - started:.0f} s, compiling included)")
        print(text_of(state, found))
        if self.svg is not None:
            write_atomically(self.svg, picture_of(state, found))
            print(f"written: {self.svg}")


@dataclasses.dataclass(frozen=True)
class Show:
    """What a network's file holds."""

    network: Positional[Path]  # its file, .bin.gz or .txt.gz

    def run(self) -> None:
        """Print it; *Raises:* ValueError."""
        print(summary_of(katago.read_network(self.network)))


@dataclasses.dataclass(frozen=True)
class Unpack:
    """Take the networks out of a wheel or another zip file."""

    wheel: Positional[Path]  # such as KaTrain's
    folder: Path = Path("networks")  # where they go

    def run(self) -> None:
        """Write every network of the wheel; *Raises:* ValueError if there is none, OSError."""
        try:
            with zipfile.ZipFile(self.wheel) as archive:
                names = [name for name in archive.namelist() if name.endswith(NETWORK_ENDINGS)]
                if not names:
                    raise ValueError(f"{self.wheel}: there is no network in it, no file ending in .bin.gz or .txt.gz")
                for name in names:
                    self._write(self.folder / Path(name).name, archive.read(name))
        except (zipfile.BadZipFile, zlib.error) as error:
            raise ValueError(f"{self.wheel}: wanted a wheel, which is a zip file: {error}") from None

    def _write(self, path: Path, data: bytes) -> None:
        """Write one network and say what it is."""
        try:
            told = summary_of(katago.parse_network(data, path.name))
        except NetworkFileError as error:
            told = f"cannot be played here: {error}"
        write_atomically(path, data)
        print(f"{path}: {told}")


Command = (
    Annotated[Evaluate, tyro.conf.subcommand("evaluate")]
    | Annotated[Show, tyro.conf.subcommand("show")]
    | Annotated[Unpack, tyro.conf.subcommand("unpack")]
)


def evaluate_position(
    file: katago.KataGoFile, game: go.Go, state: go.GoState, number: int | None = None, is_friendly: bool = False
) -> Evaluation:
    """What the network says of one position, for the player to move, under a symmetry or (None) the mean over all."""
    network = katago.KataGoNetwork(file.description)
    read = jax.jit(katago.make_read(game, katago.encoder_for(network, friendly_pass_ok=is_friendly)))
    inputs = read(jax.tree.map(lambda leaf: leaf[None], state))
    if number is None:
        found = jax.jit(functools.partial(katago.evaluate_average, network))(file.variables, inputs)
    else:
        under = jax.jit(functools.partial(katago.evaluate, network))
        found = under(file.variables, inputs, jnp.array([number], jnp.int32))
    return jax.tree.map(lambda leaf: np.asarray(leaf)[0], found)


def text_of(state: go.GoState, found: Evaluation) -> str:
    """The board, who wins and by how much, the best moves, who owns what."""
    size, player = go.board(state).shape[0], PLAYERS[int(state.to_play)].capitalize()
    best = np.argsort(-found.policy)[:NUM_BEST]
    moves = ", ".join(f"{coords.gtp_from_action(int(action), size)} {found.policy[action]:.1%}" for action in best)
    owned = np.asarray(found.ownership) * (1 if player == "Black" else -1)
    rows = [" ".join(f"{round(9 * float(number)):3d}" for number in row) for row in owned]
    return "\n".join(
        [
            f"{go.to_text(state)}",
            f"{player} to move wins {float(found.win):.1%}, loses {float(found.loss):.1%}; "
            f"leads by {float(found.lead):+.1f}, would end at {float(found.score_mean):+.1f} points",
            f"policy: {moves}",
            "ownership, from 9 (Black's) to -9 (White's):",
            *rows,
        ]
    )


def picture_of(state: go.GoState, found: Evaluation) -> str:
    """The position with policy and ownership."""
    size, sign = go.board(state).shape[0], 1 - 2 * int(state.to_play)
    last = int(state.recent_moves[0])
    return board_svg(
        go.board(state),
        last_move=last if last >= 0 else None,
        heat=found.policy[:-1].reshape(size, size),
        ownership=sign * np.asarray(found.ownership),
        caption=f"{PLAYERS[int(state.to_play)].capitalize()} to move wins {float(found.win):.1%}",
    )


def summary_of(file: katago.KataGoFile) -> str:
    """One line about a network."""
    described = file.description
    num_parameters = sum(leaf.size for leaf in jax.tree.leaves(file.variables["params"]))
    return (
        f"{described.name}, version {described.version}, {described.trunk.num_blocks} blocks, "
        f"{described.trunk.num_channels} channels, {num_parameters:,} parameters"
    )


def run(command: OmitSubcommandPrefixes[OmitArgPrefixes[Command]]) -> None:
    """Do what the command line says."""
    command.run()


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 when it was done, 2 for a wrong call, 130 when it was interrupted."""
    return run_command(run, "katago", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
