"""Records that break readers, from other projects' tests and issues: each gives what a right reader gives.

*Source:* tests/data/sgf/quirks.json names the file, its source, its fault and what is expected.
"""

import json
from pathlib import Path

import pytest

from research.interop import sgf
from research.interop.sgf.legality import BLACK, EMPTY, WHITE, HostBoard
from research.interop.sgf.points import LETTERS

FOLDER = Path(__file__).parents[1] / "data" / "sgf"
QUIRKS = json.loads((FOLDER / "quirks.json").read_text(encoding="utf-8"))
READABLE = [quirk for quirk in QUIRKS if quirk["expected"] != "error"]


def quirk_bytes(name: str) -> bytes:
    """The bytes of a file."""
    return (FOLDER / "quirks" / name).read_bytes()


def quirk(name: str) -> sgf.Record:
    """The first game of a file."""
    return sgf.parse(quirk_bytes(f"{name}.sgf"), f"{name}.sgf")[0]


def board_after(record: sgf.Record) -> HostBoard:
    """The board at the end of the main line."""
    board = HostBoard(record.shape)
    for event in record.events:
        if event[0] == "set":
            board.points[board.index(event[2])] = {"empty": EMPTY, "black": BLACK, "white": WHITE}[event[1]]
        elif event[0] == "play" and event[2] is not None:
            board.play(board.index(event[2]), BLACK if event[1] == "black" else WHITE)
    return board


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case["file"])
def test_a_quirk_is_read_as_a_right_reader_reads_it(case: dict) -> None:
    records = sgf.parse(quirk_bytes(case["file"]), case["file"])
    record, expected = records[0], dict(case["expected"])
    stones = expected.pop("stones", None)
    got = {
        "trees": len(records),
        "size": record.size if isinstance(record.size, int) else list(record.size),
        "komi": record.komi,
        "handicap": record.handicap,
        "result": record.result,
        "num_moves": len(record.moves),
        "passes": sum(point is None for _, point in record.moves),
        "illegal": record.first_illegal_move,
    }
    assert {name: got[name] for name in expected} == expected, case["right"]
    if stones is not None:
        points = board_after(record).points
        assert [points.count(BLACK), points.count(WHITE)] == stones
    for name, text in case.get("text", {}).items():
        assert next(node.properties[name][0] for node in sgf.main_line(record.root) if name in node.properties) == text
    if "warn" in case["right"] and "or a clear warning" not in case["right"]:
        assert any(each.warnings for each in records)
    for warning in record.warnings:
        assert warning.startswith(f"{case['file']}: line ")


@pytest.mark.parametrize(
    "case", [case for case in QUIRKS if case["expected"] == "error"], ids=lambda case: case["file"]
)
def test_what_is_no_record_gives_one_clear_error(case: dict) -> None:
    with pytest.raises(sgf.SgfError, match=rf"^{case['file']}: no game found: "):
        sgf.parse(quirk_bytes(case["file"]), case["file"])


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case["file"])
def test_a_quirk_that_was_rewritten_is_the_same_tree(case: dict) -> None:
    records = sgf.parse(quirk_bytes(case["file"]))
    again = sgf.parse(sgf.write(records))
    for record, copy in zip(records, again, strict=True):
        assert flat(copy.root) == flat(record.root)
        assert copy.events == record.events
        assert (copy.size, copy.komi, copy.handicap, copy.result, copy.rules) == (
            record.size,
            record.komi,
            record.handicap,
            record.result,
            record.rules,
        )


def flat(root: sgf.Node) -> list[tuple[dict[str, list], int]]:
    """(Properties with the parts of their values, number of children) of all nodes in order; CA is the writer's."""
    nodes, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        parts = {
            name: [sgf.value_parts(value) if isinstance(value, sgf.Composed) else value for value in values]
            for name, values in node.properties.items()
            if name != "CA" and any(value.strip() or name in ("B", "W", "DD", "VW") for value in values)
        }
        blanks = {name for name, values in node.properties.items() if name not in parts and name != "CA"}
        nodes.append((parts | {name: [""] for name in blanks if name not in ("AB", "AW", "AE")}, len(node.children)))
        waiting += reversed(node.children)
    return nodes


def test_charsets_are_told_by_name_and_by_game() -> None:
    for name, encoding in {
        "enc-chinese-gbk": "gbk",
        "enc-simplifiedchinese-gb2312": "gb2312",
        "enc-traditionalchinese-big5": "big5",
        "enc-japanese-shiftjis": "shift_jis",
        "enc-japanese-iso2022jp": "iso2022_jp",
        "enc-utf16-bom": "utf-16",
        "enc-utf16-nobom": "utf-16-be",
        "enc-utf8bom": "utf-8-sig",
        "enc-noca-gbk": "gb18030",
        "enc-nihonkiin": "cp932",
        "littlegolem": "cp1252",
        "fox-ha1-km0": "utf-8",
    }.items():
        assert quirk(name).encoding == encoding, name
    assert [record.encoding for record in sgf.parse(quirk_bytes("enc-two-trees-two-ca.sgf"))] == ["utf-8", "iso8859-1"]


