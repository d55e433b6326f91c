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

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float32, Int8, Int16, Int32, UInt32

from research.go import grid as grids
from research.go.chains import stones_of
from research.go.grid import Grid

POINTS_PER_AREA = 2  # that the tax "all" takes for each independently living group
BLACK_WHITE = np.array([[1], [2]], np.int8)  # stones and owners by number, one row a colour


class IndependentLife(NamedTuple):
    """The areas that pay no tax for seki."""

    owner: Int8[Array, "size size"]  # 1 black, 2 white; 0 where there is no independent life
    num_areas: Int32[Array, "2"]  # of black, of white


def independent_life(
    grid: Grid, label: Int16[Array, " cells"], atari: Bool[Array, " cells"], owner: Int8[Array, "size size"]
) -> IndependentLife:
    """What is independent in the map `owner` of the board with the chains `label`; `atari`: chains in atari."""
    owner_cells = grids.to_cells(grid, owner)
    is_owned = owner_cells == BLACK_WHITE
    is_neutral = (owner_cells == 0) & (label == 0) & grid.on_board
    flaw = jnp.stack([label > 0, label < 0]) & atari
    flaw = flaw.at[:, grid.band].set(flaw[:, grid.band] | grids.any_neighbour(grid, is_neutral))
    is_flawed = grids.flood(grid, lax.bitwise_or, (flaw & is_owned).astype(jnp.uint32), is_owned) > 0
    is_independent = is_owned & ~is_flawed
    points = grids.to_points(grid, is_independent[:, grid.band])
    is_head = is_independent & (_heads(grid, is_independent) == np.arange(grid.num_cells))
    return IndependentLife(
        owner=jnp.where(points.any(0), owner, jnp.int8(0)), num_areas=is_head.sum(1, dtype=jnp.int32)
    )


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


def taxed_points(
    grid: Grid, label: Int16[Array, " cells"], owner: Int8[Array, "size size"]
) -> Float32[Array, "size size"]:
    """What each point of the map `owner` is worth to Black, in points, if every area pays for two eyes.

    An area's own stones are worth a point each; its n other points share n - 2, or nothing if there are fewer. A
    target to learn, asked for once a game: so the count may be a scatter.
    """
    owner_cells = grids.to_cells(grid, owner)
    is_owned = owner_cells == BLACK_WHITE
    head = _heads(grid, is_owned).max(0).astype(jnp.int32)
    is_stone = owner_cells == grids.to_cells(grid, stones_of(grid, label))
    count = jnp.zeros(grid.num_cells, jnp.int32).at[head].add((head > 0) & ~is_stone)[head]
    share = jnp.maximum(count - POINTS_PER_AREA, 0) / jnp.maximum(count, 1).astype(jnp.float32)
    sign = is_owned[0].astype(jnp.float32) - is_owned[1]
    return grids.to_points(grid, (sign * jnp.where(is_stone, 1.0, share))[grid.band])


def _heads(grid: Grid, areas: Bool[Array, "2 cells"]) -> UInt32[Array, "2 cells"]:
    """The highest cell of the area that each cell lies in; 0 for none."""
    cell = np.arange(grid.num_cells, dtype=np.uint32)
    return grids.flood(grid, lax.max, jnp.where(areas, cell, np.uint32(0)), areas)
