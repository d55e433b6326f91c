"""Writing records: reading what was written gives the same tree and the same game."""

import random

import numpy as np
import pytest

from research import go
from research.interop import sgf
from research.interop.sgf.legality import BLACK, WHITE, HostBoard
from research.interop.sgf.points import Shape, name_of_point

NUM_TREES = 1000
NUM_GAMES = 1000
PIECES = [*"][\\:;()\n\t x'\"", "\\]", "\\\\", "黒", "이", "é", "B[aa]", ";B[aa", "W[cc]", "KM[", "(;"]
RESULTS = ["B+R", "W+3.5", "0", "Void", "W+T", "B+"]


def random_text(rng: random.Random, lines: bool = True) -> str:
    """Text with everything that has a meaning in SGF."""
    pieces = PIECES if lines else [piece for piece in PIECES if piece not in ("\n", "\t")]
    return "".join(rng.choice(pieces) for _ in range(rng.randrange(12))).replace("\n\r", "")


def random_tree(rng: random.Random) -> sgf.Node:
    """A game with handicap or set-up, moves, passes, comments and variations."""
    size = rng.choice([2, 5, 9, 13, 19])

    def point() -> str:
        return name_of_point((rng.randrange(size), rng.randrange(size)))

    root = sgf.Node(
        {"FF": ["4"], "GM": ["1"], "CA": ["UTF-8"], "SZ": [str(size)], "PB": [random_text(rng, lines=False)]}
    )
    root.properties |= {"KM": [str(rng.randrange(-8, 20) / 2)], "RE": [rng.choice(RESULTS)]}
    if rng.random() < 0.4:
        stones = sorted({point() for _ in range(rng.randrange(2, 10))})
        root.properties |= {"HA": [str(len(stones))], "AB": stones, "PL": ["W"]}
    nodes, colour = [root], "B"
    for _ in range(rng.randrange(12)):
        node = sgf.Node({colour: [point() if rng.random() < 0.8 else ""]})
        if rng.random() < 0.1:
            node = sgf.Node({"AW": [point()], "AE": [point()], "PL": [colour]})
        if rng.random() < 0.3:
            node.properties |= {"C": [random_text(rng)], "TR": [point(), point()]}
        if rng.random() < 0.2:
            node.properties["LB"] = [sgf.Composed(point(), random_text(rng, lines=False))]
        rng.choice(nodes[-3:]).children.append(node)
        nodes.append(node)
        colour = "W" if colour == "B" else "B"
    return root


def flat(root: sgf.Node) -> list[tuple[dict, int]]:
    """All nodes in order, with the parts of composed values."""
    found, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        values = {
            name: [(str(value), sgf.value_parts(value)) for value in given] for name, given in node.properties.items()
        }
        found.append((values, len(node.children)))
        waiting += reversed(node.children)
    return found


def facts(record: sgf.Record) -> tuple:
    """What a record says."""
    names = ("size", "komi", "handicap", "result", "rules", "setup", "moves", "events")
    return tuple(getattr(record, name) for name in names)


def test_writing_and_reading_random_trees_changes_nothing() -> None:
    rng = random.Random(1)
    trees = [random_tree(rng) for _ in range(NUM_TREES)]
    records = sgf.parse(sgf.write(trees))
    for tree, record in zip(trees, records, strict=True):
        assert flat(record.root) == flat(tree)
    again = sgf.parse(sgf.write(records))
    assert [facts(record) for record in again] == [facts(record) for record in records]


def random_game(rng: random.Random, size: int) -> list[int]:
    """Actions of a legal game to two passes."""
    board, ko, actions, colour = HostBoard(Shape(size, size)), -1, [], BLACK
    while actions[-2:] != [size * size] * 2 and len(actions) < 2 * size * size:
        action = size * size
        for _ in range(10):
            row, column = rng.randrange(size), rng.randrange(size)
            entry = board.index((row, column))
            if board.why_illegal(entry, colour, ko, suicide=False) is None:
                action = row * size + column
                ko = board.play(entry, colour)
                break
        else:
            ko = -1
        actions.append(action)
        colour = BLACK + WHITE - colour
    return actions


