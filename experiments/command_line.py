"""How a command is called and how it ends: options out of a function's parameters, an exit code, one line for a fault.

The library says what is wrong by ValueError (SgfError and RunError are some), the system by OSError, and an array that
a number is too large for by OverflowError: faults that the caller can mend, and that a traceback would bury. Anything
else is a fault of the program and keeps its traceback.
"""

import os
import signal
import sys
from collections.abc import Callable, Sequence

import tyro

WRONG_CALL = 2
INTERRUPTED, PIPE_CLOSED = 130, 141  # as shells have it: 128 and the number of the signal

CALLERS_FAULTS = (ValueError, OverflowError, OSError)


def run_command(
    function: Callable[..., object], name: str, description: str | None, arguments: Sequence[str] | None
) -> int:
    """Call `function` with what the command line `python -m experiments.NAME` says; the exit code.

    0 when it came to its end, 2 for what the caller can mend, 130 when it was interrupted, 141 when nobody reads on.
    Being told to end (SIGTERM) is an interruption, so that what the command has started ends with it.
    """
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        tyro.cli(function, prog=f"python -m experiments.{name}", description=description, args=arguments)
    except BrokenPipeError:  # whoever reads, such as `head`, has read enough; nothing may be written at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except CALLERS_FAULTS as error:
        return report_error(error)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return INTERRUPTED
    finally:
        signal.signal(signal.SIGTERM, before)
    return 0


def report_error(error: Exception) -> int:
    """Say what is wrong; the exit code for it."""
    print(f"error: {error}", file=sys.stderr)
    return WRONG_CALL
