"""Text that is not what the grammar says: what is read from it, what is told, and that it takes no time."""

import time

import pytest

from research.interop import sgf


def moves_of(text: str) -> list[str]:
    """The moves of the first game, as B(row, column)."""
    return [f"{colour[0].upper()}{point}" for colour, point in sgf.parse(text)[0].moves]


BB, WC, BD = "B(1, 1)", "W(2, 2)", "B(3, 3)"


@pytest.mark.parametrize(
    ("text", "moves", "warning"),
    [
        ("(;SZ[9];B[bb];W[cc]", [BB, WC], "1 ')' missing at the end"),
        ("(;SZ[9];B[bb](;W[cc](;B[dd]", [BB, WC, BD], "3 ')' missing at the end"),
        ("(;SZ[9];B[bb];W[cc])))", [BB, WC], "text after the game left out"),
        ("(;SZ[9];B[bb]);W[cc])", [BB, WC], "a ')' too much: moves follow it"),
        (";SZ[9];B[bb];W[cc])", [BB, WC], "the '(' before the game is missing"),
        ("(SZ[9];B[bb];W[cc])", [BB, WC], "';' missing"),
        ("(;SZ[9](B[bb];W[cc]))", [BB, WC], "';' missing"),
        ("(;SZ[9];B[bb ;W[cc])", [BB, WC], "']' of B missing"),
        ("(;SZ[9];B[bb;W[cc])", [BB, WC], "']' of B missing"),
        ("(;SZ[9];B[bb;W[cc", [BB, WC], "']' of B missing"),
        ("(;SZ[9];B[bb(;W[cc]))", [BB, WC], "']' of B missing"),
        ("(;SZ[9KM[6.5];B[bb];W[cc])", [BB, WC], "']' of SZ missing"),
        ("(;SZ[9]KM[6.5;B[bb];W[cc])", [BB, WC], "']' of KM missing"),
        ("(;SZ[9]PB[x\nPW[y];B[bb];W[cc])", [BB, WC], "']' of PB missing"),
        ("(;SZ[9]GN[x;B[bb];W[cc])", [BB, WC], "']' of GN missing"),
        ("(;SZ[9];B[bb]C[good\n;W[cc];B[dd])", [BB, WC, BD], "']' of C missing"),
        ("(;SZ[9];B[bb]];W[cc])", [BB, WC], "left out: ']'"),
        ("(;SZ[9];B[bb] a good move ;W[cc])", [BB, WC], "left out: 'a good move'"),
        ("(;SZ[9];B[bb] (really) ;W[cc])", [BB, WC], "left out"),
        ("(;SZ[9];B[bb][cc]W[cc])", [BB, WC, WC.replace("W", "B")], "3 moves in one node"),
        ("(;SZ[9];B[bb]W[cc]B[dd])", [BB, WC, BD], "3 moves in one node"),
        ("(;SZ[9]B[bb];W[cc])", [BB, WC], "moves in the root"),
        ("From: a@b.c\nSubject: a game (;-)\n\n(;SZ[9];B[bb];W[cc])\n-- \nbye", [BB, WC], "text outside of a game"),
        ("((;SZ[9];B[bb];W[cc]))", [BB, WC], "text"),
        ("(;SZ[9];B[bb];W[cc];B[z", [BB, WC], "is no point: left out"),
        ("(;SZ[9]PB[x;B[bb;W[cc", [BB, WC], "']' of PB missing up to the end"),
        ("(;SZ[9];B[bb];W[cc]C[cut off", [BB, WC], "']' of C missing up to the end"),
        ("(;SZ[9];b[bb];w[cc])", [BB, WC], None),
        ("(;SZ[9];Black[bb];White[cc])", [BB, WC], None),
        ("\ufeff(;SZ[9];B[bb];W[cc])\x1a\0\0", [BB, WC], None),
        ("(\r;\r\nSZ [9]\n\n;\tB\n[bb]\r;W [cc]\r)", [BB, WC], None),
    ],
)
def test_damage_is_repaired_and_told(text: str, moves: list[str], warning: str | None) -> None:
    assert moves_of(text) == moves
    told = sgf.parse(text)[0].warnings
    assert (told == ()) if warning is None else any(warning in each for each in told)


@pytest.mark.parametrize(
    ("text", "moves", "warning"),
    [
        ("(;SZ[9];B[];W[tt])", ["BNone", "WNone"], None),
        ("(;SZ[9];B[  ];W[cc])", ["BNone", WC], "a blank value is a pass"),
        ("(;SZ[9];B[pass];W[cc])", ["BNone", WC], "taken for a pass"),
        ("(;SZ[9];B[jj];W[cc])", ["BNone", WC], "taken for a pass"),
        ("(;SZ[9];B[zz];W[``])", ["BNone", "WNone"], "taken for a pass"),
        ("(;SZ[19];B[tt])", ["BNone"], None),
        ("(;SZ[20];B[tt])", ["B(19, 19)"], None),
        ("(;SZ[9];B[BB];W[cc])", [BB, WC], "in capitals"),
        ("(;SZ[9];B[b b];W[ cc])", [BB, WC], "blanks left out"),
        ("(;SZ[9];B[B8];W[c7])", [BB, WC], "taken for GTP's"),
        ("(;SZ[9];B[pd];W[cc])", [WC], "is no point: left out"),
        ("(;SZ[9];B[b];W[cc])", [WC], "is no point: left out"),
        ("(;SZ[9];B[bbb];W[cc])", [WC], "is no point: left out"),
        ("(;SZ[9];B[22];W[cc])", [WC], "is no point: left out"),
        ("(;SZ[52];B[AA];W[aZ])", ["B(26, 26)", "W(51, 0)"], None),
        ("(;SZ[13:9];B[le];W[aj])", ["B(4, 11)"], "is no point: left out"),
    ],
)
def test_what_stands_where_a_point_should_be(text: str, moves: list[str], warning: str | None) -> None:
    assert moves_of(text) == moves
    told = sgf.parse(text)[0].warnings
    assert (told == ()) if warning is None else any(warning in each for each in told)


