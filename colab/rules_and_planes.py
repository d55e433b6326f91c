# %% [markdown]
# # Rules and planes
#
# What the rules of Go are on a board that lives on the device: captures, ko, suicide, the score; and what a network
# sees of a position: the planes of the encoders, ladders among them. Everything is drawn.
#
# This notebook is written by `colab/rules_and_planes.py` (`make notebooks`); change it there. It runs as it is on a
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
import numpy as np

from experiments.record_view import view_record
from research import encoders, go
from research.go import host_scoring
from research.go.coords import action_from_gtp, gtp_from_action
from research.interop import sgf
from research.visualise.plane_svg import planes_svg
from research.visualise.planes import planes_text
from research.visualise.svg import board_svg
from research.visualise.viewer import viewer_html

SIZE = 7
rules = go.Rules(size=SIZE, komi=0.5, ko="simple")
game = go.Go(rules)
step, legal_actions = jax.jit(game.step), jax.jit(game.legal_actions)


def at(*names):
    """Actions by their names."""
    return [action_from_gtp(name, SIZE) for name in names]


def play(state, *names):
    """The position after these moves."""
    for action in at(*names):
        state = step(state, jnp.int32(action))
    return state


def show(state, **extras):
    """The picture of a position."""
    last_move = int(state.recent_moves[0])
    return board_svg(go.board(state), last_move=last_move if last_move >= 0 else None, **extras)


# %% [markdown]
# ## Captures
#
# Stones that touch along the lines are a chain and share their liberties, the empty points beside them. White's chain
# of three has two: a and b.

# %%
before = go.from_text(
    rules,
    """
    . . . . . . .
    . . X X . . .
    . X O O X . .
    . . X O . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    """,
)
show(before, marks=dict(zip(at("E4", "D3"), "ab", strict=True)), title="Two liberties")

# %% [markdown]
# Black takes one, White passes, Black takes the other: the chain comes off the board. A position is a value: `before`
# is still what it was.

# %%
after = play(before, "E4", "pass", "D3")
print(f"{int((go.board(before) == 2).sum())} white stones before, {int((go.board(after) == 2).sum())} after")
show(after, marks=dict.fromkeys(at("C5", "D5", "D4"), "cross"), title="Captured")

# %% [markdown]
# ## Ko
#
# Black has just played D4 and taken the stone at C4. If White could take back at once, by playing there again, the game
# would go round in a circle.

# %%
ko_shape = go.from_text(
    rules,
    """
    . . . . . . .
    . . . . . . .
    . . X O . . .
    . X O . O . .
    . . X O . . .
    . . . . . . .
    . . . . . . .
    """,
)
taken = play(ko_shape, "D4")
banned, d3 = at("C4", "D3")
print("White may take back at once:", bool(legal_actions(taken)[banned]))
later = play(taken, "A1", "A7")
print("after a move elsewhere and its answer:", bool(legal_actions(later)[banned]))
show(taken, marks={banned: "square"}, title="White may not play at the square")

# %% [markdown]
# *Superko* forbids any position that has been there before, `positional` the board alone, `situational` the board with
# the player to move; `simple` forbids the immediate retaking only. It is a field of `go.Rules`, as is suicide:

# %%
suicide = go.from_text(rules, "\n".join([". X . . . . .", "X . . . . . .", *[". . . . . . ."] * 5]), to_play="white")
print("White may play into Black's eye at A7:", bool(legal_actions(suicide)[at("A7")[0]]))
print("rules by name:", {name: go.rules_named(name, size=SIZE).ko for name in ("tromp-taylor", "chinese", "aga")})

# %% [markdown]
# ## The score
#
# By area rules a player has the points of his stones and those that only his stones surround: dark squares for Black,
# light ones for White. Two passes in a row end the game.

# %%
end = go.from_text(
    rules,
    """
    . . X O . . .
    . X X O . . .
    X X O O . O .
    . X O . . . .
    X X X O O O O
    . . X X X X X
    . . . . . . .
    """,
)
end = play(end, "pass", "pass")
print("over:", bool(game.is_over(end)), " Black's points minus White's, komi included:", float(game.score(end)))
owner = host_scoring.plain_area_map(np.asarray(go.board(end)))
board_svg(go.board(end), ownership=np.array([0.0, 1.0, -1.0])[owner], title="Whose the points are")

