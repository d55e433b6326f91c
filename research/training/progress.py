"""What a person sees while a run goes on: a bar, and one line an iteration."""

from types import TracebackType
from typing import Protocol, runtime_checkable

import rich.progress
from rich.console import Console


@runtime_checkable
class Progress(Protocol):
    """Told by the loop what happens; a context manager around the run."""

    def __enter__(self) -> "Progress": ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def start(self, iteration: int, num_iterations: int) -> None:
        """The loop begins at `iteration` finished iterations of `num_iterations`."""
        ...

    def advance(self, iteration: int, line: str, alarms: list[str]) -> None:
        """`iteration` iterations are finished; `line` sums the last one up, `alarms` say what looks wrong."""
        ...

    def say(self, message: str) -> None:
        """Something that a person should know."""
        ...


class SilentProgress:
    """Says nothing: for tests and for callers that read the metrics."""

    def __enter__(self) -> "SilentProgress":
        """Nothing to set up."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to clean up."""

    def start(self, iteration: int, num_iterations: int) -> None:
        """Nothing."""

    def advance(self, iteration: int, line: str, alarms: list[str]) -> None:
        """Nothing."""

    def say(self, message: str) -> None:
        """Nothing."""


class ConsoleProgress:
    """A bar where there is a terminal, lines everywhere."""

    def __init__(self, console: Console) -> None:
        """Writes to `console`."""
        self.console = console
        self.bar = rich.progress.Progress(
            rich.progress.TextColumn("training"),
            rich.progress.BarColumn(),
            rich.progress.MofNCompleteColumn(),
            rich.progress.TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
            transient=True,
        )
        self.task: rich.progress.TaskID | None = None

    def __enter__(self) -> "ConsoleProgress":
        """Show the bar."""
        self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        self.bar.stop()

    def start(self, iteration: int, num_iterations: int) -> None:
        """Set the bar to where the run stands."""
        self.say("compiling; the first iteration takes longer")
        self.task = self.bar.add_task("training", completed=iteration, total=num_iterations)

    def advance(self, iteration: int, line: str, alarms: list[str]) -> None:
        """Move the bar and print the line, alarms under it."""
        self.console.print(line, highlight=False, soft_wrap=True)
        for alarm in alarms:
            self.console.print(f"  warning: {alarm}", style="yellow", highlight=False, soft_wrap=True)
        if self.task is not None:
            self.bar.update(self.task, completed=iteration)

    def say(self, message: str) -> None:
        """Print a line."""
        self.console.print(message, highlight=False, soft_wrap=True)
