"""Header values as people and programs write them: size, komi, handicap, result, rules."""

import pytest

from research import go
from research.interop import sgf


def header(text: str) -> sgf.Record:
    """The record of a header and two moves."""
    return sgf.parse(f"(;{text};B[cc];W[dd])")[0]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("SZ[9]", 9),
        ("SZ[ 19 ]", 19),
        ("SZ[19:19]", 19),
        ("SZ[13:9]", (13, 9)),
        ("SZ[13x13]", 13),
        ("SZ[９]", 9),
        ("SZ[9.0]", 9),
        ("SZ[]", 19),
        ("SZ[nine]", 19),
        ("SZ[0]", 19),
        ("SZ[53]", 19),
        ("SiZe[9]", 9),
        ("sz[9]", 9),
    ],
)
def test_size(text: str, size: int | tuple[int, int]) -> None:
    assert header(text).size == size


@pytest.mark.parametrize(
    ("text", "komi"),
    [
        ("KM[6.5]", 6.5),
        ("KM[6,5]", 6.5),
        ("KM[ +6.50 ]", 6.5),
        ("KM[-0]", 0.0),
        ("KM[-1.5]", -1.5),
        ("KM[48.5]", 48.5),
        ("KM[6.5目]", 6.5),
        ("KM[６目半]", 6.5),
        ("KM[六目半]", 6.5),
        ("KM[5 1/2]", 5.5),
        ("KM[5½]", 5.5),
        ("KM[3.75子]", 7.5),
        ("KM[3又3/4子]", 7.5),
        ("KM[三又四分之三子]", 7.5),
        ("KM[3.75]RU[Chinese]", 7.5),
        ("KM[65]", 6.5),
        ("KM[750]", 7.5),
        ("KM[375]", 7.5),
        ("KM[325]RU[Japanese]", 6.5),
        ("KM[550]", 5.5),
        ("KM[275]", 5.5),
        ("KM[700]", 7.0),
        ("KM[350]", 7.0),
        ("KM[50]AP[foxwq]", 0.5),
        ("KM[0]AP[foxwq]", 0.0),
        ("KM[50]", 50.0),
        ("KM[]", 7.5),
        ("KM[]RU[Japanese]", 6.5),
        ("RU[NZ]", 7.0),
        ("KM[none]", 7.5),
        ("KM[nan]", 7.5),
        ("KM[1e999]", 7.5),
        ("KM[1/0]", 7.5),
        ("KM[99999999]", 7.5),
        ("KO[6.5]", 6.5),
        ("KoMi[0.500000]", 0.5),
        ("KM[6.5][7.5]", 6.5),
        ("KM[6.5]KM[7.5]", 6.5),
        ("KM[6.5 RE[B+R]", 6.5),
    ],
)
def test_komi(text: str, komi: float) -> None:
    record = header(text)
    assert record.komi == komi
    assert go.Rules(size=19, komi=record.komi).komi == komi


def test_odd_komi_is_warned_of_and_proper_komi_is_not() -> None:
    assert header("KM[-6.5]FF[4]GM[1]SZ[19]RE[B+1.50]").warnings == ()
    for text in ("KM[375]", "KM[]", "KM[6,5]", "KM[x]", "KM[6.5][7.5]"):
        assert any("KM" in warning for warning in header(text).warnings), text


@pytest.mark.parametrize(
    ("text", "handicap"),
    [
        ("HA[2]AB[dp][pd]", 2),
        ("HA[0]", 0),
        ("HA[1]", 1),
        ("HA[ 4 ]", 4),
        ("HA[2.0]", 2),
        ("HA[让2子]", 2),
        ("HA[二子]", 2),
        ("HA[黑方受先]", 0),
        ("HA[-3]", 0),
        ("HA[]", 0),
        ("HA[²]", 2),
    ],
)
def test_handicap(text: str, handicap: int) -> None:
    assert header(text).handicap == handicap


def test_a_handicap_without_its_stones_is_warned_of_and_no_stones_are_invented() -> None:
    record = sgf.parse("(;SZ[19]HA[3];W[dd])")[0]
    assert record.setup == ()
    assert "HA[3], but 0 black stones before the first move" in record.warnings[0]


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("B+R", "B+R"),
        ("W+3.5", "W+3.5"),
        ("b+3.50", "B+3.5"),
        ("W+0,5", "W+0.5"),
        ("B + Resign", "B+R"),
        ("B+R.", "B+R"),
        ("W+T (60s)", "W+T"),
        ("B+Time", "B+T"),
        ("W+Forfeit", "W+F"),
        ("B+", "B+"),
        ("B+0.0", "B+0"),
        ("B+12.5 (moves beyond 300 not known)", "B+12.5"),
        ("White resigns.", "B+R"),
        ("Black resigns. W 25.5 B 17.0", "W+R"),
        ("White wins by resignation", "W+R"),
        ("Black lost on time", "W+T"),
        ("W won by 2 points", "W+2"),
        ("黑中盘胜", "B+R"),
        ("白中盤勝", "W+R"),
        ("黑胜2又3/4子", "B+5.5"),
        ("白胜43.5目", "W+43.5"),
        ("黒番半目勝ち", "B+0.5"),
        ("257手完, 白3目半勝ち", "W+3.5"),
        ("白超时负", "B+T"),
        ("흑 불계승", "B+R"),
        ("백 3집반승", "W+3.5"),
        ("흑 기권", "W+R"),
        ("0", "0"),
        ("Draw", "0"),
        ("jigo", "0"),
        ("D+J", "0"),
        ("和棋", "0"),
        ("Void", "Void"),
        ("No result", "Void"),
        ("?", None),
        ("", None),
        ("has adjourned.", None),
        ("1-0", None),
    ],
)
def test_result(text: str, result: str | None) -> None:
    assert header(f"RE[{text}]").result == result


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("Japanese", "japanese"),
        ("japanese rules", "japanese"),
        ("日本规则", "japanese"),
        ("Chinese", "chinese"),
        ("cn", "chinese"),
        ("AGA", "aga"),
        ("NZ", "new-zealand"),
        ("New Zealand", "new-zealand"),
        ("Tromp/Taylor", "tromp-taylor"),
        ("GOE", "goe"),
        ("Ing", "goe"),
        ("Korean", "korean"),
        ("house rules", "house rules"),
        ("", None),
    ],
)
def test_rules(text: str, rules: str | None) -> None:
    assert header(f"RU[{text}]").rules == rules


def test_the_header_is_found_in_the_second_node_too() -> None:
    record = sgf.parse("(;GM[1];SZ[9]KM[5.5]HA[2]AB[cc][gg]RE[W+R];W[ee])")[0]
    assert (record.size, record.komi, record.handicap, record.result) == (9, 5.5, 2, "W+R")
    assert any("HA outside of the root" in warning for warning in record.warnings)
    assert sgf.parse("(;GM[1]SZ[9];B[aa]KM[3.5])")[0].komi == 7.5


def test_a_small_board_without_its_size_is_suspected() -> None:
    assert any("no SZ" in warning for warning in sgf.parse("(;GM[1];B[ee];W[cc];B[gc])")[0].warnings)
    assert sgf.parse("(;GM[1];B[pd];W[dp];B[dd])")[0].warnings == ()
