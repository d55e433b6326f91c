"""Who thinks behind a GTP engine: chance on the host, a network's policy, or searches that are added up.

A thinker gives opinions of positions. `look` is the cheapest one: the policy alone. `think` adds one search to an
opinion, always by the same compiled program, so whatever the time allows is a number of equal searches, each with its
own noise at the root, and how long one takes can be measured once. Their visits are added, their values averaged.

Positions come from the engine's list of moves by way of gtp_device.py. Programs are compiled for a size and the rules
that moves depend on, when these are first met; it is said on stderr.

*Source:* own design; the search is research/search/search.py.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

import jax
import numpy as np
from jaxtyping import Array, Float, Float32, Float64, Int64

from research.evaluation.gtp_device import DeviceGame, device_rules
from research.evaluation.gtp_game import HostGame
from research.game import Game
from research.go import Go, coords
from research.go.rules import MAX_SIZE, MIN_SIZE, Rules
from research.go.state import GoState
from research.search import Evaluate, SearchConfig, Variables, make_search, make_tree_search
from research.search.influence import make_ownership_maps, map_nodes, mean_maps, no_influence
from research.search.playouts import make_playout_maps
from research.search.tree import NONE, ROOT, Tree

MAX_VARIATION = 12  # plies of a variation that are shown
NUM_PLAYOUTS = 8  # of each node, for the influence that a network without ownership sees


class Question(NamedTuple):
    """A position and who is to move in it."""

    game: HostGame
    colour: str
    komi: float  # points that White gets in all
    is_friendly: bool = False  # whether passing with dead stones on the board is taken as agreement


@dataclass
class Opinion:
    """What is thought of a question; values speak for the player to move, in [-1, 1]."""

    prior: Float64[np.ndarray, " actions"]  # policy before any search; 0 where illegal
    value: float  # of the position
    visits: Int64[np.ndarray, " actions"]  # simulations that began with this action, all searches together
    value_sum: Float64[np.ndarray, " actions"]  # of those simulations
    policy_sum: Float64[np.ndarray, " actions"]  # improved policies, one a search
    num_searches: int = 0
    last_action: int = -1  # that the latest search would play
    variations: dict[int, list[int]] = field(default_factory=dict)  # by first action, from the latest search of each

    @classmethod
    def of_prior(cls, prior: Float64[np.ndarray, " actions"], value: float) -> "Opinion":
        """An opinion without search."""
        zeros = np.zeros(len(prior))
        return cls(prior, value, np.zeros(len(prior), np.int64), zeros, zeros.copy())

    def values(self) -> Float64[np.ndarray, " actions"]:
        """Mean value of each action's simulations; the position's own where there were none."""
        return np.where(self.visits > 0, self.value_sum / np.maximum(self.visits, 1), self.value)

    def ranking(self) -> list[int]:
        """Legal actions, best first: by visits, then by policy."""
        policy = self.policy_sum if self.num_searches else self.prior
        order = np.lexsort((-self.prior, -policy, -self.visits))
        return [int(action) for action in order if self.prior[action] > 0 or self.visits[action] > 0]


@runtime_checkable
class Thinker(Protocol):
    """What an engine asks of whoever plays behind it."""

    name: str  # as the engine calls itself
    searches: bool  # whether thinking longer changes an opinion
    search_s: float  # seconds of one search, as last measured

    def can_play(self, size: int) -> bool:
        """Whether it plays on boards of this size."""
        ...

    def prepare(self, question: Question) -> None:
        """Compile what questions like this one need."""
        ...

    def look(self, question: Question) -> Opinion:
        """The opinion without search."""
        ...

    def think(self, question: Question, opinion: Opinion) -> None:
        """Add one search to the opinion."""
        ...

    def choose(self, opinion: Opinion) -> int:
        """The action to play."""
        ...


class RandomThinker:
    """Plays as `random_player`: every legal action with equal probability. On the host: no size must be compiled."""

    searches = False
    search_s = 0.0

    def __init__(self, seed: int = 0, name: str = "Miai random"):
        """A player with its own chance."""
        self.name = name
        self._random = np.random.default_rng(seed)

    def can_play(self, size: int) -> bool:
        """Whether it plays on boards of this size."""
        return MIN_SIZE <= size <= MAX_SIZE

    def prepare(self, question: Question) -> None:
        """Nothing is to be compiled."""

    def look(self, question: Question) -> Opinion:
        """Every legal action alike, and an even game."""
        size = question.game.size
        legal = np.zeros(size * size + 1)
        legal[-1] = 1
        for row, column in question.game.legal_points(question.colour):
            legal[row * size + column] = 1
        return Opinion.of_prior(legal / legal.sum(), 0.0)

    def think(self, question: Question, opinion: Opinion) -> None:
        """Chance thinks no further."""

    def choose(self, opinion: Opinion) -> int:
        """Any legal action."""
        return self._random.choice(len(opinion.prior), p=opinion.prior)


class _Programs(NamedTuple):
    """What is compiled for one game."""

    positions: DeviceGame
    look: Callable[..., Any]
    search: Callable[..., Any]
    influence: Callable[..., Any]


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
    ):
        """A player by `config`'s search; with a `temperature` or no simulations, by the policy alone."""
        self.name = name
        self.size = size
        self.searches = temperature is None and config.num_simulations > 0
        self.search_s = 0.0
        self._make_evaluate, self._variables, self._config = make_evaluate, variables, config
        self._temperature = config.gumbel_scale if temperature is None else temperature
        self._programs: dict[Rules, _Programs] = {}
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
        game, evaluate = positions.game, self._make_evaluate(positions.game)
        look = make_search(game, evaluate, SearchConfig(num_simulations=0))
        search = make_tree_search(game, evaluate, self._config) if self.searches else look
        influence = _make_influence(game, evaluate, self._config)
        self._programs[rules] = _Programs(positions, *map(jax.jit, (look, search, influence)))
        game_with_a_move = HostGame(question.game.rules)
        game_with_a_move.play("black", None)
        for _ in range(2):  # the first compiles, the second is measured
            warm = question._replace(game=game_with_a_move)
            self.think(warm, self.look(warm))

    def look(self, question: Question) -> Opinion:
        """The network's policy and value."""
        programs, states = self._position(question)
        result = programs.look(self._variables, states, self._key())
        prior = np.asarray(result.prior[0], np.float64)
        return Opinion.of_prior(prior / prior.sum(), float(result.value[0]))

    def think(self, question: Question, opinion: Opinion) -> None:
        """One search more."""
        if not self.searches:
            return
        started = time.monotonic()
        programs, states = self._position(question)
        result, tree = jax.device_get(programs.search(self._variables, states, self._key()))
        visits = result.visits[0].astype(np.int64)
        opinion.visits += visits
        opinion.value_sum += visits * result.q[0]
        opinion.policy_sum += result.policy[0]
        before = opinion.value * opinion.num_searches
        opinion.num_searches += 1
        opinion.value = (before + float(result.value[0])) / opinion.num_searches
        opinion.last_action = int(result.action[0])
        opinion.variations |= _variations(tree)
        self.search_s = time.monotonic() - started

    def influence(self, question: Question) -> Float[np.ndarray, "size size"]:
        """Whose each point will be, the mean over one search's tree: 0 Black's, 1 White's."""
        programs, states = self._position(question)
        return np.asarray(programs.influence(self._variables, states, self._key()))

    def choose(self, opinion: Opinion) -> int:
        """What one search says; of several the most visited action; without any, the policy by its temperature."""
        if opinion.num_searches == 1:
            return opinion.last_action
        if opinion.num_searches or self.searches or self._temperature == 0.0:
            return opinion.ranking()[0]
        with np.errstate(divide="ignore"):
            logits = np.log(opinion.prior) / self._temperature
        weights = np.exp(logits - logits.max())
        return self._random.choice(len(weights), p=weights / weights.sum())

    def _position(self, question: Question) -> tuple[_Programs, GoState]:
        """What is compiled for the question's game, and its position, a batch of one."""
        self.prepare(question)
        programs = self._programs[device_rules(question.game)]
        return programs, programs.positions.states(question.game, question.colour, question.komi)

    def _key(self) -> jax.Array:
        return jax.random.key(int(self._random.integers(2**31)))


def _make_influence(game: Go, evaluate: Evaluate, config: SearchConfig) -> Callable[..., Float32[Array, "size size"]]:
    """(variables, states of one game, key) -> the root's influence map after a search."""
    search = make_tree_search(game, evaluate, config)

    def influence(variables: Variables, states: GoState, key: Array) -> Float32[Array, "size size"]:
        search_key, maps_key = jax.random.split(key)
        tree = search(variables, states, search_key).tree
        has_ownership = jax.eval_shape(evaluate, variables, states).ownership is not None
        maps = make_ownership_maps(evaluate, game) if has_ownership else make_playout_maps(game, NUM_PLAYOUTS)
        start = no_influence(tree, game.board_shape)
        return mean_maps(tree, map_nodes(maps, variables, maps_key, tree, start))[ROOT, 0]

    return influence


def _variations(tree: Tree) -> dict[int, list[int]]:
    """Most visited line behind each action of the root of a tree of one game."""
    parent, action, visits = tree.parent[:, 0], tree.action[:, 0], tree.visits[:, 0]
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


def line_text(actions: list[int], size: int) -> str:
    """GTP's names of actions in a row."""
    return " ".join(coords.gtp_from_action(action, size) for action in actions)
