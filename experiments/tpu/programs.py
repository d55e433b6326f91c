"""The programs that a report is made of: the parts of a training run, each as a jitted function and its arguments.

Arguments are shapes with shardings, never arrays, so nothing is computed here. All parts are those of one RunConfig;
the parts run on one device of the topology and a batch of boards, `run` is the whole run laid over every device, as
`experiments.train` would lay it. The peer is Pgx's Go doing what ours does.
"""

import dataclasses
import importlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, Sharding, SingleDeviceSharding

from research import encoders, go
from research.encoders.option_words import encoder_with
from research.game import Game
from research.networks import katago, make_network
from research.search import SearchConfig, make_evaluate, make_network_search, make_reusing_search
from research.search.influence import mean_maps, no_influence
from research.selfplay.targets import Samples
from research.training.config import RunConfig
from research.training.iteration import make_program
from research.training.optimizers import make_optimizer
from research.training.sharding import AXIS
from research.training.update import make_update, start_learner

Kind = Literal["step", "ply", "encoder", "network", "search", "advance", "influence", "train", "run", "katago"]


class Program(NamedTuple):
    """Something to compile."""

    name: str
    function: Any  # jitted, so that it has `lower`
    arguments: tuple[Any, ...]  # shapes with shardings
    size: int  # points a side
    batch: int  # boards that a device holds
    num_boards: int  # boards that a device's cycles are shared among: the batch, times the plies played of each
    peer: str = ""  # name of the program of the peer that does the same


def programs_of(
    kind: Kind, config: RunConfig, batch: int, encoder_names: Sequence[str], devices: Sequence[Any]
) -> Iterator[Program]:
    """The programs of one kind, for the game, network and search of `config` and `batch` boards."""
    one = SingleDeviceSharding(devices[0])
    if kind in ("step", "ply"):
        yield from _environment(kind, config, batch, one)
    elif kind == "encoder":
        yield from _encoders(config, batch, encoder_names or go_encoders(), one)
    elif kind == "run":
        yield from _run(config, devices)
    elif kind == "katago":
        yield from _katago(config, batch, one)
    elif kind in ("advance", "influence"):
        yield _reuse(kind, config, batch, one)
    else:
        yield _learning(kind, config, batch, one)


def go_encoders() -> tuple[str, ...]:
    """The names of all encoders that draw Go."""
    return tuple(name for name in encoders.names() if issubclass(go.Go, encoders.get(name).game_type))


def encoder_of(text: str) -> encoders.Encoder:
    """The encoder of a name, or of a name with options such as alphago48:ladders=False,value_plane=True.

    *Raises:* ValueError for text of another form, and for a name, an option or a value that does not exist.
    """
    name, _, listed = text.partition(":")
    words = listed.split(",") if listed else []
    if any(word.find("=") < 1 for word in words):
        raise ValueError(f"encoders: got {text!r}; wanted NAME or NAME:OPTION=VALUE,OPTION=VALUE")
    return encoder_with(name, words)


def peer_program(kind: Kind, size: int, batch: int, device: Any) -> Program:
    """Pgx's step, or its step with a new game after the last, which does what our program of that kind does.

    *Raises:* ModuleNotFoundError without Pgx, which the extra `bench` brings.
    """
    environment = importlib.import_module("pgx").make(f"go_{size}x{size}")
    restarting = importlib.import_module("pgx.experimental").auto_reset(environment.step, environment.init)

    def step(state: Any, action: Any) -> Any:
        return restarting(state, action, jax.random.key(0)) if kind == "ply" else environment.step(state, action)

    one = SingleDeviceSharding(device)
    states = _shapes(lambda: jax.vmap(environment.init)(jax.random.split(jax.random.key(0), batch)), one)
    arguments = (states, _shapes(lambda: jnp.zeros(batch, jnp.int32), one))
    return Program(f"Pgx, {kind}", jax.jit(jax.vmap(step)), arguments, size, batch, batch)


def _environment(kind: Kind, config: RunConfig, batch: int, sharding: Sharding) -> Iterator[Program]:
    """A move, its result and the legal mask after it, with superko and without; `ply` also restarts what is over."""
    if not isinstance(config.game, go.Rules):
        raise ValueError(f"{kind}: wanted a preset that plays Go, got {config.name}")
    for ko in ("simple", "positional"):
        game = go.Go(dataclasses.replace(config.game, ko=ko))  # type: ignore[arg-type]

        def step(state: go.GoState, action: Any, game: go.Go = game) -> tuple[Any, ...]:
            state = game.step(state, action)
            outcome = game.outcome(state)
            if kind == "ply":
                state = game.restart(state, game.is_over(state))
            return state, outcome, game.legal_actions(state)

        arguments = (_states(game, batch, sharding), _shapes(lambda: jnp.zeros(batch, jnp.int32), sharding))
        function = jax.jit(jax.vmap(step))
        yield Program(f"{kind}, {ko} ko", function, arguments, game.rules.size, batch, batch, f"Pgx, {kind}")


def _encoders(config: RunConfig, batch: int, names: Sequence[str], sharding: Sharding) -> Iterator[Program]:
    game = config.make_game()
    for name in names:
        encoder = encoder_of(name)
        encoder.check_game(game)

        def encode(state: Any, encoder: encoders.Encoder = encoder) -> tuple[Any, ...]:
            planes = encoder.encode(game, state)
            return (planes, encoder.encode_globals(game, state)) if encoder.global_names else (planes,)

        arguments = (_states(game, batch, sharding),)
        yield Program(f"encoder {name}", jax.jit(jax.vmap(encode)), arguments, game.board_shape[0], batch, batch)


