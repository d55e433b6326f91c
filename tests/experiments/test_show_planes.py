"""`experiments.show_planes`: the printed text of known positions, the files, and one line for what is wrong."""

from pathlib import Path

import numpy as np
import pytest

from experiments import show_planes
from research.visualise.planes import planes_text

RECORD = "(;GM[1]SZ[5]KM[0.5];B[bb];W[cc];B[];W[dd];B[cb])"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the command prints, having ended well."""
    assert show_planes.main(list(arguments)) == 0
    return capsys.readouterr().out


def test_a_toy_array_is_printed_row_by_row() -> None:
    plane = np.zeros((5, 6, 1), bool)
    plane[0, 5] = plane[4, 0] = plane[2, 2:4] = True
    assert planes_text(plane, ["toy"], [7]) == (
        "7  toy\n"
        ". . . . . #\n"
        ". . . . . .\n"
        ". . # # . .\n"
        ". . . . . .\n"
        "# . . . . .\n"
    )  # fmt: skip


def test_a_record_on_five_by_five(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    record = tmp_path / "game.sgf"
    record.write_text(RECORD)
    arguments = [
        "--sgf",
        str(record),
        "--move",
        "4",
        "--planes",
        "0",
        "1",
        "3",
        "16",
        "--output",
        str(tmp_path / "out"),
    ]
    text = printed(capsys, *arguments)
    shown, _, written = text.partition("\nwritten: ")
    assert shown == (
        "After 4 moves, the last D2; Black to move.\n"
        "\n"
        "   A B C D E\n"
        " 5 . . . . . 5\n"
        " 4 . X . . . 4\n"
        " 3 . . O . . 3\n"
        " 2 . . .(O). 2\n"
        " 1 . . . . . 1\n"
        "   A B C D E\n"
        "\n"
        "0  own stones, 0 plies ago        1  opponent stones, 0 plies ago   3  opponent stones, 1 plies ago\n"
        ". . . . .                         . . . . .                         . . . . .\n"
        ". # . . .                         . . . . .                         . . . . .\n"
        ". . . . .                         . . # . .                         . . # . .\n"
        ". . . . .                         . . . # .                         . . . . .\n"
        ". . . . .                         . . . . .                         . . . . .\n"
        "\n"
        " 16  black to move: # everywhere\n"
    )
    assert written == f"{tmp_path}/out.txt and {tmp_path}/out.png\n"
    assert (tmp_path / "out.txt").read_text() == shown
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_two_stones_on_nineteen_by_nineteen(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = printed(capsys, "--moves", "D17 Q17", "--planes", "0", "1", "--output", str(tmp_path / "out"))
    lines = text.splitlines()
    assert lines[0] == "After 2 moves, the last Q17; Black to move."
    assert lines[5] == "17 . . . X . . . . . . . . . . .(O). . . 17"
    heading = lines.index("0  own stones, 0 plies ago              1  opponent stones, 0 plies ago")
    no_stone, gap = " ".join("." * 19), "   "
    rows = [no_stone + gap + no_stone] * 19
    rows[2] = " ".join("...#" + "." * 15) + gap + " ".join("." * 15 + "#...")
    assert lines[heading + 1 : heading + 20] == rows


def test_globals_are_listed_and_options_reach_the_encoder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["--encoder", "katago22", "--size", "5", "--moves", "C3 pass", "--planes", "9", "10"]
    arguments += ["--options", "ladders=False", "max_history=1", "--output", str(tmp_path / "out")]
    shown, _, listed = printed(capsys, *arguments).partition("globals\n")
    # Of the two moves the last is seen, a pass, and the one before it is hidden by the option.
    assert [line.split()[0] for line in listed.splitlines()[:2]] == ["1.000", "0.000"]
    assert "10  " in shown.split("Black to move.")[1]
    assert "#" not in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--encoder", "agz71"], "there is no encoder 'agz71' (did you mean agz17"),
        (["--options", "ladders"], "option 'ladders': wanted NAME=VALUE"),
        (["--size", "5", "--planes", "17"], "there is no plane 17; agz17 has planes 0 to 16"),
        (["--size", "5", "--moves", "C3 C3"], "move 2"),
        (["--size", "5", "--moves", "Z9"], "'Z9'"),
        (["--sgf", "nothing.sgf"], "nothing.sgf: no such file or folder"),
        (["--sgf", "{record}", "--move", "9"], "move 9 was asked for; there are 5"),
        (["--sgf", "{record}", "--game", "2"], "there is no game 2 in {record}; games count from 1, the last is 1"),
    ],
)
def test_what_is_wrong_is_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    record = tmp_path / "game.sgf"
    record.write_text(RECORD)
    filled = [argument.format(record=record) for argument in arguments]
    assert show_planes.main([*filled, "--output", str(tmp_path / "out")]) == 2
    output = capsys.readouterr()
    assert output.err.startswith("error: ")
    assert output.err.count("\n") == 1
    assert message.format(record=record) in output.err
    assert not (tmp_path / "out.png").exists()
