"""Train a player by self-play: `python -m experiments.train PRESET [--field value ...] [--resume]`.

PRESET is a name of configs/; any field of its RunConfig is overridden by its dotted name, such as
`--search.num-simulations 32`. The run's folder is runs/NAME; if the preset's own name is taken, NAME-2 and so on.
`--resume` goes on with the newest of them, or with that of `--name`, with its own settings, and repeats exactly what an
uninterrupted run would have done.
"""

import argparse
import dataclasses
import difflib
import re
import sys
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from configs import PRESETS
from experiments.command_line import end_well, report_error
from experiments.report import write_report
from research.training.config import RunConfig, read_config
from research.training.errors import TrainingError
from research.training.loop import train
from research.training.progress import ConsoleProgress

TRAINING_BROKE = 1


@dataclasses.dataclass(frozen=True)
class Command:
    """Settings of the command beside the run's own."""

    config: Annotated[tyro.conf.AvoidSubcommands[RunConfig], tyro.conf.arg(name="")]
    runs: Path = Path("runs")  # folder that holds the runs' folders
    resume: bool = False  # go on with an interrupted run; begin it, if there is none


def start(words: list[str]) -> int:
    """Train as the command line says; the exit code: 0 finished or asked to stop, 1 training broke.

    Raises: ValueError, OSError for a wrong call or folder.
    """
    console = Console()
    command = parse(words)
    directory = run_directory(command, words)
    config = dataclasses.replace(command.config, name=directory.name)
    console.print(f"run {directory}", highlight=False, soft_wrap=True)
    if command.resume and not (directory / "config.json").exists():
        told = f"there is no run in {directory} to go on with: this run starts from the beginning"
        console.print(told, style="yellow", highlight=False, soft_wrap=True)
    try:
        summary = train(config, directory, resume=command.resume, progress=ConsoleProgress(console))
    except TrainingError as error:
        report_error(error)
        return TRAINING_BROKE
    except KeyboardInterrupt:
        raise KeyboardInterrupt("stopped at once; --resume goes on from the last checkpoint") from None
    if not summary.was_interrupted:
        write_report(config, directory, summary, console)
    return 0


def parse(words: list[str]) -> Command:
    """The command line as settings.

    Raises: ValueError for an unknown preset or a setting out of its range; SystemExit from tyro for unknown options.
    """
    if not words or words[0] not in PRESETS:
        if words and words[0] in ("-h", "--help"):
            words = ["smoke5", "--help"]
        else:
            got = words[0] if words else "nothing"
            near = difflib.get_close_matches(got, PRESETS)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ValueError(f"wanted a preset ({', '.join(PRESETS)}), got {got}{hint}")
    default = Command(PRESETS[words[0]]())
    where = parse_over(default, [words[0], *words_of_the_folder(words)])
    saved = run_directory(where, words) / "config.json"
    # A resumed run's settings are its own; the command line changes them from there.
    return parse_over(Command(read_config(saved)) if where.resume and saved.exists() else default, words)


def words_of_the_folder(words: list[str]) -> list[str]:
    """Of a command line the words that say which run it is: the others may suit no settings but that run's."""
    reader = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    for option in ("--name", "--runs"):
        reader.add_argument(option, nargs="?")
    reader.add_argument("--resume", action="store_true")
    found, _ = reader.parse_known_args(words[1:])
    given = [f"--{option}={value}" for option, value in vars(found).items() if value and option != "resume"]
    return given + ["--resume"] * found.resume


def parse_over(default: Command, words: list[str]) -> Command:
    """`default` with what the command line changes."""
    prog = f"python -m experiments.train {words[0]}"
    return tyro.cli(Command, prog=prog, description=__doc__, default=default, args=words[1:])


def run_directory(command: Command, words: list[str]) -> Path:
    """The folder of `--name`; without it the next free one of the preset's name, or to resume the newest."""
    name = command.config.name
    if any(word.split("=")[0] == "--name" for word in words):
        return command.runs / name
    name = PRESETS[words[0]]().name
    taken = [
        int(found.name.removeprefix(name)[1:] or 1)
        for found in command.runs.glob(f"{name}*")
        if re.fullmatch(rf"{re.escape(name)}(-[1-9][0-9]*)?", found.name)
    ]
    newest = max(taken, default=0)
    number = max(newest, 1) if command.resume else newest + 1
    return command.runs / (name if number == 1 else f"{name}-{number}")


def main(arguments: list[str] | None = None) -> int:
    """The exit code: that of `start`, 2 for a wrong call or folder, 130 when it was stopped at once."""
    return end_well(lambda: start(sys.argv[1:] if arguments is None else arguments))


if __name__ == "__main__":
    sys.exit(main())
