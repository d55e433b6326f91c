"""A search tree to look into: one game's tree as plain records on the host.

The tree of a search is a list of arrays for a batch of games (`tree.py`), made for the device. `inspect` takes one game
out of it: a record a node with its N, W, Q and P, its children, its position, and for every action of the node the
prior, the visits, Q and the improved policy. `research.visualise.tree` draws what it gives.

A large tree is cut to its most visited nodes. A parent has at least its child's visits and stands before it, so what is
left is a tree too, and `num_left_out` says how much is missing.

*Source:* own design; the improved policy is Danihelka et al. 2022, section 4, under PUCT the share of visits.
"""

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float32, Int, Int32

from research.game import Game, State
from research.go import board
from research.go.coords import gtp_from_action
from research.go.rules import MAX_SIZE, MIN_SIZE
from research.go.state import GoState
from research.search.config import SearchConfig
from research.search.gumbel import Completed, complete_values
from research.search.tree import NONE, ROOT, Tree, worth_to_parent

MAX_NODES = 512  # that are taken out of a tree if nothing else is said

_SPECIAL = ("log_policy", "root_order", "state")  # fields of a tree that hold more than a number a node


class NodeView(NamedTuple):
    """One node. What it is worth is seen by the player who moved here (at the root by who is to move there)."""

    slot: int  # its place in the tree's list
    parent: int  # the parent's slot, NONE for the root
    depth: int  # plies below the root
    action: int  # that led here, NONE for the root
    move: str  # the action's name: GTP's on a square board, else its number; "root"
    visits: int  # N: simulations that came through, the first, which made it, included
    value_sum: float  # W: sum of their returns
    value: float  # Q: their mean, in [-1, 1]
    prior: float  # P: of the action in the parent's policy, a probability; 1 for the root
    raw_value: float  # the network's value, for the player to move here; 0 if the game is over
    is_over: bool  # whether the game has ended here; unknown of a root, and False
    to_play: int  # player to move, 0 or 1; NONE if the game was not given
    children: tuple[int, ...]  # their slots, the most visited first, of equals the likeliest
    board: Int[np.ndarray, "rows columns"] | None  # 0 empty, 1 the first player's, 2 the second's
    action_priors: Float32[np.ndarray, " actions"]  # of every action, for the player to move here
    action_visits: Int32[np.ndarray, " actions"]  # simulations that went on with it
    action_values: Float32[np.ndarray, " actions"]  # their mean return; 0 where there were none
    improved_policy: Float32[np.ndarray, " actions"]  # what the visits make of the priors; sums to 1


class TreeView(NamedTuple):
    """One game's tree on the host."""

    nodes: dict[int, NodeView]  # by slot, parents before their children
    num_left_out: int  # nodes of the tree that are not here, the least visited

    @property
    def root(self) -> NodeView:
        """Where the search began."""
        return self.nodes[ROOT]

    def children(self, node: NodeView) -> list[NodeView]:
        """The node's children, the most visited first."""
        return [self.nodes[slot] for slot in node.children]

    def path(self, slot: int) -> list[NodeView]:
        """The nodes from the root to `slot`."""
        path = [self.nodes[slot]]
        while path[0].parent != NONE:
            path.insert(0, self.nodes[path[0].parent])
        return path


def inspect(
    tree: Tree,
    config: SearchConfig | None = None,
    number: int = 0,
    game: Game | None = None,
    draw_board: Callable[[State], Array] | None = None,
    max_nodes: int = MAX_NODES,
) -> TreeView:
    """The tree of game `number` of the batch as records, at most `max_nodes` of them.

    `config` is the search's, the default one if not given: its rule says what the improved policy is. `draw_board`
    makes a board of a state; Go's positions have theirs without it, other games none. `game` tells who is to move.
    *Raises:* ValueError if there is no such game, or no node may be taken.
    """
    num_games = tree.parent.shape[1]
    if not 0 <= number < num_games:
        raise ValueError(f"number is {number}; the search had {num_games} games, so allowed is 0 to {num_games - 1}")
    if max_nodes < 1:
        raise ValueError(f"max_nodes is {max_nodes}; allowed: 1 or more")
    one = _one_game(tree, number)
    host = _columns(one)
    slots = _most_visited(host["visits"], max_nodes)
    states = jax.tree.map(lambda leaf: leaf[slots, 0], one.state)
    boards, players = _boards(states, draw_board), _players(states, game)
    policies = _improved_policies(config or SearchConfig(), one, host, slots)
    nodes: dict[int, NodeView] = {}
    for row, slot in enumerate(slots.tolist()):
        parent = nodes.get(int(host["parent"][slot]))
        view = _view(host, slot, parent, slots, policies[row])
        nodes[slot] = view._replace(
            board=None if boards is None else boards[row], to_play=NONE if players is None else int(players[row])
        )
    return TreeView(nodes, int((host["visits"] > 0).sum()) - len(slots))


