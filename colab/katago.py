# %% [markdown]
# # A KataGo network in JAX
#
# Read a network that KataGo trained, ask it about a position (who wins, by how much, where to play, who owns what),
# and let it search. It takes about a minute on a laptop's CPU.
#
# This notebook is written by `colab/katago.py` (`make notebooks`); change it there. **In Colab**, put the repository's
# address into the next cell.

# %%
REPOSITORY = ""  # in Colab: the address of this repository
NETWORK = ""  # a .bin.gz file; "" is the small network that comes with the repository

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
import functools

import jax
import jax.numpy as jnp
import numpy as np

from research import go
from research.go.coords import action_from_gtp, gtp_from_action
from research.networks import katago
from research.search import SearchConfig, make_search
from research.visualise.svg import board_svg

# %% [markdown]
# ## The network
#
# A file is a description, which layers there are, and their weights. `katago.KataGoNetwork` computes; its `apply` is a
# pure function of weights, planes and globals.

# %%
path = NETWORK or checkout / "tests/data/katago/networks/g170-b6c96-s175395328-d26788732.bin.gz"
file = katago.read_network(path)
network = katago.KataGoNetwork(file.description)
variables = jax.device_put(file.variables)
num_parameters = sum(leaf.size for leaf in jax.tree.leaves(variables["params"]))
print(f"{file.description.name}: {file.description.trunk.num_blocks} blocks, {num_parameters:,} parameters")

# %% [markdown]
# ## A position
#
# `katago22` draws what the network reads, komi and rules among it.

# %%
SIZE = 9
game = go.Go(go.rules_named("tromp-taylor", SIZE, komi=7.0))
step = jax.jit(game.step)
state = game.init()
for name in ("E5", "C4", "D3", "C3", "D6", "G6"):
    state = step(state, jnp.int32(action_from_gtp(name, SIZE)))
batch = jax.tree.map(lambda leaf: leaf[None], state)  # networks and searches take batches; this is a batch of one

read = jax.jit(katago.make_read(game, katago.encoder_for(network)))
inputs = read(batch)
print("planes", inputs.planes.shape, "globals", inputs.global_inputs.shape)

# %% [markdown]
# ## What the network says
#
# The mean over the board's eight symmetries, for the player to move. The blue squares are its policy, the small black
# and white ones who will own each point.

# %%
found = jax.jit(functools.partial(katago.evaluate_average, network))(variables, inputs)
policy, ownership = np.asarray(found.policy[0]), np.asarray(found.ownership[0])
print(f"Black to move wins {float(found.win[0]):.1%} and leads by {float(found.lead[0]):+.1f} points")
print(
    "best moves:", *(f"{gtp_from_action(int(action), SIZE)} {policy[action]:.0%}" for action in np.argsort(-policy)[:5])
)

board_svg(go.board(state), heat=policy[:-1].reshape(SIZE, SIZE), ownership=ownership, title="Policy and ownership")

# %% [markdown]
# ## Search with it
#
# The network is an evaluation like any other: the house's own search takes it as it is.

# %%
evaluate = katago.make_katago_evaluate(game, network)
search = jax.jit(make_search(game, evaluate, SearchConfig(num_simulations=32, gumbel_scale=0.0)))
result = search(variables, batch, jax.random.key(0))
print("chosen:", gtp_from_action(int(result.action[0]), SIZE))
print(f"value for Black: {float(result.raw_value[0]):+.2f} before, {float(result.value[0]):+.2f} after the search")

# %% [markdown]
# ## Go on
#
# - `python -m experiments.gtp --katago FILE` plays it in GoGui, Sabaki or Lizzie.
# - `docs/katago.md` says where larger networks come from, and what is different from KataGo.
