"""Long random games against other judges of the rules: `python -m experiments.fuzz referee|gnugo|finished`.

- `referee`: a million random turns on all sizes by all rules. tests/referee.py says at every ply what is legal, what
  stands on the board, who is to move, whether the game is over, and its score and outcome; scores by the other ways of
  scoring and taxes are held against the host's, on boards of the same games.
- `gnugo`: random games on which GNU Go says at every ply what each player may play, what stands and what was captured.
- `finished`: games that GNU Go plays against itself to the end, and its score of them.

Each prints a table of counts and fails if anything differs that no rule explains. The judges stand in tests/, so this
runs in a checkout of the repository; GNU Go must be installed. Expect about 20, 5 and 5 minutes of one core; with
XLA_FLAGS=--xla_backend_optimization_level=1 less of it goes into compiling.
"""

import importlib
import random
import sys
from collections import Counter
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from experiments.command_line import run_command
from research.go.rules import MAX_SIZE, MIN_SIZE

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
gnugo_client: Any = importlib.import_module("gnugo")
gnugo_games: Any = importlib.import_module("gnugo_games")
many_games: Any = importlib.import_module("many_games")

DIFFERS = 1  # exit code
KO_RULES = ("simple", "positional", "situational")
SMALL = 4  # the largest board that gets a full share of the turns; others get less, as each takes the referee longer
EVENTS = ("ko", "superko", "suicide", "suicides", "illegal actions", "actions after the end", "finished games")


def referee(num_turns: int = 1_000_000, sizes: tuple[int, ...] = tuple(range(2, 20)), seed: int = 0) -> int:
    """Compare with the referee; the exit code.

    Args:
        num_turns: moves and passes that are legal and before the end, of all games together.
        sizes: points a side.
        seed: of the random games.

    """
    check(sizes, "num_turns", num_turns)
    shares = {size: max(size, SMALL) ** -2 for size in sizes}
    rows, total = [], Counter()
    for size in sizes:
        wanted = num_turns * shares[size] / sum(shares.values()) / len(KO_RULES) / 2
        counts, differences, all_games = Counter(), [], []
        for ko, suicide in product(KO_RULES, (False, True)):
            games = many_games.games_of(size, ko, suicide, wanted, random.Random(f"{seed} {size} {ko} {suicide}"))
            counts += many_games.played_alike(games, differences)
            all_games += games
        counts += many_games.scored_alike(all_games, differences)
        report_differences(differences)
        total += counts
        rows.append((f"{size}x{size}", counts, len(differences)))
        print(f"{size}x{size}: {counts['turns']} turns, {len(differences)} games differ", flush=True)
    rows.append(("all", total, sum(row[2] for row in rows)))
    columns = ("games", "turns", *EVENTS, "scores", "pass-dead", "taxed", "differ")
    show("research.go and the referee", columns, [(name, {**counts, "differ": num}) for name, counts, num in rows])
    return DIFFERS if rows[-1][2] else 0


def gnugo(sizes: tuple[int, ...] = (9, 19), num_games: int = 200, seed: int = 0) -> int:
    """Compare with GNU Go in random games; the exit code.

    Args:
        sizes: points a side.
        num_games: of each size at least, spread evenly over ko and suicide rules.
        seed: of the random games.

    """
    check(sizes, "num_games", num_games)
    rows, differences, by_rule = [], [], Counter()
    for size, ko, suicide in product(sizes, KO_RULES, (False, True)):
        setting = gnugo_games.empty_setting(size, ko, suicide, max_moves=2 * size * size)
        rng = random.Random(f"{seed} {size} {ko} {suicide}")
        with gnugo_client.GnuGo(size, gnugo_games.options_of(setting)) as engine:
            num_each = -(-num_games // (2 * len(KO_RULES)))
            games = [gnugo_games.random_gnugo_game(engine, setting, rng) for _ in range(num_each)]
        found = gnugo_games.differences(setting, games)
        unexplained = [difference.text for difference in found if difference.rule is None]
        differences += unexplained
        by_rule.update(difference.rule for difference in found if difference.rule is not None)
        counts = Counter({"games": len(games), "plies": sum(len(game.actions) for game in games)})
        counts["masks"] = 2 * counts["plies"]
        counts["captured"] = sum(int(game.captured[-1].sum()) for game in games)
        counts["by rule"], counts["differ"] = len(found) - len(unexplained), len(unexplained)
        rows.append((f"{size}x{size} {ko}, suicide {suicide}", counts))
        print(f"{rows[-1][0]}: {counts['plies']} plies, {len(unexplained)} unexplained differences", flush=True)
    report_differences(differences)
    rows.append(("all", sum((counts for _, counts in rows), Counter())))
    show("research.go and GNU Go", ("games", "plies", "masks", "captured", "by rule", "differ"), rows)
    print(f"by rule: {dict(by_rule)}")
    return DIFFERS if differences else 0


def finished(sizes: tuple[int, ...] = (9,) * 24 + (13,) * 8 + (19,) * 8) -> int:
    """Compare with GNU Go's score of the games that it plays against itself; the exit code.

    Args:
        sizes: points a side, game by game; the game's number is GNU Go's seed.

    """
    check(sizes)
    differences, rows = [], Counter()
    for number, size in enumerate(sizes, start=1):
        game = gnugo_games.finished_game(size, number)
        rows[f"{size}x{size}"] += 1
        print(f"{number}: {size}x{size}, {game.num_moves} plies, {game.gnugo_score:+} and {game.score:+}", flush=True)
        if game.gnugo_score != game.score:
            differences.append(f"GNU Go {game.gnugo_score:+}, research.go {game.score:+} on\n{game.board}")
    report_differences(differences)
    print(
        f"{len(sizes)} games ({', '.join(f'{num} on {name}' for name, num in rows.items())}): {len(differences)} differ"
    )
    return DIFFERS if differences else 0


def check(sizes: tuple[int, ...], name: str = "games", number: int = 1) -> None:
    """Raise ValueError where there is nothing to compare."""
    if not sizes or not all(MIN_SIZE <= size <= MAX_SIZE for size in sizes):
        raise ValueError(f"sizes are {sizes}; allowed: one or more of {MIN_SIZE} to {MAX_SIZE}")
    if number < 1:
        raise ValueError(f"{name} is {number}; allowed: 1 or more")


def report_differences(differences: Iterable[str]) -> None:
    """Print the first few."""
    for difference in list(differences)[:3]:
        print(difference, file=sys.stderr)


def show(title: str, columns: tuple[str, ...], rows: list[tuple[str, Any]]) -> None:
    """Print a table of counts."""
    table = Table(title=title)
    for heading in ("", *columns):
        table.add_column(heading, justify="right")
    for name, counts in rows:
        table.add_row(name, *(str(counts.get(column, 0)) for column in columns))
    Console(width=160).print(table)


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 when all agree, 1 when something differs, 2 for a wrong call."""
    judges = {"referee": referee, "gnugo": gnugo, "finished": finished}
    return run_command(judges, "fuzz", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