# %% [markdown]
# ## A record
#
# Records come in SGF, whatever shape they are in. `sgf.replay` gives the position after so many moves; the viewer
# steps through all of it, variations and comments too. `python -m experiments.view_game` writes the same as a page.

# %%
TEXT = """(;SZ[7]KM[9]PB[Black]PW[White]RE[B+R];B[dd];W[df];B[ef];W[dc]C[Is this too much?](;B[cc];W[ec];B[ed];W[db]
;B[de];W[ee];B[fe];W[eg];B[cf];W[dg];B[ce]C[Black is ahead.])(;B[ec]C[Or so.];W[cc];B[ee]))"""
record = sgf.parse(TEXT)[0]
print(f"{len(record.moves)} moves, komi {record.komi}, result {record.result}")
state = sgf.replay(game, record)

viewer_html(view_record(record))

# %% [markdown]
# ## Planes
#
# An encoder draws a position for the network: an array of rows, columns and planes. There are several, and
# `docs/planes.md` describes each.

# %%
print(", ".join(name for name in encoders.names() if encoders.get(name).game_type is go.Go))
agz17 = encoders.get("agz17")
planes = jax.jit(agz17.encode, static_argnums=0)(game, state)
print(planes.shape, planes.dtype)
planes_svg(planes, agz17.plane_names, "agz17: the last eight boards, and who is to move")

# %% [markdown]
# As text, with `#` for 1: what `python -m experiments.show_planes` prints.

# %%
print(planes_text(planes[..., :3], agz17.plane_names[:3]))

# %% [markdown]
# AlphaGo's 48 planes say more: liberties, what a move takes, whether it starts a ladder. Dark is 1.

# %%
alphago48 = encoders.get("alphago48")
draw = jax.jit(alphago48.encode, static_argnums=0)
planes_svg(draw(game, state), alphago48.plane_names, "alphago48, the same position")

# %% [markdown]
# ## Ladders
#
# White's stone has two liberties. If Black gives atari from the right side, White runs, and is in atari again after
# every step, down to the edge. The encoder reads that to its end; the moves that work are its plane 44.

# %%
LADDER = """\
. . . . . . .
. . X X . . .
. X O . . . .
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
"""
ladder = go.from_text(rules, LADDER)
starts = np.flatnonzero(draw(game, ladder)[..., 44])
print("these start a ladder that works:", [gtp_from_action(int(action), SIZE) for action in starts])
show(ladder, marks=dict.fromkeys(starts.tolist(), "triangle"), title="Where does Black give atari?")

# %% [markdown]
# Played to its end, with numbers:

# %%
MOVES = ["C4", "D5", "E5", "D4", "D3", "E4", "F4", "E3", "E2", "F3", "G3", "F2", "F1", "G2", "G1"]
caught = play(ladder, *MOVES)
print("white stones left:", int((go.board(caught) == 2).sum()))
last = play(ladder, *MOVES[:-1])
board_svg(
    go.board(last), marks={action: str(ply) for ply, action in enumerate(at(*MOVES[:-1]), 1)}, title="Move 15 takes all"
)

# %% [markdown]
# A white stone in the way breaks it, and the plane is empty:

# %%
rows = LADDER.split("\n")
rows[5] = ". . . . . O ."
broken = go.from_text(rules, "\n".join(rows))
print("ladders that work:", int(draw(game, broken)[..., 44].sum()))
show(broken, marks={at("F2")[0]: "circle"}, title="A ladder breaker")

# %% [markdown]
# ## Go on
#
# - `python -m experiments.show_planes --encoder alphago48 --sgf game.sgf --move 60` draws any position of a record.
# - `docs/rules.md` says which rules there are, `docs/planes.md` what every plane is.
# - `colab/quickstart.ipynb` searches and trains.
