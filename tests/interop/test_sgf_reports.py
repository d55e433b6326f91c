"""Inputs of public bug reports against other SGF readers and writers, each with the right outcome.

*Source:* the issue trackers of the projects named at each case.
"""

import pytest

from research import go
from research.interop import sgf


def nodes_of(text: str) -> list[sgf.Node]:
    """The nodes of the main line."""
    return list(sgf.main_line(sgf.parse(text)[0].root))


@pytest.mark.parametrize(("num_backslashes", "num_nodes"), [(1, 2), (2, 3), (3, 2), (4, 3)])
def test_backslashes_before_a_bracket(num_backslashes: int, num_nodes: int) -> None:  # SabakiHQ/Sabaki 69
    assert len(nodes_of("(;C[" + "\\" * num_backslashes + "];B[aa];W[bb])")) == num_nodes


def test_names_of_the_nineties() -> None:  # SabakiHQ/Sabaki 68
    text = "(;GaMe[1]SiZe[9]PlayerBlack[b]PlayerWhite[w]DaTe[1968]REsult[B+4];Black[de];White[fe])"
    record = sgf.parse(text)[0]
    assert (record.size, len(record.moves), record.result) == (9, 2, "B+4")
    assert record.root.properties["PB"] == ["b"]


@pytest.mark.parametrize("hundredths", [375, 750, 650, 325, 550, 275, 700, 350])
def test_komi_of_the_fox_server(hundredths: int) -> None:  # SabakiHQ/sgf 11, online-go/goban 205, KataGo 1118
    komi = {375: 7.5, 325: 6.5, 275: 5.5, 350: 7.0}.get(hundredths, hundredths / 100)
    for program in ("AP[GNU Go:3.8]RE[W+R]AP[foxwq]", "AP[SGFC:2.0]"):
        record = sgf.parse(f"(;GM[1]FF[4]SZ[19]KM[{hundredths}]HA[0]RU[Chinese]{program};B[pp];W[dq])")[0]
        assert record.komi == komi
        assert any("KM" in warning for warning in record.warnings)


def test_a_handicap_game_counts_from_whites_move() -> None:  # sanderland/katrain 150
    record = sgf.parse("(;GM[1]SZ[19]HA[2];AB[dp][pd];W[dc];B[ce])")[0]
    assert (record.handicap, len(record.setup), record.moves[0]) == (2, 2, ("white", (2, 3)))


def test_text_for_handicap_and_no_komi_stop_nothing() -> None:  # brilee/MuGo 17, goreviewpartner 71
    record = sgf.parse("(;SZ[19]HA[吴受先]KM[0]RE[B+R];B[pd];W[dp])")[0]
    assert (record.handicap, record.result, len(record.moves)) == (0, "B+R", 2)
    record = sgf.parse("(;SZ[19]KM[]RE[白胜43.5目];B[pc];W[pq])")[0]
    assert (record.komi, record.result) == (7.5, "W+43.5")


def test_the_colour_comes_from_the_property() -> None:  # leela-zero 1469
    assert [colour for colour, _ in sgf.parse("(;GM[1]FF[4]SZ[19]AB[dd];B[pd];W[pp])")[0].moves] == ["black", "white"]
    moves = sgf.parse("(;SZ[9];B[ee];B[cc];W[gg])")[0].moves
    assert [colour for colour, _ in moves] == ["black", "black", "white"]


def test_stones_of_repeated_properties_and_of_rectangles() -> None:  # Sabaki 96, SGFParser 23, glift 123
    record = sgf.parse("(;SZ[19]AB[aa]AB[bb]AB[cc]AW[dd]AW[ee];W[ff])")[0]
    assert [colour for colour, _ in record.setup] == ["black"] * 3 + ["white"] * 2
    record = sgf.parse("(;AB[pb:sb][oc][sc][nd][oe:pe]AW[pa:qa][nb:ob];B[rd])")[0]
    assert [colour for colour, _ in record.setup] == ["black"] * 9 + ["white"] * 4


def test_text_with_brackets_comes_back() -> None:  # online-go 1547, lizzie 434, GoProject 23
    root = sgf.Node({"SZ": ["9"], "PB": ["p[3k]"], "C": ["test [] test 2 \\[\\]"]})
    assert sgf.parse(sgf.write(root))[0].root.properties == root.properties


def test_public_collections() -> None:  # julianandrews/sgf-parse 21
    for text in ("\n(;SZ[19];B[pd])", "(;SZ[19];B[pd]))", "(;SZ[19];B[pd]"):
        record = sgf.parse(text)[0]
        assert record.moves == (("black", (3, 15)),)
        assert bool(record.warnings) == (not text.startswith("\n"))


def test_a_long_cycle_under_japanese_rules_is_read_and_told() -> None:  # featurecat/lizzie 410
    record = sgf.parse("(;SZ[5]RU[Japanese];B[ba];W[ca];B[ab];W[db];B[bc];W[cc];B[cb];W[bb];B[];W[];B[cb])")[0]
    assert record.first_illegal_move is None
    assert "repeats the position after move 7" in record.warnings[-1]
    assert int(sgf.replay(go.Go(sgf.rules_of(record)), record).num_moves) == 11
