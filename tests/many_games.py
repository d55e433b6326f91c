"""As many random games as wanted, played and scored by research.go and by its judges, and what they held, counted.

Moves are the referee's to judge (random_games.py). Scores by every scoring and tax are compared on boards of the same
games: the device scores states, the host sets of points (research/go/host_scoring.py); plain area is also the
referee's, and pass-dead stones without a tax are tests/pass_alive.py's.

*Source:* none; this is test scaffolding.
"""

import random
from collections import Counter
from functools import cache
from itertools import product
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from pass_alive import area_map
from random_games import TAIL, RandomGame, first_difference, random_game, random_setting, replay
from referee import BLACK, WHITE, new_game

from research import go
from research.go import host_scoring
from research.go.setup import set_up

COMBINATIONS = tuple(product(("area", "area-pass-dead"), ("none", "seki", "all")))  # scoring, tax
BOARDS_A_GAME = 3
NUM_STARTS = 30  # different starts of the games of one size and rules


def games_of(size: int, ko: str, suicide: bool, num_turns: float, rng: random.Random) -> list[RandomGame]:
    """Random games by the referee, of `num_turns` turns or a few more; long ones where boards soon come back."""
    max_moves = (6 if size <= 4 else 3 if size <= 9 else 2) * size * size
    settings = [random_setting(size, ko, suicide, max_moves, rng) for _ in range(NUM_STARTS)]
    games = []
    while num_turns > 0:
        game = random_game(rng.choice(settings), int(1.1 * max_moves) + TAIL, rng)
        games.append(game)
        num_turns -= num_turns_of(game)
    return games


def num_turns_of(game: RandomGame) -> int:
    """The actions that changed something: legal ones before the end."""
    return sum(
        bool(view.legal[action]) and not view.is_over for action, view in zip(game.actions, game.views, strict=True)
    )


def played_alike(games: list[RandomGame], differences: list[str]) -> Counter:
    """What happened in `games`; a report of each that research.go saw otherwise is added to `differences`."""
    seen = replay(games)
    for number, game in enumerate(games):
        difference = first_difference(game, type(seen)(*(leaf[number] for leaf in seen)))
        differences += [] if difference is None else [difference]
    counts = sum((game.events for game in games), Counter())
    return counts + Counter({"games": len(games), "turns": sum(map(num_turns_of, games))})


def scored_alike(games: list[RandomGame], differences: list[str]) -> Counter:
    """How many scores were compared, and how many of them pass-dead stones or a tax changed.

    The boards are spread over each of `games`, all of one size; what differs is added to `differences`.
    """
    boards, suicides = [], []
    for game in games:
        views = game.views[-1 :: -(len(game.views) // BOARDS_A_GAME)]
        boards += [view.board for view in views]
        suicides += [game.setting.suicide] * len(views)
    scores = np.asarray(make_scores(games[0].setting.rows)(jnp.array(boards), jnp.array(suicides)))
    counts = Counter({"scores": scores.size})
    for board, suicide, on_device in zip(boards, suicides, scores.tolist(), strict=True):
        wanted = scores_on_host(board, suicide)
        counts["pass-dead"] += wanted[3] != wanted[0]
        counts["taxed"] += wanted[1] != wanted[0] or wanted[2] != wanted[0]
        if on_device != wanted:
            differences.append(f"scores by {COMBINATIONS}: wanted {wanted}, got {on_device} on\n{board}")
    return counts


def scores_on_host(board: np.ndarray, suicide: bool) -> list[float]:
    """Black's points minus White's for each of `COMBINATIONS`; *Raises:* ValueError if two hosts disagree."""
    scores = [
        host_scoring.area_score(board, 0.0, scoring, tax, suicide)  # type: ignore[arg-type]
        for scoring, tax in COMBINATIONS
    ]
    referee = new_game(len(board), suicide=suicide, komi=0.0, board="".join(".XO"[stone] for stone in board.flat))
    owner = area_map(referee)
    plainly = [referee.score(), owner.count(BLACK) - owner.count(WHITE)]
    if [scores[0], scores[3]] != plainly:
        raise ValueError(f"on\n{referee.diagram()}\nthe library's host says {scores}, the tests' {plainly}")
    return scores


@cache
def make_scores(size: int) -> Any:
    """A jitted (boards, whether suicide is legal) -> scores [boards, combinations]."""

    def scores_of(board: Any, suicide: Any) -> Any:
        state = set_up(go.Go(go.Rules(size, 0, "simple")), board, jnp.int32(0))
        scores = []
        for scoring, tax in COMBINATIONS:
            without, with_suicide = (
                go.Go(go.Rules(size, 0, "simple", is_legal, scoring, tax)).score(state)  # type: ignore[arg-type]
                for is_legal in (False, True)
            )
            scores.append(jnp.where(suicide, with_suicide, without) if scoring == "area-pass-dead" else without)
        return jnp.stack(scores)

    return jax.jit(jax.vmap(scores_of))
