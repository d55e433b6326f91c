"""What a run leaves to look at: the page of its sample game."""

import json
import re

import numpy as np

from experiments.record_analysis import BATCH, Judge, Thought
from experiments.report import game_page
from research import go
from research.visualise.games import GameRecord

RULES = go.Rules(size=3, komi=0.5)


def hopeful(states: go.GoState) -> Thought:
    """Thinks that whoever is to move wins, by passing."""
    policy = np.zeros((BATCH, 10))
    policy[:, 9] = 1
    return Thought(np.full(len(states.to_play), 0.5), policy, None)


def test_the_sample_game_is_a_page_with_players_result_moves_and_values() -> None:
    actions, players = np.array([[4, 9, 9], [0, 1, 0]], np.int32)
    game = GameRecord(np.zeros((4, 3, 3), np.int8), actions, players, score=8.5, outcome=1.0, is_over=True)
    page = game_page(game, RULES, ("runs/mine", "untrained"), Judge("mine", 3, lambda game: hopeful))
    (found,) = re.findall(r'id="game">(.*?)</script>', page)
    data = json.loads(found)
    assert data["facts"][:2] == [["Black", "runs/mine"], ["White", "untrained"]]
    assert ["Result", "B+8.5"] in data["facts"]
    assert [step.get("action") for step in data["steps"]] == [None, 4, 9, 9]
    # Half a win for whoever is to move, seen from Black's side.
    assert data["values"] == [0.5, -0.5, 0.5, -0.5]
    assert data["player"] == "mine"
