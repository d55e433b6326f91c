# %% [markdown]
# # Miai in ten minutes
#
# Play Go on a board that lives on the device, see what a network sees, search once, and train a player from nothing
# but the rules.
#
# This notebook is written by `colab/quickstart.py` (`make notebooks`); change it there. It runs as it is on a laptop,
# in a checkout of the repository. **In Colab**, put the repository's address, the one that `git clone` takes, into the
# next cell. It then fetches the code and installs the few packages that Colab lacks. It never touches Colab's own JAX,
# which is the one that fits the runtime: choose GPU or TPU under *Runtime, Change runtime type* before you start.

# %%
REPOSITORY = ""  # in Colab: the address of this repository
NUM_ITERATIONS = 20  # of training at the end; 60 plays tic-tac-toe without a loss

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
import dataclasses
import tempfile

import jax
import jax.numpy as jnp
from rich.console import Console

from configs import tictactoe
from research import encoders, go
from research.evaluation.match import result_table
from research.go.coords import action_from_gtp, gtp_from_action
from research.networks import NetworkConfig, make_network
from research.search import SearchConfig, make_evaluate, make_search
from research.training import loop
from research.visualise.games import game_svg, replay
from research.visualise.planes import planes_figure, planes_text
from research.visualise.plots import learning_curves, to_png
from research.visualise.svg import board_svg

print(f"jax {jax.__version__} on {jax.device_count()} x {jax.devices()[0].device_kind}")

# %% [markdown]
# ## Play
#
# A game is a description of the rules; its functions take a position and give one back. They are pure, so `jax.jit`
# compiles them and `jax.vmap` plays a thousand games at once.

# %%
SIZE = 9
game = go.Go(go.Rules(size=SIZE, komi=7.0))
step = jax.jit(game.step)

state = game.init()
for name in ("E5", "E4", "D4", "G6", "F4", "C6", "E3"):
    state = step(state, jnp.int32(action_from_gtp(name, SIZE)))
print(go.to_text(state))

# %% [markdown]
# Black's last move, E3, took the stone at E4, which had no liberty left. Whose turn it is, what is legal and what the
# score would be now are functions of the position too: White may play on any empty point but E4, which is suicide.

# %%
print("to play:", ("Black", "White")[int(game.to_play(state))])
legal = game.legal_actions(state)
print("legal moves:", int(legal.sum()), "with the pass; E4 among them:", bool(legal[action_from_gtp("E4", SIZE)]))
print("Black's points minus White's, as the board stands:", float(game.score(state)))

board_svg(go.board(state), last_move=int(state.recent_moves[0]), title="Black has captured a stone")

# %% [markdown]
# ## What a network sees
#
# An encoder turns a position into planes. `agz17`, AlphaGo Zero's, shows the stones of the last eight positions and who
# is to move.

# %%
encoder = encoders.get("agz17")
planes = jax.jit(lambda state: encoder.encode(game, state))(state)
print(planes_text(planes[..., :4], encoder.plane_names[:4]))

# %%
to_png(planes_figure(planes, encoder.plane_names, title="agz17"))

# %% [markdown]
# ## Search once
#
# A search asks the network about the positions that may follow and comes back with a better policy than the network's
# own: that is what the network is then trained to imitate, and so both get better in turns. This network is untrained,
# so its search is no better than a guess yet. The blue squares are its policy.

# %%
network = make_network(
    NetworkConfig(num_blocks=2, num_channels=16, num_value_units=16),
    game.board_shape,
    encoder.num_planes,
    game.num_actions,
)
variables = network.init(jax.random.key(0))
search = jax.jit(make_search(game, make_evaluate(game, encoder, network), SearchConfig(num_simulations=32)))

batch = jax.tree.map(lambda leaf: leaf[None], state)  # a search takes a batch; this is a batch of one
result = search(variables, batch, jax.random.key(1))
policy = result.policy[0]
print("chosen:", gtp_from_action(int(result.action[0]), SIZE))
print(f"value for the player to move: {float(result.raw_value[0]):+.2f} before, {float(result.value[0]):+.2f} after")

board_svg(go.board(state), heat=policy[:-1].reshape(SIZE, SIZE), title="The search's policy")

# %% [markdown]
# ## Train
#
# The same loop trains tic-tac-toe in a minute and Go on 19x19 on a TPU slice in days; only the settings differ. Every
# setting is a field of a frozen dataclass, changed with `dataclasses.replace`.

# %%
config = tictactoe.get_config()
config = dataclasses.replace(config, num_iterations=NUM_ITERATIONS, checkpoint_interval=NUM_ITERATIONS)
with tempfile.TemporaryDirectory() as folder:
    summary = loop.train(config, Path(folder) / config.name)

first, last = summary.metrics[0], summary.metrics[-1]
print(f"policy loss {first['policy_loss_nats']:.2f} -> {last['policy_loss_nats']:.2f} nats")
print(f"value loss {first['value_loss']:.2f} -> {last['value_loss']:.2f}")
Console(width=150).print(result_table(summary.evaluations))

# %%
to_png(learning_curves(summary.metrics, title=config.name))

# %% [markdown]
# One of the games that the trained player (Black) played against a random one:

# %%
tic_tac_toe = config.make_game()
played = summary.evaluations[0].games[0].actions[:, 0]
game_svg(replay(tic_tac_toe, played, lambda state: state.points.reshape(tic_tac_toe.board_shape)))

# %% [markdown]
# ## Go on
#
# - `make train` learns 5x5 Go in about ten minutes on two CPU cores; in a notebook, start from
#   `configs.smoke5.get_config()`.
# - `configs/go9.py` and `configs/go19_tpu.py` are for a GPU and a TPU.
# - `docs/reading.md` leads into the code from three sides: as a Go player, as a researcher, as an engineer.
