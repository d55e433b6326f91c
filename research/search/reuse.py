"""Tree reuse: after a move the subtree of the move's child becomes the tree of the next search.

`make_reusing_search` gives three functions: `no_trees` for the first move, `search`, and `advance`, which takes the
trees of a batch of games on by one ply each. What a node knows (N, W, Q, P, its position) stays as it was, so S more
simulations on an advanced tree are what a search from the new root would have done that had come so far.

How `advance` works. A node stays if the new root is above it: on a CPU one node after the other asks its parent,
elsewhere all ask at once, twice as far up each time. Those that stay keep their order, so parents stay before their
children; their rows are read and written to the first slots (`packing.py`).

Capacity. The first `num_kept` slots hold what is kept, the others the nodes of one search; both numbers are fixed, so
nothing is ever written past the end. If more nodes are left than there are slots, the youngest are forgotten: their
parent opens them anew when it comes to them. It keeps the visits and the value that it has from them.

Where a tree ends: a game whose move has no node, or is over with it, gets an empty tree and is searched from the
start. The action RESTART asks for that, as for a game that was restarted.

Thinking on: the action STAY keeps the root, and with it the whole tree as far as there are slots, so that another
search of the same position adds its simulations to those before. A game that thinks long wants a `num_kept` of several
searches' nodes.

A root's policy is asked of the network for each search, and its noise drawn anew. It has then opened its actions in
another order than the noise now says, so what it has opened is taken out of `root_order`.

Gumbel's root cannot go on: sequential halving counts the visits of this search alone.

*Source:* Silver et al. 2017 (AlphaGo Zero), Methods, "Search algorithm", "Play"; the layout is our own.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float32, Int32, Key, Shaped

from research.game import Game, State
from research.search import lanes, noise
from research.search.config import SearchConfig
from research.search.model import Evaluate, SearchParams, Variables, make_recurrent_fn, predict_root
from research.search.noise import split_for_games
from research.search.packing import take_rows
from research.search.search import DIRICHLET_STREAM, Searched, conclude
from research.search.tree import NONE, ROOT, Tree, by_action, children, plant, slot_numbers

RESTART, STAY = -1, -2  # in place of an action: the next search begins from nothing; it goes on from the same root

_NUMBERS = tuple(name for name in Tree._fields if name not in ("log_policy", "root_order", "state"))
_OF_THE_EDGE = ("parent", "action", "reward", "discount", "log_prior", "order")  # that leads to a node; a root has none
_EMPTY = {"parent": NONE, "action": NONE}  # what an empty slot and a root without an edge have; all else is 0


class Advanced(NamedTuple):
    """Trees one ply on, and where their nodes came from."""

    tree: Tree  # with an empty root where a game had nothing to keep
    source: Int32[Array, "kept games"]  # slot of each kept node in the tree before; NONE: empty


class ReusingSearch(NamedTuple):
    """A search that goes on with the trees it has; all three work under jit."""

    no_trees: Callable[[State], Tree]  # states with a leading batch axis -> empty trees
    search: Callable[[Variables, State, Array, Tree], Searched]  # (variables, states, key or keys, trees) -> Searched
    advance: Callable[[Tree, Array], Tree]  # (trees, an action, RESTART or STAY for each) -> trees to search next


def make_reusing_search(
    game: Game, evaluate: Evaluate, config: SearchConfig, num_kept: int | None = None
) -> ReusingSearch:
    """The search by `config` with reuse, keeping at most `num_kept` nodes a game (None: one more than simulations).

    More than that may be kept of a game that is thought about for several searches, by STAY.
    `search` must get the positions that its trees have come to. Its result counts the reused visits with the new ones.
    *Raises:* ValueError if the config does not allow reuse.
    """
    num_kept = config.num_simulations + 1 if num_kept is None else num_kept
    check_reuse(config, num_kept)
    expand = make_recurrent_fn(game, evaluate)
    num_slots = num_kept + config.num_simulations

    def no_trees(states: State) -> Tree:
        nodes, _ = jax.vmap(lambda state: game.as_node(state, config.depth_bound))(states)
        zeros = jnp.zeros(jax.tree.leaves(nodes)[0].shape[0], jnp.float32)
        policy = jnp.zeros((len(zeros), game.num_actions), jnp.float32)
        tree = plant(policy, policy, zeros, nodes, num_slots)
        return tree._replace(visits=jnp.zeros_like(tree.visits))

    def search(variables: Variables, states: State, key: Key[Array, "*games"], tree: Tree) -> Searched:
        legal = jax.vmap(game.legal_actions)(states)
        nodes, past = jax.vmap(lambda state: game.as_node(state, config.depth_bound))(states)
        logits, value = predict_root(game, evaluate, variables, nodes, legal)
        keys = split_for_games(key, legal.shape[0])
        tree = _with_roots(tree, nodes, value)
        log_policy = jnp.where(legal, jax.nn.log_softmax(logits), -jnp.inf)
        noise_keys = jax.vmap(lambda key: jax.random.fold_in(key, DIRICHLET_STREAM))(keys)
        tree = _with_root_policy(tree, noise.mix_dirichlet(config, noise_keys, log_policy, legal))
        tree = lanes.grow(config, expand, SearchParams(variables, past), keys[0], tree, first_slot=num_kept)
        temperature = noise.temperature_at(config, jax.vmap(game.num_moves)(states))
        return Searched(conclude(config, tree, keys, logits, legal, temperature), tree)

    return ReusingSearch(no_trees, search, lambda tree, actions: advance(game, tree, actions, num_kept).tree)


def check_reuse(config: SearchConfig, num_kept: int) -> None:
    """*Raises:* ValueError if a search by `config` cannot go on with a tree, or may keep no node."""
    if config.rule == "gumbel":
        raise ValueError(
            "rule is 'gumbel'; a tree is reused by 'puct' alone: sequential halving counts the visits of one search, "
            "and would take those of the search before for its own"
        )
    if config.backend == "mctx":
        raise ValueError("backend is 'mctx'; a tree is reused by 'lanes' alone: mctx's search begins at a bare root")
    if num_kept < 1:
        raise ValueError(f"num_kept is {num_kept}; allowed: 1 or more nodes")


def advance(game: Game, tree: Tree, actions: Int32[Array, " games"], num_kept: int) -> Advanced:
    """The trees after `actions`: the chosen children's subtrees, at most `num_kept` nodes of each.

    Lists keep their length. A game gets an empty tree if its action has no node, or has ended the game, or is RESTART;
    with STAY the present root is the new one.
    """
    kept = _choose(tree, actions, num_kept)
    is_used = kept.source != NONE
    is_below = is_used & (jnp.arange(num_kept) > ROOT)[:, None]
    moved = take_rows({name: getattr(tree, name) for name in (*_NUMBERS, "log_policy", "state")}, kept.source)
    # A forgotten child's action is the next to be opened, as it was before it was opened.
    for name, reopened in (("next_action", tree.action), ("next_order", tree.order)):
        is_forgotten = kept.first_forgotten != NONE
        moved[name] = jnp.where(is_forgotten, look_up(reopened, kept.first_forgotten), moved[name])
    moved |= {"parent": kept.parent, "unopened": moved["unopened"] + kept.forgotten_mass}
    numbers = {}
    for name in _NUMBERS:
        empty = jnp.full_like(getattr(tree, name), _EMPTY.get(name, 0))
        values = jnp.where(is_below if name in _OF_THE_EDGE else is_used, moved[name], empty[:num_kept])
        numbers[name] = empty.at[:num_kept].set(values)
    root = jax.tree.map(lambda leaf: leaf[ROOT], moved["state"])
    below_root = jax.vmap(jax.vmap(game.as_node_below), (0, None))(moved["state"], root)
    # Rows of empty slots hold what was there.
    log_policy, state = jax.tree.map(
        lambda leaf, rows: leaf.at[:num_kept].set(rows),
        (tree.log_policy, tree.state),
        (moved["log_policy"], below_root),
    )
    return Advanced(tree._replace(**numbers, log_policy=log_policy, state=state), kept.source)


def look_up(values: Shaped[Array, "nodes games"], slots: Int32[Array, "asked games"]) -> Shaped[Array, "asked games"]:
    """What stands in `slots` of each game; 0 where a slot is NONE.

    On a CPU it is read, elsewhere compared and selected, since reading single elements is what a TPU is slowest at.
    """

    def by_reading(values: Array, slots: Array) -> Array:
        return jnp.where(slots == NONE, 0, jnp.take_along_axis(values, jnp.maximum(slots, 0), axis=0))

    def by_select(values: Array, slots: Array) -> Array:
        numbers = jnp.arange(len(values), dtype=jnp.int32)[:, None]
        return jnp.sum(jnp.where(slots[:, None] == numbers, values, 0), axis=1)

    # In bits, so that -inf times nothing is nothing.
    found = lax.platform_dependent(_as_word(values), slots, cpu=by_reading, default=by_select)
    return _from_word(found, values.dtype)


def _as_word(numbers: Array) -> Int32[Array, "nodes games"]:
    is_word = numbers.dtype.itemsize == 4
    return lax.bitcast_convert_type(numbers, jnp.int32) if is_word else numbers.astype(jnp.int32)


def _from_word(words: Int32[Array, "nodes games"], dtype: Any) -> Array:
    return lax.bitcast_convert_type(words, dtype) if dtype.itemsize == 4 else words.astype(dtype)


class _Kept(NamedTuple):
    """What is kept of each tree, by new slot."""

    source: Int32[Array, "kept games"]  # old slot; NONE: empty
    parent: Int32[Array, "kept games"]  # new slot of the parent; NONE for the root
    first_forgotten: Int32[Array, "kept games"]  # old slot of the first child that found no room; NONE: there is none
    forgotten_mass: Float32[Array, "kept games"]  # prior probability of all those children


def _choose(tree: Tree, actions: Int32[Array, " games"], num_kept: int) -> _Kept:
    """The new root's subtree, the oldest nodes first."""
    is_chosen = (tree.parent == ROOT) & (tree.action == actions) & (tree.discount != 0.0)
    is_root = (is_chosen | (slot_numbers(tree) == ROOT) & (actions == STAY)) & (tree.visits > 0.0)
    in_turn, at_once = (functools.partial(choose, num_kept) for choose in (_choose_in_turn, _choose_at_once))
    return lax.platform_dependent(tree.parent, is_root, jnp.exp(tree.log_prior), cpu=in_turn, default=at_once)


