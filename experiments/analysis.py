"""Analyse positions for a program: `python -m experiments.analysis --checkpoint runs/smoke5`.

Lines of JSON come in, lines of JSON go out, with the fields of `katago analysis`, so that KaTrain and other clients of
that can ask a network of ours, or a KataGo network by our search. Words as they are given to KataGo do as well:
`analysis -model FILE -config FILE -override-config "maxVisits=100"`. docs/analysis.md has all fields.
"""

import dataclasses
import re
import sys
from pathlib import Path
from typing import Annotated, Any

import tyro

from experiments import gtp
from experiments.command_line import run_command
from research.evaluation.analysis_engine import READY, AnalysisEngine
from research.evaluation.analysis_queries import AnalysisConfig, with_settings
from research.evaluation.gtp_game import HostGame
from research.evaluation.gtp_search import MemoryConfig
from research.evaluation.gtp_thinkers import Question
from research.evaluation.katago_thinker import KataGoThinker
from research.search.config import Rule

KATAGO_WORD = re.compile(r"-[a-z][a-z-]+")
SETTING = re.compile(r"\s*([\w-]+)\s*=\s*([^#]*)")


@dataclasses.dataclass(frozen=True)
class Options:
    """What the command line says."""

    checkpoint: Path | None = None  # a run's folder; its newest checkpoint analyses
    model: Path | None = None  # the same by KataGo's word: a run's folder, a file in it, or a KataGo network's file
    iteration: int | None = None  # of the checkpoint, if not the newest
    player: gtp.PlayerKind = "search"  # how it thinks: the network's search, its policy alone, or by chance
    num_simulations: int | None = None  # simulations a search; the run's own by default, 64 for a KataGo network
    rule: Rule = "puct"  # of the search: puct thinks on for as many simulations as are asked for
    num_leaves: int | None = None  # positions evaluated together; the run's own by default, 1 for a KataGo network
    memory: MemoryConfig = dataclasses.field(default_factory=MemoryConfig)
    seed: int = 0  # of everything random
    config: Path | None = None  # a file of settings as KataGo has them; those with a meaning here are read
    override_config: str | None = None  # such settings between commas, which count more
    analysis_threads: int | None = None  # taken from KataGo's clients, without effect: one search at a time
    human_model: Path | None = None  # taken from KataGo's clients, without effect
    quit_without_waiting: bool = False  # whether the end of the input ends everything, also what is not answered yet


def analyse(options: Annotated[Options, tyro.conf.arg(name="")]) -> None:
    """Answer stdin until it ends; *Raises:* ValueError for a wrong setting or if there is no such run."""
    output = gtp.replies_only()
    config = read_config(options)
    thinker, rules = gtp.make_thinker(thinker_options(options))
    if not isinstance(thinker, KataGoThinker):  # which plays any size: it is compiled for those that are asked for
        thinker.prepare(Question(HostGame(dataclasses.replace(rules, komi=0)), "black", float(rules.komi)))
    print(f"{thinker.name}: {READY}", file=sys.stderr, flush=True)
    AnalysisEngine(thinker, config, output).serve(gtp.input_lines(), finishes=not options.quit_without_waiting)


def read_config(options: Options) -> AnalysisConfig:
    """The engine's settings; *Raises:* ValueError."""
    settings: dict[str, str] = {}
    if options.config is not None:
        try:
            lines = options.config.read_text().splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"config {options.config} cannot be read: {error}") from None
        settings |= read_settings(lines)
    settings |= read_settings((options.override_config or "").split(","))
    return with_settings(AnalysisConfig(), settings)


def read_settings(lines: list[str]) -> dict[str, str]:
    """Names and values of lines such as `maxVisits = 500`; others are passed over."""
    return {found[1]: found[2].strip() for line in lines if (found := SETTING.match(line))}


def thinker_options(options: Options) -> gtp.Options:
    """Who thinks, in the words of the GTP engine; *Raises:* ValueError if it is nobody, or two."""
    if options.model is not None and options.checkpoint is not None:
        raise ValueError("wanted --checkpoint or --model, got both")
    model, words = options.model or options.checkpoint, {}
    if model is None and options.player != "random":
        raise ValueError("wanted --model with a run's folder or a KataGo network's file, or --player random")
    if model is not None and model.is_file():
        if (model.parent / "config.json").is_file():
            model = model.parent  # clients want a file for a model: any file of the run's folder will do
        else:
            words: dict[str, Any] = {"katago": model}
            model = None
    names = ("iteration", "player", "num_simulations", "rule", "num_leaves", "memory", "seed")
    return gtp.Options(checkpoint=model, **{name: getattr(options, name) for name in names}, **words)


def read_words(words: list[str]) -> list[str]:
    """The command line with KataGo's ways turned into ours: no `analysis` in front, two dashes before each word."""
    words = words[1:] if words[:1] == ["analysis"] else words
    return [f"-{word}" if KATAGO_WORD.fullmatch(word) else word for word in words]


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 when the client was done, 2 for a wrong call."""
    words = read_words(sys.argv[1:] if arguments is None else arguments)
    return run_command(analyse, "analysis", __doc__, words)


if __name__ == "__main__":
    sys.exit(main())
