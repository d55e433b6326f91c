"""A network with its search behind a GTP engine or an analysis, or its policy alone.

Positions come from the engine's list of moves by way of gtp_device.py. What is compiled for a size and the rules that
moves depend on is compiled when these are first met; it is said on stderr.

By PUCT it thinks on: the tree of the latest search is kept, and a question that goes on from there (the same game, some
moves later, whoever made them) begins with what its subtree knows. What is asked again and again is searched further.
Everything else begins anew: moves taken back, another komi, another game.

By Gumbel each search stands alone. With noise several of them are added up; without noise the second would be the
first, so there is one.

*Source:* own design; the searches are research/search/search.py and reuse.py.
"""

import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Float, Float32

from research.evaluation.gtp_device import DeviceGame, device_rules
from research.evaluation.gtp_game import HostGame, Record, other
from research.evaluation.gtp_search import GameSearch, MemoryConfig, keeps_trees
from research.evaluation.gtp_thinkers import Opinion, Question, begin
from research.game import Game
from research.go import coords
from research.go.rules import Rules
from research.go.state import GoState
from research.search import Evaluate, SearchConfig, Searched, SearchResult, Tree, Variables
from research.search.tree import NONE, ROOT, worth_to_parent

MAX_VARIATION = 12  # plies of a variation that are shown
MAX_PLIES = 8  # that a tree is followed; after more of them hardly anything is left of it


class _Programs(NamedTuple):
    """What is compiled for one game."""

    positions: DeviceGame
    search: GameSearch


class _Kept(NamedTuple):
    """The latest tree, and whose it is."""

    rules: Rules  # the device's
    record: Record
    colour: str  # to move
    komi: float  # points that White gets
    tree: Tree


class NetworkThinker:
    """A network with its search on boards of one size, or its policy alone."""

    def __init__(
        self,
        name: str,
        size: int,
        make_evaluate: Callable[[Game], Evaluate],
        variables: Variables,
        config: SearchConfig,
        temperature: float | None = None,
        seed: int = 0,
        memory: MemoryConfig = MemoryConfig(),  # noqa: B008 - frozen
    ):
        """A player by `config`'s search; with a `temperature` or no simulations, by the policy alone."""
        self.name = name
        self.size = size
        self.searches = temperature is None and config.num_simulations > 0
        self.keeps_trees = self.searches and keeps_trees(config, memory)
        noise = config.gumbel_scale if config.rule == "gumbel" else config.dirichlet_fraction + max(config.temperatures)
        self.deepens = self.keeps_trees or (self.searches and noise > 0.0)
        self.search_s = 0.0
        self._make_evaluate, self._variables, self._config, self._memory = make_evaluate, variables, config, memory
        self._temperature = config.gumbel_scale if temperature is None else temperature
        self._programs: dict[Rules, _Programs] = {}
        self._kept: _Kept | None = None
        self._random = np.random.default_rng(seed)

    def can_play(self, size: int) -> bool:
        """Whether it plays on boards of this size."""
        return size == self.size

    def prepare(self, question: Question) -> None:
        """Compile and measure; does nothing for a game that is compiled already."""
        rules = device_rules(question.game)
        if rules in self._programs:
            return
        print(f"{self.name}: compiling for {rules.size}x{rules.size}, {rules.ko} ko", file=sys.stderr, flush=True)
        positions = DeviceGame(rules)
        positions.compile_set_up()
        search = GameSearch(
            positions.game, self._make_evaluate(positions.game), self._variables, self._config, self._memory
        )
        self._programs[rules] = _Programs(positions, search)
        game = question.game
        if not game.num_moves:  # with a move, so that a step is compiled too
            game = HostGame(game.rules)
            game.play("black", None)
        warm = question._replace(game=game, colour=game.to_play)
        for _ in range(2):  # the second time also what goes on with a tree
            opinion = self.look(warm)
            self.recall(warm, opinion)
            for _ in range(2):  # the first compiles, the second is measured
                self.think(warm, opinion)
        self.forget(keeps_evaluations=True)
        search.num_asked = search.num_known = 0

    def look(self, question: Question) -> Opinion:
        """The network's policy and value."""
        programs, states = self._position(question)
        result = programs.search.look(states, self._key())
        prior = np.asarray(result.prior[0], np.float64)
        return Opinion.of_prior(prior / prior.sum(), float(result.value[0]))

    def recall(self, question: Question, opinion: Opinion) -> None:
        """Put in what the kept tree knows of the position, if it does."""
        kept = self._kept
        moves = None if kept is None else moves_between(kept, question)
        if kept is None or moves is None:
            return
        programs, states = self._position(question)
        opinion.tree = programs.search.follow(kept.tree, moves, states)
        if opinion.tree is not None:
            _take_tree(opinion, opinion.tree)
            opinion.num_before = opinion.num_simulations

    def think(self, question: Question, opinion: Opinion) -> None:
        """One search more."""
        if not self.searches:
            return
        started = time.monotonic()
        result, tree = self._search(question, opinion)
        if self.keeps_trees:
            _take_tree(opinion, tree)
        else:
            _add_search(opinion, jax.device_get(result), tree)
        opinion.last_action = int(result.action[0])
        opinion.num_searches += 1
        self.search_s = time.monotonic() - started

    def influence(self, question: Question) -> Float[np.ndarray, "size size"]:
        """Whose each point will be, the mean over the tree after one search: 0 Black's, 1 White's."""
        opinion = begin(self, question)
        tree = self._search(question, opinion).tree
        return self._position(question)[0].search.influence(tree, self._key())

    def choose(self, opinion: Opinion) -> int:
        """What one search or a tree says; of several searches the most visited action; without any, by the policy."""
        if opinion.num_searches == 1 or (opinion.num_searches and self.keeps_trees):
            return opinion.last_action
        if opinion.visits.any() or self.searches or self._temperature == 0.0:
            return opinion.ranking()[0]
        with np.errstate(divide="ignore"):
            logits = np.log(opinion.prior) / self._temperature
        weights = np.exp(logits - logits.max())
        return self._random.choice(len(weights), p=weights / weights.sum())

    def forget(self, keeps_evaluations: bool = False) -> None:
        """Drop the tree, and the table of evaluations if it is not kept."""
        self._kept = None
        if not keeps_evaluations:
            for programs in self._programs.values():
                programs.search.forget_evaluations()

    def evaluations(self) -> tuple[int, int]:
        """(positions that searches wanted evaluated so far, how many of them were known from earlier searches)."""
        searches = [programs.search for programs in self._programs.values()]
        return sum(search.num_asked for search in searches), sum(search.num_known for search in searches)

    def _search(self, question: Question, opinion: Opinion) -> Searched:
        """One search more, on the opinion's tree where trees are kept."""
        programs, states = self._position(question)
        tree = opinion.tree
        if tree is not None and opinion.num_searches:
            tree = programs.search.follow(tree, (), states)
        searched = programs.search.search(states, self._key(), tree)
        if self.keeps_trees:
            opinion.tree, record = searched.tree, question.game.record
            self._kept = _Kept(device_rules(question.game), record, question.colour, question.komi, searched.tree)
        return searched

    def _position(self, question: Question) -> tuple[_Programs, GoState]:
        """What is compiled for the question's game, and its position, a batch of one."""
        self.prepare(question)
        programs = self._programs[device_rules(question.game)]
        return programs, programs.positions.states(question.game, question.colour, question.komi)

    def _key(self) -> jax.Array:
        return jax.random.key(int(self._random.integers(2**31)))


