"""Runs KataGo's own rules tests (tests/data/katago_rules.json) on either engine, and says what it left out.

A case is a start position, rules, and a list of steps: moves with KataGo's verdict on their legality, and checks of
what KataGo printed at that moment. `run_case` walks them and notes each difference, each kind of thing compared, and
each kind of thing skipped, with the reason. What is compared: area rules with simple ko, positional or situational
superko, with every group tax, and the main phase of games under territory rules, whose moves are the same.

Where KataGo's rules are not ours
- KataGo's area is our "area-pass-dead". A score under territory rules is not compared: it needs the clean-up phases.
- Under simple ko, KataGo ends a game without a result at the third repetition, and ends the phase when a player passes
  in the same situation as in an earlier pass of his. The comparison stops there.
- The first pass takes the button where there is one, and under SPIGHT ko forgets what superko has seen. Up to it the
  latter is positional superko; the comparison stops after it, and no score is compared with a button.
- A move after the end "resurrects" the game in KataGo; ours stays as it ended. The comparison stops there.

*Source:* KataGo at commit 6a1fc5d, cpp/tests/testrules.cpp; its rules, https://lightvector.github.io/KataGo/rules.html.
"""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from engines import Engine, Setting
from referee import new_game

DATA = Path(__file__).parent / "data"
MAX_MOVES = 120  # plies, at least: KataGo's games have no limit, so more where a case is longer
SCORES = (
    "white_minus_black_score",
    "white_minus_black_score_if_all_pass_to_end",
    "white_minus_black_score_if_ended_now",
)


class Comparison(NamedTuple):
    """What came of a case."""

    differences: list[str]
    compared: Counter  # by kind of check
    skipped: Counter  # by "kind: reason"


def load(name: str) -> list[dict]:
    """The cases of tests/data/katago_`name`.json."""
    return json.loads((DATA / f"katago_{name}.json").read_text())


def why_unsupported(case: dict) -> str | None:
    """Why none of the case can be compared, or None."""
    return "starts in a cleanup phase" if case.get("encore_phase") else None


def setting_of(case: dict, komi: float) -> Setting:
    """The case's start."""
    columns, rows = case["size"]
    rules, is_area = case["rules"], case["rules"]["scoring"] == "AREA"
    return Setting(
        rows,
        columns,
        "\n".join(case["board"]),
        case["to_play"],
        ko="positional" if rules["ko"] == "SPIGHT" else rules["ko"].lower(),
        suicide=rules["multi_stone_suicide"],
        komi=komi + handicap_bonus(case),
        max_moves=max(MAX_MOVES, len(case["steps"])),
        scoring="area-pass-dead" if is_area else "area",
        tax=rules["tax"].lower() if is_area else "none",
    )


def handicap_bonus(case: dict) -> int:
    """What White is given for handicap: two or more black stones that a game begins with, and no white one."""
    stones = "".join(case["board"])
    num_stones = 0 if "O" in stones else stones.count("X")
    bonus = case["rules"].get("white_handicap_bonus", "0")
    return 0 if bonus == "0" or num_stones < 2 else num_stones - (bonus == "N-1")


def run_case(case: dict, make_engine: Callable[[Setting], Engine]) -> Comparison:
    """All that can be compared of the case."""
    run = Run(case, make_engine)
    for number, step in enumerate(case["steps"]):
        reason = run.why_stop_before(step)
        if reason is not None:
            run.skipped[f"all from there on: {reason}"] += len(case["steps"]) - number
            break
        if "set_komi" in step:
            run.set_komi(step["set_komi"])
        elif "move" in step:
            run.move(step)
        else:
            run.check(step["check"])
    return Comparison(run.differences, run.compared, run.skipped)


