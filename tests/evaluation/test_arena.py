"""The arena: colours, openings, chance, records of games, one program a pairing."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.evaluation import MatchConfig, Player, make_match, make_play_games, random_player, search_player
from research.evaluation import wilson_interval as interval
from research.search import SearchConfig, make_search
from research.toys import TicTacToe
from tests.search.stand_ins import after, no_opinion

GAME = TicTacToe()


def choose_by_preference(variables, states, key):
    """The legal action that the variables like best."""
    legal = jax.vmap(GAME.legal_actions)(states)
    return jnp.argmax(jnp.where(legal, variables["liking"], -jnp.inf), axis=-1).astype(jnp.int32)


LOW_FIRST = {"liking": jnp.arange(9.0)[::-1]}  # the lowest point that is free
HIGH_FIRST = {"liking": jnp.arange(9.0)}  # the highest
LOW_AS_BLACK = [0, 8, 1, 7, 2, -1, -1, -1, -1]  # and completes the top row
HIGH_AS_BLACK = [8, 0, 7, 1, 6, -1, -1, -1, -1]  # and completes the bottom row
BY_PREFERENCE = Player("preference", choose_by_preference)
# Another function, though it plays the same: the arena then has two programs to choose from instead of one.
BY_PREFERENCE_TOO = Player("preference too", lambda *arguments: choose_by_preference(*arguments))


@pytest.fixture(scope="module")
def random_games():
    """4,000 games between random players: (play, what it gave for key 0)."""
    play = make_play_games(GAME, random_player(GAME), random_player(GAME), 4000)
    return play, jax.device_get(play(None, None, jax.random.key(0)))


def test_random_games_end_as_often_as_counted_over_the_whole_tree(random_games):
    outcomes = random_games[1].outcomes
    for outcome, share in ((1, 0.5849), (-1, 0.2881), (0, 0.1270)):
        low, high = interval(int((outcomes == outcome).sum()), 4000, confidence=0.999)
        assert low < share < high, f"outcome {outcome}: {low:.4f} to {high:.4f}, wanted {share}"


def test_a_game_can_be_replayed_from_its_record(random_games):
    games = random_games[1]
    for game in range(8):
        num_moves = games.num_moves[game]
        actions = games.actions[:num_moves, game]
        final = after(GAME, actions)
        np.testing.assert_array_equal(final.points, games.final_states.points[game])
        assert (games.actions[num_moves:, game] == -1).all()
        assert GAME.is_over(final)
        assert not GAME.is_over(after(GAME, actions[:-1]))
        assert GAME.outcome(final) == games.outcomes[game]


def test_the_same_key_plays_the_same_games_and_another_key_others(random_games):
    play, games = random_games
    again = play(None, None, jax.random.key(0))
    other = play(None, None, jax.random.key(1))
    np.testing.assert_array_equal(games.actions, again.actions)
    assert (games.actions != other.actions).any()


def test_the_noise_differs_between_the_colours_of_one_match(random_games):
    play, games = random_games
    swapped = play(None, None, jax.random.key(0), False)
    assert (games.actions != swapped.actions).any(axis=0).mean() > 0.9


@pytest.mark.parametrize("second", [BY_PREFERENCE, BY_PREFERENCE_TOO], ids=["same function", "two functions"])
def test_both_players_get_both_colours_and_their_own_variables(second):
    match = make_match(GAME, BY_PREFERENCE, second, MatchConfig(num_games=4))
    result = match(LOW_FIRST, HIGH_FIRST, jax.random.key(0))
    as_black, as_white = result.games
    np.testing.assert_array_equal(as_black.actions.T, [LOW_AS_BLACK] * 2)
    np.testing.assert_array_equal(as_white.actions.T, [HIGH_AS_BLACK] * 2)
    assert (result.as_black.wins, result.as_black.losses) == (2, 0)
    assert (result.as_white.wins, result.as_white.losses) == (0, 2)
    assert result.num_distinct_games == 2
    assert result.mean_num_moves == 5.0


def test_a_player_that_always_wins_wins_with_both_colours():
    # Second, "low" answers in the middle row and wins there; first, it takes the top row.
    likes_rows = {"liking": jnp.array([6.0, 5, 4, 9, 8, 7, 3, 2, 1])}  # 3, 4, 5, then the rest
    wastes_moves = {"liking": jnp.array([8.0, 0, 5, 1, 2, 4, 3, 7, 6])}  # 0, 7, 8: no line
    match = make_match(GAME, BY_PREFERENCE, BY_PREFERENCE, MatchConfig(num_games=2))
    result = match(likes_rows, wastes_moves, jax.random.key(0))
    assert result.total.wins == 2
    assert result.as_white.wins == 1
    swapped = match(wastes_moves, likes_rows, jax.random.key(0))
    assert swapped.total.losses == 2


def test_search_beats_random_with_both_colours():
    search = make_search(GAME, no_opinion(GAME), SearchConfig(num_simulations=16))
    match = make_match(GAME, search_player(GAME, search), random_player(GAME), MatchConfig(num_games=100))
    result = match(None, None, jax.random.key(0))
    # A random player would score 0.65 as Black and 0.35 as White.
    assert result.score_interval[0] > 0.6
    assert result.as_black.score_rate > 0.8
    assert result.as_white.score_rate > 0.5
    assert result.num_distinct_games > 70


def test_random_openings_are_the_same_for_both_colours():
    config = MatchConfig(num_games=40, opening_plies=3)
    match = make_match(GAME, BY_PREFERENCE, BY_PREFERENCE_TOO, config)
    as_black, as_white = match(LOW_FIRST, HIGH_FIRST, jax.random.key(0)).games
    np.testing.assert_array_equal(as_black.actions[:3], as_white.actions[:3])
    assert len({tuple(opening) for opening in as_black.actions[:3].T.tolist()}) > 10
    # Ply 3 is White's: the second player's where the first is Black.
    for games, liking in ((as_black, max), (as_white, min)):
        for actions in games.actions.T:
            assert actions[3] == liking(set(range(9)) - set(actions[:3].tolist()))


def test_a_pairing_is_traced_once():
    num_traces = 0

    def choose(variables, states, key):
        nonlocal num_traces
        num_traces += 1
        return choose_by_preference(variables, states, key)

    player = Player("counted", choose)
    match = make_match(GAME, player, dataclasses.replace(player, name="untrained"), MatchConfig(num_games=2))
    match(LOW_FIRST, HIGH_FIRST, jax.random.key(0))
    num_at_first = num_traces
    match(HIGH_FIRST, LOW_FIRST, jax.random.key(1))
    assert num_traces == num_at_first > 0


def test_a_match_needs_no_implicit_transfer():
    match = make_match(GAME, BY_PREFERENCE, BY_PREFERENCE, MatchConfig(num_games=2))
    key = jax.random.key(0)
    match(LOW_FIRST, HIGH_FIRST, key)
    with jax.transfer_guard("disallow"):
        assert match(LOW_FIRST, HIGH_FIRST, key).total.num_games == 2


@pytest.mark.parametrize(("field", "value"), [("num_games", 3), ("num_games", 0), ("opening_plies", -1)])
def test_a_match_setting_out_of_range_is_refused_by_name(field, value):
    with pytest.raises(ValueError, match=f"{field} is {value}; allowed"):
        MatchConfig(**{field: value})
