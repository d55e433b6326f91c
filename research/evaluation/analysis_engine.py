"""An analysis engine: lines of JSON in, lines of JSON out, as clients of `katago analysis` speak to it.

Queries may be sent all at once; each turn that a query asks for is a position in a queue, those of higher priority
first, and else in the order in which they came. One search is done at a time, for the first in the queue; before each
one the input is looked at, so a query of higher priority or a `terminate` waits for one search at most. Searches of
one position grow one tree or are added up, as everywhere behind research/evaluation/gtp_thinkers.py.

Every turn gets exactly one last reply, also when it was terminated. The end of the input is no reason to stop before
everything is answered.

*Source:* KataGo's documentation of its analysis engine, docs/Analysis_Engine.md.
"""

import json
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from io import TextIOBase
from typing import Any

from research.evaluation.analysis_moves import MoveSearch
from research.evaluation.analysis_queries import (
    AnalysisConfig,
    Query,
    QueryError,
    read_line,
    read_query,
    unused_fields,
)
from research.evaluation.analysis_replies import Report
from research.evaluation.gtp_engine import VERSION, Input
from research.evaluation.gtp_thinkers import Opinion, Question, Thinker, begin

READY = "Started, ready to begin handling requests"  # clients wait for KataGo to say so on stderr
Reply = dict[str, Any]


class _Task:
    """One turn of one query."""

    def __init__(self, query: Query, turn: int, priority: int, number: int, thinker: Thinker):
        """Nothing is computed yet."""
        self.query, self.turn = query, turn
        self.order = (-priority, number)
        self._thinker = thinker
        self._opinion: Opinion | None = None
        self._moves: MoveSearch | None = None  # in the place of a search of the position, where not all moves count
        game = query.game(turn)
        self._question = Question(game, game.to_play, query.white_points, query.rule_set.is_friendly)
        self._report = Report(query, turn, self._question, thinker)
        self._started = self._reported = 0.0

    def step(self) -> Reply | None:
        """Look or think once more; a reply if there is one to send."""
        if self._opinion is None:
            self._thinker.prepare(self._question)
            if not self.query.restricts(self._question.colour):
                self._opinion = begin(self._thinker, self._question)
            else:  # what is known of the position with all its moves says nothing of it with some
                self._opinion = self._thinker.look(self._question)
                self._moves = MoveSearch(self._thinker, self._question, self._report.shown(self._opinion))
            self._started = self._reported = time.monotonic()  # after what may have been compiled
        elif self._moves is not None:
            self._moves.think(self._opinion)
        else:
            self._thinker.think(self._question, self._opinion)
        if self.is_done:
            return self._report.reply(self._opinion, is_during_search=False)
        now = time.monotonic()
        if self._opinion.num_searches and now - self._reported >= self.query.report_every_s:
            self._reported = now
            return self._report.reply(self._opinion, is_during_search=True)
        return None

    @property
    def is_done(self) -> bool:
        """Whether it has been thought about enough."""
        if self._opinion is None:
            return False
        config = self.query.config
        if not self._thinker.searches or time.monotonic() - self._started >= config.max_time_s:
            return True
        num_needed = 1 if self._moves is None else self._moves.num_moves
        if config.max_visits is None or num_needed == 0 or not self._thinker.deepens:
            return self._opinion.num_searches >= num_needed
        return 1 + self._opinion.num_simulations >= config.max_visits

    def last_reply(self) -> Reply:
        """What is known now, as a last reply."""
        return self._report.nothing() if self._opinion is None else self._report.reply(self._opinion, False)


