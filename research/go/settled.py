"""A value that is worked out once and then read, where a compiler would work it out anew for every reader.

XLA:CPU fuses cheap operations into whatever reads their result. A long chain of cheap operations is not cheap any more,
and a reader that uses each element forty-eight times repeats the whole chain forty-eight times. Nothing says "stop
here" to it (optimization_barrier does not), but it never fuses across a loop: so the value goes through a loop of one
turn. On other devices the value is left alone.

*Source:* own measurements on XLA:CPU of jax 0.10.
"""

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Int, PyTree


def settled(values: PyTree[Array], number: Int[Array, ""]) -> PyTree[Array]:
    """`values`, unchanged; `number` may be any that the compiler cannot know."""
    return lax.platform_dependent(values, number, cpu=_through_a_loop, default=lambda values, number: values)


def _through_a_loop(values: PyTree[Array], number: Int[Array, ""]) -> PyTree[Array]:
    """`values` handed on by a loop whose number of turns depends on data; the second would change nothing."""
    num_turns = jnp.where(number < 0, 2, 1)
    start = (jnp.int32(0), jax.tree.map(jnp.zeros_like, values))
    return lax.while_loop(lambda carry: carry[0] < num_turns, lambda carry: (carry[0] + 1, values), start)[1]
