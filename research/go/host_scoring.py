"""Who has won, on the host: area with or without pass-dead stones, group tax, and territory, on boards of any shape.

The device plays squares and scores them by area (scoring.py, benson.py, group_tax.py). This is the same in plain
Python, for rectangles, for files and for players: chains and regions are sets of points, so it can be read against
the rules, and the device is tested against it. It adds what needs a judge, the territory score of a finished game whose
dead stones somebody names.

A board is an integer array [rows, columns]: 0 empty, 1 black, 2 white; so is a map of whose each point is. Every chain
must have a liberty. Scores are Black's points minus White's.

*Source:* as named in benson.py and group_tax.py; territory: the Japanese rules of 1989, articles 8 to 10, in
KataGo's reading, https://lightvector.github.io/KataGo/rules.html.
"""

from collections.abc import Iterable, Iterator
from typing import get_args

import numpy as np
from jaxtyping import Bool, Float, Int

from research.go.rules import Scoring, Tax

Point = tuple[int, int]
Chain = frozenset[Point]
Board = Int[np.ndarray, "rows columns"]

COLOURS = (1, 2)
POINTS_PER_AREA = 2  # that the tax "all" takes for each independently living group


def area_score(
    board: Board, komi: float | int, scoring: Scoring = "area", tax: Tax = "none", suicide: bool = False
) -> float:
    """Black's points minus White's, komi included, by area; `suicide` matters to who is pass-alive.

    *Raises:* ValueError for scoring by territory or an unknown rule.
    """
    _check("scoring", scoring, ("area", "area-pass-dead"))
    _check("tax", tax, get_args(Tax))
    owner = plain_area_map(board) if scoring == "area" else area_map(board, suicide)
    num_areas = (0, 0)
    if tax != "none":
        owner, num_areas = taxed_map(board, owner)
    if tax != "all":
        num_areas = (0, 0)
    return _lead(owner) - POINTS_PER_AREA * (num_areas[0] - num_areas[1]) - komi


def territory_score(
    board: Board,
    komi: float | int,
    dead: Bool[np.ndarray, "rows columns"] | None = None,
    captured: tuple[int, int] = (0, 0),
    tax: Tax = "seki",
) -> float:
    """Black's points minus White's, komi included, by territory: surrounded empty points and prisoners.

    `dead` marks the dead stones (None: none are), `captured` counts the black and the white stones taken off during the
    game. The game must be played out: what touches a neutral point or stands in atari is in seki, and under the taxes
    "seki" and "all" has no territory. *Raises:* ValueError if `dead` marks an empty point or a part of a chain.
    """
    _check("tax", tax, get_args(Tax))
    dead = np.zeros(board.shape, bool) if dead is None else dead
    _check_dead(board, dead)
    prisoners = [int(captured[colour - 1] + (dead & (board == colour)).sum()) for colour in COLOURS]
    alive = np.where(dead, 0, board)
    owner = plain_area_map(alive)
    num_areas = (0, 0)
    if tax != "none":
        owner, num_areas = taxed_map(alive, owner)
    if tax != "all":
        num_areas = (0, 0)
    territory = np.where(alive == 0, owner, 0)
    return _lead(territory) + prisoners[1] - prisoners[0] - POINTS_PER_AREA * (num_areas[0] - num_areas[1]) - komi


def plain_area_map(board: Board) -> Board:
    """Whose each point is by the Tromp-Taylor rules: stones, and empty regions that border on one colour alone."""
    owner = board.copy()
    for region in parts(board == 0):
        bordering = {int(board[near]) for point in region for near in neighbours(board, point)} - {0}
        if len(bordering) == 1:
            _mark(owner, region, bordering.pop())
    return owner


def area_map(
    board: Board,
    suicide: bool,
    safe_big_territories: bool = True,
    unsafe_big_territories: bool = True,
    non_pass_alive_stones: bool = True,
) -> Board:
    """Whose each point is, with the options of benson.area_map."""
    owner = np.zeros_like(board)
    for colour in COLOURS:
        alive, safe_regions = pass_alive(board, colour, suicide)
        for chain in alive:
            _mark(owner, chain, colour)
        for region in _regions(board, colour):
            has_enemy = any(board[point] != 0 for point in region)
            is_small = sum(not _touches(board, point, colour) for point in region) <= 1
            if region in safe_regions and (is_small or (safe_big_territories and not has_enemy)):
                _mark(owner, region, colour)
            elif unsafe_big_territories and not has_enemy:
                _mark(owner, (point for point in region if owner[point] == 0), colour)
    return np.where((owner == 0) & non_pass_alive_stones, board, owner)


def pass_alive(board: Board, colour: int, suicide: bool) -> tuple[set[Chain], set[Chain]]:
    """(The pass-alive chains of `colour`, the regions that border on those alone)."""
    regions = _regions(board, colour)
    alive = set(parts(board == colour))
    chain_at = {stone: chain for chain in alive for stone in chain}
    bordering, vital = {}, {}
    for region in regions:
        beside = {p: {chain_at[near] for near in neighbours(board, p) if near in chain_at} for p in region}
        bordering[region] = set().union(*beside.values())
        vital[region] = set.intersection(*(beside[point] for point in region if suicide or board[point] == 0))
    while True:
        safe = {region for region in regions if bordering[region] <= alive}
        still_alive = {chain for chain in alive if sum(chain in vital[region] for region in safe) >= 2}
        if still_alive == alive:
            return alive, safe
        alive = still_alive


