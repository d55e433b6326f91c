"""The protocol's text: what a line asks for, what a reply looks like, and the words in between.

*Source:* GTP version 2 draft 2, sections 2.3 to 2.11 and 3.1.
"""

import pytest

from research.interop import gtp


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("name\n", ("", "name", ())),
        ("name\r\n", ("", "name", ())),
        ("12 play b D4", ("12", "play", ("b", "D4"))),
        ("007 name", ("007", "name", ())),
        ("  play \t B   d4  ", ("", "play", ("B", "d4"))),
        ("play b d4 # a comment", ("", "play", ("b", "d4"))),
        ("na\x00m\x7fe\x07", ("", "name", ())),
        ("-3 name", ("", "-3", ("name",))),
        ("³ name", ("", "³", ("name",))),
        ("loadsgf spiel_日本.sgf", ("", "loadsgf", ("spiel_日本.sgf",))),
    ],
)
def test_a_line_is_an_id_a_command_and_arguments(line: str, wanted: tuple) -> None:
    assert gtp.read_request(line) == wanted


@pytest.mark.parametrize("line", ["", "\n", "\r\n", " \t \n", "# all of it", "  # interrupt", "17", "\x01\x02"])
def test_a_line_without_a_command_asks_for_nothing(line: str) -> None:
    assert gtp.read_request(line) is None


def test_a_reply_ends_with_one_empty_line_and_has_none_inside() -> None:
    assert gtp.reply("", "") == "=\n\n"
    assert gtp.reply("7", "") == "=7\n\n"
    assert gtp.reply("7", "D4") == "=7 D4\n\n"
    assert gtp.reply("", "illegal move", is_error=True) == "? illegal move\n\n"
    assert gtp.reply("", "a\n\nb  \n \nc\n") == "= a\nb\nc\n\n"


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("B", "d4"), ("black", (5, 3))),
        (("white", "J9"), ("white", (0, 8))),
        (("WHITE", "PASS"), ("white", None)),
        (("b", "h1", "more"), ("black", (8, 7))),
    ],
)
def test_moves_are_read_in_any_case(arguments: tuple[str, ...], wanted: tuple) -> None:
    assert gtp.read_move(arguments, 9) == wanted


@pytest.mark.parametrize(
    "arguments", [(), ("b",), ("x", "d4"), ("b", "i3"), ("b", "k1"), ("b", "a0"), ("b", "a10"), ("d4", "b")]
)
def test_what_is_no_move_is_one_error(arguments: tuple[str, ...]) -> None:
    with pytest.raises(gtp.GtpError, match=r"^invalid color or coordinate$"):
        gtp.read_move(arguments, 9)


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e999", "x", "", "1_0", "0x10"])
def test_what_is_no_finite_number_is_refused(text: str) -> None:
    with pytest.raises(gtp.GtpError, match=r"^komi not a float$"):
        gtp.read_float((text,), 0, gtp.NO_KOMI)


@pytest.mark.parametrize("text", ["", "x", "1.5", "²", "1_0", "9" * 5000])
def test_what_is_no_whole_number_is_refused(text: str) -> None:
    with pytest.raises(gtp.GtpError, match=r"^boardsize not an integer$"):
        gtp.read_integer((text,), 0, gtp.NO_SIZE)
    assert gtp.read_integer(("a", "-12"), 1, gtp.NO_SIZE) == -12
