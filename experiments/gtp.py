"""A player behind the Go Text Protocol: `python -m experiments.gtp --checkpoint RUN`, or `--katago FILE`.

It is for GoGui, Sabaki, Lizzie and matches. The player is a run's newest checkpoint with the run's search, or a KataGo
network from its file, or the network's policy alone (`--player policy`), or chance (`--player random`). A run's network
plays the size that it was trained on and is compiled before the first answer; the others play every size from 2x2 to
19x19, and a KataGo network is compiled when it is first asked or a clock is set. stdout carries replies alone, the rest
stderr.
"""

import dataclasses
import os
import signal
import sys
from collections.abc import Iterator
from io import TextIOBase
from pathlib import Path
from typing import Literal

import tyro

from experiments.command_line import CALLERS_FAULTS, INTERRUPTED, report_error
from research.evaluation.gtp_engine import serve
from research.evaluation.gtp_rules import RuleSet, read_rule_set
from research.evaluation.gtp_search import MemoryConfig
from research.evaluation.gtp_session import EngineConfig, new_session
from research.evaluation.gtp_thinkers import RandomThinker, Thinker
from research.evaluation.katago_thinker import KataGoThinker, load_katago_thinker
from research.evaluation.network_thinker import NetworkThinker
from research.go.game import Go
from research.go.rules import MAX_SIZE, Rules
from research.interop.gtp import GtpError
from research.search import SearchConfig, for_matches, make_evaluate
from research.search.config import Rule
from research.training.errors import RunError
from research.training.trained import load_trained

PlayerKind = Literal["search", "policy", "random"]

KATAGO_SIMULATIONS = 64  # a search
CHUNK_BYTES = 1 << 16  # of input at once


@dataclasses.dataclass(frozen=True)
class Options:
    """What the command line says."""

    checkpoint: Path | None = None  # a run's folder; its newest checkpoint plays
    katago: Path | None = None  # a KataGo network's file, .bin.gz or .txt.gz, which plays in a run's place
    iteration: int | None = None  # of the checkpoint, if not the newest
    player: PlayerKind = "search"  # how it plays: the network's search, its policy alone, or by chance
    num_simulations: int | None = None  # simulations a search; the run's own by default, 64 for a KataGo network
    gumbel_scale: float | None = None  # root noise of a search; what the run's matches have by default, 0 for KataGo's
    rule: Rule | None = None  # of the search; the run's own by default, gumbel for a KataGo network; puct thinks on
    num_leaves: int | None = None  # positions evaluated together; the run's own by default, 1 for a KataGo network
    temperature: float = 0.0  # of the policy alone; 0 plays its best move
    rules: str | None = None  # a name or JSON, as kata-set-rules takes them; the run's own by default
    komi: float | None = None  # points for White; the run's own by default
    size: int = MAX_SIZE  # points a side at the start, for chance and KataGo's networks
    seed: int = 0  # of everything random
    memory: MemoryConfig = dataclasses.field(default_factory=MemoryConfig)
    engine: EngineConfig = dataclasses.field(default_factory=EngineConfig)


def play(options: Options, output: TextIOBase) -> None:
    """Answer stdin until it ends.

    Raises: RunError if there is no such run or it plays another game; ValueError for a wrong setting.
    """
    thinker, rules = make_thinker(options)
    if options.komi is not None:
        rules = dataclasses.replace(rules, komi=options.komi)
    try:
        rule_set = read_rule_set(options.rules) if options.rules is not None else RuleSet(rules)
    except GtpError as error:
        raise ValueError(f"rules is {options.rules!r}: {error}") from None
    session = new_session(thinker, options.engine, rules.size, rule_set)
    session.komi = float(rules.komi)
    if not isinstance(thinker, KataGoThinker):  # which will hear of another size or other rules yet
        thinker.prepare(session.question("black"))
    print(f"{thinker.name}: ready", file=sys.stderr, flush=True)
    serve(session, input_lines(), output)


def make_thinker(options: Options) -> tuple[Thinker, Rules]:
    """Who plays, and by which rules if none are told."""
    if options.player == "random":
        return RandomThinker(options.seed), Rules(size=options.size, suicide=True)  # as by Tromp and Taylor
    temperature = options.temperature if options.player == "policy" else None
    if options.katago is not None:
        search = with_options(SearchConfig(num_simulations=KATAGO_SIMULATIONS), options)
        search = for_matches(search, options.gumbel_scale or 0.0)
        thinker = load_katago_thinker(options.katago, search, temperature, options.seed, options.memory)
        return thinker, Rules(size=options.size, suicide=True)
    if options.checkpoint is None:
        raise RunError("wanted --checkpoint with a run's folder, --katago with a network's file, or --player random")
    trained = load_trained(options.checkpoint, options.iteration)
    if not isinstance(trained.game, Go):
        raise RunError(f"{options.checkpoint}: it plays another game than Go")
    run = trained.config
    search = with_options(run.search, options)
    gumbel_scale = run.evaluation.gumbel_scale if options.gumbel_scale is None else options.gumbel_scale
    thinker = NetworkThinker(
        name=f"Miai {options.checkpoint.name}",
        size=trained.game.rules.size,
        make_evaluate=lambda game: make_evaluate(game, trained.encoder, trained.network),
        variables=trained.variables,
        config=for_matches(search, gumbel_scale),
        temperature=temperature,
        seed=options.seed,
        memory=options.memory,
    )
    return thinker, trained.game.rules


def with_options(search: SearchConfig, options: Options) -> SearchConfig:
    """The search with what the command line says of it; *Raises:* ValueError for a wrong setting."""
    names = ("num_simulations", "rule", "num_leaves")
    said = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    return dataclasses.replace(search, **said)


def input_lines() -> Iterator[str]:
    """Lines of stdin, as soon as they are there; read past Python's buffer, whose lock a waiting thread would keep."""
    pending = b""
    while chunk := os.read(0, CHUNK_BYTES):
        *lines, pending = (pending + chunk).split(b"\n")
        for line in lines:
            yield line.decode("utf-8", errors="replace")
    if pending:
        yield pending.decode("utf-8", errors="replace")


def replies_only() -> TextIOBase:
    """Where replies go: the process's stdout, which from now on nobody else can write to."""
    output = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return output


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 when the controller was done, 2 for a wrong call."""
    options = tyro.cli(Options, prog="python -m experiments.gtp", description=__doc__, args=arguments)
    try:
        play(options, replies_only())
    except CALLERS_FAULTS as error:
        return report_error(error)
    return 0


def stop(number: int, frame: object) -> None:
    """End at once: there is nothing to save, and whoever compiles or reads input would not end quietly."""
    os.write(2, b"stopped\n")
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    sys.exit(main())
