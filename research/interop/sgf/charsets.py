"""SGF bytes to text: which charset a file is in, whether it says so, says nothing, or says something untrue.

The bytes must become text before anything looks for brackets: in Shift-JIS, Big5 and GBK the second byte of a
character may be a backslash or a bracket. In this order:

1. a byte order mark, or the zero bytes of UTF-16 and UTF-32;
2. what CA declares, if all bytes agree with it. A file of several games may declare several charsets, each from the
   game on that declares it. Bytes that are UTF-8 with characters of three bytes are so by no accident: then UTF-8
   goes before a declared charset of another kind;
3. else the likeliest of the charsets that records come in (likelihood.py), what is declared having a head start. The
   game's own syntax has a say: a charset in which brackets do not match is not the one.

*Source:* SGF FF[4], property CA; the charsets that Go servers and record collections are met in.
"""

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

from research.interop.sgf import likelihood
from research.interop.sgf.tree import read_trees

UNDECLARED = "utf-8"  # said of a text that is all ASCII


class Text(NamedTuple):
    """Decoded games that share a charset."""

    text: str
    encoding: str  # the codec's name in Python
    first_line: int  # of the file that `text` begins on, from 1
    warnings: tuple[str, ...]  # of the charset


_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ALIASES = {
    "unicode": "utf-8",
    "sjis-win": "cp932",
    "windows-31j": "cp932",
    "gb": "gb18030",
    "chinese": "gb18030",
    "ansi": "cp1252",
}
_WIDER = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "cp950",
    "iso2022_jp": "iso2022_jp_2",
}
_FAMILIES = (
    "ascii",
    "big5",
    "cp",
    "euc",
    "gb",
    "hz",
    "iso2022",
    "iso8859",
    "johab",
    "koi8",
    "mac",
    "shift",
    "utf-8",
)  # ASCII is itself in them
_SEVEN_BIT = ("iso2022", "hz")
_SHIFT = b"\x1b$"  # to the two-byte characters of ISO-2022
_HZ_SHIFT = b"~{"
_BRACKET_BYTES = ("gb18030", "gbk", "cp950", "big5", "big5hkscs", "cp932", "shift_jis")  # second bytes may be "]"
_CUT = re.compile(r"[^\x00-\x7f](?=\s*(?:[A-Z]{1,2}\[|;\s*[BW]\[))")
_ALL_BYTES = bytes(range(256))
_DECLARATION = re.compile(rb"(?<![A-Za-z])C[a-z]*A[a-z]*\s*\[\s*([^\]\\\s][^\]\\]{0,40})\]")
_ROOT = re.compile(rb"\(\s*+;")
_IN_ROOT = re.compile(rb"(?<![A-Z])(?:GM|FF|SZ|PB|PW)\s*\[")
_ROOT_LENGTH = 1000  # bytes around CA in which a root shows itself
_LINE_END = re.compile(rb"\r\n|\r|\n")
_FOREIGN_LINE = re.compile(rb"[\x80-\xff][^\r\n]*+")
_MAX_SAMPLE = 40_000  # bytes that are judged
_SAMPLE = 4096  # bytes that are searched for the zeros of UTF-16
_HEAD_START = 20.0  # nats that a declared charset is ahead of the others
_SHORT_HEAD_START = 8.0  # the same, if any bytes could be in it
_FAULT = 12.0  # nats that a fault of syntax speaks against a charset
_NUM_TRIED = 3  # charsets whose syntax is looked at


def decode(data: bytes) -> Iterator[Text]:
    """The text of a file, in parts where several charsets are declared."""
    marked = _marked_encoding(data)
    if marked is not None:
        text, num_bad = _decode(data, marked)
        if marked != "utf-8-sig" or num_bad == 0:
            yield Text(text, marked, 1, _damage(marked, num_bad))
            return
        data = data[len(codecs.BOM_UTF8) :]
    for part, declared, first_line in _split(data):
        yield _decode_part(part, declared, first_line)


