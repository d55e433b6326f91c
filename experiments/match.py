"""A match between two engines: `python -m experiments.match random gnugo:1 --num-games 20`.

A player is a run of ours, a KataGo network, `random`, `gnugo:LEVEL` or any command line that speaks GTP; see
docs/matches.md. Colours are balanced, both games of a pair begin with the same opening, our own rules are the
referee. Every game is kept as SGF; a match that was stopped, in whatever way, goes on when it is started again with
the same words.
"""

import dataclasses
import sys
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from experiments.command_line import run_command
from experiments.match_folder import MatchFolder, default_folder, describe
from experiments.match_players import Player, read_player
from research.evaluation.gtp_rules import read_rule_set
from research.evaluation.outside_game import GameConfig, PlayedGame, record_of
from research.evaluation.outside_match import OpeningConfig, Pairing, pairing, play_match, read_openings
from research.evaluation.outside_report import print_match
from research.interop.gtp import GtpError

MAX_PARALLEL = 256  # games at once


@dataclasses.dataclass(frozen=True)
class Options:
    """What the command line says."""

    first: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PLAYER")]  # the player whose results are shown
    second: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PLAYER")]  # its opponent
    num_games: int = 20  # in all, half of them with each colour; may be raised later
    size: int = 9  # points a side
    komi: float = 7.5  # points for White; with .5 there are no draws
    rules: str = "chinese-ogs"  # a name or JSON, as kata-set-rules takes them: area, positional superko, no suicide
    opening_plies: int = 2  # random moves that both games of a pair begin with
    openings: Path | None = None  # a text file with an opening a line, such as E5 C3, in their place
    arbiter: str | None = None  # an engine that says which stones are dead at the end, such as gnugo
    max_moves: int | None = None  # plies after which the board is counted as it stands; 4 * size * size by default
    seconds_a_move: int | None = None  # that the engines are told to take; as they like by default
    move_timeout_s: float = 120.0  # seconds for a move after which a player has lost
    set_up_timeout_s: float = 300.0  # seconds for any other command
    parallel: int = 1  # games at once, each with two processes of its own
    folder: Path | None = None  # of the match; runs/matches/... by default
    seed: int = 0  # of openings and, where they can be told, of the engines


def run(options: Annotated[Options, tyro.conf.arg(name="")]) -> None:
    """Play what is missing of a match and print its table; *Raises:* ValueError for what cannot be played."""
    if options.num_games < 2 or options.num_games % 2:
        raise ValueError(f"num_games is {options.num_games}; allowed: an even number, 2 or more")
    if not 1 <= options.parallel <= MAX_PARALLEL:
        raise ValueError(f"parallel is {options.parallel}; allowed: 1 to {MAX_PARALLEL}")
    try:
        rule_set = read_rule_set(options.rules)
    except GtpError as error:
        raise ValueError(f"rules is {options.rules!r}: {error}") from None
    names = ("size", "komi", "max_moves", "seconds_a_move", "move_timeout_s", "set_up_timeout_s")
    game = GameConfig(rule_set=rule_set, **{name: getattr(options, name) for name in names})
    rules = rule_set.sized(options.size)
    players = (read_player(options.first, rules, options.seed), read_player(options.second, rules, options.seed + 1))
    if players[0].name == players[1].name:
        players = (players[0], players[1]._replace(name=f"{players[1].name} (2)"))
    arbiter = None if options.arbiter is None else read_player(options.arbiter, rules)
    listed = () if options.openings is None else _openings(options.openings, rules)
    opening = OpeningConfig(options.opening_plies, listed, options.seed)
    folder = MatchFolder(options.folder or default_folder(players[0].name, players[1].name, options.size))
    with folder.opened(describe(players, game, opening, arbiter)):
        try:
            play_missing(folder, players, game, opening, arbiter, options)
        finally:
            report(folder, players, options)


def play_missing(
    folder: MatchFolder,
    players: tuple[Player, Player],
    game: GameConfig,
    opening: OpeningConfig,
    arbiter: Player | None,
    options: Options,
) -> None:
    """Play the games that are not in the folder yet, and say on stderr how it goes."""
    there = folder.records()
    missing = [number for number in range(1, options.num_games + 1) if number not in there]
    if not missing:
        return
    rules = game.rule_set.sized(game.size)
    console = Console(stderr=True)
    if len(missing) < options.num_games:
        console.print(f"{options.num_games - len(missing)} games are there, {len(missing)} to go", highlight=False)
    games = play_match(
        (pairing(number, rules, opening) for number in missing),
        (players[0].engine, players[1].engine),
        game,
        None if arbiter is None else arbiter.engine,
        options.parallel,
    )
    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("games", total=options.num_games, completed=options.num_games - len(missing))
        for played, result in games:
            names = [player.name for player in (players if played.first_is_black else players[::-1])]
            keep(folder, played, result, game, names)
            line = f"game {played.number}: {names[0]} (Black) against {names[1]}: {result.result}, {result.reason}"
            console.print(f"{line}, {len(result.moves)} moves", highlight=False, markup=False, soft_wrap=True)
            bar.advance(task)


def report(folder: MatchFolder, players: tuple[Player, Player], options: Options) -> None:
    """Print the table of the games that there are, and where they are; nothing if there is none yet."""
    records = folder.records()
    shown = [records[number] for number in sorted(records) if number <= options.num_games]
    if not shown:
        return
    size, komi = f"{options.size}x{options.size}", f"komi {options.komi:g}"
    title = f"{len(shown)} of {options.num_games} games, {size}, {komi}, {options.rules}"
    print_match(Console(), players[0].name, players[1].name, shown, title)
    where = f"games are in {folder.path / 'games'}; the same command plays those that are missing"
    Console(stderr=True).print(where, highlight=False, soft_wrap=True)


def keep(folder: MatchFolder, played: Pairing, result: PlayedGame, game: GameConfig, names: list[str]) -> None:
    """Write the record of a game."""
    properties = {"RO": str(played.number), "AP": "Miai"}
    folder.write(played.number, record_of(result, game, dict(zip(("black", "white"), names, strict=True)), properties))


def _openings(path: Path, rules: object) -> tuple:
    """The openings of a file; *Raises:* ValueError that names it."""
    try:
        return read_openings(path.read_text(), rules)  # type: ignore
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: cannot be read: {error}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 when the match was played, 2 for a wrong call, 130 when it was interrupted."""
    return run_command(run, "match", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
