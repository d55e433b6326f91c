"""Who thinks behind a GTP engine, and what comes of it: an opinion of a position, which more thinking makes better.

`begin` is the cheapest opinion: the policy, and what an earlier search knows of the position already. `think` adds one
search, always of the same length, so whatever the time allows is a number of equal searches, and how long one takes can
be measured once. A search either grows the tree of those before, and the opinion is what the tree says; or it begins
anew with other noise at its root, and the opinion is the sum: visits added, values averaged. A thinker whose next
search would be the same as the first says that it does not deepen.

Here are what all have in common and chance, which thinks nothing; network_thinker.py has the networks.

*Source:* own design.
"""

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float64, Int64

from research.evaluation.gtp_game import HostGame
from research.go import coords
from research.go.rules import MAX_SIZE, MIN_SIZE
from research.search import Tree


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
    policy_sum: Float64[np.ndarray, " actions"]  # improved policies, one a search; or the tree's
    num_searches: int = 0  # for this opinion
    num_before: int = 0  # simulations that had been made before: a kept tree's
    num_forgotten: int = 0  # simulations of moves that a full tree has forgotten; they count in `value` alone
    last_action: int = -1  # that the latest search would play
    tree: Tree | None = None  # that the next search goes on with, where trees are kept
    variations: dict[int, list[int]] = field(default_factory=dict)  # by first action, from the latest search of each

    @classmethod
    def of_prior(cls, prior: Float64[np.ndarray, " actions"], value: float) -> "Opinion":
        """An opinion without search."""
        zeros = np.zeros(len(prior))
        return cls(prior, value, np.zeros(len(prior), np.int64), zeros, zeros.copy())

    @property
    def num_simulations(self) -> int:
        """All simulations behind the opinion."""
        return int(self.visits.sum()) + self.num_forgotten

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
    deepens: bool  # whether a second search of the same position says more than the first
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

    def recall(self, question: Question, opinion: Opinion) -> None:
        """Put in what an earlier search knows of the position, if it does."""
        ...

    def think(self, question: Question, opinion: Opinion) -> None:
        """Add one search to the opinion."""
        ...

    def choose(self, opinion: Opinion) -> int:
        """The action to play."""
        ...

    def forget(self, keeps_evaluations: bool = False) -> None:
        """Know nothing any more of the positions before, but the network's evaluations if those are kept."""
        ...


def begin(thinker: Thinker, question: Question) -> Opinion:
    """What is thought without a search of the question itself."""
    opinion = thinker.look(question)
    thinker.recall(question, opinion)
    return opinion


class RandomThinker:
    """Plays as `random_player`: every legal action with equal probability. On the host: no size must be compiled."""

    searches = deepens = False
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

    def recall(self, question: Question, opinion: Opinion) -> None:
        """Chance remembers nothing."""

    def think(self, question: Question, opinion: Opinion) -> None:
        """Chance thinks no further."""

    def choose(self, opinion: Opinion) -> int:
        """Any legal action."""
        return self._random.choice(len(opinion.prior), p=opinion.prior)

    def forget(self, keeps_evaluations: bool = False) -> None:
        """Chance remembers nothing."""


def line_text(actions: list[int], size: int) -> str:
    """GTP's names of actions in a row."""
    return " ".join(coords.gtp_from_action(action, size) for action in actions)
