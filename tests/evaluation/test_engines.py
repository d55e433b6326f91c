"""Outside engines: whatever a process does, asking it ends in time, with an answer or a fault that says what it did.

*Source:* none.
"""

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from research.evaluation.engines import Engine, EngineFault, EngineRefusal
from research.evaluation.gnugo import gnugo_command, gnugo_path
from research.go.rules import rules_named

SCRIPT = Path(__file__).parents[1] / "scripted_engine.py"
SHORT_S = 0.4
LONG_S = 20.0


def engine(*options: str, start_s: float = LONG_S) -> Engine:
    return Engine("scripted", (sys.executable, "-S", str(SCRIPT), *options), start_s)


@pytest.fixture(scope="module")
def plain() -> Iterator[Engine]:
    with engine("--refuse", "komi 3", "--banner", "welcome\n1. e4") as found:
        yield found


def ends(process: int) -> bool:
    """Whether a process is gone, or goes soon: who has been killed takes a moment."""
    for _ in range(100):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_answers_come_without_their_sign_and_what_stands_before_them(plain: Engine) -> None:
    assert plain.ask("genmove b", LONG_S) == "pass"
    assert plain.ask("list_commands", LONG_S) == "final_score\nset_random_seed\ntime_settings"
    assert plain.ask("clear_board", LONG_S) == ""


def test_a_refusal_is_the_engines_own_words_and_it_runs_on(plain: Engine) -> None:
    num_starts = plain.num_starts
    with pytest.raises(EngineRefusal, match=r"^I would rather not$"):
        plain.ask("komi 3", LONG_S)
    assert plain.ask("komi 4", LONG_S) == ""
    assert plain.num_starts == max(1, num_starts)


def test_what_it_lists_is_what_it_knows(plain: Engine) -> None:
    assert plain.knows("final_score", LONG_S)
    assert not plain.knows("final_sco", LONG_S)


def test_an_engine_that_ends_says_how_and_with_which_words_and_is_started_again() -> None:
    with engine("--moves", "crash") as found:
        fault = r"^scripted: it ended; exit code 3; its last words: thinking about genmove b / out of stones$"
        with pytest.raises(EngineFault, match=fault):
            found.ask("genmove b", LONG_S)
        assert found.ask("name", LONG_S) == ""
        assert found.num_starts == 2


def test_an_engine_that_does_not_answer_is_killed_in_time_with_its_children(tmp_path: Path) -> None:
    with engine("--moves", "hang", "--child", str(tmp_path / "child")) as found:
        found.ask("name", LONG_S)
        child = int((tmp_path / "child").read_text())
        os.kill(child, 0)
        started = time.monotonic()
        with pytest.raises(EngineFault, match=r"no answer to 'genmove b' within 0\.4 s; its last words: "):
            found.ask("genmove b", SHORT_S)
        assert time.monotonic() - started < 5
        assert ends(child)


def test_the_first_answer_has_the_time_that_starting_takes() -> None:
    with engine(start_s=LONG_S) as found:
        assert found.ask("name", timeout_s=0.001) == ""


@pytest.mark.parametrize("words", [("--moves", "flood"), ("--deaf",)])
def test_neither_a_flood_nor_a_full_pipe_holds_anybody_up(words: tuple[str, ...]) -> None:
    started = time.monotonic()
    with engine(*words, start_s=1.0) as found, pytest.raises(EngineFault):
        found.ask("genmove b" + " " * 1_000_000 * ("--deaf" in words), 1.0)
    assert time.monotonic() - started < 10


def test_a_program_that_is_not_there_is_a_fault() -> None:
    fault = r"^nobody: no-such-engine --level 1 cannot be started: "
    with Engine("nobody", ("no-such-engine", "--level", "1")) as found, pytest.raises(EngineFault, match=fault):
        found.ask("name", LONG_S)


def test_a_program_that_speaks_something_else_is_a_fault() -> None:
    with Engine("cat", ("cat",), start_s=SHORT_S) as found, pytest.raises(EngineFault, match="no answer to 'name'"):
        found.ask("name", SHORT_S)


def test_killing_from_elsewhere_ends_an_answer_that_is_waited_for() -> None:
    with engine("--moves", "hang") as found:
        found.ask("name", LONG_S)
        killer = threading.Timer(0.2, found.kill)
        killer.start()
        with pytest.raises(EngineFault, match=r"it ended; exit code -9"):
            found.ask("genmove b", LONG_S)
        killer.join()


def test_closing_ends_the_process_and_leaves_no_pipe_open() -> None:
    before = len(os.listdir("/dev/fd"))
    found = engine("--moves", "hang")
    found.ask("name", LONG_S)
    assert found._process is not None
    process = found._process.pid
    found.close()
    found.close()
    assert ends(process)
    assert len(os.listdir("/dev/fd")) == before


def test_gnugos_options_follow_the_rules() -> None:
    if gnugo_path() is None:
        pytest.skip("GNU Go is not installed (Debian: apt install gnugo)")
    area = gnugo_command(rules_named("chinese-ogs"), 3)
    assert {"--positional-superko", "--forbid-suicide", "--chinese-rules", "--capture-all-dead"} < set(area)
    assert area[area.index("--level") + 1] == "3"
    assert {"--simple-ko", "--japanese-rules"} < set(gnugo_command(rules_named("japanese"), 3))
    assert {"--situational-superko", "--allow-suicide"} < set(gnugo_command(rules_named("new-zealand"), 3))
    with pytest.raises(ValueError, match="level is 11; allowed: 0 to 10"):
        gnugo_command(rules_named("chinese"), 11)