def _learning(kind: Kind, config: RunConfig, batch: int, sharding: Sharding) -> Program:
    """The network, a whole search of every board, or a gradient step on the batch."""
    game, encoder = config.make_game(), config.make_encoder()
    network = make_network(config.network, game.board_shape, encoder.num_planes, game.num_actions)
    variables = _shapes(lambda: network.init(jax.random.key(0)), sharding)
    encode = jax.vmap(lambda state: encoder.encode(game, state))
    planes = jax.eval_shape(encode, _states(game, batch, sharding))
    planes = jax.ShapeDtypeStruct(planes.shape, planes.dtype, sharding=sharding)
    size = game.board_shape[0]
    if kind == "network":
        return Program("network", jax.jit(network.apply), (variables, planes), size, batch, batch)
    if kind == "search":
        search = make_network_search(game, encoder, network, config.search)
        arguments = (variables, _states(game, batch, sharding), _shapes(lambda: jax.random.key(0), sharding))
        name = f"search, {config.search.num_simulations} simulations"
        return Program(name, jax.jit(search), arguments, size, batch, batch)
    optimizer = make_optimizer(config.optimizer, config.num_iterations * config.num_updates)
    update = make_update(network, optimizer, config.loss)
    learner = _shapes(lambda: start_learner(network.init(jax.random.key(0)), optimizer), sharding)
    targets = _shapes(lambda: (jnp.zeros((batch, game.num_actions)), jnp.zeros(batch), jnp.zeros(batch)), sharding)
    samples = Samples(planes, *targets)  # type: ignore[arg-type]
    return Program("train", jax.jit(update, donate_argnums=0), (learner, samples), size, batch, batch)


def _reuse(kind: Kind, config: RunConfig, batch: int, sharding: Sharding) -> Program:
    """What a move takes besides its search, on trees that are reused (PUCT): the advance, or the means of all maps."""
    game, num_simulations = config.make_game(), config.search.num_simulations
    network = make_network(config.network, game.board_shape, config.make_encoder().num_planes, game.num_actions)
    evaluate = make_evaluate(game, config.make_encoder(), network)
    puct = SearchConfig(num_simulations=num_simulations, max_depth=config.search.max_depth, rule="puct")
    reusing = make_reusing_search(game, evaluate, puct)
    tree = jax.eval_shape(reusing.no_trees, _states(game, batch, sharding))
    if kind == "advance":
        function, inputs = jax.jit(reusing.advance, donate_argnums=0), jax.ShapeDtypeStruct((batch,), jnp.int32)
    else:
        function, inputs = jax.jit(mean_maps), jax.eval_shape(lambda tree: no_influence(tree, game.board_shape), tree)
    name = f"{kind}, {num_simulations} simulations"
    return Program(name, function, _placed((tree, inputs), sharding), game.board_shape[0], batch, batch)


def _katago(config: RunConfig, batch: int, sharding: Sharding) -> Iterator[Program]:
    """KataGo's networks by their designs, in the compute type of the preset's network: planes to raw outputs."""
    rows, columns = config.make_game().board_shape
    for name, design in katago.DESIGNS.items():
        network = katago.KataGoNetwork(katago.describe(design, name), config.network.compute_dtype)
        variables = _shapes(lambda network=network: network.init(jax.random.key(0)), sharding)
        planes = jax.ShapeDtypeStruct((batch, rows, columns, katago.NUM_PLANES), jnp.bool_, sharding=sharding)
        global_inputs = jax.ShapeDtypeStruct((batch, katago.NUM_GLOBALS), jnp.float32, sharding=sharding)
        arguments = (variables, planes, global_inputs)
        title = f"{name}, {config.network.compute_dtype}"
        yield Program(title, jax.jit(network.apply), arguments, rows, batch, batch)


def _run(config: RunConfig, devices: Sequence[Any]) -> Iterator[Program]:
    """The run's own programs over all devices: a gradient step with its draw from the replay, and a rollout."""
    config.check_devices(len(devices))
    program = make_program(config, Mesh(np.array(devices), (AXIS,)))
    state = jax.tree.map(
        lambda leaf, at: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=at),
        program.state_shapes,
        program.shardings,
    )
    size = config.make_game().board_shape[0]
    samples, games = config.batch_size // len(devices), config.self_play.num_games // len(devices)
    yield Program("run: update", program.learn, (state.learner, state.replay, state.key), size, samples, samples)
    arguments = (state.learner, state.games, state.replay, state.key, state.iteration)
    num_boards = games * config.self_play.rollout_length
    yield Program("run: rollout", program.play, arguments, size, games, num_boards)


def _states(game: Game, batch: int, sharding: Sharding) -> Any:
    return _shapes(lambda: jax.vmap(lambda _: game.init())(jnp.arange(batch)), sharding)


def _shapes(make: Callable[[], Any], sharding: Sharding) -> Any:
    """What `make` would return, as shapes on a device."""
    return _placed(jax.eval_shape(make), sharding)


def _placed(shapes: Any, sharding: Sharding) -> Any:
    """`shapes` on a device."""
    return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding), shapes)
