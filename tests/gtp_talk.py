"""Talks with an engine: a transcript has the lines that are sent behind `> ` and, under each, the reply as it must be.

A reply's lines are compared one by one; in what is wanted, `*` stands for anything.
"""

import io
from contextlib import redirect_stderr
from fnmatch import fnmatchcase

from research.evaluation.gtp_engine import serve
from research.evaluation.gtp_session import EngineConfig, Session, new_session
from research.evaluation.gtp_thinkers import RandomThinker


def random_session(size: int = 9, **settings: float) -> Session:
    """An engine that plays by chance."""
    return new_session(RandomThinker(seed=1), EngineConfig(**settings), size)


def send(session: Session, text: str, has_fault: bool = False) -> list[str]:
    """The replies to some lines, sent all at once, without the empty lines behind them."""
    output, errors = io.StringIO(), io.StringIO()
    with redirect_stderr(errors):
        serve(session, iter(text.splitlines(keepends=True)), output)
    assert ("Traceback" in errors.getvalue()) == has_fault, errors.getvalue()
    written = output.getvalue()
    assert written == "" or written.endswith("\n\n")
    replies = written.split("\n\n")[:-1]
    assert all(reply and reply == reply.strip("\n") for reply in replies), "an empty line too many"
    return replies


def ask(session: Session, line: str) -> str:
    """The reply to one line."""
    (reply,) = send(session, line + "\n")
    return reply


def check(session: Session, transcript: str) -> None:
    """Send a transcript's lines one by one and compare."""
    for exchange in transcript.strip().split("> ")[1:]:
        command, *wanted = exchange.rstrip("\n").split("\n")
        wanted = [line for line in wanted if line.strip()]
        replies = send(session, command + "\n")
        got = [line for reply in replies for line in reply.split("\n")]
        alike = len(got) == len(wanted) and all(map(fnmatchcase, got, (line.replace("[", "[[]") for line in wanted)))
        assert alike, f"> {command}\nwanted:\n" + "\n".join(wanted) + "\ngot:\n" + "\n".join(got)
