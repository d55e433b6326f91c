"""GTP's influence commands: whose each point will be, as the tree of one search sees it, for GoGui to paint.

A search is made, every node of its tree gets a map (the network's ownership where it has such a head, else random
playouts), and the root's mean over all simulations is what is shown: 0 Black's, 1 White's in the library, and for GoGui
1 Black's, -1 White's.

*Source:* research/search/influence.py; GoGui's documentation of `gogui-analyze_commands` (types dboard, gfx, hstring).
"""

import numpy as np
from jaxtyping import Float

from research.evaluation.gtp_session import Session
from research.evaluation.network_thinker import NetworkThinker
from research.interop import gtp, influence_text


def show_influence(session: Session, arguments: tuple[str, ...]) -> str:
    """The map as numbers, row by row from the top."""
    return influence_text.gogui_board(_map(session, arguments))


def show_graphics(session: Session, arguments: tuple[str, ...]) -> str:
    """The map as squares of many sizes."""
    return influence_text.gogui_graphics(_map(session, arguments))


def show_text(session: Session, arguments: tuple[str, ...]) -> str:
    """The map as symbols: X and x Black's, O and o White's."""
    return influence_text.influence_text(_map(session, arguments)).rstrip("\n")


def _map(session: Session, arguments: tuple[str, ...]) -> Float[np.ndarray, "size size"]:
    """The map when it is the turn of the colour in the arguments, or of whose turn it is; *Raises:* GtpError."""
    colour = gtp.only_colour(arguments) if arguments else session.game.to_play
    if not isinstance(session.thinker, NetworkThinker):
        raise gtp.GtpError("this player makes no search that influence could be read from")
    return session.thinker.influence(session.question(colour))
