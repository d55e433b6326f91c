"""A player behind the Go Text Protocol: the table of commands, and the loop that answers lines one by one.

Input is read by a thread of its own, so that an analysis can see that the next line has come, and so that lines which
were sent together wait in order. One answer is written at a time and flushed; nothing else is ever written there. The
end of the input is `quit`.

A command that fails says so in its reply; a fault of ours becomes one too, with its traceback on stderr, and the game
goes on: a controller must never be left without an answer.

*Source:* GTP version 2 draft 2, sections 2 and 3.
"""

import threading
import time
import traceback
from collections import deque
from collections.abc import Iterable
from io import TextIOBase

from research.evaluation import (
    gtp_analysis,
    gtp_files,
    gtp_influence,
    gtp_network,
    gtp_scoring,
    gtp_setup,
    gtp_thinking,
)
from research.evaluation.gtp_session import Answer, Command, Session
from research.interop import gtp

# Lizzie takes an engine's lines for Leela Zero's from 0.15 on, and reads the second number only.
VERSION = "0.20"
FAULT = "internal error"


class Input:
    """Lines that come in, read ahead by a thread."""

    def __init__(self, lines: Iterable[str]):
        """Begin to read."""
        self._lines: deque[str] = deque()
        self._is_at_end = False
        self._changed = threading.Condition()
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()

    def next_line(self) -> str | None:
        """The next line, waited for; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._lines or self._is_at_end)
            return self._lines.popleft() if self._lines else None

    def wait(self, seconds: float) -> bool:
        """Whether a line, or the end, is there or comes within so many seconds."""
        with self._changed:
            return bool(self._changed.wait_for(lambda: self._lines or self._is_at_end, timeout=seconds))

    def is_interrupted(self) -> bool:
        """Whether the next line asks to stop what is running."""
        with self._changed:
            return bool(self._lines) and gtp.is_interrupt(self._lines[0])

    def _read(self, lines: Iterable[str]) -> None:
        try:
            for line in lines:
                with self._changed:
                    self._lines.append(line)
                    self._changed.notify_all()
        finally:
            with self._changed:
                self._is_at_end = True
                self._changed.notify_all()


def serve(session: Session, lines: Iterable[str], output: TextIOBase) -> None:
    """Answer every line until `quit` or the end."""
    source = Input(lines)
    session.wait_for_input, session.is_interrupted = source.wait, source.is_interrupted
    while not session.is_over and (line := source.next_line()) is not None:
        request = gtp.read_request(line)
        if request is not None:
            try:
                _answer(session, request, output)
            except BrokenPipeError:  # nobody listens any more
                return


def _answer(session: Session, request: gtp.Request, output: TextIOBase) -> None:
    """Write the one reply to a request."""
    is_streaming = False
    try:
        answer = answer_of(session, request)
        if isinstance(answer, str):
            output.write(gtp.reply(request.number, answer))
        else:
            is_streaming = True
            output.write(gtp.reply_head(request.number) + "\n")
            output.flush()
            for text in answer:
                output.write(text + "\n")
                output.flush()
            output.write("\n")
    except BrokenPipeError:
        raise
    except gtp.GtpError as error:
        output.write("\n" if is_streaming else gtp.reply(request.number, str(error), is_error=True))
    except Exception:
        traceback.print_exc()
        output.write("\n" if is_streaming else gtp.reply(request.number, FAULT, is_error=True))
    output.flush()


def answer_of(session: Session, request: gtp.Request) -> Answer:
    """What a command answers; *Raises:* GtpError."""
    command = COMMANDS.get(request.command)
    if command is None:
        raise gtp.GtpError(gtp.UNKNOWN_COMMAND)
    return command(session, request.arguments)


def _protocol_version(session: Session, arguments: tuple[str, ...]) -> str:
    return gtp.PROTOCOL_VERSION


def _name(session: Session, arguments: tuple[str, ...]) -> str:
    return session.thinker.name


def _version(session: Session, arguments: tuple[str, ...]) -> str:
    return VERSION


def _known_command(session: Session, arguments: tuple[str, ...]) -> str:
    return "true" if arguments and arguments[0] in COMMANDS else "false"


def _list_commands(session: Session, arguments: tuple[str, ...]) -> str:
    return "\n".join(COMMANDS)


def _quit(session: Session, arguments: tuple[str, ...]) -> str:
    session.is_over = True
    return ""


def _nothing(session: Session, arguments: tuple[str, ...]) -> str:
    """For what needs no doing: the answer is that it is done."""
    return ""


def _clear_cache(session: Session, arguments: tuple[str, ...]) -> str:
    """Have the player forget trees and evaluations."""
    session.thinker.forget()
    return ""


def _describe(session: Session, arguments: tuple[str, ...]) -> str:
    """Several lines about the engine."""
    return f"{session.thinker.name} {VERSION}\nsize {session.size}, komi {session.komi:g}\n{session.config}"


def _cpu_time(session: Session, arguments: tuple[str, ...]) -> str:
    return f"{time.process_time() - session.started:.3f}"


def _gogui_commands(session: Session, arguments: tuple[str, ...]) -> str:
    return "\n".join(ANALYZE_COMMANDS)


COMMANDS: dict[str, Command] = {
    "protocol_version": _protocol_version,
    "name": _name,
    "version": _version,
    "known_command": _known_command,
    "list_commands": _list_commands,
    "quit": _quit,
    "boardsize": gtp_setup.boardsize,
    "rectangular_boardsize": gtp_setup.boardsize,
    "clear_board": gtp_setup.clear_board,
    "komi": gtp_setup.komi,
    "get_komi": gtp_setup.get_komi,
    "play": gtp_setup.play,
    "undo": gtp_setup.undo,
    "gg-undo": gtp_setup.undo,
    "fixed_handicap": gtp_setup.fixed_handicap,
    "place_free_handicap": gtp_setup.place_free_handicap,
    "set_free_handicap": gtp_setup.set_free_handicap,
    "showboard": gtp_setup.showboard,
    "kata-get-rules": gtp_setup.get_rules,
    "kata-set-rules": gtp_setup.set_rules,
    "kgs-rules": gtp_setup.set_kgs_rules,
    "genmove": gtp_thinking.genmove,
    "reg_genmove": gtp_thinking.reg_genmove,
    "kgs-genmove_cleanup": gtp_thinking.genmove_cleanup,
    "time_settings": gtp_thinking.time_settings,
    "time_left": gtp_thinking.time_left,
    "kgs-time_settings": gtp_thinking.kgs_time_settings,
    "analyze": gtp_analysis.analyze,
    "kata-analyze": gtp_analysis.analyze,
    "lz-analyze": gtp_analysis.lz_analyze,
    "genmove_analyze": gtp_analysis.genmove_analyze,
    "kata-genmove_analyze": gtp_analysis.genmove_analyze,
    "cgos-genmove_analyze": gtp_analysis.genmove_analyze,
    "lz-genmove_analyze": gtp_analysis.lz_genmove_analyze,
    "kata-raw-nn": gtp_network.raw_nn,
    "stop": _nothing,
    "clear_cache": _clear_cache,
    "final_score": gtp_scoring.final_score,
    "final_status_list": gtp_scoring.final_status_list,
    "loadsgf": gtp_files.loadsgf,
    "printsgf": gtp_files.printsgf,
    "kgs-game_over": _nothing,
    "cputime": _cpu_time,
    "gomill-cpu_time": _cpu_time,
    "gomill-explain_last_move": gtp_analysis.explain_last_move,
    "gomill-describe_engine": _describe,
    "gogui-analyze_commands": _gogui_commands,
    "gogui-interrupt": _nothing,
    "gogui-play_sequence": gtp_setup.play_sequence,
    "gogui-setup": gtp_setup.set_up,
    "gogui-setup_player": gtp_setup.set_up_player,
    "miai-influence": gtp_influence.show_influence,
    "miai-influence-graphics": gtp_influence.show_graphics,
    "miai-influence-text": gtp_influence.show_text,
    "miai-ownership": gtp_network.show_ownership,
    "miai-policy": gtp_analysis.policy,
    "miai-value": gtp_analysis.value,
    "miai-variation": gtp_analysis.variation,
}

ANALYZE_COMMANDS = (
    "pspairs/Policy/miai-policy %c",
    "string/Winning Probability/miai-value %c",
    "dboard/Ownership/miai-ownership %c",
    "dboard/Influence/miai-influence %c",
    "gfx/Influence as Squares/miai-influence-graphics %c",
    "hstring/Influence as Text/miai-influence-text %c",
    "varc/Best Line/miai-variation %c",
    "string/Final Score/final_score",
    "plist/Dead Stones/final_status_list dead",
    "hstring/Last Move Explained/gomill-explain_last_move",
    "hstring/Rules/kata-get-rules",
)
