"""A search of some moves of a position alone, for queries that leave moves out or name the only ones that count.

A compiled search looks at whatever its network likes, so here the positions behind the moves are searched instead, in
turn, and each move has the value of its position. What comes of it is an opinion as any other.

*Source:* own design.
"""

from collections.abc import Sequence

from research.evaluation.gtp_game import HostGame
from research.evaluation.gtp_thinkers import Opinion, Question, Thinker, begin
from research.go import coords

MAX_MOVES = 8  # that are searched: those that the policy likes best


class MoveSearch:
    """Searches of the positions behind some moves."""

    def __init__(self, thinker: Thinker, question: Question, actions: Sequence[int]):
        """Nothing is thought about yet; `actions` come best first."""
        self._thinker, self._question = thinker, question
        self._actions = list(actions[:MAX_MOVES])
        self._behind: dict[int, tuple[Question, Opinion]] = {}

    @property
    def num_moves(self) -> int:
        """Moves that are searched."""
        return len(self._actions)

    def think(self, opinion: Opinion) -> None:
        """One search more, for the move whose turn it is; `opinion` is of the position."""
        action = self._actions[opinion.num_searches % self.num_moves]
        if action not in self._behind:
            question = self._after(action)
            self._behind[action] = question, begin(self._thinker, question)
        question, answer = self._behind[action]
        self._thinker.think(question, answer)
        best = answer.ranking()[0]
        opinion.num_searches += 1
        opinion.visits[action] = 1 + answer.num_simulations
        opinion.value_sum[action] = -answer.value * opinion.visits[action]
        opinion.policy_sum[action] = -answer.value  # of moves with equal visits the better one comes first
        opinion.variations[action] = [action, *answer.variations.get(best, [best])]
        opinion.value = max(-behind.value for _, behind in self._behind.values())

    def _after(self, action: int) -> Question:
        """The position behind a move."""
        game = HostGame(self._question.game.rules, self._question.game.record)
        game.turn_to(self._question.colour)
        game.play(self._question.colour, coords.point_from_action(action, game.size))
        return self._question._replace(game=game, colour=game.to_play)
