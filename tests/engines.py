"""Two engines behind the same few verbs, so that one diagram, or one case of somebody else, can be put to both.

`OnReferee` asks tests/referee.py, `OnDevice` asks research.go through its public names alone. Actions are indices, as
in the Game protocol; boards are diagrams of `.`, `X` and `O`; scores are Black's points minus White's.

*Source:* none; this is test scaffolding.
"""

from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from referee import BLACK, WHITE, Referee, diagram, new_game

from research import go
from research.go import host_scoring

PLAYERS = (BLACK, WHITE)  # by the index that `to_play` gives
COLOUR_NAMES = {BLACK: "black", WHITE: "white"}


class Setting(NamedTuple):
    """What a game is played by, and what it starts from."""

    rows: int
    columns: int
    board: str  # a diagram
    to_play: str = BLACK
    ko: str = "positional"
    suicide: bool = False
    komi: float = 7.5  # points
    max_moves: int | None = None  # plies; None for twice the number of points
    ko_point: int | None = None
    scoring: str = "area"
    tax: str = "none"

    def is_plain(self) -> bool:
        """Whether the score is Tromp-Taylor's, which the referee knows itself."""
        return (self.scoring, self.tax) == ("area", "none")


class Engine(Protocol):
    """One game, from a `Setting` on."""

    def play(self, action: int) -> None:
        """Do `action`, whatever it is."""
        ...

    def turn_to(self, player: str) -> None:
        """Let `player` be the one to move."""
        ...

    def legal(self) -> list[bool]:
        """Whether each action is legal, pass last."""
        ...

    def board(self) -> str:
        """The diagram of the board."""
        ...

    def to_play(self) -> str:
        """The player to move."""
        ...

    def is_over(self) -> bool:
        """Whether the game has ended."""
        ...

    def score(self) -> float:
        """Black's points minus White's."""
        ...

    def outcome(self) -> float:
        """+1, -1 or 0, for Black."""
        ...


class OnReferee:
    """The game as tests/referee.py sees it."""

    def __init__(self, setting: Setting) -> None:
        """Begin it."""
        self.setting, self.game = setting, referee_of(setting)

    def play(self, action: int) -> None:
        """Do `action`."""
        self.game = self.game.step(action)

    def turn_to(self, player: str) -> None:
        """Let `player` be the one to move."""
        self.game = self.game.with_to_play(player)

    def legal(self) -> list[bool]:
        """Whether each action is legal."""
        return self.game.legal_actions()

    def board(self) -> str:
        """The diagram of the board."""
        return self.game.diagram()

    def to_play(self) -> str:
        """The player to move."""
        return self.game.to_play

    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.game.is_over()

    def score(self) -> float:
        """Black's points minus White's; those that the referee does not know are the library's own on the host."""
        if self.setting.is_plain():
            return self.game.score()
        scoring: Any = self.setting.scoring
        tax: Any = self.setting.tax
        board = np.array([".XO".index(content) for content in self.game.board]).reshape(self.game.rows, -1)
        return host_scoring.area_score(board, self.game.komi, scoring, tax, self.game.suicide)

    def outcome(self) -> float:
        """+1, -1 or 0."""
        return float(np.sign(self.score())) if self.is_over() else 0.0


class View(NamedTuple):
    """What research.go says of one position (of many, with leading axes)."""

    legal: Any  # bool[..., actions]
    board: Any  # int8[..., rows, columns]
    to_play: Any  # int32[...]
    is_over: Any  # bool[...]
    score: Any  # float32[...], points for Black
    outcome: Any  # float32[...]


