"""GTP's commands for game records: `loadsgf` and `printsgf`.

A record is loaded whatever its rules think of repeated positions; only a move that no rules allow stops it, and then
nothing is loaded. Size and komi come from the record, the rules stay the controller's. `loadsgf FILE N` stops just
before move N, as GNU Go does, and the reply names who is to move.

*Source:* GTP version 2 draft 2, section 6.3 (`loadsgf`); GNU Go 3.8 for the reply and for `printsgf`.
"""

from pathlib import Path

from research.evaluation.gtp_game import NUMBER, HostGame, Record, has_dead_chain
from research.evaluation.gtp_scoring import NO_RESULT, judgement_of, score_text
from research.evaluation.gtp_session import Session
from research.go import coords
from research.go.rules import MAX_SIZE, Rules
from research.interop import gtp, sgf
from research.interop.sgf.rulesets import rules_text

_COLOURS = {number: colour for colour, number in NUMBER.items()}


def loadsgf(session: Session, arguments: tuple[str, ...]) -> str:
    """The position of a record's main line; who is to move."""
    name, number = _name_and_move(arguments)
    record = _read(name)
    if not isinstance(record.size, int) or not session.thinker.can_play(record.size):
        raise gtp.GtpError(gtp.UNACCEPTABLE_SIZE)
    num_moves = _num_moves(record, number)
    illegal = record.first_illegal_move
    if illegal is not None and illegal <= num_moves:
        raise gtp.GtpError(f"{_fault(name)}: move {illegal} is illegal")
    loaded = _follow(session, record, num_moves)
    if has_dead_chain(record.size, loaded.setup):
        raise gtp.GtpError(f"{_fault(name)}: a chain that is set up has no liberty")
    session.resize(record.size)
    session.komi = record.komi if "KM" in record.root.properties else session.komi
    session.set_up(loaded, record.handicap)
    colour = _next_player(record, num_moves)
    if colour is not None:
        session.game.turn_to(colour)
    return session.game.to_play


def printsgf(session: Session, arguments: tuple[str, ...]) -> str:
    """The game as a record, in the reply or, if a file is named, there."""
    text = sgf.write(record_tree(session)).decode("utf-8")
    if not arguments or arguments == ("-",):
        return text
    name = " ".join(arguments)
    try:
        Path(name).write_text(text, encoding="utf-8")
    except OSError:
        raise gtp.GtpError(f"cannot write '{name}'") from None
    return ""


def record_tree(session: Session) -> sgf.Node:
    """The game as a tree of SGF."""
    game, size = session.game, session.size
    root = sgf.Node({"FF": ["4"], "GM": ["1"], "CA": ["UTF-8"], "SZ": [str(size)], "KM": [f"{session.komi:g}"]})
    root.properties["HA"] = [str(session.num_handicap)]
    root.properties["RU"] = [rules_text(session.rule_set.rules)]
    if game.is_no_result:
        root.properties["RE"] = [NO_RESULT]
    elif game.num_passes >= 2:
        root.properties["RE"] = [score_text(judgement_of(session).lead)]
    for colour, point in game.record.setup:
        root.properties.setdefault("A" + colour[0].upper(), []).append(coords.sgf_from_point(point, size))
    if game.record.setup:
        root.properties["PL"] = [game.record.first_player[0].upper()]
    node = root
    for colour, point in game.record.moves:
        child = sgf.Node({colour[0].upper(): [coords.sgf_from_point(point, size)]})
        node.children.append(child)
        node = child
    return root


def _name_and_move(arguments: tuple[str, ...]) -> tuple[str, str | None]:
    """(File name, move number or vertex to stop before); a name may have blanks in it."""
    if not arguments:
        raise gtp.GtpError(gtp.NO_FILE_NAME)
    whole = " ".join(arguments)
    if len(arguments) > 1 and not Path(whole).exists() and _is_stop(arguments[-1]):
        return " ".join(arguments[:-1]), arguments[-1]
    return whole, None


def _is_stop(word: str) -> bool:
    """Whether a word can be a move's number or its vertex."""
    try:
        return word.isdecimal() or coords.point_from_gtp(word, MAX_SIZE) is not None
    except ValueError:
        return False


def _read(name: str) -> sgf.Record:
    """The first game of a file; *Raises:* GtpError."""
    try:
        return next(iter(sgf.load(name)))
    except (OSError, ValueError, StopIteration):
        raise gtp.GtpError(_fault(name)) from None


def _fault(name: str) -> str:
    return f"cannot open or parse '{name}'"


def _num_moves(record: sgf.Record, stop: str | None) -> int:
    """How many moves are to be made; a stop behind the end is the end."""
    if stop is None:
        return len(record.moves)
    if stop.isascii() and stop.isdecimal():
        return min(len(record.moves), max(0, gtp.read_integer((stop,), 0, gtp.SYNTAX_ERROR) - 1))
    size = record.size if isinstance(record.size, int) else 0
    point = gtp.read_vertex(stop, size)
    return next((number for number, (_, played) in enumerate(record.moves) if played == point), len(record.moves))


def _follow(session: Session, record: sgf.Record, num_moves: int) -> Record:
    """Stones and moves up to there; setting up in the middle begins a new list of moves."""
    size = record.size if isinstance(record.size, int) else 0
    rules: Rules = session.rule_set.sized(size)
    stones: dict[tuple[int, int], str] = {}
    moves = []
    for event in record.events:
        if event[0] == "play":
            if num_moves == 0:
                break
            num_moves -= 1
            moves.append((event[1], event[2]))
        elif event[0] == "set":
            if moves:
                stones, moves = _stones_after(rules, stones, moves), []
            stones.pop(event[2], None)
            if event[1] != "empty":
                stones[event[2]] = event[1]
    first_player = moves[0][0] if moves else "black"
    return Record(tuple((colour, point) for point, colour in stones.items()), first_player, tuple(moves))


def _stones_after(rules: Rules, stones: dict[tuple[int, int], str], moves: list) -> dict[tuple[int, int], str]:
    """What stands after these moves."""
    setup = tuple((colour, point) for point, colour in stones.items())
    board = HostGame(rules, Record(setup, moves[0][0], tuple(moves))).stones()
    size = rules.size
    points = [divmod(action, size) for action in range(size * size)]
    return {point: _COLOURS[int(board[point])] for point in points if board[point]}


def _next_player(record: sgf.Record, num_moves: int) -> str | None:
    """Who is to move there as far as the record tells: by the next move, else by PL, else by handicap."""
    if num_moves < len(record.moves):
        return record.moves[num_moves][0]
    told, num_left = None, num_moves
    for event in record.events:
        num_left -= event[0] == "play"
        told = event[1] if event[0] == "to_play" else None if event[0] == "play" else told
    if told is None and not num_moves and {colour for colour, _ in record.setup} == {"black"}:
        return "white"
    return told
