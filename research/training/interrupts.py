"""Stopping a run politely: Ctrl-C or SIGTERM asks, and the loop stops where nothing is lost.

Preemptible machines send SIGTERM before they go. A second Ctrl-C does not wait.
"""

import contextlib
import signal
from collections.abc import Generator
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopRequest:
    """Whether someone has asked the run to stop."""

    def __init__(self) -> None:
        """Nobody has asked yet."""
        self.signal: signal.Signals | None = None

    def __bool__(self) -> bool:
        """True once a signal has come."""
        return self.signal is not None


@contextlib.contextmanager
def stop_on_signals() -> Generator[StopRequest]:
    """A StopRequest that SIGINT and SIGTERM set while the block runs; outside the main thread nothing is caught."""
    request = StopRequest()

    def ask(number: int, frame: FrameType | None) -> None:
        if request and number == signal.SIGINT:
            raise KeyboardInterrupt
        request.signal = signal.Signals(number)

    try:
        previous = {number: signal.signal(number, ask) for number in SIGNALS}
    except ValueError:  # not the main thread: a notebook's or a test's worker
        previous = {}
    try:
        yield request
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
