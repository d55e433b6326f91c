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

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int16, Int32

from research.go import chains, legality, moves
from research.go import grid as grids
from research.go.game import Go
from research.go.grid import Grid
from research.go.rules import Rules
from research.go.state import NO_KO, GoState

LadderKo = Literal["prey", "plain"]
PLIES_PER_POINT = 1.5


@dataclass(frozen=True)
class LadderConfig:
    """How ladders are read."""

    ko: LadderKo = "prey"  # see the head of this file
    max_plies: int | None = None  # plies a line is read, the tested move included; None: 1.5 for each point
    max_nodes: int = 1000  # moves played while one first move is read; reached: not captured

    def __post_init__(self):
        """Refuse what has no meaning; *Raises:* ValueError that names field, value and what is allowed."""
        if self.ko not in get_args(LadderKo):
            raise ValueError(f"ko={self.ko!r}: allowed is one of {', '.join(get_args(LadderKo))}")
        for field in ("max_plies", "max_nodes"):
            value = getattr(self, field)
            is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 1
            if not is_count and not (field == "max_plies" and value is None):
                raise ValueError(f"{field}={value!r}: allowed is a whole number from 1")

    def num_plies_allowed(self, grid: Grid) -> int:
        """Plies a line is read on that board."""
        return int(PLIES_PER_POINT * grid.num_points) if self.max_plies is None else self.max_plies


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


def read_ladders(grid: Grid, label: Int16[Array, " cells"], bans: Int32[Array, "2"], config: LadderConfig) -> Ladders:
    """The ladders of one position; `bans[player]` is the cell that `player` may not take first, or none if <= 0."""
    liberties = chains.count_liberties(grid, label)
    tasks = _list_tasks(grid, label, liberties)
    atari = liberties == 1

    def read_next(carry):
        index, is_left, caught = carry
        value = _read_task(grid, config, label, atari, bans, tasks, index)
        following = jnp.argmax(is_left & (jnp.arange(len(is_left)) > index)).astype(jnp.int32)
        return following, is_left.at[index].set(False), caught.at[index].set(value)

    first = jnp.argmax(tasks.is_task).astype(jnp.int32)
    start = (first, tasks.is_task, jnp.zeros_like(tasks.is_task))
    _, _, caught = lax.while_loop(lambda carry: carry[1].any(), read_next, start)
    return _gather_answers(grid, label, liberties, tasks, caught)


class _Tasks(NamedTuple):
    """First moves to be read: of a chain beside a point, and of a chain that can be saved by capturing a neighbour."""

    is_task: Bool[Array, " tasks"]
    prey: Int16[Array, " tasks"]  # chain
    move: Int32[Array, " tasks"]  # cell
    is_prey_first: Bool[Array, " tasks"]


def _list_tasks(grid: Grid, label, liberties) -> _Tasks:
    cells = np.arange(grid.num_cells, dtype=np.int32)
    is_vacant = (label == 0) & grid.on_board
    near = [jnp.roll(label, -offset) for offset in grid.offsets]
    near_liberties = [jnp.roll(liberties, -offset) for offset in grid.offsets]
    only_liberty = jnp.zeros(grid.num_cells, jnp.int32)
    for chain in near:
        target = jnp.where(is_vacant & (chain != 0), jnp.abs(chain), 0)
        only_liberty = only_liberty.at[target].max(jnp.where(target > 0, cells, 0))
    parts = []
    for index, (chain, count) in enumerate(zip(near, near_liberties, strict=True)):
        is_new = is_vacant & (chain != 0) & (count <= 2)
        for earlier in near[:index]:
            is_new &= chain != earlier
        parts.append(_Tasks(is_new, chain, jnp.asarray(cells), count == 1))
    for chain, count in zip(near, near_liberties, strict=True):
        is_pair = (label * chain < 0) & (count == 1) & (liberties == 1)
        parts.append(_Tasks(is_pair, label, only_liberty[jnp.abs(chain)], jnp.ones(grid.num_cells, bool)))
    return _Tasks(*(jnp.concatenate(leaves) for leaves in zip(*parts, strict=True)))


def _gather_answers(grid: Grid, label, liberties, tasks: _Tasks, caught) -> Ladders:
    colour = (tasks.prey < 0).astype(jnp.int32)
    blank = jnp.zeros((2, grid.num_cells), bool)
    captures = blank.at[colour, tasks.move].max(tasks.is_task & ~tasks.is_prey_first & caught)
    escapes = blank.at[colour, tasks.move].max(tasks.is_task & tasks.is_prey_first & ~caught)
    chain = jnp.abs(tasks.prey).astype(jnp.int32)
    by_chain = jnp.zeros(grid.num_cells, bool)
    is_hunted = by_chain.at[chain].max(tasks.is_task & ~tasks.is_prey_first & caught)
    is_saved = by_chain.at[chain].max(tasks.is_task & tasks.is_prey_first & ~caught)
    own = jnp.abs(label).astype(jnp.int32)
    is_laddered = (label != 0) & jnp.where(liberties == 1, ~is_saved[own], (liberties == 2) & is_hunted[own])
    laddered = jnp.stack([is_laddered & (label > 0), is_laddered & (label < 0)])

    def to_points(mask):
        return jnp.stack([grids.to_points(grid, part[grid.band]) for part in mask])

    return Ladders(to_points(laddered), to_points(captures), to_points(escapes))


