"""A KataGo network behind the GTP engine: every size from 2 to 19, search or policy, and all that the network tells.

The idea: it searches as any network of the house's does. Beside that it can be asked what it makes of a position under
each symmetry, and of the moves in it: winning chances, points, who owns what. For this three programs are compiled for
a game: drawing the planes, which takes longest, and the network on one array and on eight.

A game by territory rules is played as one by area, as everywhere on the device.

*Source:* own design.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from research.evaluation.gtp_device import DeviceGame, device_rules
from research.evaluation.gtp_search import MemoryConfig
from research.evaluation.gtp_thinkers import Opinion, Question
from research.evaluation.network_thinker import NetworkThinker
from research.game import Game
from research.go import Go, symmetry
from research.go.rules import MAX_SIZE, MIN_SIZE, Rules
from research.networks.katago import (
    Evaluation,
    Inputs,
    KataGoFile,
    KataGoNetwork,
    encoder_for,
    evaluate,
    make_katago_evaluate,
    make_read,
    read_network,
    turned_round,
)
from research.search import Evaluate, SearchConfig

NUM_ENDING_PASSES = 2
BATCH = symmetry.NUM_SYMMETRIES  # positions that are evaluated together, where it is more than one


class _Reading(NamedTuple):
    """What is compiled for one game."""

    positions: DeviceGame
    read: Callable[..., Inputs]


class KataGoThinker(NetworkThinker):
    """A KataGo network with its search, or its policy alone."""

    def __init__(
        self,
        name: str,
        file: KataGoFile,
        config: SearchConfig,
        temperature: float | None = None,
        seed: int = 0,
        memory: MemoryConfig = MemoryConfig(),  # noqa: B008 - frozen
    ):
        """A player by `config`'s search; with a `temperature` or no simulations, by the policy alone."""
        self._network = network = KataGoNetwork(file.description)
        super().__init__(
            name=name,
            size=MAX_SIZE,
            make_evaluate=self._evaluate_of,
            variables=jax.device_put(file.variables),
            config=config,
            temperature=temperature,
            seed=seed,
            memory=memory,
        )
        self._readings: dict[tuple[Rules, bool], _Reading] = {}
        self._evaluate = jax.jit(lambda variables, inputs, symmetries: evaluate(network, variables, inputs, symmetries))

    def can_play(self, size: int) -> bool:
        """Whether it plays on boards of this size."""
        return MIN_SIZE <= size <= MAX_SIZE

    def prepare(self, question: Question) -> None:
        """Compile and measure; does nothing for a game that is compiled already."""
        if self.searches:
            super().prepare(question)
        self.look(question)

    def look(self, question: Question) -> Opinion:
        """The network's policy and value."""
        (evaluation,) = self.evaluate(question, [0])
        prior = np.asarray(evaluation.policy, np.float64)
        return Opinion.of_prior(prior / prior.sum(), float(evaluation.win - evaluation.loss))

    def evaluate(self, question: Question, symmetries: Sequence[int]) -> list[Evaluation]:
        """What the network says, for the player to move, under each of these symmetries (of research.go.symmetry)."""
        reading = self._reading_of(question)
        ask = partial(reading.positions.states, question.game, question.colour, question.komi)
        inputs = reading.read(ask())
        if question.game.num_passes >= NUM_ENDING_PASSES:  # what is legal is asked as if the game went on
            inputs = reading.read(ask(goes_on=False))._replace(legal=inputs.legal)
        return self._evaluations([inputs] * len(symmetries), symmetries)

    def evaluate_moves(self, question: Question, actions: Sequence[int]) -> list[Evaluation]:
        """What the network says of the positions after each of these moves, for the player who made the move."""
        reading = self._reading_of(question)
        states = [
            reading.positions.states_after(question.game, question.colour, question.komi, action) for action in actions
        ]
        found = self._evaluations([reading.read(state) for state in states], [0] * len(states))
        return [turned_round(evaluation) for evaluation in found]

    def _evaluate_of(self, game: Game) -> Evaluate:
        """How the search asks the network."""
        if not isinstance(game, Go):
            raise TypeError(f"KataGo's networks play Go, not {type(game).__name__}")
        return make_katago_evaluate(game, self._network)

    def _evaluations(self, inputs: Sequence[Inputs], symmetries: Sequence[int]) -> list[Evaluation]:
        """One evaluation of each, singly or in batches of one size, so that two programs are compiled at most."""
        if len(inputs) == 1:
            found = self._evaluate(self._variables, inputs[0], jnp.array(symmetries, jnp.int32))
            return [jax.tree.map(lambda leaf: np.asarray(leaf)[0], found)]
        evaluations = []
        for start in range(0, len(inputs), BATCH):
            chosen, numbers = list(inputs[start : start + BATCH]), list(symmetries[start : start + BATCH])
            missing = BATCH - len(chosen)
            batch = jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *chosen, *chosen[-1:] * missing)
            found = jax.device_get(
                self._evaluate(self._variables, batch, jnp.array(numbers + [0] * missing, jnp.int32))
            )
            evaluations += [jax.tree.map(lambda leaf, place=place: leaf[place], found) for place in range(len(chosen))]
        return evaluations

    def _reading_of(self, question: Question) -> _Reading:
        """What reads the question's positions; it does not wait for the search to be compiled."""
        kind = rules, is_friendly = device_rules(question.game), question.is_friendly
        if kind not in self._readings:
            positions = DeviceGame(rules)
            encoder = encoder_for(self._network, friendly_pass_ok=is_friendly)
            self._readings[kind] = _Reading(positions, jax.jit(make_read(positions.game, encoder)))
        return self._readings[kind]


def load_katago_thinker(
    path: Path,
    config: SearchConfig,
    temperature: float | None = None,
    seed: int = 0,
    memory: MemoryConfig = MemoryConfig(),  # noqa: B008 - frozen
) -> KataGoThinker:
    """The network in a file as a player; *Raises:* ValueError (NetworkFileError is one) for a file that is no network.

    Noise is the config's: research.search.for_matches takes it out.
    """
    file = read_network(path)
    return KataGoThinker(f"Miai {file.description.name}", file, config, temperature, seed, memory)


def average(evaluations: Sequence[Evaluation]) -> Evaluation:
    """The mean of every number, as KataGo takes it over symmetries."""
    return jax.tree.map(lambda *leaves: np.mean(np.stack(leaves), axis=0), *evaluations)
