"""The commands, `python -m experiments.NAME`, and how they end at Ctrl-C before they have begun.

Importing JAX takes seconds, in which Python would answer Ctrl-C with a traceback through whatever it was reading. This
file is the first of ours that Python reads, so from here on a command that is told to end says one word and ends; once
it runs, `experiments.command_line` gives it the time to put things in order. What cannot be caught is the moment in
which Python itself starts, some hundredths of a second, and what cannot be hastened is XLA: while it compiles, Python
hears nothing.
"""

import os
import signal
import sys

INTERRUPTED = 130  # exit code, as shells have it: 128 and the number of the signal


def end_at_once(number: int, frame: object) -> None:
    """Say so and end, without a way back through whatever is under way."""
    os.write(2, b"stopped\n")
    os._exit(INTERRUPTED)


# While Python looks for the module of `python -m`, and only then, this is the command's name; a notebook or a test that
# imports a command keeps its own ways.
if sys.argv[:1] == ["-m"]:
    signal.signal(signal.SIGINT, end_at_once)
    signal.signal(signal.SIGTERM, end_at_once)