def _choose_in_turn(
    num_kept: int,
    parent: Int32[Array, "nodes games"],
    is_root: Bool[Array, "nodes games"],
    prior: Float32[Array, "nodes games"],
) -> _Kept:
    """One node after the other down the list: its parent has its place already, if it is to have one."""
    num_slots, num_games = parent.shape
    places = jnp.arange(num_kept, dtype=jnp.int32)[:, None]
    none = jnp.full((num_kept, num_games), NONE, jnp.int32)

    def place(carry: tuple[_Kept, Array], node: tuple[Array, ...]) -> tuple[tuple[_Kept, Array], None]:
        kept, count = carry
        slot, old_parent, is_root, prior = node
        # An empty slot's parent is NONE, which must not match an empty place.
        is_parent = (kept.source == old_parent) & (old_parent != NONE)
        is_in = is_root | jnp.any(is_parent, axis=0)
        is_here = (places == count) & is_in
        is_forgotten = is_parent & (count == num_kept)
        is_first = is_forgotten & (kept.first_forgotten == NONE)
        kept = _Kept(
            source=jnp.where(is_here, slot, kept.source),
            parent=jnp.where(is_here, jnp.max(jnp.where(is_parent, places, NONE), axis=0), kept.parent),
            first_forgotten=jnp.where(is_first, slot, kept.first_forgotten),
            forgotten_mass=jnp.where(is_forgotten, kept.forgotten_mass + prior, kept.forgotten_mass),
        )
        return (kept, jnp.minimum(count + is_in, num_kept)), None

    start = _Kept(none, none, none, jnp.zeros(none.shape, jnp.float32)), jnp.zeros(num_games, jnp.int32)
    return lax.scan(place, start, (jnp.arange(num_slots, dtype=jnp.int32), parent, is_root, prior))[0][0]


