"""The eight symmetries of a square board, for boards, planes, policies, actions and moves.

The idea: each symmetry is a transpose or none, then a flip of the rows or none, then a flip of the columns or none.
So a traced symmetry number costs three conditional selects between an array and its mirror image, which a TPU does
at memory speed, and no gather. Under vmap each game of a batch can have a symmetry of its own.

The order: 0 identity, 1 quarter turn counter-clockwise, 2 half turn, 3 three quarter turns, 4 left-right mirror,
5 up-down mirror, 6 transpose (the mirror in the diagonal from the top left), 7 anti-transpose. Symmetry numbers must
lie in [0, 8); others behave as 0.

*Source:* the group of the square; KataGo's numbers 0..7 are this file's 0, 5, 4, 2, 6, 3, 1, 7.
"""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Shaped

NUM_SYMMETRIES = 8
INVERSE = (0, 3, 2, 1, 4, 5, 6, 7)  # INVERSE[s] undoes s
COMPOSITION = (  # COMPOSITION[first][second] is the symmetry that does `first`, then `second`
    (0, 1, 2, 3, 4, 5, 6, 7),
    (1, 2, 3, 0, 7, 6, 4, 5),
    (2, 3, 0, 1, 5, 4, 7, 6),
    (3, 0, 1, 2, 6, 7, 5, 4),
    (4, 6, 5, 7, 0, 2, 1, 3),
    (5, 7, 4, 6, 2, 0, 3, 1),
    (6, 5, 7, 4, 3, 1, 0, 2),
    (7, 4, 6, 5, 1, 3, 2, 0),
)
FROM_KATAGO = (0, 5, 4, 2, 6, 3, 1, 7)  # FROM_KATAGO[k] is the number here of KataGo's symmetry k

# The symmetries that begin with a transpose, then those that flip the rows (top to bottom), then the columns.
_TRANSPOSED = (1, 3, 6, 7)
_ROWS_FLIPPED = (1, 2, 5, 7)
_COLUMNS_FLIPPED = (2, 3, 4, 7)

Symmetry = Int[Array, ""] | int


def inverse(symmetry: Symmetry) -> Int[Array, ""]:
    """The symmetry that undoes `symmetry`, also when it is traced: only the two quarter turns change places."""
    symmetry = jnp.asarray(symmetry, jnp.int32)
    is_quarter_turn = (symmetry == 1) | (symmetry == 3)
    return jnp.where(is_quarter_turn, 4 - symmetry, symmetry)


def transform_planes(planes: Shaped[Array, "size size ..."], symmetry: Symmetry) -> Shaped[Array, "size size ..."]:
    """`planes` [row, column, ...] (a board too) with every point moved by `symmetry`."""
    planes = jnp.where(_is_one_of(symmetry, _TRANSPOSED), jnp.swapaxes(planes, 0, 1), planes)
    planes = jnp.where(_is_one_of(symmetry, _ROWS_FLIPPED), planes[::-1], planes)
    return jnp.where(_is_one_of(symmetry, _COLUMNS_FLIPPED), planes[:, ::-1], planes)


def transform_policy(
    policy: Shaped[Array, " num_actions"], symmetry: Symmetry, size: int
) -> Shaped[Array, " num_actions"]:
    """`policy` (any value an action: probabilities, logits, a mask) with every point moved by `symmetry`.

    One entry a point, row by row, and after them what belongs to no point (the pass), which keeps its place.
    """
    num_points = size * size
    points = transform_planes(policy[:num_points].reshape(size, size), symmetry)
    return jnp.concatenate([points.reshape(num_points), policy[num_points:]])


def transform_move(
    row: Int[Array, ""], column: Int[Array, ""], symmetry: Symmetry, size: int
) -> tuple[Int[Array, ""], Int[Array, ""]]:
    """The (row, column) to which `symmetry` moves the point (`row`, `column`); points must be on the board."""
    is_transposed = _is_one_of(symmetry, _TRANSPOSED)
    row, column = jnp.where(is_transposed, column, row), jnp.where(is_transposed, row, column)
    row = jnp.where(_is_one_of(symmetry, _ROWS_FLIPPED), size - 1 - row, row)
    column = jnp.where(_is_one_of(symmetry, _COLUMNS_FLIPPED), size - 1 - column, column)
    return row, column


def transform_action(action: Int[Array, ""], symmetry: Symmetry, size: int) -> Int[Array, ""]:
    """The flat action to which `symmetry` moves `action`; what is no point (the pass) stays as it is."""
    row, column = transform_move(action // size, action % size, symmetry, size)
    is_point = (action >= 0) & (action < size * size)
    return jnp.where(is_point, row * size + column, action)


def _is_one_of(symmetry: Symmetry, members: tuple[int, ...]) -> Bool[Array, ""]:
    """Whether `symmetry` is among `members`: a few compares instead of a lookup in a table."""
    return (jnp.asarray(symmetry) == jnp.asarray(members)).any()
