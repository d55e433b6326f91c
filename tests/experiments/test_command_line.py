"""Commands end with an exit code and, where the caller can mend it, a line."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.command_line import run_command

ROOT = Path(__file__).parents[2]


def command(fault: str = "", number: int = 1) -> None:
    """A command.

    Args:
        fault: how it ends.
        number: any.

    """
    faults = {
        "value": ValueError("number is 1; it must be 2"),
        "file": FileNotFoundError(2, "No such file", "game.sgf"),
        "large": OverflowError("too large"),
        "backend": RuntimeError("Unable to initialize backend 'cuda'"),
        "key": KeyboardInterrupt(),
        "ours": KeyError("a fault of the program"),
    }
    if fault:
        raise faults[fault]
    print(number)


@pytest.mark.parametrize(
    ("fault", "code", "line"),
    [
        ("value", 2, "error: number is 1; it must be 2\n"),
        ("file", 2, "error: game.sgf: No such file\n"),
        ("large", 2, "error: too large\n"),
        ("backend", 2, "error: Unable to initialize backend 'cuda'\n"),
        ("key", 130, "stopped\n"),
    ],
)
def test_what_the_caller_can_mend_is_a_line_and_a_code(
    fault: str, code: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(command, "command", __doc__, ["--fault", fault]) == code
    assert capsys.readouterr() == ("", line)


def test_a_command_that_ends_well_gives_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(command, "command", __doc__, ["--number", "7"]) == 0
    assert capsys.readouterr() == ("7\n", "")


def test_a_number_that_a_command_gives_is_its_exit_code() -> None:
    assert run_command(lambda: 1, "command", None, []) == 1


def test_of_several_functions_the_first_word_says_which(capsys: pytest.CaptureFixture[str]) -> None:
    functions = {"one": lambda: print("one"), "two": lambda: 3}
    assert run_command(functions, "command", None, ["one"]) == 0
    assert run_command(functions, "command", None, ["two"]) == 3
    assert capsys.readouterr() == ("one\n", "")


def test_a_reader_who_has_read_enough_is_no_fault() -> None:
    code = "from experiments.command_line import run_command; import sys; "
    code += "sys.exit(run_command(lambda: print('line\\n' * 100000), 'command', None, []))"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"line\n"
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == (b"", 141)


def test_a_fault_of_the_program_keeps_its_traceback() -> None:
    with pytest.raises(KeyError, match="a fault of the program"):
        run_command(command, "command", __doc__, ["--fault", "ours"])


def test_help_and_unknown_options_are_tyros(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run_command(command, "command", "What it does.", ["--help"])
    assert ended.value.code == 0
    assert "python -m experiments.command" in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        run_command(command, "command", "What it does.", ["--unknown"])
    assert ended.value.code == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_to_be_told_to_end_is_an_interruption(number: signal.Signals, capsys: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(number)
    assert run_command(lambda: os.kill(os.getpid(), number), "command", None, []) == 130
    assert capsys.readouterr() == ("", "stopped\n")
    assert signal.getsignal(number) == before


def test_ctrl_c_while_a_command_is_imported_is_one_word(tmp_path: Path) -> None:
    # Stands in for the modules of a command: says that it is being read, and takes its time.
    (tmp_path / "jax.py").write_text("import time; print('reading', flush=True); time.sleep(60)")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-m", "experiments.arena", "--help"]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"reading\n"
        process.send_signal(signal.SIGINT)
        assert (process.stderr.read(), process.wait()) == (b"stopped\n", 130)


def test_a_program_that_imports_a_command_keeps_its_own_way_of_ending() -> None:
    code = "import signal; before = signal.getsignal(2); import experiments; assert signal.getsignal(2) is before"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
