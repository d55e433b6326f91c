# %% [markdown]
# # Looking into a search
#
# What a tree search looked at, and why it plays what it plays: the tree with its numbers, heat maps over the board, the
# same tree one move later, and a map of whose each point will be. Everything runs in seconds on a CPU.
#
# This notebook is written by `colab/search_inspector.py` (`make notebooks`); change it there. It runs as it is on a
# laptop, in a checkout of the repository. **In Colab**, put the repository's address, the one that `git clone` takes,
# into the next cell. It never touches Colab's own JAX.

# %%
REPOSITORY = ""  # in Colab: the address of this repository

# %%
import subprocess
import sys
from pathlib import Path

if "google.colab" in sys.modules:
    checkout = Path("/content/miai")
    if not checkout.exists():
        if not REPOSITORY:
            raise ValueError("REPOSITORY is empty: put the address of the repository into the first cell")
        subprocess.run(["git", "clone", "--depth", "1", REPOSITORY, str(checkout)], check=True)
    subprocess.run([sys.executable, str(checkout / "colab" / "install.py")], check=True)
else:
    checkout = next((folder for folder in Path.cwd().resolve().parents if (folder / "research").is_dir()), Path.cwd())
if str(checkout) not in sys.path:
    sys.path.insert(0, str(checkout))

# %%
import jax
import jax.numpy as jnp

from research import go
from research.interop.influence_text import influence_text
from research.networks import Prediction
from research.search import (
    SearchConfig,
    inspect,
    make_reusing_search,
    plan_memory,
)
from research.search.influence import map_nodes, mean_maps, no_influence
from research.search.playouts import make_playout_maps
from research.visualise.influence import influence_svg
from research.visualise.tree import heat_svg, tree_svg, tree_text

# %% [markdown]
# ## A position
#
# Black to move. Two walls face each other, and the column between them is what is left to fight for.
#
# There is no network here. Its place takes a rule of thumb: a move is the likelier the nearer it is to the middle, and
# a position is worth tanh(lead / 5), the lead counted as the board stands, for the player to move. A trained network
# goes in by `make_evaluate(game, encoder, network)`.

# %%
rules = go.Rules(size=5, komi=0.5)
game = go.Go(rules)
position = go.from_text(
    rules,
    """
    . . . . .
    . X . O .
    . X . O .
    . X . O .
    . . . . .
    """,
    to_play="black",
)


distance = jnp.abs(jnp.arange(5) - 2)
logits = jnp.append(-(distance[:, None] + distance).reshape(-1), -4).astype(jnp.float32)  # the last is the pass


def evaluate(variables, states):
    """A policy that likes the middle, and the score as it stands for the player to move."""
    score = jax.vmap(game.score)(states)
    for_mover = jnp.where(states.to_play == 0, score, -score)
    return Prediction(jnp.tile(logits, (len(score), 1)), jnp.tanh(for_mover / 5))


# %% [markdown]
# ## The tree
#
# PUCT, AlphaZero's rule, 64 simulations, no noise. `inspect` takes one game's tree out of a batch; `tree_svg` draws the
# most visited children of the root, and of theirs. N is how many simulations came through a node, P the prior
# probability of its move, Q the mean result for the player who made that move. A line is as wide as its share of the
# visits.

# %%
config = SearchConfig(num_simulations=64, rule="puct", dirichlet_fraction=0.0, temperatures=(0.0,))
no_trees, search, advance = (jax.jit(function) for function in make_reusing_search(game, evaluate, config))
batch = jax.tree.map(lambda leaf: leaf[None], position)  # a search takes a batch; this is a batch of one
result, tree = search({}, batch, jax.random.key(0), no_trees(batch))
view = inspect(tree, config)
best = next(node for node in view.children(view.root) if node.action == int(result.action[0]))
print(f"{len(view.nodes)} nodes; played is {best.move}: N {best.visits}, Q {best.value:+.2f}")

tree_svg(view, num_children=(4, 2), title="64 simulations")

# %% [markdown]
# The same as text, four children deep:

# %%
print(tree_text(view, num_children=(4, 2, 1, 1)))

# %% [markdown]
# ## Heat maps
#
# The root's prior, visits, Q (green good, red bad for the player to move) and improved policy, which a network would be
# trained to say: with PUCT the shares of visits, with Gumbel's rule the prior re-weighted by the values. Values show
# when the pointer rests on a point.

# %%
heat_svg(view, title="The root")

# %% [markdown]
# Any node will do. These are the answers to the move played:

# %%
heat_svg(view, best.slot, title=f"After {best.move}")

# %% [markdown]
# ## One move later
#
# This search can go on with the tree that it has: after the move, the move's subtree is the next search's tree. What
# its nodes know stays as it was; the new simulations are added.

# %%
reused = advance(tree, result.action)
root = inspect(reused, config).root
print(f"before {best.move}: N {best.visits}, Q {best.value:+.3f} for Black")
print(f"as the new root:  N {root.visits}, Q {-root.value:+.3f} for Black, without a new simulation")

after = jax.jit(jax.vmap(game.step))(batch, result.action)
_, tree = search({}, after, jax.random.key(1), reused)
tree_svg(inspect(tree, config), num_children=(4, 1), title=f"After {best.move}, {root.visits} visits kept, 64 more")

# %% [markdown]
# ## Whose each point will be
#
# Every node has a map: 0 where a point will be Black's, 1 White's, 0.5 open. A node's own map comes from random games
# to the end; what it shows is the mean over all simulations that went through it. Dark squares are Black's, light ones
# White's.

# %%
make_maps = make_playout_maps(game, num_playouts=4)
influence = jax.jit(lambda tree: map_nodes(make_maps, {}, jax.random.key(0), tree, no_influence(tree, (5, 5))))(tree)
maps = jax.jit(mean_maps)(tree, influence)
print(influence_text(maps[0, 0]))

influence_svg(go.board(jax.tree.map(lambda leaf: leaf[0], after)), maps[0, 0], title=f"After {best.move}")

# %% [markdown]
# ## How much memory it takes
#
# Said before anything is compiled: a search on the full board, 400 simulations, at most 64 plies deep.

# %%
plan = plan_memory(go.Go(go.Rules(size=19)), SearchConfig(num_simulations=400, max_depth=64))
print(plan.text())
print("games that fit into 8 GB:", plan.largest_batch(8 * 10**9))

# %% [markdown]
# ## Go on
#
# - `docs/search.md` says how the search works, and what it costs.
# - `research/search/inspector.py`, `reuse.py`, `influence.py` and `planner.py` are what was used here.
