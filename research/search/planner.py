"""How much memory a search takes, said before anything is compiled, and how many games fit.

    plan = plan_memory(game, config)
    print(plan.text())
    plan.check(batch=512, budget=8 * 2**30)

A search holds its tree, a position, a policy and a dozen numbers a node, and beside it a little a game. The planner
asks the library's own functions for the shapes, without running them, so it counts what will really be there. The
compiler may pad arrays to its registers' width, and the network's own memory (variables, planes, activations) comes on
top.

What grows with what: positions and policies with the simulations; `path`, what superko adds to each node for the way
from the root, with the depth bound too; maps, if there are any, with the simulations and the board.

*Source:* own design.
"""

from dataclasses import dataclass, fields
from typing import Any

import jax
import jax.numpy as jnp

from research.game import Game
from research.search.config import SearchConfig
from research.search.influence import no_influence
from research.search.lanes import Walk
from research.search.tree import Tree, plant

_UNITS = (("GB", 1e9), ("MB", 1e6), ("kB", 1e3))


@dataclass(frozen=True)
class MemoryPlan:
    """Bytes that one game takes in a search; what belongs to the batch as a whole, such as a network, is not in it."""

    num_nodes: int  # slots of a tree
    depth_bound: int  # plies below the root
    positions: int  # bytes: the nodes' positions without their paths
    path: int  # bytes: what the nodes remember of their paths, which the depth bound adds
    policies: int  # bytes: the nodes' policies
    statistics: int  # bytes: the nodes' numbers
    past: int  # bytes: the root's position, and its game's history, which all nodes share
    work: int  # bytes: what one step of the loop, or reading the result, needs beside the tree
    reuse: int  # bytes: what an advance to the next root needs on a TPU; elsewhere it takes about a third of that
    maps: int  # bytes: influence maps, if any

    @property
    def bytes_a_game(self) -> int:
        """All of it."""
        return sum(getattr(self, name) for name in _PARTS)

    def largest_batch(self, budget: int, others: int = 0) -> int:
        """How many games fit into `budget` bytes, `others` of which something else takes; 0 if not even one."""
        return max(0, (budget - others) // self.bytes_a_game)

    def check(self, batch: int, budget: int, others: int = 0) -> None:
        """Nothing; *Raises:* ValueError if so many games do not fit, with the largest number that does."""
        if batch < 1:
            raise ValueError(f"batch is {batch}; allowed: 1 or more")
        most = self.largest_batch(budget, others)
        if batch > most:
            taken = f", {in_words(others)} of which are taken" if others else ""
            raise ValueError(
                f"batch is {batch}: its search needs {in_words(batch * self.bytes_a_game)}, and there are "
                f"{in_words(budget)}{taken}; the largest batch that fits is {most}"
            )

    def text(self) -> str:
        """The parts, a line each."""
        lines = [f"{self.num_nodes} nodes, depth bound {self.depth_bound}: {in_words(self.bytes_a_game)} a game"]
        for name in _PARTS:
            lines.append(f"  {name:<10} {getattr(self, name):>12,} bytes  {_MEANING[name]}")
        return "\n".join(lines) + "\n"


_MEANING = {
    "positions": "positions of the nodes",
    "path": "the nodes' own superko entries, added by the depth bound",
    "policies": "policies of the nodes",
    "statistics": "visits, values and places of the nodes",
    "past": "the root's position and history",
    "work": "of one step of the search, and of reading its result",
    "reuse": "rows of the nodes, while the next tree is made from the one before",
    "maps": "influence maps",
}
_PARTS = tuple(spec.name for spec in fields(MemoryPlan) if spec.name in _MEANING)


def plan_memory(game: Game, config: SearchConfig, num_kept: int = 0, with_maps: bool = False) -> MemoryPlan:
    """The memory of a search by `config`; `num_kept` slots for reused nodes (0: no reuse), `with_maps` influence maps.

    It counts a search by `lanes`; mctx takes several times as much.
    """
    num_nodes = (num_kept or 1) + config.num_simulations
    state = jax.eval_shape(game.init)
    node, past = jax.eval_shape(lambda state: game.as_node(state, config.depth_bound), state)
    bare, _ = jax.eval_shape(lambda state: game.as_node(state, 0), state)
    tree = _tree_shapes(game, node, num_nodes)
    positions, path = num_nodes * size_of(bare), num_nodes * (size_of(node) - size_of(bare))
    policies = size_of((tree.log_policy, tree.root_order))
    # The result sorts the nodes' visits and values by action, and is some numbers an action.
    answer = 4 * size_of(tree.root_order)
    return MemoryPlan(
        num_nodes=num_nodes,
        depth_bound=config.depth_bound,
        positions=positions,
        path=path,
        policies=policies,
        statistics=size_of(tree) - positions - path - policies,
        past=size_of((state, past)),
        work=max(_step_work(game, config, node, num_nodes), 2 * policies) + answer,
        # All rows packed, and turned round; those that are kept, so and in their own types.
        reuse=2 * (size_of(tree) + size_of(_tree_shapes(game, node, num_kept))) if num_kept else 0,
        # Own maps and means of all nodes.
        maps=2 * size_of(jax.eval_shape(lambda tree: no_influence(tree, game.board_shape), tree)) if with_maps else 0,
    )


def size_of(shapes: Any) -> int:
    """Bytes of all arrays of a pytree, or of what stands for their shapes."""
    return sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(shapes))


def in_words(num_bytes: int) -> str:
    """Such as "1.93 MB", in powers of ten."""
    for unit, size in _UNITS:
        if abs(num_bytes) >= size:
            return f"{num_bytes / size:.2f} {unit}"
    return f"{num_bytes} bytes"


def _tree_shapes(game: Game, node: Any, num_nodes: int) -> Tree:
    """The shapes of a tree of one game."""

    def grown(node: Any) -> Tree:
        nodes = jax.tree.map(lambda leaf: leaf[None], node)
        policy = jnp.zeros((1, game.num_actions), jnp.float32)
        return plant(policy, policy, jnp.zeros(1, jnp.float32), nodes, num_nodes)

    return jax.eval_shape(grown, node)


def _step_work(game: Game, config: SearchConfig, node: Any, num_nodes: int) -> int:
    """Bytes of the walks under way, their new nodes with logits and policy, and the losses that they count as."""
    shape: Any = jax.ShapeDtypeStruct
    number, numbers = shape((1,), jnp.float32), shape((num_nodes, 1), jnp.float32)
    walk = Walk(number, number, numbers)
    new_node = (node, [shape((game.num_actions,), jnp.float32)] * 2)
    return config.num_leaves * (size_of(walk) + size_of(new_node)) + 2 * size_of(numbers)