class OnDevice:
    """The game as research.go sees it; square boards only."""

    def __init__(self, setting: Setting) -> None:
        """Begin it."""
        rules = rules_of(setting)
        scoring: Any = setting.scoring
        tax: Any = setting.tax
        self.scored_by = None if setting.is_plain() else replace(rules, scoring=scoring, tax=tax)
        self.look_and_step = make_look_and_step(rules)
        self.state = state_of(rules, setting)
        self.view = self.look()

    def look(self) -> View:
        """All that there is to see of the position."""
        return jax.device_get(self.look_and_step(self.state, jnp.int32(0))[0])

    def play(self, action: int) -> None:
        """Do `action`."""
        self.state = self.look_and_step(self.state, jnp.int32(action))[1]
        self.view = self.look()

    def turn_to(self, player: str) -> None:
        """Let `player` be the one to move."""
        self.state = go.with_to_play(self.state, jnp.int32(PLAYERS.index(player)))
        self.view = self.look()

    def legal(self) -> list[bool]:
        """Whether each action is legal."""
        return self.view.legal.tolist()

    def board(self) -> str:
        """The diagram of the board."""
        return diagram_of(self.view.board)

    def to_play(self) -> str:
        """The player to move."""
        return PLAYERS[int(self.view.to_play)]

    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.view.is_over)

    def score(self) -> float:
        """Black's points minus White's."""
        return float(self.view.score if self.scored_by is None else make_judge(self.scored_by)(self.state)[0])

    def outcome(self) -> float:
        """+1, -1 or 0."""
        return float(self.view.outcome if self.scored_by is None else make_judge(self.scored_by)(self.state)[1])


def referee_of(setting: Setting) -> Referee:
    """The referee's first moment of the game."""
    return new_game(
        setting.rows,
        setting.columns,
        komi=setting.komi,
        ko=setting.ko,
        suicide=setting.suicide,
        max_moves=setting.max_moves,
        board=setting.board,
        to_play=setting.to_play,
        ko_point=setting.ko_point,
    )


def rules_of(setting: Setting) -> go.Rules:
    """The rules for research.go. Komi is left to the state, so that games of every komi share a compiled program."""
    ko: Any = setting.ko  # any text; `Rules` refuses what is no rule
    return go.Rules(size=setting.rows, ko=ko, suicide=setting.suicide, max_moves=setting.max_moves)


def state_of(rules: go.Rules, setting: Setting) -> go.GoState:
    """The state of research.go that the game starts from."""
    ko = None if setting.ko_point is None else divmod(setting.ko_point, setting.columns)
    return go.from_text(rules, setting.board, to_play=COLOUR_NAMES[setting.to_play], ko=ko, komi=setting.komi)


@cache
def make_look_and_step(rules: go.Rules) -> Any:
    """A jitted (state, action) -> (view of the state, next state): one program, as compiling is what costs."""
    game = go.Go(rules)
    return jax.jit(lambda state, action: (look(game, state), game.step(state, action)))


@cache
def make_judge(rules: go.Rules) -> Any:
    """A jitted state -> (score, outcome), apart from the moves, which all ways of scoring share."""
    game = go.Go(rules)
    return jax.jit(lambda state: (game.score(state), game.outcome(state)))


@cache
def make_replay(rules: go.Rules, search_depth: int = 0) -> Any:
    """A jitted (states [games], actions [games, plies]) -> the views [games, plies] before each of the actions.

    The last `search_depth` actions are played as a search plays them: on a node, the history handed in from outside.
    """
    game = go.Go(rules)

    def replay(state: go.GoState, actions: Any) -> View:
        def look_then_step(state: go.GoState, action: Any, past: Any = None) -> tuple[go.GoState, View]:
            return game.step(state, action, past), look(game, state, past)

        num_before = len(actions) - search_depth
        state, views = jax.lax.scan(look_then_step, state, actions[:num_before])
        if not search_depth:
            return views
        node, past = game.as_node(state, search_depth)
        _, more = jax.lax.scan(partial(look_then_step, past=past), node, actions[num_before:])
        return jax.tree.map(lambda first, last: jnp.concatenate([first, last]), views, more)

    return jax.jit(jax.vmap(replay))


def look(game: go.Go, state: go.GoState, past: Any = None) -> View:
    """All that research.go says of `state`."""
    return View(
        game.legal_actions(state, past),
        go.board(state),
        game.to_play(state),
        game.is_over(state),
        game.score(state),
        game.outcome(state),
    )


def referee_view(game: Referee) -> View:
    """The same of the referee, in numpy."""
    return View(
        np.array(game.legal_actions()),
        np.array([".XO".index(content) for content in game.board], np.int8).reshape(game.rows, game.columns),
        np.int32(PLAYERS.index(game.to_play)),
        np.bool_(game.is_over()),
        np.float32(game.score()),
        np.float32(game.outcome()),
    )


def diagram_of(board: np.ndarray) -> str:
    """The diagram of a board of 0, 1 and 2."""
    return diagram("".join(".XO"[content] for content in board.ravel()), board.shape[1])