def _choose_at_once(
    num_kept: int,
    parent: Int32[Array, "nodes games"],
    is_root: Bool[Array, "nodes games"],
    prior: Float32[Array, "nodes games"],
) -> _Kept:
    """All nodes together: each asks who is above it, twice as far up each time, until it knows about the new root."""
    num_slots = len(parent)
    old = jnp.broadcast_to(jnp.arange(num_slots, dtype=jnp.int32)[:, None], parent.shape)
    is_in, above = is_root, jnp.where(is_root | (parent == NONE), old, parent)
    for _ in range(max(1, math.ceil(math.log2(num_slots)))):
        found = look_up(2 * above + is_in, above)
        is_in, above = is_in | (found % 2 == 1), found // 2
    place = jnp.where(is_in, jnp.cumsum(is_in, axis=0, dtype=jnp.int32) - 1, NONE)
    new_parent = jnp.where(is_in & ~is_root, look_up(place, parent), NONE)
    # By new slot and old slot: which is which, and whose child found no room.
    places = jnp.arange(num_kept, dtype=jnp.int32)[:, None, None]
    is_lost = (new_parent == places) & (place >= num_kept)
    source = jnp.max(jnp.where(place == places, old, NONE), axis=1)
    first_forgotten = jnp.min(jnp.where(is_lost, old, num_slots), axis=1)
    return _Kept(
        source=source,
        parent=jnp.where(source == NONE, NONE, look_up(new_parent, source)),
        first_forgotten=jnp.where(first_forgotten == num_slots, NONE, first_forgotten),
        forgotten_mass=jnp.sum(jnp.where(is_lost, prior, 0.0), axis=1),
    )


