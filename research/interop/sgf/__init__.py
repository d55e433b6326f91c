"""Game records in SGF, in and out: FF[1] to FF[4], any charset, handicap, set-up, variations, damage.

```python
from research.interop import sgf

for record in sgf.load("games.zip"):  # a file, a folder, a .zip, a .tar.xz; sgf.parse(data) for one text
    record.size, record.komi, record.handicap, record.result, record.rules, record.setup, record.moves, record.warnings
game = go.Go(sgf.rules_of(record))
state = sgf.replay(game, record, num_moves=60)
data = sgf.write([sgf.from_actions(actions, rules, result="B+R")])
```

What happens to a record on its way in, one file each: `charsets` makes text of bytes, `tree` a tree of nodes of text,
`header` and `events` read what the tree says, `record` holds it. A right reader never fails on a record that a person
could still read: everything that had to be repaired is in `record.warnings`, with file, line and column.

Why an own reader: the best kept one in Python, pysgf, gets a clean record right, but knows no positions, stops at a
missing bracket or parenthesis, is recursive and quadratic in the length of a file, leaves moves and komi as it finds
them and asks for a package that guesses charsets. What would have to stand around it (charset, damage, passes, komi,
results, set-up, warnings) is all of this but the one regular expression that splits tokens.

*Source:* SGF FF[4] by Arno Hollosi, https://www.red-bean.com/sgf.
"""

from research.interop.sgf.legality import Finding
from research.interop.sgf.loading import Games, Skipped, load, refuse_unless
from research.interop.sgf.reading import parse
from research.interop.sgf.record import Record
from research.interop.sgf.replay import replay, rules_of
from research.interop.sgf.tree import Composed, Node, SgfError, main_line, value_parts
from research.interop.sgf.writing import from_actions, write

__all__ = [
    "Composed",
    "Finding",
    "Games",
    "Node",
    "Record",
    "SgfError",
    "Skipped",
    "from_actions",
    "load",
    "main_line",
    "parse",
    "refuse_unless",
    "replay",
    "rules_of",
    "value_parts",
    "write",
]
