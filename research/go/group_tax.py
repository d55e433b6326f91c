"""Group tax: what a map of areas is worth where groups pay for living in seki, or for their two eyes.

Start from a map of whose each point is (benson.area_map, or plain area). A connected area of one owner is *independent
life* unless it touches a neutral point (empty and nobody's) or holds an own stone in atari: such groups live, if they
do, by the opponent's restraint, in seki. Under the tax "seki" the empty points of areas that are not independent are
nobody's; under "all" every independent area also pays two points, the two eyes that it cannot fill.

Two floods tell it: one spreads the flaw over each area, one finds the highest cell of each area that has none, and as
many points as are their own area's highest cell are areas.

*Source:* KataGo's rules (https://lightvector.github.io/KataGo/rules.html), tax; Board::calculateIndependentLifeArea and
NNInputs::fillScoring.
"""

from functools import reduce
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float32, Int8, Int16, Int32, UInt32

from research.go import grid as grids
from research.go.chains import stones_of
from research.go.grid import Grid

POINTS_PER_AREA = 2  # that the tax "all" takes for each independently living group


class IndependentLife(NamedTuple):
    """The areas that pay no tax for seki."""

    owner: Int8[Array, "size size"]  # 1 black, 2 white; 0 where there is no independent life
    num_areas: Int32[Array, "2"]  # of black, of white


def independent_life(
    grid: Grid, label: Int16[Array, " cells"], atari: Bool[Array, " cells"], owner: Int8[Array, "size size"]
) -> IndependentLife:
    """What is independent in the map `owner` of the board with the chains `label`; `atari`: chains in atari."""
    owner_cells = grids.to_cells(grid, owner)
    owned = [owner_cells == colour for colour in (1, 2)]
    is_neutral = (owner_cells == 0) & (label == 0) & grid.on_board
    by_neutral = grids.from_band(grid, grids.any_neighbour(grid, is_neutral))
    flaws = [(is_own_stone & atari | by_neutral).astype(jnp.uint32) for is_own_stone in (label > 0, label < 0)]
    flawed = grids.flood(grid, lax.bitwise_or, flaws, owned)
    independent = [is_owned & (flaw == 0) for is_owned, flaw in zip(owned, flawed, strict=True)]
    heads = _heads(grid, independent)
    num_areas = [
        (is_independent & (head == np.arange(grid.num_cells))).sum(dtype=jnp.int32)
        for is_independent, head in zip(independent, heads, strict=True)
    ]
    points = grids.to_points(grid, (independent[0] | independent[1])[grid.band])
    return IndependentLife(owner=jnp.where(points, owner, jnp.int8(0)), num_areas=jnp.stack(num_areas))


def kept(
    life: IndependentLife,
    owner: Int8[Array, "size size"],
    stones: Int8[Array, "size size"],
    keep_territories: bool = False,
    keep_stones: bool = True,
) -> Int8[Array, "size size"]:
    """Whose each point of the map `owner` stays under group tax.

    Beside independent life, `keep_stones` leaves each colour its stones in its own areas, and `keep_territories` all
    that is in them but those.
    """
    is_kept = life.owner > 0
    if keep_stones:
        is_kept |= owner == stones
    if keep_territories:
        is_kept |= owner != stones
    return jnp.where(is_kept, owner, jnp.int8(0))


def kept_rows(
    owned: UInt32[Array, "2 size"], stones: UInt32[Array, "2 size"], atari: UInt32[Array, " size"]
) -> UInt32[Array, "2 size"]:
    """What stays of the packed areas `owned` of Black and White: independent life, and stones in their own areas.

    `atari`: the stones in atari. The same as `kept` with its usual options, where only whose the points are is asked.
    """
    board_mask = np.uint32((1 << owned.shape[1]) - 1)
    neutral = ~(owned[0] | owned[1] | stones[0] | stones[1]) & board_mask
    flaws = owned & (grids.beside_rows(neutral[None]) | stones & atari)
    return owned & ~(grids.flood_rows(flaws, owned) & ~stones)


def taxed_points(
    grid: Grid, label: Int16[Array, " cells"], owner: Int8[Array, "size size"]
) -> Float32[Array, "size size"]:
    """What each point of the map `owner` is worth to Black, in points, if every area pays for two eyes.

    An area's own stones are worth a point each; its n other points share n - 2, or nothing if there are fewer. A
    target to learn, asked for once a game: so the count may be a scatter.
    """
    owner_cells = grids.to_cells(grid, owner)
    owned = [owner_cells == colour for colour in (1, 2)]
    head = reduce(jnp.maximum, _heads(grid, owned)).astype(jnp.int32)
    is_stone = owner_cells == grids.to_cells(grid, stones_of(grid, label))
    count = jnp.zeros(grid.num_cells, jnp.int32).at[head].add((head > 0) & ~is_stone)[head]
    share = jnp.maximum(count - POINTS_PER_AREA, 0) / jnp.maximum(count, 1).astype(jnp.float32)
    sign = owned[0].astype(jnp.float32) - owned[1]
    return grids.to_points(grid, (sign * jnp.where(is_stone, 1.0, share))[grid.band])


def _heads(grid: Grid, owned: list[Bool[Array, " cells"]]) -> tuple[UInt32[Array, " cells"], ...]:
    """The highest cell of the area that each cell lies in, one array a colour; 0 for none."""
    cell = jnp.arange(grid.num_cells, dtype=jnp.uint32)
    return grids.flood(grid, lax.max, [cell, cell], owned)