def _one_game(tree: Tree, number: int) -> Tree:
    """The tree as that of a batch of one game."""
    nodes = {name: values for name, values in tree._asdict().items() if name != "root_order"}
    nodes = jax.tree.map(lambda leaf: leaf[:, number : number + 1], nodes)
    return Tree(root_order=tree.root_order[number : number + 1], **nodes)


def _columns(one: Tree) -> dict[str, np.ndarray]:
    """What a tree of one game holds of each node but the position, and what each is worth to its parent."""
    host = {name: np.asarray(values)[:, 0] for name, values in one._asdict().items() if name not in _SPECIAL}
    host["worth"] = np.asarray(worth_to_parent(one))[:, 0]
    host["policy"] = np.exp(np.asarray(one.log_policy)[:, 0])
    return host


def _most_visited(visits: Float32[np.ndarray, " nodes"], max_nodes: int) -> Int[np.ndarray, " taken"]:
    """The slots of the nodes to take, in the order of the list."""
    order = np.lexsort((np.arange(len(visits)), -visits))
    taken = order[: min(max_nodes, int((visits > 0).sum()))]
    return np.sort(taken)


def _view(
    host: dict[str, np.ndarray], slot: int, parent: NodeView | None, slots: np.ndarray, policy: np.ndarray
) -> NodeView:
    """The record of one node, without its position."""
    visits, action, priors = host["visits"], int(host["action"][slot]), host["policy"][slot]
    worth = host["value" if parent is None else "worth"][slot]
    child_slots = np.flatnonzero((host["parent"] == slot) & (visits > 0))
    action_visits, action_values = np.zeros(len(priors), np.int32), np.zeros(len(priors), np.float32)
    action_visits[host["action"][child_slots]] = visits[child_slots]
    action_values[host["action"][child_slots]] = host["worth"][child_slots]
    shown = [int(child) for child in child_slots if child in slots]
    return NodeView(
        slot=slot,
        parent=NONE if parent is None else parent.slot,
        depth=0 if parent is None else parent.depth + 1,
        action=action,
        move="root" if parent is None else move_name(action, len(priors)),
        visits=int(visits[slot]),
        value_sum=float(worth * visits[slot]),
        value=float(worth),
        prior=1.0 if parent is None else float(parent.action_priors[action]),
        raw_value=float(host["raw_value"][slot]),
        is_over=parent is not None and float(host["discount"][slot]) == 0.0,
        to_play=NONE,
        children=tuple(sorted(shown, key=lambda child: (-visits[child], -priors[host["action"][child]], child))),
        board=None,
        action_priors=priors,
        action_visits=action_visits,
        action_values=action_values,
        improved_policy=policy,
    )


def move_name(action: int, num_actions: int) -> str:
    """GTP's name where the actions are a square board's points, with a pass or without; else the number."""
    size = math.isqrt(num_actions)
    if size * size not in (num_actions, num_actions - 1) or not MIN_SIZE <= size <= MAX_SIZE:
        return str(action)
    return gtp_from_action(action, size)


def _boards(states: State, draw_board: Callable[[State], Array] | None) -> np.ndarray | None:
    if draw_board is None and not isinstance(states, GoState):
        return None
    return np.asarray(jax.vmap(draw_board or board)(states))


def _players(states: State, game: Game | None) -> np.ndarray | None:
    if game is None:
        return np.asarray(states.to_play) if isinstance(states, GoState) else None
    return np.asarray(jax.vmap(game.to_play)(states))


def _improved_policies(
    config: SearchConfig, one: Tree, host: dict[str, np.ndarray], slots: Int[np.ndarray, " taken"]
) -> Float32[np.ndarray, "taken actions"]:
    """The improved policy of each node of one game's tree; the prior where a node has no visits beside its own."""
    policies = host["policy"][slots]
    opened, unopened = jax.device_get(_complete_everywhere(config, one))
    for row, slot in enumerate(slots):
        child_slots = np.flatnonzero((host["parent"] == slot) & (host["visits"] > 0))
        actions, visits = host["action"][child_slots], host["visits"][child_slots]
        if not len(actions):
            continue
        if config.rule == "puct":
            policies[row] = 0.0
            policies[row, actions] = visits / visits.sum()
        else:
            values = np.full(policies.shape[1], unopened[slot], np.float32)
            values[actions] = opened[child_slots, slot]
            weights = policies[row] * np.exp(values - values[policies[row] > 0].max())
            policies[row] = weights / weights.sum()
    return policies


@functools.partial(jax.jit, static_argnums=0)
def _complete_everywhere(config: SearchConfig, one: Tree) -> Completed:
    """The completed values of the actions of every node; the rule looks at one node a game, so each is a game."""
    num_nodes = len(one.parent)
    flat = {name: values for name, values in one._asdict().items() if name not in _SPECIAL}
    wide = one._replace(**{name: jnp.broadcast_to(values, (num_nodes, num_nodes)) for name, values in flat.items()})
    slots = jnp.arange(num_nodes, dtype=jnp.int32)
    return complete_values(config, wide, slots)
