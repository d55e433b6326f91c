"""What the header of a record says, in the many ways in which it is said: size, komi, handicap, result, player.

Each function takes the text of a value and gives (what it means, a warning or None). None as the meaning says that
the text tells nothing, and the caller falls back.

- Komi: `6.5`, `6,5`, `6目半`, `5 1/2`; `3.75子` in stones, of which one is two points; Fox writes hundredths, of points
  (`650`) or of stones (`375`).
- Results come out as SGF writes them: `B+3.5`, `W+R` (resignation), `W+T` (time), `B+F` (forfeit), `B+` (won, no more
  is known), `0` (drawn), `Void`.

*Source:* SGF FF[4], "Game info properties" and "Go (GM=1)"; the records that go servers have left.
"""

import re
import unicodedata

from research.go.rules import KOMI_MARGIN
from research.interop.sgf.points import MAX_LINES, Shape

USUAL_SIZE = 19
POINTS_A_STONE = 2  # in Chinese counting a stone of difference is two points
FOX = "foxwq"  # in AP: komi comes in hundredths

_NUMERALS = {"〇": 0, "零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_HALF = r"(?:半|반|half|1/2)"
_AMOUNT = re.compile(
    r"(?P<whole>\d+)\s*(?:又|と|and|\s)\s*(?P<top>\d+)\s*/\s*(?P<bottom>[1-9]\d*)"
    r"|(?P<only_top>\d+)\s*/\s*(?P<only_bottom>[1-9]\d*)"
    r"|(?<![\d/])(?<!\de)(?P<number>\d+[.,]\d+|\d+|[.,]\d+)(?![\d/]|e\d)"
    r"|(?=(?:半|반|half))"
)
_AFTER_AMOUNT = re.compile(
    rf"\s*(?P<stones>子|zi\b|stones?\b)?(?:目|집|点|點|points?|moku)?\s*(?P<half>{_HALF})?\s*(?P<late_stones>子|zi\b)?"
)

_BLACK, _WHITE = "b(?:lack)?|黑|黒|흑|●", "w(?:hite)?|白|백|○"
_COLOUR = rf"(?:(?P<black>{_BLACK})|(?P<white>{_WHITE}))"
_STATED = re.compile(rf"{_COLOUR}\s*\+(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_LATIN_COLOUR = r"\b(?:(?P<black>b|black)|(?P<white>w|white))\b"
_LOSER = re.compile(
    rf"{_LATIN_COLOUR}\s*(?:player\s*)?(?:has\s+|have\s+|is\s+)?(?:resign|forfeit|los[et]|tim\w*\s*out|lost|gave up)"
    r"|(?:(?P<black_loses>[黑黒흑])|(?P<white_loses>[白백]))[^黑黒白흑백胜勝승]{0,8}?"
    r"(?:负|負(?!け?勝)|敗|패|认输|認輸|投了|投降|기권)",
    re.IGNORECASE,
)
_WINNER = re.compile(
    rf"{_LATIN_COLOUR}[^+]*?\b(?:win|won|victory)"
    r"|(?:(?P<black_wins>[黑黒흑])|(?P<white_wins>[白백]))[^黑黒白흑백]{0,20}?(?:胜|勝|승|赢|贏)",
    re.IGNORECASE,
)
_PROPER_RESULT = re.compile(r"[BW]\+(?:\d+(?:\.\d*)?|R(?:esign)?|T(?:ime)?|F(?:orfeit)?)?|0|Draw|Void")
_DRAWN = re.compile(
    r"0(?:[.,]0+)?|d(?:\s*\+.*|raw.*)?|jigo|tie[d.]?|even|和(?:棋|局)?|持碁|ジゴ|引き?分け?|무승부|빅", re.IGNORECASE
)
_VOID = re.compile(r".*(?:\bvoid|no\s*result|annul|cancel|無勝負|无胜负|無効|무효)", re.IGNORECASE)
_REASONS = (
    (
        "R",
        re.compile(r"\s*r\b|.*(?:res(?:ign|\b)|中押|中盘|中盤|불계|投了|投降|认输|認輸|기권|gave up)", re.IGNORECASE),
    ),
    ("T", re.compile(r"\s*t\b|.*(?:time|tim\w*\s*out|超时|超時|時間|时间切|時間切|秒切|시간)", re.IGNORECASE)),
    ("F", re.compile(r"\s*f\b|.*(?:forf|illegal|反則|违规|違規|违例|판칙|반칙|실격)", re.IGNORECASE)),
)


def read_size(text: str) -> tuple[Shape, str | None]:
    """The board of SZ: `19`, `13:9` (columns, rows)."""
    numbers = [int(number) for number in re.findall(r"(\d{1,4})(?:\.0+)?", unicodedata.normalize("NFKC", text))][:2]
    lines = numbers * 2 if len(numbers) == 1 else numbers
    if len(lines) != 2 or not all(1 <= number <= MAX_LINES for number in lines):
        return Shape(USUAL_SIZE, USUAL_SIZE), f"SZ[{text}] is no size: taken for {USUAL_SIZE}"
    is_proper = re.fullmatch(r"\s*\d+\s*(?::\s*\d+\s*)?", text)
    return Shape(*lines), None if is_proper else f"SZ[{text}] taken for {lines[0]}:{lines[1]}"


def read_number(text: str) -> float | None:
    """The number that `text` is, None if it is not one alone."""
    try:
        number = float(text) if "_" not in text else None
    except ValueError:
        return None
    return number if number is not None and abs(number) < 1e9 else None


def read_points(text: str) -> float | None:
    """The first amount of points in `text`, stones taken twice."""
    text = _plain_digits(text)
    found = _AMOUNT.search(text)
    if found is None:
        return None
    if found["whole"] is not None:
        points = int(found["whole"]) + int(found["top"]) / int(found["bottom"])
    elif found["only_top"] is not None:
        points = int(found["only_top"]) / int(found["only_bottom"])
    else:
        points = float((found["number"] or "0").replace(",", "."))
    after = _AFTER_AMOUNT.match(text, found.end())
    if after is not None:
        points += 0.5 * (after["half"] is not None)
        points *= POINTS_A_STONE if after["stones"] or after["late_stones"] else 1
    return points


def read_komi(text: str, shape: Shape, is_chinese: bool, is_fox: bool) -> tuple[float | None, str | None]:
    """Points that White gets, a multiple of 0.5."""
    exact = read_number(text.strip())
    points = exact
    if points is None:
        points = read_points(text)
        if points is not None and re.search(r"^\s*-|[BWbw黑黒]\w*\s*\+\s*-", text):
            points = -points
    if points is None:
        return None, f"KM[{text}] is no number: the rules' usual komi is taken"
    is_in_hundredths = points % 1 == 0 and (abs(points) >= 100 or (is_fox and abs(points) >= 25))
    if is_in_hundredths:
        points /= 100
        if is_chinese and 1 < abs(points) <= 4:
            points *= POINTS_A_STONE
    elif points in (55, 65, 75):
        points /= 10
    is_in_stones = (2 * points) % 1 == 0.5 and abs(points) < 5  # no komi in points has a quarter
    if is_in_stones or (is_in_hundredths and abs(points) == 3.5):
        points *= POINTS_A_STONE
    points = round(2 * points) / 2 + 0.0
    if abs(points) > shape.columns * shape.rows + KOMI_MARGIN:
        return None, f"KM[{text}] cannot be: the rules' usual komi is taken"
    return points, None if points == exact else f"KM[{text}] taken for {points:g}"


def read_handicap(text: str) -> tuple[int, str | None]:
    """Handicap stones that HA tells; 0 if it tells none."""
    plain = unicodedata.normalize("NFKC", text).strip()
    if re.fullmatch(r"\d{1,3}(?:\.0*)?", plain):
        return int(float(plain)), None
    found = re.search(r"(?<![-.\d])\d{1,2}(?=\s*(?:子|目|stones?|점|$))", _plain_digits(plain), re.IGNORECASE)
    if found is not None:
        return int(found[0]), f"HA[{text}] taken for {found[0]}"
    return 0, f"HA[{text}] is no number: no handicap is taken" if plain else None


def read_result(text: str) -> tuple[str | None, str | None]:
    """The result, None if none is known."""
    plain = unicodedata.normalize("NFKC", text.replace("½", ".5")).strip()
    if not plain or plain in ("?", "-", "*"):
        return None, None
    if _DRAWN.fullmatch(plain):
        result = "0"
    elif _VOID.match(plain):
        result = "Void"
    elif (stated := _STATED.match(plain)) is not None:
        result = ("B+" if stated["black"] else "W+") + _reason_or_margin(stated["rest"])
    else:
        result = _told_result(plain)
        if result is None:
            return None, f"RE[{_short(text)}] tells no result"
    return result, None if _PROPER_RESULT.fullmatch(plain) else f"RE[{_short(text)}] taken for {result}"


def read_colour(text: str) -> str | None:
    """The player that PL tells: "black", "white", or None."""
    plain = unicodedata.normalize("NFKC", text).strip().lower()
    if plain.startswith(("b", "1", "黑", "黒", "흑")):
        return "black"
    return "white" if plain.startswith(("w", "2", "白", "백")) else None


def _told_result(plain: str) -> str | None:
    """The result that a sentence tells, such as "White resigns." or "黒3目半勝ち"."""
    lost = _LOSER.search(plain)
    if lost is not None:
        return ("W+" if lost["black"] or lost["black_loses"] else "B+") + _reason_or_margin(plain[lost.start() :], "")
    won = _WINNER.search(plain)
    if won is not None:
        return ("B+" if won["black"] or won["black_wins"] else "W+") + _reason_or_margin(plain[won.start() :])
    return None


def _reason_or_margin(rest: str, otherwise: str | None = None) -> str:
    """What stands behind the "+": a letter, points, or nothing. `otherwise` replaces the points."""
    starts_with_number = re.match(r"\s*[\d.,]", rest)
    for letter, pattern in _REASONS:
        if pattern.match(rest) and not starts_with_number:
            return letter
    points = read_points(rest) if otherwise is None else None
    if points is None or points > MAX_LINES**2:
        return otherwise or ""
    return f"{points * POINTS_A_STONE if (2 * points) % 1 == 0.5 else points:g}"


def _plain_digits(text: str) -> str:
    """`text` with its numbers in plain digits: full-width, fractions, Chinese numerals."""
    text = unicodedata.normalize("NFKC", re.sub(r"(?<=\d)\s*½", ".5", text)).replace("\u2044", "/")
    text = re.sub(r"([一二三四])分之([一二三])", r"\2/\1", text)
    text = re.sub(r"([一二三四五六七八九]?)十([一二三四五六七八九]?)", _tens, text)
    return "".join(str(_NUMERALS[letter]) if letter in _NUMERALS else letter for letter in text)


def _tens(found: re.Match[str]) -> str:
    tens, ones = (_NUMERALS.get(digit) for digit in found.groups())
    return str(10 * (1 if tens is None else tens) + (ones or 0))


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