def _with_roots(tree: Tree, nodes: State, value: Float32[Array, " games"]) -> Tree:
    """The trees with a root, visited once by its own evaluation, for the games that have none."""
    is_kept = tree.visits[ROOT] > 0.0

    def put(values: Array, root: Array) -> Array:
        return values.at[ROOT].set(jnp.where(is_kept, values[ROOT], root))

    return tree._replace(
        visits=put(tree.visits, jnp.ones_like(value)),
        value=put(tree.value, value),
        raw_value=put(tree.raw_value, value),
        state=jax.tree.map(lambda leaf, root: leaf.at[ROOT].set(root), tree.state, nodes),
    )


def _with_root_policy(tree: Tree, log_policy: Float32[Array, "games actions"]) -> Tree:
    """The trees with another policy at the root; what it has opened before is not opened again."""
    is_child = children(tree, jnp.full(log_policy.shape[:1], ROOT, jnp.int32))
    is_opened = by_action(tree, is_child, is_child)
    order = jnp.where(is_opened, -jnp.inf, log_policy)
    actions = jnp.arange(log_policy.shape[-1], dtype=jnp.int32)
    own = jnp.sum(jnp.where(tree.action[..., None] == actions, log_policy, 0.0), axis=-1)
    return tree._replace(
        log_prior=jnp.where(is_child, own, tree.log_prior),
        order=jnp.where(is_child, own, tree.order),
        next_action=tree.next_action.at[ROOT].set(jnp.argmax(order, axis=-1).astype(jnp.int32)),
        next_order=tree.next_order.at[ROOT].set(jnp.max(order, axis=-1)),
        unopened=tree.unopened.at[ROOT].set(jnp.sum(jnp.exp(order), axis=-1)),
        log_policy=tree.log_policy.at[ROOT].set(log_policy),
        root_order=order,
    )
