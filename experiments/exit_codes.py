"""How a command ends: its exit code, and one line on stderr for what the caller can mend.

The library says what is wrong by ValueError (SgfError and RunError are some), the system by OSError; neither is worth a
traceback. Anything else is a fault of the program and keeps its traceback.
"""

import sys
from collections.abc import Callable

WRONG_CALL = 2
INTERRUPTED = 130  # as shells have it: 128 and the number of the signal

# OverflowError is what a whole number too large for an array is refused with.
CALLERS_FAULTS = (ValueError, OverflowError, OSError)


def exit_code(command: Callable[[], object]) -> int:
    """0 when `command` came to its end, 2 when the call was wrong (said in a line), 130 when it was interrupted."""
    try:
        command()
    except CALLERS_FAULTS as error:
        return report_error(error)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return INTERRUPTED
    return 0


def report_error(error: Exception) -> int:
    """Say what is wrong in one line; the exit code for it."""
    print(f"error: {error}", file=sys.stderr)
    return WRONG_CALL
