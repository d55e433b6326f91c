"""A value that is worked out once and then read, where a compiler would work it out anew for every reader.

XLA:CPU fuses cheap operations into whatever reads their result. A long chain of cheap operations is not cheap any more,
and a reader that uses each element forty-eight times repeats the whole chain forty-eight times. Nothing says "stop
here" to it (optimization_barrier does not), but it never fuses across a loop: so the value goes through a loop that
makes no turn. On other devices the value is left alone.

*Source:* own measurements on XLA:CPU of jax 0.10.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Int, PyTree


def settled(values: PyTree[Array], number: Int[Array, ""]) -> PyTree[Array]:
    """`values` (numbers or booleans), unchanged.

    `number` may be any that the compiler cannot know and that is not the least of its type.
    """
    return lax.platform_dependent(values, number, cpu=_through_a_loop, default=lambda values, number: values)


def _through_a_loop(values: PyTree[Array], number: Int[Array, ""]) -> PyTree[Array]:
    """`values` handed on by a loop that would change them, if it ever made a turn."""

    def change(carry):
        # The compiler removes from a loop what its turns leave as it is.
        return ~carry[0], jax.tree.map(
            lambda leaf: -leaf if jnp.isdtype(leaf.dtype, "real floating") else ~leaf, carry[1]
        )

    start = (number == np.iinfo(number.dtype).min, values)
    return lax.while_loop(lambda carry: carry[0], change, start)[1]
