"""Records out of bytes: charset, trees, what they say."""

from collections.abc import Iterator

from research.interop.sgf import charsets
from research.interop.sgf.record import Record, Source, record_of
from research.interop.sgf.tree import Repair, SgfError, read_trees


def parse(data: bytes | str, name: str = "") -> list[Record]:
    """Every game in one text, in order; `name` is what warnings call it.

    *Raises:* SgfError if no game can be found in it.
    """
    return list(read_records(data, name))


def read_records(data: bytes | str, name: str = "") -> Iterator[Record]:
    """The games of one text, one by one; *Raises:* SgfError at the first if there is none."""
    parts = [charsets.Text(data, "utf-8", 1, ())] if isinstance(data, str) else charsets.decode(data)
    num_games = 0
    for part in parts:
        source = Source(name, part.text, part.first_line)
        for root, repairs in read_trees(part.text):
            num_games += 1
            told = [Repair(root.position, warning) for warning in part.warnings]
            yield record_of(root, told + repairs, part.encoding, source)
    if num_games == 0:
        where = f"{name}: " if name else ""
        what = "it is empty" if not data.strip() else f"it begins with {data[:30]!r}; wanted is '(;' and properties"
        raise SgfError(f"{where}no game found: {what}")