def test_a_missing_close_before_the_next_game_does_not_swallow_it() -> None:
    games = sgf.parse("(;SZ[9];B[bb](;W[cc]\n(;FF[4]SZ[9];B[dd])\n(;SZ[9];B[ee])")
    assert [len(game.moves) for game in games] == [2, 1, 1]
    assert "')' missing before the next game" in games[0].warnings[0]


def test_brackets_in_a_comment_stay_in_it_if_its_writer_escapes() -> None:
    assert sgf.parse("(;C[\\];B[aa];W[bb])")[0].root.properties["C"] == ["];B[aa"]
    assert sgf.parse("(;C[see [x\\] (;or;) : \\\\];B[bb])")[0].root.properties["C"] == ["see [x] (;or;) : \\"]
    assert sgf.parse("(;C[see W[cc for more];B[bb])")[0].root.properties["C"] == ["see W[cc for more"]


def test_line_ends_are_kept_in_text_and_blanks_in_names_unless_they_are_escaped() -> None:
    properties = sgf.parse("(;C[a\r\nb\rc\n\rd\\\ne\\\r\nf]GN[a\r\nb\\\nc]XY[a\nb])")[0].root.properties
    assert properties == {"C": ["a\nb\nc\ndef"], "GN": ["a bc"], "XY": ["a\nb"]}


def test_set_up_takes_rectangles_repeats_and_conflicts() -> None:
    record = sgf.parse("(;SZ[9]AB[aa:bc][ee]AB[ff]AW[cc:aa]AE[bb]AB[xx][];B[hh])")[0]
    stones = dict((point, colour) for colour, point in record.setup)
    assert len(stones) == 8 + 2
    assert {stones[point] for point in ((0, 0), (2, 1), (2, 2))} == {"white"}
    assert (1, 1) not in stones
    told = " ".join(record.warnings)
    assert "set up twice" in told
    assert "AB[xx] is no point" in told
    assert "AB[] is empty" in told


def test_pl_names_the_player_in_many_ways() -> None:
    for text, player in {"B": "black", "white": "white", "2": "white", "黒": "black"}.items():
        assert sgf.parse(f"(;SZ[9]PL[{text}])")[0].events == (("to_play", player),)
    assert "PL[x] is no player" in sgf.parse("(;SZ[9]PL[x])")[0].warnings[0]


def test_warnings_name_file_line_and_column() -> None:
    record = sgf.parse(b"\n(;SZ[9]\r\n;B[bb]\r;W[zzz])", "some.sgf")[0]
    assert record.warnings == ("some.sgf: line 4, column 1: move 2: white at 'zzz' is no point: left out",)


def test_warnings_are_counted_from_the_game_s_place_in_the_file() -> None:
    data = "(;CA[UTF-8]GM[1];B[bb])\n\n(;CA[GBK]GM[1]PB[黑]\n;B[zzz])".encode("gbk")
    assert "line 4, column 1" in sgf.parse(data)[1].warnings[0]


@pytest.mark.parametrize("text", ["", " \n", "hello", ";;)", "()", "(;-)", "(see a)", "\0" * 50])
def test_no_game_is_one_error(text: str) -> None:
    with pytest.raises(sgf.SgfError, match="no game found"):
        sgf.parse(text.encode())
    with pytest.raises(sgf.SgfError, match="no game found"):
        sgf.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 40_000,
        "(;" * 8_000,
        "(;B[dd" * 5_000,
        ";B[dd" * 5_000,
        "(;GM[1]" + "B[dd;" * 5_000 + "]",
        "(;C[" + "\\" * 100_000 + "])",
        "(;PB[" * 5_000 + "]",
        "(;GN[" + " ; B " * 5_000 + "])",
        "(;C[" + ";B[" * 8_000 + "])",
        "(;GM[1])" + ";B[dd])" * 4_000,
        "(;A\n" * 4_000 + "[x]",
        "(;" + "(A)" * 5_000,
        "a" * 100_000 + "(;" + "b" * 100_000,
        "(;SZ[9]" + ";B[xx]" * 1_500 + ")",
        "(;SZ[9]" + ";B[dd]AE[dd]" * 1_500 + ")",
        "(;GM[1]" + "CA[x];B[dd]CA[y]" * 1_500 + ")",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_time_is_linear_whatever_comes(text: str) -> None:
    start = time.process_time()
    for data in (text, text.encode()):
        try:
            for record in sgf.parse(data):
                assert len(record.warnings) < 300
        except sgf.SgfError:
            pass
    assert time.process_time() - start < 3  # a quadratic reader takes minutes
