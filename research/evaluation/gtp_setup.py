"""GTP's commands that say what is on the board and what is played: size, komi, stones, handicap, moves, undo, rules.

*Source:* GTP version 2 draft 2, sections 4.1.1, 6.3 and 6.4; GoGui's documentation of the `gogui-` commands.
"""

import json
import zlib

from research.evaluation import gtp_rules
from research.evaluation.gtp_game import Move, Record, Stone, has_dead_chain
from research.evaluation.gtp_session import MAX_KOMI, Session
from research.go.coords import GTP_COLUMNS
from research.go.text import SYMBOLS
from research.interop import gtp

MIN_FIXED_SIZE = 7  # smaller boards have no places for a fixed handicap
LARGE_SIZE = 13  # from here on handicap stones stand on the fourth line, else on the third
NUM_MARKED = 3  # latest moves that a shown board numbers


def boardsize(session: Session, arguments: tuple[str, ...]) -> str:
    """An empty square board of this size."""
    parts = tuple(part for argument in arguments for part in argument.split(":"))
    sizes = [gtp.read_integer(parts, place, gtp.NO_SIZE) for place in range(max(1, min(2, len(parts))))]
    if len(set(sizes)) > 1:
        raise gtp.GtpError(gtp.UNACCEPTABLE_SIZE)
    session.resize(sizes[0])
    return ""


def clear_board(session: Session, arguments: tuple[str, ...]) -> str:
    """An empty board."""
    session.clear()
    return ""


def komi(session: Session, arguments: tuple[str, ...]) -> str:
    """Points for White, at any time."""
    points = gtp.read_float(arguments, 0, gtp.NO_KOMI)
    if abs(points) > MAX_KOMI or (2 * points) % 1:
        raise gtp.GtpError(gtp.UNACCEPTABLE_KOMI)
    session.komi = points
    return ""


def get_komi(session: Session, arguments: tuple[str, ...]) -> str:
    """Points for White."""
    return f"{session.komi:.1f}"


def play(session: Session, arguments: tuple[str, ...]) -> str:
    """A move by either colour."""
    session.play(*gtp.read_move(arguments, session.size))
    return ""


def play_sequence(session: Session, arguments: tuple[str, ...]) -> str:
    """Several moves, all or none."""
    before = session.game.record
    try:
        for colour, point in _pairs(session, arguments):
            session.play(colour, point)
    except gtp.GtpError:
        session.rebuild(before)
        raise
    return ""


def undo(session: Session, arguments: tuple[str, ...]) -> str:
    """The latest move taken back, or as many as are told."""
    session.undo(gtp.read_integer(arguments, 0, gtp.CANNOT_UNDO) if arguments else 1)
    return ""


def set_up(session: Session, arguments: tuple[str, ...]) -> str:
    """Stones on an otherwise empty board; a later one replaces an earlier one."""
    placed = {}
    for colour, point in _pairs(session, arguments):
        if point is None:
            raise gtp.GtpError(gtp.INVALID_MOVE)
        placed[point] = colour
    stones = tuple((colour, point) for point, colour in placed.items())
    if has_dead_chain(session.size, stones):
        raise gtp.GtpError("a chain has no liberty")
    session.set_up(Record(stones), 0)
    return ""


def set_up_player(session: Session, arguments: tuple[str, ...]) -> str:
    """Who moves next."""
    colour = gtp.only_colour(arguments)
    record = session.game.record
    if not record.moves:
        session.rebuild(record._replace(first_player=colour))
    else:
        session.game.turn_to(colour)
    return ""


def fixed_handicap(session: Session, arguments: tuple[str, ...]) -> str:
    """Black stones where custom has them."""
    number = _handicap_number(session, arguments)
    points = fixed_points(session.size, number)
    if points is None:
        raise gtp.GtpError(gtp.INVALID_HANDICAP)
    return _give_handicap(session, points)


def place_free_handicap(session: Session, arguments: tuple[str, ...]) -> str:
    """Black stones where the engine wants them: as custom has them, then as far from each other as can be."""
    number = _handicap_number(session, arguments)
    size = session.size
    if number >= size * size:
        raise gtp.GtpError(gtp.INVALID_HANDICAP)
    points = next(found for few in range(min(number, 9), -1, -1) if (found := fixed_points(size, few)) is not None)
    empty = [divmod(action, size) for action in range(size * size)]
    while len(points) < number:
        empty = [point for point in empty if point not in points]
        points.append(max(empty, key=lambda point: _distance(point, points, size)))
    return _give_handicap(session, points)


