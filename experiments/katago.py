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
from experiments.katago_text import picture_of, summary_of, text_of
from research import go
from research.go import symmetry
from research.networks import katago
from research.networks.katago import Evaluation, NetworkFileError
from research.training.files import write_atomically

NETWORK_ENDINGS = (".bin.gz", ".txt.gz")
ALL = "all"


@dataclasses.dataclass(frozen=True)
class Evaluate:
    """What a network says of a position."""

    network: Annotated[Positional[Path], tyro.conf.arg(metavar="FILE")]  # its file, .bin.gz or .txt.gz
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

    network: Annotated[Positional[Path], tyro.conf.arg(metavar="FILE")]  # its file, .bin.gz or .txt.gz

    def run(self) -> None:
        """Print it; *Raises:* ValueError."""
        print(summary_of(katago.read_network(self.network)))


@dataclasses.dataclass(frozen=True)
class Unpack:
    """Take the networks out of a wheel or another zip file."""

    wheel: Annotated[Positional[Path], tyro.conf.arg(metavar="WHEEL")]  # such as KaTrain's
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


def run(command: OmitSubcommandPrefixes[OmitArgPrefixes[Command]]) -> None:
    """Do what the command line says."""
    command.run()


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 when it was done, 2 for a wrong call, 130 when it was interrupted."""
    return run_command(run, "katago", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
