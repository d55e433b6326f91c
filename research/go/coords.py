"""Names of points: GTP text, (row, column), actions, SGF text, influence indices.

A point is a pair (row, column), row 0 at the top, or None for a pass; everything else converts to and from that.

| form | D4 on 19x19 | pass |
|---|---|---|
| point | (15, 3) | None |
| GTP | "D4": column letter without I, row counted from the bottom | "pass" |
| action | row * size + column = 288 | size * size |
| SGF | "dp": column letter, then row letter from the top | "", and "tt" up to 19x19 |
| influence index | row by row from the bottom, A1 first = 60 | none |

*Source:* GTP version 2 draft 2, section 2.11; SGF FF[4], "Go (GM=1)".
"""

import operator

from research.go.rules import MAX_SIZE, MIN_SIZE

Point = tuple[int, int] | None  # (row, column), or None for a pass

GTP_COLUMNS = "ABCDEFGHJKLMNOPQRST"
SGF_LETTERS = "abcdefghijklmnopqrs"
GTP_PASS = "pass"
SGF_PASSES = ("", "tt")


def point_from_gtp(text: str, size: int) -> Point:
    """The point called `text` in GTP, letters in any case; *Raises:* ValueError if it names none."""
    _check_size(size)
    name = text.strip().upper()
    if name == GTP_PASS.upper():
        return None
    column, row = name[:1], name[1:]
    if column == "I":
        raise ValueError(f"{text!r}: GTP has no column I; after H comes J")
    if not column or column not in GTP_COLUMNS or not (row.isascii() and row.isdigit()):
        raise ValueError(f"{text!r} is no point; wanted is a letter and a number, such as D4, or pass")
    point = (size - int(row), GTP_COLUMNS.index(column))
    return _checked(point, size, text)


def gtp_from_point(point: Point, size: int) -> str:
    """Such as "D4", or "pass"; *Raises:* ValueError for a point off the board."""
    if point is None:
        return GTP_PASS
    row, column = _checked(point, size, point)
    return f"{GTP_COLUMNS[column]}{size - row}"


def point_from_action(action: int, size: int) -> Point:
    """The point of an action; *Raises:* ValueError for a number that is no action."""
    _check_size(size)
    if not 0 <= action <= size * size:
        raise ValueError(f"action {action} is none: allowed are 0 to {size * size} at size {size}, the last to pass")
    return None if action == size * size else divmod(action, size)


def action_from_point(point: Point, size: int) -> int:
    """row * size + column, size * size for a pass; *Raises:* ValueError for a point off the board."""
    if point is None:
        _check_size(size)
        return size * size
    row, column = _checked(point, size, point)
    return row * size + column


def point_from_sgf(text: str, size: int) -> Point:
    """The point called `text` in SGF; *Raises:* ValueError if it names none."""
    _check_size(size)
    if text in SGF_PASSES:
        return None
    if len(text) != 2 or not set(text) <= set(SGF_LETTERS):
        raise ValueError(f"{text!r} is no SGF point; wanted are two letters a to {SGF_LETTERS[size - 1]}, or nothing")
    column, row = (SGF_LETTERS.index(letter) for letter in text)
    return _checked((row, column), size, text)


def sgf_from_point(point: Point, size: int) -> str:
    """Such as "dp", or "" for a pass; *Raises:* ValueError for a point off the board."""
    if point is None:
        return SGF_PASSES[0]
    row, column = _checked(point, size, point)
    return SGF_LETTERS[column] + SGF_LETTERS[row]


def point_from_influence(index: int, size: int) -> tuple[int, int]:
    """The point of an influence index; *Raises:* ValueError for a number that is none."""
    _check_size(size)
    if not 0 <= index < size * size:
        raise ValueError(f"influence index {index} is none: allowed are 0 to {size * size - 1} at size {size}")
    row_from_bottom, column = divmod(index, size)
    return size - 1 - row_from_bottom, column


def influence_from_point(point: tuple[int, int], size: int) -> int:
    """Index of the point counted from A1, row by row upwards; *Raises:* ValueError for one off the board."""
    row, column = _checked(point, size, point)
    return (size - 1 - row) * size + column


def gtp_from_action(action: int, size: int) -> str:
    """GTP name of an action."""
    return gtp_from_point(point_from_action(action, size), size)


def action_from_gtp(text: str, size: int) -> int:
    """Action that GTP calls `text`; *Raises:* ValueError if it names none."""
    return action_from_point(point_from_gtp(text, size), size)


def _checked(point: tuple[int, int], size: int, name: object) -> tuple[int, int]:
    _check_size(size)
    try:
        row, column = (operator.index(number) for number in point)
    except (TypeError, ValueError):
        raise ValueError(f"{name!r} is no point; wanted is a pair of whole numbers, (row, column)") from None
    if not (0 <= row < size and 0 <= column < size):
        raise ValueError(f"{name!r} is off the board: rows and columns are 0 to {size - 1} at size {size}")
    return row, column


def _check_size(size: int) -> None:
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise ValueError(f"size={size}: allowed is {MIN_SIZE} to {MAX_SIZE}")