class Run:
    """A case on an engine, with what KataGo's endings depend on."""

    def __init__(self, case: dict, make_engine: Callable[[Setting], Engine]) -> None:
        """Set the start position up."""
        self.case, self.make_engine = case, make_engine
        self.engine = make_engine(setting_of(case, case["rules"]["komi"]))
        self.differences, self.compared, self.skipped = [], Counter(), Counter()
        self.actions: list[int] = []
        self.is_simple = case["rules"]["ko"] == "SIMPLE"
        self.is_territory = case["rules"]["scoring"] == "TERRITORY"
        self.repetitions = Counter({self.situation(): 1})  # since the last pass
        self.passed_in: set[tuple[str, str]] = set()
        self.has_button = bool(case["rules"].get("has_button"))
        self.ends_at_pass = self.has_button or case["rules"]["ko"] == "SPIGHT"
        self.stop: str | None = why_unsupported(case)

    def situation(self) -> tuple[str, str]:
        """The board and the player to move."""
        return self.engine.board(), self.engine.to_play()

    def action(self, point: list[int] | str) -> int:
        """The action of [column, row] or "pass"."""
        columns, rows = self.case["size"]
        return rows * columns if isinstance(point, str) else point[1] * columns + point[0]

    def why_stop_before(self, step: dict) -> str | None:
        """Why this step and all after it cannot be compared, or None."""
        if self.stop is not None:
            return self.stop
        if self.engine.is_over() and self.is_territory:
            return "cleanup phase of territory rules"
        if "move" in step and step["move"][1] != "pass" and self.engine.is_over():
            return "KataGo plays on after the end"
        return None

    def set_komi(self, komi: float) -> None:
        """Play the same moves again from the start, with another komi."""
        self.engine = self.make_engine(setting_of(self.case, komi))
        for action in self.actions:
            self.engine.play(action)

    def move(self, step: dict) -> None:
        """Compare the legality of a move, and do it."""
        player, point = step["move"]
        action, is_legal = self.action(point), step.get("legal", True)
        if player != self.engine.to_play() and not self.engine.is_over():
            self.engine.turn_to(player)
        self.compare("legality of a move", step["move"], self.engine.legal()[action], is_legal)
        if not is_legal:
            self.stop = "KataGo was made to play an illegal move"
        if self.is_simple and point == "pass" and not self.engine.is_over():
            if self.situation() in self.passed_in:
                self.stop = "KataGo ends the phase at a pass in the situation of an earlier pass"
            self.passed_in.add(self.situation())
            self.repetitions.clear()
        if self.ends_at_pass and point == "pass":
            self.stop = "the button is taken, or SPIGHT ko forgets"
        self.engine.play(action)
        self.actions.append(action)
        self.repetitions[self.situation()] += not self.engine.is_over()
        if self.is_simple and self.repetitions[self.situation()] >= 3:
            self.stop = "KataGo ends the game without a result at the third repetition"

    def check(self, check: dict) -> None:
        """Compare everything in one check."""
        for kind, wanted in check.items():
            if kind in SCORES:
                self.check_score(kind, wanted)
            elif kind == "ko_illegal_points" and wanted["player"] == self.engine.to_play():
                self.compare(kind, wanted, self.ko_illegal_points(), {self.action(point) for point in wanted["points"]})
            elif kind == "legal_moves" and wanted["player"] == self.engine.to_play():
                legal = {action for action, is_legal in enumerate(self.engine.legal()) if is_legal}
                self.compare(kind, wanted, legal, {self.action(point) for point in wanted["moves"]})
            elif kind == "legality" and wanted["player"] == self.engine.to_play():
                self.compare(kind, wanted, self.engine.legal()[self.action(wanted["point"])], wanted["legal"])
            elif kind == "board":
                self.compare(kind, wanted, self.engine.board(), "\n".join(wanted))
            elif kind in ("game_finished", "past_or_finished"):
                self.compare(kind, wanted, self.engine.is_over(), wanted)
            else:
                self.skipped[f"{kind}: not one of our notions, or asked of the player not to move"] += kind != "winner"

    def check_score(self, kind: str, wanted: float) -> None:
        """Compare a score, and its sign as the outcome if the game is over."""
        if self.is_territory or self.has_button:
            self.skipped[f"{kind}: territory or button"] += 1
        else:
            self.compare(kind, wanted, -self.engine.score(), wanted)
            if self.engine.is_over():
                self.compare("winner", wanted, self.engine.outcome(), (wanted < 0) - (wanted > 0))

    def ko_illegal_points(self) -> set[int]:
        """The empty points that ko or superko alone forbids: what remains once every suicide is set aside."""
        game = new_game(
            *self.case["size"][::-1],
            ko="simple",
            suicide=self.case["rules"]["multi_stone_suicide"],
            board=self.engine.board(),
            to_play=self.engine.to_play(),
        )
        return {point for point in range(game.pass_action) if game.is_legal(point) and not self.engine.legal()[point]}

    def compare(self, kind: str, what: object, got: object, wanted: object) -> None:
        """Note that something was compared, and whether it differs."""
        self.compared[kind] += 1
        if got != wanted:
            place = f"{self.case['id']} after {self.actions}, {self.engine.to_play()} to play on\n{self.engine.board()}"
            self.differences.append(f"{place}\n{kind} {what}: wanted {wanted}, got {got}")
