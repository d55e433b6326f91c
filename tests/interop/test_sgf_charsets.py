"""Charsets of records: declared, not declared, declared wrongly, damaged; the moves come out whatever the text is."""

import pytest

from research.interop import sgf

MOVES = (("black", (3, 15)), ("white", (15, 3)))
TEXTS = [
    ("PB[古力]PW[李世石]RE[黑中盘胜]", "gbk"),
    ("PB[张栩]", "gb18030"),
    ("C[这里应该先打吃]", "gb2312"),
    ("PB[張栩]PW[周俊勳]RE[黑中盤勝]", "big5"),
    ("PB[黒番棋士]PW[白番棋士]", "shift_jis"),
    ("PB[表]PW[ソ]", "shift_jis"),
    ("C[ここは白が良い手です。]", "shift_jis"),
    ("C[ここは白が良い手です。]", "euc_jp"),
    ("C[ここは白が良い手です。]", "iso2022_jp"),
    ("PB[이창호]PW[조훈현]", "euc_kr"),
    ("PB[Müller]PW[Jörg]", "iso8859-1"),
    ("PB[Étienne]PW[François]", "cp1252"),
    ("PB[Иванов]PW[Петров]", "cp1251"),
    ("C[Интересная игра]", "koi8-r"),
    ("PB[黒]C[é 흑 – ☗]", "utf-8"),
]


def parsed(data: bytes) -> sgf.Record:
    """The record, its moves checked."""
    record = sgf.parse(data)[0]
    assert record.moves == MOVES
    return record


def text_of(record: sgf.Record) -> str:
    """The header's text but for the charset."""
    return "".join(f"{name}[{values[0]}]" for name, values in record.root.properties.items() if name != "CA")


@pytest.mark.parametrize(("text", "charset"), TEXTS)
@pytest.mark.parametrize("before", [True, False])
def test_a_declared_charset_holds_for_what_stands_before_it_too(text: str, charset: str, before: bool) -> None:
    head = f"CA[{charset}]{text}" if before else f"{text}CA[{charset}]"
    record = parsed(f"(;{head};B[pd];W[dp])".encode(charset))
    assert text_of(record) == text
    assert record.encoding == charset.replace("big5", "big5")
    assert record.repairs == () or "RE" in text


@pytest.mark.parametrize(("text", "charset"), TEXTS)
def test_a_charset_that_is_not_declared_is_guessed_and_told(text: str, charset: str) -> None:
    record = parsed(f"(;{text};B[pd];W[dp])".encode(charset))
    assert text_of(record) == text
    assert charset == "utf-8" or any("no charset is declared" in warning for warning in record.warnings)


@pytest.mark.parametrize(("text", "charset"), TEXTS)
@pytest.mark.parametrize("declared", ["UTF-8", "ISO-8859-1", "klingon"])
def test_a_charset_that_is_declared_wrongly_is_seen_through(text: str, charset: str, declared: str) -> None:
    record = parsed(f"(;CA[{declared}]{text};B[pd];W[dp])".encode(charset))
    if charset not in ("gb18030", "cp1252") or declared != "ISO-8859-1":  # two characters in Latin-1 may be meant
        assert text_of(record) == text


@pytest.mark.parametrize("declared", ["GB2312", "Shift_JIS", "EUC-KR", "Big5", "ISO-8859-1", "MS_KANJI", "GBK"])
def test_utf8_is_recognised_under_any_name(declared: str) -> None:
    record = parsed(f"(;CA[{declared}]PB[黒番棋士]PW[이창호];B[pd];W[dp])".encode())
    assert record.encoding == "utf-8"
    assert text_of(record) == "PB[黒番棋士]PW[이창호]"


@pytest.mark.parametrize("charset", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be", "utf-8-sig"])
def test_wide_characters_and_byte_order_marks(charset: str) -> None:
    record = parsed("(;CA[UTF-8]PB[黒番棋士];B[pd];W[dp])".encode(charset))
    assert record.encoding == charset
    assert text_of(record) == "PB[黒番棋士]"


@pytest.mark.parametrize(
    ("declared", "name"),
    [
        ("EUC-CN", "gb2312"),
        ("macintosh", "mac-roman"),
        ("x-sjis", "shift_jis"),
        ("windows-1252", "cp1252"),
        ("Windows-31J", "cp932"),
        ("utf8", "utf-8"),
        ("UTF-16", "utf-8"),
        ("UTF-7", "utf-8"),
        ("idna", "utf-8"),
        ("rot13", "utf-8"),
        ("cp037", "utf-8"),
        ("undefined", "utf-8"),
        ("\0", "utf-8"),
    ],
)
def test_names_of_charsets(declared: str, name: str) -> None:
    assert parsed(f"(;CA[{declared}]RE[B+R];B[pd];W[dp])".encode()).encoding == name


@pytest.mark.parametrize(
    "head",
    [
        b"CA[GBK]PB[\xba\xda\xb7\xbd\xba]WR[9\xb6\xce]",
        b"PB[\xba\xda\xb7\xbd\xba]WR[9\xb6\xce]",
        b"CA[Big5]PB[\xb6\xc2\xb6]PW[x]",
        b"CA[Shift_JIS]PB[\x8d\x95\x8d]PW[x]",
        b"CA[UTF-8]PB[\xe9\xbb\x91\xe6\x96]PW[x]",
        b"CA[UTF-8]PB[\xff\xfe]PW[x]",
        b"CA[ISO-2022-JP]PB[\x1b$B9u]PW[x]\n",
        b"C[\xb2]]KM[7.5]",
        b"PB[\x00x]PW[\x80]",
    ],
)
def test_a_character_cut_in_two_takes_nothing_with_it(head: bytes) -> None:
    parsed(b"(;" + head + b";B[pd];W[dp])")


def test_games_of_one_file_may_have_a_charset_each() -> None:
    parts = [f"(;CA[{charset}]GM[1]PB[{name}];B[pd];W[dp])\n".encode(charset) for charset, name in NAMES]
    records = sgf.parse(b"".join(parts))
    assert [record.encoding for record in records] == [charset for charset, _ in NAMES]
    assert [record.root.properties["PB"][0] for record in records] == [name for _, name in NAMES]


NAMES = [("utf-8", "黑白"), ("gbk", "黑方棋手"), ("shift_jis", "黒番"), ("shift_jis", "表"), ("euc_kr", "흑번")]


def test_late_text_is_used_for_the_guess() -> None:
    moves = ";B[pd];W[dp]" * 1000
    record = sgf.parse(f"(;SZ[19]PB[plain]{moves};B[aa]C[这里应该先打吃])".encode("gb2312"))[0]
    assert record.encoding == "gb18030"
    assert list(sgf.main_line(record.root))[-1].properties["C"] == ["这里应该先打吃"]