class AnalysisEngine:
    """One client's queries."""

    def __init__(self, thinker: Thinker, config: AnalysisConfig, output: TextIOBase):
        """An engine with nothing to do."""
        self._thinker, self._config, self._output = thinker, config, output
        self._tasks: list[_Task] = []
        self._num_tasks = 0
        self._actions: dict[str, Callable[[Reply], None]] = {
            "query_version": self._query_version,
            "query_models": self._query_models,
            "clear_cache": self._clear_cache,
            "terminate": self._terminate,
            "terminate_all": self._terminate,
        }

    def serve(self, lines: Iterable[str], finishes: bool = True) -> None:
        """Answer until the input ends, and then what is still to be answered if it `finishes`."""
        source, is_at_end = Input(lines), False
        try:
            while self._tasks or not is_at_end:
                while not is_at_end and (not self._tasks or source.wait(0.0)):
                    line = source.next_line()
                    if line is None:
                        is_at_end = True
                        self._tasks = self._tasks if finishes else []
                    elif line.strip():
                        self._take(line)
                if self._tasks:
                    self._advance(min(self._tasks, key=lambda task: task.order))
        except BrokenPipeError:  # nobody listens any more
            return

    def _take(self, line: str) -> None:
        """Do what a line asks for, or put it into the queue; what is wrong with it becomes a reply."""
        try:
            fields = read_line(line)
            if "action" in fields:
                self._act(fields)
                return
            query = read_query(fields, self._config)
            if not self._thinker.can_play(query.size):
                text = f"This player does not play on {query.size}x{query.size}"
                raise QueryError(text, "boardXSize", query.query_id)
            tasks = [self._task(query, turn, priority) for turn, priority in query.turns]
        except QueryError as error:
            self._send_error(error)
            return
        except BrokenPipeError:
            raise
        except Exception as error:
            self._send_fault(error, "")
            return
        for field, text in unused_fields(fields):
            self._send({"id": query.query_id, "field": field, "warning": text})
        self._tasks += tasks

    def _task(self, query: Query, turn: int, priority: int) -> _Task:
        self._num_tasks += 1
        return _Task(query, turn, priority, self._num_tasks, self._thinker)

    def _advance(self, task: _Task) -> None:
        """One search more for a position."""
        try:
            reply = task.step()
            is_done = task.is_done
        except Exception as error:
            self._tasks = [other for other in self._tasks if other.query.query_id != task.query.query_id]
            self._send_fault(error, task.query.query_id)
            return
        if reply is not None:
            self._send(reply)
        if is_done:
            self._tasks.remove(task)

    def _act(self, fields: Reply) -> None:
        """Do what an `action` says; *Raises:* QueryError."""
        action = fields["action"]
        if not isinstance(action, str) or action not in self._actions:
            names = " or ".join(f"'{name}'" for name in self._actions)
            raise QueryError(f"'action' field must be {names}", "action", fields["id"])
        self._actions[action](fields)

    def _query_version(self, fields: Reply) -> None:
        self._send(fields | {"version": VERSION, "git_hash": self._thinker.name})

    def _query_models(self, fields: Reply) -> None:
        name = self._thinker.name
        self._send(fields | {"models": [{"name": name, "internalName": name, "usesHumanSLProfile": False}]})

    def _clear_cache(self, fields: Reply) -> None:
        self._thinker.forget()
        self._send(fields)

    def _terminate(self, fields: Reply) -> None:
        """Give up positions, each with a last reply; *Raises:* QueryError."""
        turns = fields.get("turnNumbers")
        if turns is not None and not (isinstance(turns, list) and all(isinstance(turn, int) for turn in turns)):
            raise QueryError("Must be an array of integers", "turnNumbers", fields["id"])
        query_id = fields.get("terminateId")
        if fields["action"] == "terminate" and not isinstance(query_id, str):
            raise QueryError('Must be a string, the "id" of a query', "terminateId", fields["id"])
        ended = [
            task
            for task in self._tasks
            if (fields["action"] == "terminate_all" or task.query.query_id == query_id)
            and (turns is None or task.turn in turns)
        ]
        self._tasks = [task for task in self._tasks if task not in ended]
        self._send(fields)
        for task in ended:
            self._send(task.last_reply())

    def _send_error(self, error: QueryError) -> None:
        fields = {"id": error.query_id, "field": error.field, "error": str(error)}
        self._send({name: text for name, text in fields.items() if text})

    def _send_fault(self, error: Exception, query_id: str) -> None:
        """A fault of ours becomes a reply, and what is known of it goes to stderr: nobody waits for ever."""
        traceback.print_exc(file=sys.stderr)
        self._send_error(QueryError(f"internal error: {error}", "", query_id))

    def _send(self, reply: Reply) -> None:
        self._output.write(json.dumps(reply) + "\n")
        self._output.flush()
