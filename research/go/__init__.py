"""Go, all of it on the device: the rules, positions as text, coordinates, symmetries."""

from research.go.game import Go
from research.go.rules import Rules, rules_named
from research.go.state import GoState, board, with_to_play
from research.go.text import from_text, to_text

__all__ = ["Go", "GoState", "Rules", "board", "from_text", "rules_named", "to_text", "with_to_play"]
