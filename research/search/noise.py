"""Chance at the root: Gumbel noise, Dirichlet noise, and the temperature of the move's choice.

Every game draws from its own key, so what it plays does not depend on which device holds it or on its neighbours.

*Source:* Danihelka et al. 2022 (Gumbel noise); Silver et al. 2018 (AlphaZero), Methods, for Dirichlet noise whose alpha
falls with the number of moves, and for the temperature.
"""

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float32, Int32, Key

from research.search.config import SearchConfig


def split_for_games(key: Key[Array, "*games"], num_games: int) -> Key[Array, " games"]:
    """One key a game: `key` itself if it is that already, else what it splits into."""
    return key if key.ndim else jax.random.split(key, num_games)


def gumbel_noise(keys: Key[Array, " games"], num_actions: int) -> Float32[Array, "games actions"]:
    """Standard Gumbel noise."""
    return jax.vmap(lambda key: jax.random.gumbel(key, (num_actions,), jnp.float32))(keys)


def mix_dirichlet(
    config: SearchConfig,
    keys: Key[Array, " games"],
    log_policy: Float32[Array, "games actions"],
    legal: Bool[Array, "games actions"],
) -> Float32[Array, "games actions"]:
    """`log_policy` with the config's share of Dirichlet noise over the legal actions; illegal ones stay at -inf."""
    if config.dirichlet_fraction == 0.0:
        return log_policy
    alpha = config.dirichlet_total / jnp.sum(legal, axis=-1)

    # In logarithms: with a small alpha most of a sample is too small for float32.
    drawn = jax.vmap(lambda key, alpha: log_gamma(key, alpha, legal.shape[-1]))(keys, alpha)
    noise = jax.nn.softmax(jnp.where(legal, drawn, -jnp.inf))
    mixed = (1.0 - config.dirichlet_fraction) * jnp.exp(log_policy) + config.dirichlet_fraction * noise
    # With noise alone some legal actions could come to 0; they stay legal, and last.
    return jnp.where(legal, jnp.log(jnp.maximum(mixed, jnp.finfo(jnp.float32).tiny)), -jnp.inf)


def log_gamma(key: Key[Array, ""], alpha: Float32[Array, ""], num_draws: int) -> Float32[Array, " draws"]:
    """Logarithms of independent draws from the gamma distribution of shape `alpha`.

    As jax.random.loggamma, which has a key and a loop for every single draw and takes seven times as long.

    *Source:* Marsaglia and Tsang 2000, "A simple method for generating gamma variables".
    """
    boost_key, key = jax.random.split(key)
    centre = alpha + 2.0 / 3.0  # of the shape alpha + 1, where hardly any draw is refused
    width = lax.rsqrt(9.0 * centre)

    def is_drawing(carry: tuple[Array, Array, Array]) -> Array:
        return ~carry[2].all()

    def try_once(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        number, drawn, is_done = carry
        normal_key, uniform_key = jax.random.split(jax.random.fold_in(key, number))
        normal = jax.random.normal(normal_key, (num_draws,))
        log_cube = 3.0 * jnp.log(jnp.maximum(1.0 + width * normal, 0.0))
        bound = 0.5 * normal**2 + centre * (1.0 - jnp.exp(log_cube) + log_cube)
        is_taken = jnp.log(jax.random.uniform(uniform_key, (num_draws,))) < bound
        return number + 1, jnp.where(is_done, drawn, jnp.log(centre) + log_cube), is_done | is_taken

    start = (jnp.int32(0), jnp.zeros(num_draws), jnp.zeros(num_draws, bool))
    _, drawn, _ = lax.while_loop(is_drawing, try_once, start)
    return drawn - jax.random.exponential(boost_key, (num_draws,)) / alpha


def temperature_at(config: SearchConfig, num_plies: Int32[Array, " games"]) -> Float32[Array, " games"]:
    """The temperature that holds after `num_plies` plies of each game."""
    temperature = jnp.full(num_plies.shape, config.temperatures[0], jnp.float32)
    for ply, later in zip(config.temperature_plies, config.temperatures[1:], strict=True):
        temperature = jnp.where(num_plies >= ply, later, temperature)
    return temperature


def policy_from_visits(
    visits: Float32[Array, "*games actions"], temperature: Float32[Array, "*games"] | float
) -> Float32[Array, "*games actions"]:
    """Probabilities that rise with visits to the power 1 / temperature; at 0 all on the most visited, the lower first.

    Without any visits it is even.
    """
    share = visits / jnp.maximum(jnp.max(visits, axis=-1, keepdims=True), jnp.finfo(jnp.float32).tiny)
    temperature = jnp.asarray(temperature, jnp.float32)[..., None]
    logits = jnp.log(share) / jnp.maximum(temperature, 1e-6)
    powers = jax.nn.softmax(jnp.where(jnp.max(visits, axis=-1, keepdims=True) > 0, logits, 0.0))
    best = jax.nn.one_hot(jnp.argmax(visits, axis=-1), visits.shape[-1])
    return jnp.where(temperature > 0.0, powers, best)