def independent_areas(board: Board, owner: Board) -> tuple[list[Chain], list[Chain]]:
    """(Black's, White's areas in the map `owner` that touch no neutral point and hold no own stone in atari)."""
    found = ([], [])
    for colour in COLOURS:
        for area in parts(owner == colour):
            around = {near for point in area for near in neighbours(board, point)}
            touches_neutral = any(board[point] == 0 and owner[point] == 0 for point in around)
            own_stones = np.zeros(board.shape, bool)
            _mark(own_stones, (point for point in area if board[point] == colour), True)
            has_atari = any(len(_liberties(board, chain)) == 1 for chain in parts(own_stones))
            if not touches_neutral and not has_atari:
                found[colour - 1].append(area)
    return found


def taxed_map(
    board: Board, owner: Board, keep_territories: bool = False, keep_stones: bool = True
) -> tuple[Board, tuple[int, int]]:
    """(Whose each point of `owner` stays under group tax, the independent areas of black and white)."""
    areas = independent_areas(board, owner)
    is_kept = np.zeros(board.shape, bool)
    for area in areas[0] + areas[1]:
        _mark(is_kept, area, True)
    if keep_stones:
        is_kept |= owner == board
    if keep_territories:
        is_kept |= owner != board
    return np.where(is_kept, owner, 0), (len(areas[0]), len(areas[1]))


def taxed_points(board: Board, owner: Board) -> Float[np.ndarray, "rows columns"]:
    """What each point of the map `owner` is worth to Black, in points, if every area pays for two eyes.

    An area's own stones are worth a point each; its n other points share n - 2, or nothing if there are fewer.
    """
    points = np.zeros(board.shape)
    for colour, sign in zip(COLOURS, (1.0, -1.0), strict=True):
        for area in parts(owner == colour):
            other = [point for point in area if board[point] != colour]
            _mark(points, area, sign)
            _mark(points, other, sign * max(len(other) - POINTS_PER_AREA, 0) / max(len(other), 1))
    return points


def parts(mask: Bool[np.ndarray, "rows columns"]) -> list[Chain]:
    """The connected sets of points of `mask`."""
    found, seen = [], set()
    for start in zip(*map(np.ndarray.tolist, np.nonzero(mask)), strict=True):
        if start in seen:
            continue
        part, to_visit = {start}, [start]
        while to_visit:
            for near in neighbours(mask, to_visit.pop()):
                if mask[near] and near not in part:
                    part.add(near)
                    to_visit.append(near)
        seen |= part
        found.append(frozenset(part))
    return found


def neighbours(board: np.ndarray, point: Point) -> Iterator[Point]:
    """The points next to `point` on the board."""
    row, column = point
    for near in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
        if 0 <= near[0] < board.shape[0] and 0 <= near[1] < board.shape[1]:
            yield near


def _regions(board: Board, colour: int) -> list[Chain]:
    """The connected sets of points without a stone of `colour`, one of them empty; none if it has no stone at all."""
    if not (board == colour).any():
        return []
    return [region for region in parts(board != colour) if any(board[point] == 0 for point in region)]


def _touches(board: Board, point: Point, colour: int) -> bool:
    """Whether `point` is next to a stone of `colour`."""
    return any(board[near] == colour for near in neighbours(board, point))


def _liberties(board: Board, chain: Chain) -> set[Point]:
    """The empty points next to the chain."""
    return {near for point in chain for near in neighbours(board, point) if board[near] == 0}


def _mark(owner: np.ndarray, points: Iterable[Point], value: float | int) -> None:
    """Set `owner` to `value` at `points`."""
    for point in points:
        owner[point] = value


def _lead(owner: Board) -> int:
    """Black's points minus White's on the map."""
    return int((owner == 1).sum() - (owner == 2).sum())


def _check(field: str, value: str, allowed: tuple[str, ...]) -> None:
    """Nothing; *Raises:* ValueError unless `value` is one of `allowed`."""
    if value not in allowed:
        raise ValueError(f"{field}={value!r}: allowed here is one of {', '.join(allowed)}")


def _check_dead(board: Board, dead: Bool[np.ndarray, "rows columns"]) -> None:
    """Nothing; *Raises:* ValueError unless `dead` marks whole chains."""
    if (dead & (board == 0)).any():
        row, column = np.argwhere(dead & (board == 0))[0]
        raise ValueError(f"dead marks row {row}, column {column}, which is empty; wanted are stones")
    for colour in COLOURS:
        for chain in parts(board == colour):
            marks = {bool(dead[point]) for point in chain}
            if len(marks) == 2:
                row, column = min(chain)
                raise ValueError(
                    f"dead marks a part of the chain at row {row}, column {column}; wanted are whole chains"
                )
