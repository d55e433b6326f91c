"""Games played by the referee, at random or every one, and the comparison of research.go with them.

The referee plays a game and writes down what it saw before each action; research.go then replays the actions, many
games at once, and every view must be equal: legal mask, board, player to move, end, score, outcome. The players are
random, with habits that make the rare rules common: some never pass while another move is legal (small boards then come
back to old positions all the time), some capture or commit suicide when they can, and all try an illegal action now and
then, which must change nothing. A game begins on an empty board or on a random set-up position, with any komi.

*Source:* none; the habits were chosen by counting how often each rule had its say (`RandomGame.events`).
"""

import random
from collections import Counter
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from engines import Setting, View, diagram_of, make_replay, referee_of, referee_view, rules_of, state_of
from referee import BLACK, EMPTY, WHITE, Referee, chains, diagram, liberties_at, new_game, put_stone

ILLEGAL_RATE = 0.05  # share of the actions that try something illegal
SETUP_RATE = 0.6  # share of the games that begin on a set-up position
TAIL = 3  # plies that are tried after the end of a game


class Habits(NamedTuple):
    """How a random player chooses."""

    pass_rate: float  # how often it passes though another move is legal
    fight_rate: float  # how often it takes stones off (the fewest it can: kos go round), its own by suicide included
    near_rate: float  # how often it answers close to the last move, if it can


HABITS = (
    Habits(0.0, 0.0, 0.0),
    Habits(0.0, 0.5, 0.5),
    Habits(0.0, 0.95, 0.0),
    Habits(0.01, 0.95, 0.5),
    Habits(0.03, 0.3, 0.3),
    Habits(0.15, 0.0, 0.0),
    Habits(0.7, 0.0, 0.0),
)
KO_FIGHTERS = (Habits(0.0, 1.0, 0.0), Habits(0.1, 1.0, 0.0))


class RandomGame(NamedTuple):
    """A game as the referee played it."""

    setting: Setting
    actions: list[int]
    views: list[View]  # before each action
    events: Counter  # how often each rule had its say: "ko", "superko", "suicide" bans; "suicides" and so on played


def random_game(
    setting: Setting, num_plies: int, rng: random.Random, choices: tuple[Habits, ...] = HABITS
) -> RandomGame:
    """`num_plies` actions from `setting` on; once the game is over, the rest try to change what has ended.

    Each player has one of the habits in `choices`.
    """
    game = referee_of(setting)
    habits = {BLACK: rng.choice(choices), WHITE: rng.choice(choices)}
    actions, views, events = [], [], Counter()
    for _ in range(num_plies):
        reasons = [None if game.is_over() else game.why_illegal(point) for point in range(game.pass_action)]
        events.update(reason for reason in reasons if reason is not None)
        action = random_action(game, reasons, habits[game.to_play], actions, rng)
        actions.append(action)
        views.append(referee_view(game))
        events["illegal actions"] += not game.is_legal(action)
        events["suicides"] += is_suicide(game, action)
        events["actions after the end"] += game.is_over()
        game = game.step(action)
    events["finished games"] += game.is_over()
    return RandomGame(setting, actions, views, events)


def every_game(setting: Setting, num_plies: int) -> list[RandomGame]:
    """Every legal game of `num_plies` plies from `setting` on; a game that ends before is filled up with passes."""
    unfinished = [(referee_of(setting), [], [])]
    for _ in range(num_plies):
        longer = []
        for game, actions, views in unfinished:
            view = referee_view(game)
            for action in np.flatnonzero(view.legal).tolist():
                longer.append((game.step(action), [*actions, action], [*views, view]))
        unfinished = longer
    return [RandomGame(setting, actions, views, Counter()) for _, actions, views in unfinished]


def random_action(
    game: Referee, reasons: list[str | None], habits: Habits, actions: list[int], rng: random.Random
) -> int:
    """What a player of these habits does, mostly legal."""
    points = range(game.pass_action)
    if game.is_over():
        return rng.randrange(game.pass_action + 1)
    if rng.random() < ILLEGAL_RATE:
        interesting = [point for point in points if reasons[point] not in (None, "occupied")]
        occupied = [point for point in points if reasons[point] == "occupied"]
        if interesting or occupied:
            return rng.choice(interesting or occupied)
    legal = [point for point in points if reasons[point] is None]
    if not legal or rng.random() < habits.pass_rate:
        return game.pass_action
    if actions and rng.random() < habits.near_rate:
        legal = [point for point in legal if is_near(game, point, actions[-1])] or legal
    if rng.random() < habits.fight_rate:
        num_off = {point: sum(map(len, put_stone(game, point)[1:])) for point in legal}
        fewest = min((number for number in num_off.values() if number > 0), default=0)
        legal = [point for point in legal if num_off[point] == fewest]
    return rng.choice(legal)


