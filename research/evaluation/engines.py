"""A player in a process of its own, behind the Go Text Protocol: any command line, asked one line at a time.

A process is not to be trusted: it may not start, write what is no answer, end, or never answer. Input, output and
standard error are watched together under one deadline, so asking takes no longer than it may, whatever the process
does. One that failed is killed with everything it has started, and what it last wrote on standard error goes into the
message; the next question starts it afresh. So whoever begins every game with the same few commands needs no other
care for restarts.

Lines before an answer's `=` or `?` are passed over: many engines greet on stdout.

*Source:* GTP version 2 draft 2, sections 2.5 to 2.7.
"""

import contextlib
import os
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Sequence
from types import TracebackType

QUIT_S = 3.0  # that a process may take to end when it is told to
MAX_ANSWER_BYTES = 1 << 20  # of one answer, with what stands before it
KEPT_ERROR_BYTES = 2000  # of standard error, the latest
CHUNK_BYTES = 1 << 16


class EngineError(Exception):
    """A process gave no answer that could be used."""


class EngineFault(EngineError):
    """It did not start, ended, wrote no end of garbage, or did not answer in time; it runs no more."""


class EngineRefusal(EngineError):
    """It answered that it will not; the text is its own."""


class Engine:
    """One process; use it in a `with` statement. Only one thread may ask it."""

    def __init__(self, name: str, command: Sequence[str], start_s: float = 0.0):
        """An engine that is started when it is first asked, and then may take `start_s` seconds at least to answer."""
        self.name = name
        self.command = tuple(command)
        self.start_s = start_s
        self.num_starts = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._selector = selectors.DefaultSelector()
        self._errors = b""
        self._has_answered = False
        self._commands: frozenset[str] | None = None

    def __enter__(self) -> "Engine":
        """Itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process."""
        self.close()

    def ask(self, command: str, timeout_s: float) -> str:
        """The answer to a command, without its `=`; starts the process if none runs.

        *Raises:* EngineRefusal for an answer with `?`, EngineFault if there is none within `timeout_s` seconds.
        """
        if self._process is None:
            self._start()
        limit_s = timeout_s if self._has_answered else max(timeout_s, self.start_s)
        try:
            is_refusal, answer = self._exchange(command, time.monotonic() + limit_s)
        except TimeoutError:
            raise self._failed(f"no answer to {command!r} within {limit_s:g} s") from None
        self._has_answered = True
        if is_refusal:
            raise EngineRefusal(answer)
        return answer

    def knows(self, command: str, timeout_s: float) -> bool:
        """Whether it lists a command; *Raises:* EngineFault."""
        if self._commands is None or self._process is None:
            try:
                self._commands = frozenset(self.ask("list_commands", timeout_s).split())
            except EngineRefusal:
                self._commands = frozenset()
        return command in self._commands

    def close(self) -> None:
        """End the process: `quit`, and if that does not help, by force."""
        process = self._process
        if process is None:
            return
        with contextlib.suppress(EngineError):
            if self._has_answered:
                self.ask("quit", QUIT_S)
        if self._process is not None:
            assert process.stdin is not None
            process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(QUIT_S)
            self.kill()
            self._forget()

    def kill(self) -> None:
        """End the process, and all that it has started, at once; any thread may do that to make `ask` fail."""
        process = self._process
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def _start(self) -> None:
        """Start the process; *Raises:* EngineFault."""
        self._forget()
        try:
            process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # so that Ctrl-C is ours alone, and all of its children end with it
            )
        except (OSError, ValueError) as error:
            raise EngineFault(f"{self.name}: {shlex.join(self.command)} cannot be started: {error}") from None
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for pipe in (process.stdin, process.stdout, process.stderr):
            os.set_blocking(pipe.fileno(), False)
        self._process, self._errors, self._has_answered, self._commands = process, b"", False, None
        self._selector = selectors.DefaultSelector()
        self._selector.register(process.stdout, selectors.EVENT_READ)
        self._selector.register(process.stderr, selectors.EVENT_READ)
        self.num_starts += 1

    def _exchange(self, command: str, deadline: float) -> tuple[bool, str]:
        """(Whether it refuses, its text); *Raises:* EngineFault, TimeoutError."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        received = b""
        self._pump(received, 0.0)  # what was written unasked answers nothing
        waiting = command.encode() + b"\n"
        self._selector.register(process.stdin, selectors.EVENT_WRITE)
        try:
            while (answer := _answer_in(received)) is None or waiting:
                if len(received) > MAX_ANSWER_BYTES:
                    raise self._failed(f"more than {MAX_ANSWER_BYTES} bytes for {command!r}, and no end")
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                received, can_write = self._pump(received, left)
                if can_write and waiting:
                    with contextlib.suppress(BrokenPipeError):
                        waiting = waiting[os.write(process.stdin.fileno(), waiting) :]
                    if not waiting:
                        self._selector.unregister(process.stdin)
            return answer
        finally:
            with contextlib.suppress(KeyError, ValueError):
                self._selector.unregister(process.stdin)

    def _pump(self, received: bytes, timeout_s: float) -> tuple[bytes, bool]:
        """(`received` and what has come on stdout, whether stdin takes something); *Raises:* EngineFault at the end."""
        process = self._process
        assert process is not None
        can_write = False
        for key, _ in self._selector.select(timeout_s):
            if key.fileobj is process.stdin:
                can_write = True
                continue
            chunk = os.read(key.fd, CHUNK_BYTES)
            if key.fileobj is process.stderr:
                self._errors = (self._errors + chunk)[-KEPT_ERROR_BYTES:]
                if not chunk:
                    self._selector.unregister(key.fileobj)
            elif chunk:
                received += chunk
            else:
                raise self._failed("it ended")
        return received, can_write

    def _failed(self, reason: str) -> EngineFault:
        """The fault for `reason`, with how the process ended and what it said; the process is no more."""
        process = self._process
        assert process is not None
        if reason == "it ended":
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(1.0)  # for its own exit code rather than ours
            assert process.stderr is not None
            with contextlib.suppress(BlockingIOError):
                self._errors += os.read(process.stderr.fileno(), CHUNK_BYTES)
        code = process.poll()
        self.kill()
        self._forget()
        ending = f"; exit code {code}" if code is not None else ""
        said = self._errors.decode("utf-8", errors="replace").strip()
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        tail = f"; its last words: {' / '.join(lines[-3:])}" if lines else ""
        return EngineFault(f"{self.name}: {reason}{ending}{tail}")

    def _forget(self) -> None:
        """Let go of a process that runs no more."""
        process, self._process = self._process, None
        self._selector.close()
        if process is not None:
            for pipe in (process.stdin, process.stdout, process.stderr):
                assert pipe is not None
                pipe.close()


def _answer_in(received: bytes) -> tuple[bool, str] | None:
    """(Whether it is a refusal, the text) of the first complete answer; None if there is none yet."""
    text = received.decode("utf-8", errors="replace").replace("\r", "")
    lines = text.split("\n")[:-1]
    start = next((number for number, line in enumerate(lines) if line[:1] in ("=", "?")), None)
    if start is None or "" not in lines[start:]:
        return None
    end = lines.index("", start)
    head, *rest = lines[start:end]
    return head[0] == "?", "\n".join([head[1:].lstrip("0123456789").strip(), *rest]).strip()
