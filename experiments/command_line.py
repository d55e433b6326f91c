"""How a command is called and how it ends: options out of a function's parameters, an exit code, one line for a fault.

The library says what is wrong by ValueError (SgfError and RunError are some), the system by OSError, and an array that
a number is too large for by OverflowError: faults that the caller can mend, and that a traceback would bury. Anything
else is a fault of the program and keeps its traceback.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Generator, Mapping, Sequence

import tyro

from experiments import INTERRUPTED, end_at_once

WRONG_CALL = 2
PIPE_CLOSED = 141  # as shells have it: 128 and the number of the signal

CALLERS_FAULTS = (ValueError, OverflowError, OSError)


def run_command(
    function: Callable[..., object] | Mapping[str, Callable[..., object]],
    name: str,
    description: str | None,
    arguments: Sequence[str] | None,
) -> int:
    """Call `function` with what the command line `python -m experiments.NAME` says; the exit code, as `end_well`.

    Of several functions, by name, the first word says which.
    """
    call = tyro.extras.subcommand_cli_from_dict if isinstance(function, Mapping) else tyro.cli
    prog = f"python -m experiments.{name}"
    return end_well(lambda: call(function, prog=prog, description=description, args=arguments))  # type: ignore


def end_well(call: Callable[[], object]) -> int:
    """Call `call`; the exit code: the number that it gives, or 0 if it gives none.

    2 for what the caller can mend, 130 when it was interrupted, 141 when nobody reads on. Being told to end (SIGTERM)
    is an interruption, so that what the command has started ends with it.
    """
    try:
        with _told_to_end_by_interrupts():
            code = call()
            sys.stdout.flush()
    except BrokenPipeError:  # whoever reads, such as `head`, has read enough; nothing may be written at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except CALLERS_FAULTS as error:
        return report_error(error)
    except RuntimeError as error:
        if not f"{error}".startswith("Unable to initialize backend"):  # JAX_PLATFORMS names what is not there
            raise
        return report_error(error)
    except KeyboardInterrupt as error:
        print(f"{error}" or "stopped", file=sys.stderr)
        if signal.getsignal(signal.SIGINT) is end_at_once:  # the process is the command's own
            sys.stdout.flush()
            os._exit(INTERRUPTED)  # XLA may be compiling still, and would fall over Python's way of ending
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def report_error(error: Exception) -> int:
    """Say what is wrong; the exit code for it."""
    what = f"{error}"
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        what = f"{error.filename}: {error.strerror}"  # without Python's numbers and quotes
    print(f"error: {what}", file=sys.stderr)
    return WRONG_CALL


@contextlib.contextmanager
def _told_to_end_by_interrupts() -> Generator[None]:
    """KeyboardInterrupt for Ctrl-C and for SIGTERM while the block runs."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