def is_near(game: Referee, point: int, last: int) -> bool:
    """Whether `point` is at most two steps from the last action."""
    (row, column), (last_row, last_column) = divmod(point, game.columns), divmod(last, game.columns)
    return abs(row - last_row) + abs(column - last_column) <= 2


def is_suicide(game: Referee, action: int) -> bool:
    """Whether `action` is a legal move that takes the player's own stones off."""
    return (
        action != game.pass_action and not game.is_over() and game.is_legal(action) and bool(put_stone(game, action)[2])
    )


def random_setting(rows: int, ko: str, suicide: bool, max_moves: int, rng: random.Random) -> Setting:
    """An empty board with Black to move, or a random position with either; komi in half points."""
    is_setup = rng.random() < SETUP_RATE
    random_board = rng.choice((random_position, row_of_kos if rows >= 4 else random_position))
    board = random_board(rows, rng) if is_setup else diagram(EMPTY * rows * rows, rows)
    to_play = rng.choice((BLACK, WHITE)) if is_setup else BLACK
    komi = rng.randrange(-2 * rows, 2 * rows + 1) / 2
    return Setting(rows, rows, board, to_play, ko, suicide, komi, max_moves)


def random_position(rows: int, rng: random.Random) -> str:
    """The diagram of a random position in which every chain has a liberty."""
    stone_rate = rng.uniform(0.2, 1.0)
    board = "".join(rng.choice((BLACK, WHITE)) if rng.random() < stone_rate else EMPTY for _ in range(rows * rows))
    empty_game = new_game(rows)
    for colour in (BLACK, WHITE):
        for chain in chains(empty_game, board, colour):
            if not liberties_at(empty_game, board, min(chain)):
                board = "".join(EMPTY if point in chain else content for point, content in enumerate(board))
    return diagram(board, rows)


def row_of_kos(rows: int, rng: random.Random) -> str:
    """The diagram of a white wall above a black one, with a ko in every second column between them, some taken by each.

    Players who like to capture go round and round here, until superko stops them.
    """
    states = [rng.choice(("X.", ".O")) for _ in range(rows // 2)]
    states[:2] = rng.choice((["X.", ".O"], [".O", "X."]))  # both walls have a liberty
    top, bottom = list(WHITE * rows), list(BLACK * rows)
    top[1::2], bottom[1::2] = zip(*states, strict=True)
    num_above = rng.randrange(rows - 3)
    lines = [EMPTY * rows] * num_above + [WHITE * rows, "".join(top), "".join(bottom), BLACK * rows]
    return "\n".join(lines + [EMPTY * rows] * (rows - 4 - num_above))


def replay(games: list[RandomGame], search_depth: int = 0) -> View:
    """What research.go sees before each action of the games [games, plies]; they must share their rules.

    The last `search_depth` actions are played in a search tree's nodes.
    """
    rules = rules_of(games[0].setting)
    numbers = {setting: number for number, setting in enumerate(dict.fromkeys(game.setting for game in games))}
    states = [state_of(rules, setting) for setting in numbers]
    index = np.array([numbers[game.setting] for game in games])
    # By NumPy, which need not compile a program for each shape.
    batch = jax.tree.map(lambda *leaves: np.stack(leaves)[index], *states)
    return jax.device_get(
        make_replay(rules, search_depth)(batch, jnp.array([game.actions for game in games], jnp.int32))
    )


def first_difference(game: RandomGame, seen: View) -> str | None:
    """A report of the first ply at which research.go saw something else, or None if there is none."""
    wanted = View(*(np.stack(leaves) for leaves in zip(*game.views, strict=True)))
    differs = np.zeros(len(game.actions), bool)
    for want, got in zip(wanted, seen, strict=True):
        differs |= (want != got).reshape(len(game.actions), -1).any(axis=1)
    return report(game, wanted, seen, int(differs.argmax())) if differs.any() else None


def report(game: RandomGame, wanted: View, seen: View, ply: int) -> str:
    """What differs before ply number `ply`, on the board, with the moves that led there."""
    setting = game.setting
    lines = [f"{setting.rows}x{setting.columns} {setting.ko} ko, suicide {setting.suicide}, komi {setting.komi}, "]
    lines += [f"max_moves {setting.max_moves}; {setting.to_play} began on", setting.board]
    lines += [f"before ply {ply}, after the actions {game.actions[:ply]}", diagram_of(wanted.board[ply])]
    for name, want, got in zip(View._fields, wanted, seen, strict=True):
        if name == "board" and (want[ply] != got[ply]).any():
            lines += ["research.go has the board", diagram_of(got[ply])]
        elif name == "legal":
            pairs = [(divmod(a, setting.columns), bool(want[ply][a])) for a in np.flatnonzero(want[ply] != got[ply])]
            lines += [f"legal at (row, column) {point}: wanted {is_legal}" for point, is_legal in pairs]
        elif name != "board" and want[ply] != got[ply]:
            lines += [f"{name}: wanted {want[ply]}, got {got[ply]}"]
    return "\n".join(lines)