def test_a_character_cut_in_the_middle_is_replaced_and_the_rest_is_read() -> None:
    record = quirk("enc-trunc-utf8-name")
    assert record.root.properties["PW"] == ["白方\ufffd"]
    assert any("CA has 2 values" in warning for warning in record.warnings)


def test_set_up_in_a_variation_changes_the_colour_of_stones() -> None:
    record = quirk("setup-mid-colour-change")
    node = next(node for node in sgf.main_line(record.root) if len(node.children) == 2)
    assert node.children[1].properties == {"AE": ["dp"], "AW": ["dd"], "AB": ["co", "dq"]}
    node.children.reverse()  # the second variation becomes the main line
    changed = sgf.parse(sgf.write(record))[0]
    board = board_after(changed)
    at = {
        name: board.points[board.index((LETTERS.index(name[1]), LETTERS.index(name[0])))]
        for name in ("dp", "dd", "co", "dq")
    }
    assert at == {"dp": EMPTY, "dd": WHITE, "co": BLACK, "dq": BLACK}
    assert changed.setup == ()


def test_stones_set_up_after_moves_are_events_and_no_setup() -> None:
    record = quirk("ae-teaching")
    assert [event for event in record.events if event[0] == "set"] == [("set", "empty", (5, 5))]
    assert record.setup == ()
    assert record.events[-1][0] == "set"
    assert quirk("pl-after-move").events == (("play", "black", (0, 0)), ("to_play", "black"))


def test_handicap_stones_may_stand_in_the_second_node() -> None:
    record = quirk("fox-ab-second-node")
    assert record.setup == (("black", (3, 15)), ("black", (15, 3)))
    assert record.moves[0][0] == "white"
    assert (record.komi, record.result, record.winner) == (6.5, "0", "draw")


def test_each_form_of_result_has_its_winner() -> None:
    winners = [record.winner for record in sgf.parse(quirk_bytes("re-many.sgf"))]
    assert winners == [None, "draw", "draw", "draw", None, *["black", "white"] * 4]


def test_an_illegal_move_is_named_with_its_number_and_place_and_stays() -> None:
    record = quirk("illegal-occupied")
    assert record.warnings[-1].startswith(
        "illegal-occupied.sgf: line 5, column 20: move 16 (white at (3, 7)) is illegal"
    )
    assert len(record.moves) == 53
    assert "retakes the ko" in quirk("ko-recapture").warnings[-1]
    assert quirk("suicide-multi").first_illegal_move is None  # New Zealand rules
    data = quirk_bytes("suicide-multi.sgf").replace(b"RU[NZ]", b"RU[Chinese]")
    assert sgf.parse(data)[0].first_illegal_move == 7


def test_a_repeated_position_is_told_but_stops_nothing() -> None:
    record = quirk("superko-positional")
    assert "move 23" in record.warnings[-1]
    assert "repeats the position after move 20" in record.warnings[-1]
    assert record.first_illegal_move is None


def test_other_games_keep_their_text_and_have_no_moves() -> None:
    record = quirk("escaping")
    assert record.moves == ()
    assert "GM[19] is not Go" in " ".join(record.warnings)
    texts = [node.properties["C"][0] for node in sgf.main_line(record.root) if "C" in node.properties]
    assert texts[1] == "Text : value : with : [neces\\sary] : escape : characters"


def test_a_composed_value_splits_at_its_bare_colon() -> None:
    value = quirk("esc-colon").root.properties["AP"][0]
    assert value == "a:b:1.0"
    assert sgf.value_parts(value) == ("a:b", "1.0")
    assert sgf.value_parts("aa:cc") == ("aa", "cc")


def test_ko_in_the_root_is_komi_to_the_nihon_kiin_and_sina() -> None:
    assert quirk("enc-nihonkiin").komi == 6.5
    assert any("KO[7.5] is komi here" in warning for warning in quirk("sina-no-semicolon").warnings)


def test_deep_wide_and_large_records_are_read_in_a_moment() -> None:
    deep = b"(;GM[1]SZ[19]" + b"(;B[]" * 2500 + b"(;W[]" * 2500 + b")" * 5001
    assert len(sgf.parse(deep)[0].moves) == 5000
    wide = sgf.parse(b"(;GM[1]SZ[19]" + b"(;B[aa])(;B[bb])" * 1000 + b")")[0]
    assert [child.properties["B"][0] for child in wide.root.children[:3]] == ["aa", "bb", "aa"]
    assert len(wide.root.children) == 2000
    comment = "long \\] text. " * 70_000
    long = sgf.parse(f"(;SZ[9];B[ee]C[{comment}];W[cc])".encode())[0]
    assert len(long.moves) == 2
    assert len(long.root.children[0].properties["C"][0]) == len(comment) - 70_000