def _marked_encoding(data: bytes) -> str | None:
    """The encoding that a byte order mark or the pattern of zero bytes tells."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    sample = data[:_SAMPLE]
    zeros = [sample[start::4].count(0) for start in range(4)]
    if sum(zeros) < len(sample) / 5 or len(sample) < 4:
        return None
    if sum(zeros) > len(sample) * 0.7:
        return "utf-32-be" if zeros[0] > zeros[3] else "utf-32-le"
    if abs(zeros[0] + zeros[2] - zeros[1] - zeros[3]) < len(sample) / 6:
        return None  # scattered zeros are damage
    return "utf-16-be" if zeros[0] + zeros[2] > zeros[1] + zeros[3] else "utf-16-le"


def _split(data: bytes) -> Iterator[tuple[bytes, str | None, int]]:
    """(Bytes, what they declare, the line that they begin on), cut where a game declares another charset."""
    cuts: list[tuple[int, str]] = []
    for found in _DECLARATION.finditer(data):
        declared = found[1].decode("latin-1").strip()
        if not cuts:
            cuts.append((0, declared))
        elif declared.lower() != cuts[-1][1].lower():
            roots = list(_ROOT.finditer(data, max(cuts[-1][0] + 1, found.start() - _ROOT_LENGTH), found.start()))
            if roots and _IN_ROOT.search(data, root := roots[-1].start(), found.end() + _ROOT_LENGTH):
                cuts.append((root, declared))
    if not cuts:
        yield data, None, 1
        return
    first_line = 1
    for (start, declared), (end, _) in zip(cuts, [*cuts[1:], (len(data), "")], strict=True):
        yield data[start:end], declared, first_line
        first_line += len(_LINE_END.findall(data, start, end))


def _decode_part(data: bytes, declared: str | None, first_line: int) -> Text:
    """The text of bytes in one charset."""
    name = None if declared is None else _codec_name(declared)
    warnings = []
    if declared is not None and name is None:
        warnings.append(f"charset {declared!r} is unknown, or cannot be this text's")
    if data.isascii():
        guess, text, num_bad = _decode_ascii(data, name)
    else:
        guess, text, num_bad = _decode_beyond_ascii(data, name)
    if name is not None and guess != name:
        warnings.append(f"the text is not in {declared!r} as declared; read as {guess}")
    elif name is None and guess != UNDECLARED:
        warnings.append(f"no charset is declared; the text is taken for {guess}")
    return Text(text, guess, first_line, (*warnings, *_damage(guess, num_bad)))


def _decode_ascii(data: bytes, name: str | None) -> tuple[str, str, int]:
    """(Codec, text, characters replaced) of bytes that are ASCII, or characters of two bytes of seven bits each."""
    is_seven_bit = name is not None and name.startswith(_SEVEN_BIT)
    if _SHIFT not in data and not (is_seven_bit and _HZ_SHIFT in data):
        return name or UNDECLARED, data.decode("ascii"), 0
    seven_bit = name if name is not None and is_seven_bit else "iso2022_jp"
    choices = [(codec, *_decode(data, codec)) for codec in (seven_bit, _WIDER.get(seven_bit, seven_bit), UNDECLARED)]
    codec, text, num_bad = min(choices, key=lambda choice: (_num_faults(choice[1]), choice[2]))
    return (UNDECLARED if codec == UNDECLARED else seven_bit), text, num_bad


def _decode_beyond_ascii(data: bytes, name: str | None) -> tuple[str, str, int]:
    """(Codec, text, characters replaced) of bytes with others than ASCII among them."""
    for codec in () if name is None else (name, _WIDER.get(name, name)):
        text, num_bad = _decode(data, codec)
        if num_bad == 0 and not _is_doubtful(data, codec):
            return name or codec, text, 0
    guess = _likeliest(data, name)
    text, num_bad = _decode(data, guess)
    return (name if name is not None and guess == _WIDER.get(name) else guess), text, num_bad


def _codec_name(declared: str) -> str | None:
    """Python's name of a charset that SGF can be written in; None for another."""
    name = declared.lower().strip().removeprefix("x-")
    name = _ALIASES.get(name, re.sub(r"^(windows|ms|ibm)-?(?=\d+$)", "cp", name))
    try:
        codec = codecs.lookup(name).name
        is_ours = codec.startswith(_FAMILIES) and b"();[]:ACaz09+".decode(codec) == "();[]:ACaz09+"
    except (LookupError, ValueError):
        return None
    return codec if is_ours else None


def _is_doubtful(data: bytes, codec: str) -> bool:
    """Whether bytes that can be read by `codec` may be something else all the same."""
    if codec.startswith("utf"):
        return False
    if _is_single_byte(codec):
        return True  # anything can be read by it
    text, num_bad = _decode(data, "utf-8")
    return num_bad == 0 and max(text) > "\u07ff"


def _is_single_byte(codec: str) -> bool:
    """Whether each byte is a character, so that any bytes could be in the charset."""
    return len(_ALL_BYTES.decode(codec, errors="replace")) == len(_ALL_BYTES)


def _likeliest(data: bytes, declared: str | None) -> str:
    """The codec by which the bytes are the likeliest text."""
    text, num_bad = _decode(data, "utf-8")
    if num_bad == 0 and (declared is None or max(text) > "\u07ff"):
        return "utf-8"
    names = dict.fromkeys([*likelihood.CODECS, *([declared] if declared else [])])
    sample = _sample(data)
    scores = {name: likelihood.log_likelihood(_decode(sample, name)[0], name) for name in names}
    if declared is not None:
        scores[declared] += _SHORT_HEAD_START if _is_single_byte(declared) else _HEAD_START
    tried = sorted(names, key=lambda name: scores[name], reverse=True)[:_NUM_TRIED]
    for name in tried:
        scores[name] -= _FAULT * _num_faults(_decode(data, name)[0])
    return max(tried, key=lambda name: scores[name])


def _sample(data: bytes) -> bytes:
    """What stands in lines from their first byte beyond ASCII on; no charset has a line end inside a character."""
    lines, num_bytes = [], 0
    for line in _FOREIGN_LINE.finditer(data):
        lines.append(line[0])
        num_bytes += len(line[0])
        if num_bytes >= _MAX_SAMPLE:
            break
    return b"\n".join(lines)[:_MAX_SAMPLE]


def _num_faults(text: str) -> int:
    """How much has to be repaired in a text; one without a game is the worst."""
    trees = list(read_trees(text))
    return sum(len(tree.repairs) for tree in trees) if trees else len(text)


def _decode(data: bytes, codec: str) -> tuple[str, int]:
    """(The text, how many characters had to be replaced)."""
    try:
        text, num_bad = data.decode(codec), 0
    except UnicodeError:
        text = data.decode(codec, errors="replace")
        num_bad = max(1, text.count("\ufffd"))
    if codec not in _BRACKET_BYTES:
        return text, num_bad
    text, num_cut = _CUT.subn(lambda found: _without_bracket(found[0], codec), text)
    return text, num_bad + text.count("\ufffd]") * (num_cut > 0)


def _without_bracket(symbol: str, codec: str) -> str:
    """What is left of a character that was cut in two and has taken the "]" behind it for its second half."""
    try:
        return "\ufffd]" if symbol.encode(codec).endswith(b"]") else symbol
    except UnicodeError:
        return symbol


def _damage(encoding: str, num_bad: int) -> tuple[str, ...]:
    return () if num_bad == 0 else (f"{num_bad} characters are not {encoding} and were replaced",)