def moves_between(kept: _Kept, question: Question) -> list[int] | None:
    """The moves that lead from the kept tree's position to the question's; None if they cannot be in its tree."""
    record, before = question.game.record, kept.record
    moves = record.moves[len(before.moves) :]
    is_same_game = kept.rules == device_rules(question.game) and kept.komi == question.komi
    if not is_same_game or record._replace(moves=record.moves[: len(before.moves)]) != before or len(moves) > MAX_PLIES:
        return None
    colours, expected = [colour for colour, _ in moves] + [question.colour], kept.colour
    for colour in colours:
        if colour != expected:
            return None
        expected = other(expected)
    return [coords.action_from_point(point, question.game.size) for _, point in moves]


def _take_tree(opinion: Opinion, tree: Tree) -> None:
    """Have the opinion say what a tree of one game says."""
    fetched = jax.device_get((tree.parent, tree.action, tree.visits, tree.value, worth_to_parent(tree)))
    parent, action, visits, value, worth = (numbers[:, 0] for numbers in fetched)
    slots = np.flatnonzero((parent == ROOT) & (visits > 0))
    for numbers in (opinion.visits, opinion.value_sum, opinion.policy_sum):
        numbers[:] = 0
    opinion.visits[action[slots]] = visits[slots]
    opinion.value_sum[action[slots]] = visits[slots] * worth[slots]
    opinion.policy_sum[action[slots]] = visits[slots]
    opinion.value = float(value[ROOT])
    opinion.num_forgotten = int(visits[ROOT]) - 1 - int(opinion.visits.sum())
    opinion.variations = _variations(parent, action, visits)


def _add_search(opinion: Opinion, result: SearchResult, tree: Tree) -> None:
    """Add a search that began anew."""
    visits = result.visits[0].astype(np.int64)
    opinion.visits += visits
    opinion.value_sum += visits * result.q[0]
    opinion.policy_sum += result.policy[0]
    before = opinion.value * opinion.num_searches
    opinion.value = (before + float(result.value[0])) / (opinion.num_searches + 1)
    opinion.variations |= _variations(
        *(np.asarray(numbers)[:, 0] for numbers in (tree.parent, tree.action, tree.visits))
    )


def _variations(parent: np.ndarray, action: np.ndarray, visits: Float32[np.ndarray, " nodes"]) -> dict[int, list[int]]:
    """Most visited line behind each action of the root of one game's tree."""
    lines = {}
    for child in np.flatnonzero(parent == ROOT):
        line, node = [], int(child)
        while node != NONE and len(line) < MAX_VARIATION:
            line.append(int(action[node]))
            children = np.flatnonzero(parent == node)
            # Of equals the lowest action.
            node = max(children, key=lambda slot: (visits[slot], -action[slot]), default=NONE)
        lines[line[0]] = line
    return lines