def test_a_thousand_random_games_come_back_move_for_move() -> None:
    rng = random.Random(2)
    sizes = [4] * (NUM_GAMES - 30) + [9] * 25 + [19] * 5
    games = [random_game(rng, size) for size in sizes]
    records = [
        sgf.from_actions(actions, go.Rules(size=size, komi=5.5), result=rng.choice(RESULTS))
        for actions, size in zip(games, sizes, strict=True)
    ]
    again = sgf.parse(sgf.write(records))
    assert all(copy.first_illegal_move is None for copy in again[-60:])
    for actions, size, record, copy in zip(games, sizes, records, again, strict=True):
        points = [None if point is None else point[0] * size + point[1] for _, point in copy.moves]
        assert [size * size if point is None else point for point in points] == actions
        assert facts(copy) == facts(record)
        assert copy.repairs == ()


def test_a_record_of_a_game_played_here() -> None:
    rules = go.Rules(size=9, komi=6.5, ko="situational", suicide=True)
    actions = np.array([40, 41, 81, -1, -1], np.int16)
    names = {"PB": "Mi]ai", "PW": "GNU Go", "DT": "2026-11-30"}
    record = sgf.from_actions(actions, rules, 3.5, properties=names, comments=["start", "", "after two"])
    (copy,) = sgf.parse(sgf.write(record))
    assert copy.moves == (("black", (4, 4)), ("white", (4, 5)), ("black", None))
    assert (copy.size, copy.komi, copy.result) == (9, 6.5, "B+3.5")
    assert sgf.rules_of(copy) == rules
    assert copy.root.properties["PB"] == ["Mi]ai"]
    assert [node.properties.get("C") for node in sgf.main_line(copy.root)] == [["start"], None, ["after two"], None]


def test_a_record_may_begin_from_handicap_stones_or_with_white() -> None:
    stones = (("black", (2, 2)), ("black", (6, 6)))
    record = sgf.parse(sgf.write(sgf.from_actions([40], go.Rules(size=9), -2, setup=stones, to_play="white")))[0]
    assert (record.handicap, record.setup, record.result) == (2, stones, "W+2")
    assert record.moves == (("white", (4, 4)),)
    with pytest.raises(ValueError, match="colour 'red'"):
        sgf.from_actions([], go.Rules(size=9), to_play="red")
    with pytest.raises(ValueError, match="action 82"):
        sgf.from_actions([82], go.Rules(size=9))


def test_no_list_of_points_is_written_empty() -> None:
    record = sgf.parse("(;SZ[9]SQ[]CR[][aa]C[];B[];W[bb]DD[])")[0]
    assert sgf.write(record) == b"(;SZ[9]CR[aa]C[]\n;B[]\n;W[bb]DD[])\n"


def test_other_charsets_come_out_as_utf8_that_says_so() -> None:
    record = sgf.parse("(;PB[黒]CA[Shift_JIS];B[aa])".encode("shift_jis"))[0]
    assert sgf.write(record) == "(;CA[UTF-8]PB[黒]\n;B[aa])\n".encode()
    assert sgf.write(sgf.parse("(;PB[x];B[aa])")[0]) == b"(;PB[x]\n;B[aa])\n"


def test_a_name_that_sgf_does_not_allow_is_refused() -> None:
    record = sgf.parse("(;SZ[9])")[0]
    record.root.properties["bad name"] = ["x"]
    with pytest.raises(ValueError, match="'bad name'"):
        sgf.write(record)


def test_deep_trees_are_written_without_recursion() -> None:
    data = sgf.write(sgf.parse("(;SZ[9]" + "(;B[aa])(;W[bb]" * 5000 + ")" * 5001)[0])
    assert sgf.write(sgf.parse(data)[0]) == data
