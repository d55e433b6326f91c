"""Ladders: which chains are caught by ataris that never let go, and the moves that catch them or get them out.

The hunter may play either liberty of a prey that has two; the prey, in atari, may play its liberty or capture a
hunter's chain in atari that touches it. Nobody plays anywhere else. A prey with three liberties has escaped, a prey
with one on the hunter's turn is caught. That is a search of alternatives on both sides, read depth first.

Ko, by `LadderConfig.ko`:
- "prey": kos go the prey's way. A ban that stands when the prey is to move counts as an escape, but for one that stood
  before the ladder or that the hunter's first move left behind, which is lifted. The hunter always obeys bans.
- "plain": simple ko for both, from the first move on.

Which points the first moves may not take is the caller's to say, one point a player (`bans`), for the reader speaks of
both colours whoever is to move: `mover_ban` for encoders in which a ban binds the player to move alone, `shared_ban`
for those (katago22) in which it binds both. The prey's own first move is bound by its ban only under "plain": under
"prey", `escapes` shows what would work if the ban were not there, so that a caller who asks for legal moves has to
combine `captures` and `escapes` with the legal moves himself. Suicide is never considered.

*Source:* AlphaGo's features "ladder capture" and "ladder escape" (Nature 529, 2016, Extended Data Table 2) name them
only; the definition with ko "prey" is KataGo's (its board.cpp), that with "plain" RocAlphaGo's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple, get_args

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import NamedSharding, PartitionSpec
from jaxtyping import Array, Bool, Int16, Int32

from research.go import grid as grids
from research.go import ladder_board as boards
from research.go import ladder_lanes as lanes
from research.go.grid import Grid
from research.go.ladder_lanes import Results, Task
from research.go.ladder_search import Limits
from research.go.liberties import liberty_counts
from research.go.state import NO_KO, side_sign

LadderKo = Literal["prey", "plain"]
PLIES_PER_POINT = 1.5
MOST = {"max_plies": 10_000, "max_nodes": 10**9, "num_lanes": 2**16}  # of the limits of LadderConfig


@dataclass(frozen=True)
class LadderConfig:
    """How ladders are read.

    The default of `max_nodes` is enough for the hardest ladder among KataGo's tests, which takes thousands. In 1,024
    positions of real games no first move took 200, and a smaller number saves little there. But a batch waits for its
    longest reading, and an untrained player may reach anything: a run that trains with ladders wants 200 to 400, in
    one word `encoders.get("alphago48", ladder_max_nodes=400)`.
    """

    ko: LadderKo = "prey"  # see the head of this file
    max_plies: int | None = None  # plies a line is read, the first move included; None: 1.5 for each point
    max_nodes: int = 25_000  # moves made while one first move is read, those made again included
    num_lanes: int = 128  # chains read side by side; on a GPU or a TPU a trip hardly costs more with a thousand

    def __post_init__(self):
        """Refuse what has no meaning; *Raises:* ValueError that names field, value and what is allowed."""
        if self.ko not in get_args(LadderKo):
            raise ValueError(f"ko={self.ko!r}: allowed is one of {', '.join(get_args(LadderKo))}")
        for field, most in MOST.items():
            value = getattr(self, field)
            is_count = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most
            if not is_count and not (field == "max_plies" and value is None):
                raise ValueError(f"{field}={value!r}: allowed is a whole number from 1 to {most}")

    def limits(self, grid: Grid) -> Limits:
        """What it comes to on that board."""
        num_plies = int(PLIES_PER_POINT * grid.num_points) if self.max_plies is None else self.max_plies
        return Limits(
            is_plain=self.ko == "plain", num_plies=num_plies, num_nodes=self.max_nodes, num_lanes=self.num_lanes
        )


class Ladders(NamedTuple):
    """What ladders there are; first axis: the colour of the prey, 0 black, 1 white."""

    laddered: Bool[Array, "2 size size"]  # stones caught: in atari though the prey moves first, or with two liberties
    captures: Bool[Array, "2 size size"]  # the hunter's moves that catch a chain of exactly two liberties
    escapes: Bool[Array, "2 size size"]  # the prey's moves that get a chain in atari out for good


def mover_ban(ko: Int32[Array, ""], to_play: Int32[Array, ""]) -> Int32[Array, "2"]:
    """`bans` in which the cell `ko` is forbidden to the player to move only."""
    return jnp.where(np.arange(2, dtype=np.int32) == to_play, jnp.maximum(ko, NO_KO), NO_KO)


def shared_ban(ko: Int32[Array, ""]) -> Int32[Array, "2"]:
    """`bans` in which the cell `ko` is forbidden to both players."""
    return jnp.broadcast_to(jnp.maximum(ko, NO_KO), (2,))


class Effort(NamedTuple):
    """What a reading has cost."""

    num_chains: Int32[Array, ""]  # chains of one or two liberties
    num_nodes: Int32[Array, ""]  # moves made for them
    num_cut: Int32[Array, ""]  # chains with a first move that was given up at `max_nodes`


def read_ladders(
    grid: Grid,
    label: Int16[Array, " cells"],
    bans: Int32[Array, "2"],
    config: LadderConfig,
    first_mover: Int32[Array, ""] | None = None,
) -> Ladders:
    """The ladders of one position; `bans[player]` is the cell that `player` may not take first, or none if <= 0.

    With `first_mover` only the ladders in which that player moves first, which are half as many: his captures, his
    escapes, the chains that he would catch and those of his that he cannot save.
    """
    return read_ladders_counted(grid, label, bans, config, first_mover)[0]


def read_ladders_counted(
    grid: Grid,
    label: Int16[Array, " cells"],
    bans: Int32[Array, "2"],
    config: LadderConfig,
    first_mover: Int32[Array, ""] | None = None,
) -> tuple[Ladders, Effort]:
    """(`read_ladders`, what it has cost)."""
    all_liberties = liberty_counts(grid, label)
    band, liberties = label[grid.band], all_liberties[grid.band]
    is_asked = (liberties == 1) | (liberties == 2)
    if first_mover is not None:
        is_asked = is_asked & ((liberties == 1) == (band * side_sign(first_mover) > 0))
    is_one_a_chain = jnp.abs(band) == grid.band_cells
    is_roomy = _has_room(grid, label)
    task = Task(
        board=boards.pack(boards.Field(grid), label, all_liberties == 1),
        chains=jnp.stack([grids.pack_rows(grid, is_asked & is_one_a_chain & part) for part in (is_roomy, ~is_roomy)]),
        bans=bans,
    )
    results = _make_read(grid, config)(task)
    is_working = results.chains.at[jnp.abs(band)].get(mode="promise_in_bounds")
    is_laddered = is_asked & (is_working != (liberties == 1))
    is_prey = grids.to_points(grid, band)[None] * np.array([1, -1], np.int16)[:, None, None] > 0
    moves = results.moves.reshape(2, 2, grid.size + 2, grid.width)[:, :, 1:-1, : grid.size]
    ladders = Ladders(laddered=grids.to_points(grid, is_laddered)[None] & is_prey, captures=moves[0], escapes=moves[1])
    num_chains = lax.population_count(task.chains).sum(dtype=jnp.uint32).astype(jnp.int32)
    return ladders, Effort(num_chains, results.num_nodes, results.num_cut)


def _has_room(grid: Grid, label: Int16[Array, " cells"]) -> Bool[Array, " band"]:
    """Stones with a liberty that has two empty neighbours: nearly all ladders of more than thirty moves start here."""
    is_empty = (label == 0) & grid.on_board
    num_empty = sum(near.astype(jnp.int8) for near in grids.neighbours(grid, is_empty))
    is_roomy = grids.from_band(grid, is_empty[grid.band] & (num_empty >= 2))
    return grids.any_neighbour(grid, is_roomy)


@cache
def _make_read(grid: Grid, config: LadderConfig) -> Callable[[Task], Results]:
    """Results of one board, which under vmap reads all boards of the batch together."""
    read_boards = _make_read_boards(grid, config)

    @jax.custom_batching.custom_vmap
    def read_many(tasks: Task) -> Results:
        return Results(*read_boards(*tasks))

    @read_many.def_vmap
    def read_more(axis_size, in_batched, tasks):
        tasks = _batched(axis_size, in_batched[0], tasks)
        flat = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), tasks)
        results = read_many(flat)
        results = jax.tree.map(lambda leaf: leaf.reshape(axis_size, -1, *leaf.shape[1:]), results)
        return results, jax.tree.map(lambda leaf: True, results)

    @jax.custom_batching.custom_vmap
    def read(task: Task) -> Results:
        results = read_many(jax.tree.map(lambda leaf: leaf[None], task))
        return jax.tree.map(lambda leaf: leaf[0], results)

    @read.def_vmap
    def read_batch(axis_size, in_batched, task):
        results = read_many(_batched(axis_size, in_batched[0], task))
        return results, jax.tree.map(lambda leaf: True, results)

    return read


def _make_read_boards(grid: Grid, config: LadderConfig) -> Callable[..., tuple[Array, ...]]:
    """The fields of a batch's Results from those of its tasks; boards split over devices are read where they are."""
    field, limits = boards.Field(grid), config.limits(grid)

    def read(*tasks):
        return tuple(lanes.read_all(field, limits, Task(*tasks)))

    @custom_partitioning
    def read_boards(*tasks):
        return jax.jit(read)(*tasks)  # constants are refused but within a jit

    def on_each_device(mesh, tasks, results):
        spec = tasks[0].sharding.spec
        split = NamedSharding(mesh, PartitionSpec(*spec[:1]))
        return mesh, read, (split,) * len(results), (split,) * len(tasks)

    # Axes by name: all but that of the boards are kept whole.
    read_boards.def_partition(
        on_each_device,
        sharding_rule="boards field, boards part size, boards player -> "
        "boards first colour cell, boards cell, boards, boards",
        need_replication_factors=("field", "part", "size", "player", "first", "colour", "cell"),
    )
    return read_boards


def _batched(axis_size: int, is_batched: Task, tasks: Task) -> Task:
    """`tasks` with the batch's axis in front of every leaf."""
    return jax.tree.map(
        lambda leaf, has_axis: leaf if has_axis else jnp.broadcast_to(leaf, (axis_size, *leaf.shape)), tasks, is_batched
    )