def set_free_handicap(session: Session, arguments: tuple[str, ...]) -> str:
    """Black stones where the controller wants them."""
    if not session.game.is_empty:
        raise gtp.GtpError(gtp.BOARD_NOT_EMPTY)
    points = []
    for argument in arguments:
        point = gtp.read_vertex(argument, session.size)
        if point is None:
            raise gtp.GtpError(gtp.INVALID_COORDINATE)
        if point in points:
            raise gtp.GtpError(gtp.REPEATED_VERTEX)
        points.append(point)
    if not 2 <= len(points) < session.size**2:
        raise gtp.GtpError(gtp.INVALID_HANDICAP)
    _give_handicap(session, points)
    return ""


def get_rules(session: Session, arguments: tuple[str, ...]) -> str:
    """The rules as JSON."""
    return gtp_rules.as_json(session.rule_set)


def set_rules(session: Session, arguments: tuple[str, ...]) -> str:
    """Rules by KataGo's name or as JSON."""
    session.set_rules(gtp_rules.read_rule_set(" ".join(arguments)))
    return ""


def set_kgs_rules(session: Session, arguments: tuple[str, ...]) -> str:
    """Rules by KGS's name."""
    session.set_rules(gtp_rules.kgs_rule_set(" ".join(arguments)))
    return ""


def showboard(session: Session, arguments: tuple[str, ...]) -> str:
    """The board, who is next, the rules, and how many stones each colour has lost."""
    game, size = session.game, session.size
    stones = game.stones()
    first_marked = max(0, game.num_moves - NUM_MARKED)
    marks = {point: str(number + 1) for number, (_, point) in enumerate(game.record.moves[first_marked:])}
    rows = []
    for row in range(size):
        cells = [SYMBOLS[stones[row, column]] + marks.get((row, column), " ") for column in range(size)]
        marked = [cell if cell[0] != "." else ". " for cell in cells]
        rows.append(f"{size - row:2d} {''.join(marked)}".rstrip())
    rules = json.loads(gtp_rules.as_json(session.rule_set)) | {"komi": session.komi}
    return "\n".join(
        [
            f"MoveNum: {game.num_moves} HASH: {zlib.crc32(stones.tobytes()):08X}",
            "   " + " ".join(GTP_COLUMNS[:size]),
            *rows,
            f"Next player: {game.to_play.capitalize()}",
            f"Rules: {json.dumps(rules, separators=(',', ':'), sort_keys=True)}",
            f"B stones captured: {game.captured['black']}",
            f"W stones captured: {game.captured['white']}",
        ]
    )


def fixed_points(size: int, number: int) -> list[tuple[int, int]] | None:
    """Where `number` handicap stones stand by custom, None if there is no such custom."""
    most = 9 if size % 2 and size > MIN_FIXED_SIZE else 4
    if number == 0:
        return []
    if size < MIN_FIXED_SIZE or not 2 <= number <= most:
        return None
    near = 3 if size >= LARGE_SIZE else 2
    far, middle = size - 1 - near, size // 2
    corners = [(far, near), (near, far), (near, near), (far, far)]
    sides = [(middle, near), (middle, far), (far, middle), (near, middle)]
    if number <= 4:
        return corners[:number]
    centre = [(middle, middle)] if number % 2 else []
    return corners + sides[: (number - 4) // 2 * 2] + centre


def _handicap_number(session: Session, arguments: tuple[str, ...]) -> int:
    """The number of stones that is wanted; *Raises:* GtpError."""
    if not session.game.is_empty:
        raise gtp.GtpError(gtp.BOARD_NOT_EMPTY)
    number = gtp.read_integer(arguments, 0, gtp.NO_HANDICAP)
    if number < 2:
        raise gtp.GtpError(gtp.INVALID_HANDICAP)
    return number


def _give_handicap(session: Session, points: list[tuple[int, int]]) -> str:
    """Set the stones, White is next; the reply names them."""
    stones: tuple[Stone, ...] = tuple(("black", point) for point in points)
    session.set_up(Record(stones, "white"), len(stones))
    return gtp.vertices(points, session.size)


def _distance(point: tuple[int, int], points: list[tuple[int, int]], size: int) -> float:
    """How far `point` is from the nearest of `points` and, counted less, from the edge."""
    edge = min(*point, size - 1 - point[0], size - 1 - point[1])
    nearest = min((abs(point[0] - row) + abs(point[1] - column) for row, column in points), default=size)
    return nearest + 0.5 * min(edge, 3)


def _pairs(session: Session, arguments: tuple[str, ...]) -> list[Move]:
    """Colours and points in turn; *Raises:* GtpError."""
    if len(arguments) % 2:
        raise gtp.GtpError(gtp.INVALID_MOVE)
    return [gtp.read_move(arguments[place : place + 2], session.size) for place in range(0, len(arguments), 2)]