class _Stack(NamedTuple):
    """Boards of the line being read, before the move that is tried at each depth."""

    label: Int16[Array, "plies cells"]
    atari: Bool[Array, "plies cells"]
    ko: Int32[Array, " plies"]
    untried: Bool[Array, "plies cells"]


def _state(grid: Grid, label, atari, to_play, ko) -> GoState:
    game = Go(Rules(size=grid.size, ko="simple"))
    return game.init()._replace(label=label, atari=atari, to_play=to_play, ko=ko)


def _read_task(grid: Grid, config: LadderConfig, label, atari, bans, tasks: _Tasks, index) -> Bool[Array, ""]:
    """Whether the prey of the task is caught after its first move."""
    rules = Rules(size=grid.size, suicide=False)
    num_plies = config.num_plies_allowed(grid)
    sign = jnp.sign(tasks.prey[index])
    prey_player = (sign < 0).astype(jnp.int32)
    prey_cell = jnp.argmax(label == tasks.prey[index]).astype(jnp.int32)  # a stone of it stays where it is
    first_is_prey = tasks.is_prey_first[index]
    is_lifted = first_is_prey & (config.ko == "prey")
    ban = jnp.where(is_lifted, NO_KO, bans[jnp.where(first_is_prey, prey_player, 1 - prey_player)])

    def is_prey_turn(depth):
        return first_is_prey ^ (depth % 2 == 1)

    def liberties_of_prey(label):
        member = label == label[prey_cell]
        vacant = (label == 0) & grid.on_board
        beside = jnp.zeros(grid.num_cells, bool).at[grid.band].set(grids.any_neighbour(grid, member))
        return beside & vacant, member

    def choices(label, atari, depth):
        liberties, member = liberties_of_prey(label)
        touching = jnp.zeros(grid.num_cells, bool).at[grid.band].set(grids.any_neighbour(grid, member))
        hunters = touching & atari & (label * sign < 0)
        # The stones of every hunter's chain that touches the prey and is in atari, then their liberties.
        is_hit = jnp.zeros(2 * grid.num_cells + 1, bool).at[label.astype(jnp.int32) + grid.num_cells].max(hunters)
        whole = is_hit[label.astype(jnp.int32) + grid.num_cells] & (label != 0)
        beside = jnp.zeros(grid.num_cells, bool).at[grid.band].set(grids.any_neighbour(grid, whole))
        captures = beside & (label == 0) & grid.on_board
        return liberties | captures & is_prey_turn(depth), liberties.sum()

    def try_move(carry):
        stack, depth, _, _, num_nodes = carry
        cell = jnp.argmax(stack.untried[depth]).astype(jnp.int32)
        player = jnp.where(is_prey_turn(depth), prey_player, 1 - prey_player)
        state = _state(grid, stack.label[depth], stack.atari[depth], player, stack.ko[depth])
        around = legality.look_around(grid, state, cell)
        is_legal = legality.is_legal_point(rules, state, cell, around)
        placed = moves.place(grid, state, cell, around, moves.removal(rules, around), is_legal)
        stack = stack._replace(untried=stack.untried.at[depth, cell].set(False))
        next_moves, num_liberties = choices(placed.label, placed.atari, depth + 1)
        prey_next = is_prey_turn(depth + 1)
        ko = jnp.where(prey_next & (depth == 0) & (config.ko == "prey"), NO_KO, placed.ko)
        is_out = jnp.where(prey_next, (num_liberties >= 2), num_liberties >= 3)
        is_out |= prey_next & (ko > 0) & (config.ko == "prey")
        is_in = ~prey_next & (num_liberties <= 1)
        is_out |= ~is_in & (depth + 1 >= num_plies)
        is_deeper = is_legal & ~is_out & ~is_in
        following = jnp.where(is_deeper, depth + 1, num_plies)
        stack = _Stack(
            label=stack.label.at[following].set(placed.label, mode="drop"),
            atari=stack.atari.at[following].set(placed.atari, mode="drop"),
            ko=stack.ko.at[following].set(ko, mode="drop"),
            untried=stack.untried.at[following].set(next_moves, mode="drop"),
        )
        # An illegal move is one that does not work for who tried it.
        value = jnp.where(is_legal, ~is_out & is_in, is_prey_turn(depth))
        return stack, jnp.where(is_deeper, depth + 1, depth), ~is_deeper, value, num_nodes + 1

    def settle(carry):
        stack, depth, _, value, num_nodes = carry
        # A value that ends the search at this depth goes up; otherwise the next move is tried.
        is_final = (value != is_prey_turn(depth)) | ~stack.untried[depth].any()
        return stack, jnp.where(is_final, depth - 1, depth), is_final, value, num_nodes

    def step(carry):
        return lax.cond(carry[2], settle, try_move, carry)

    def is_going(carry):
        return (carry[1] >= 0) & (carry[4] < config.max_nodes)

    stack = _Stack(
        label=jnp.zeros((num_plies, grid.num_cells), jnp.int16).at[0].set(label),
        atari=jnp.zeros((num_plies, grid.num_cells), bool).at[0].set(atari),
        ko=jnp.zeros(num_plies, jnp.int32).at[0].set(ban),
        untried=jnp.zeros((num_plies, grid.num_cells), bool).at[0, tasks.move[index]].set(True),
    )
    start = (stack, jnp.int32(0), jnp.bool_(False), jnp.bool_(False), jnp.int32(0))
    _, depth, _, value, _ = lax.while_loop(is_going, step, start)
    return value & (depth < 0)
