"""Pass-alive chains and territory by Benson's algorithm, in plain Python, and KataGo's area map that is built on them.

A colour's chain is pass-alive if it cannot be captured even though its owner always passes. Cut the board into regions:
connected points without a stone of the colour, at least one of them empty. A region is vital to a chain if each of its
empty points is next to the chain; where suicide is legal, so that a region can be filled, each of its points. Take away
chains with fewer than two vital regions, then regions that border on a chain taken away, until nothing changes. What is
left is alive; a region left is territory if at most one of its points is not next to the colour's stones (the opponent
cannot make two eyes there), or if it holds no enemy stone. Enemy stones in territory are pass-dead.

*Source:* D. B. Benson, Life in the game of Go, Information Sciences 10 (1976), 17-29; KataGo, Board::calculateArea.
"""

from referee import BLACK, EMPTY, WHITE, Referee, chain_at, chains, other


def pass_alive_area(game: Referee, colour: str) -> set[int]:
    """The points of `colour`'s pass-alive chains and territory."""
    alive = [frozenset(chain) for chain in chains(game, game.board, colour)]
    regions = [frozenset(region) for region in regions_without(game, colour)]
    while True:
        kept = [chain for chain in alive if sum(is_vital(game, region, chain) for region in regions) >= 2]
        alive_points = set().union(*kept)
        kept_regions = [region for region in regions if next_to(game, region, colour) <= alive_points]
        if (kept, kept_regions) == (alive, regions):
            break
        alive, regions = kept, kept_regions
    territory = [region for region in regions if alive and is_territory(game, region, colour)]
    return set().union(*alive, *territory)


def regions_without(game: Referee, colour: str) -> list[set[int]]:
    """The connected sets of points without a stone of `colour` that hold an empty point."""
    merged = game.board.replace(other(colour), EMPTY)
    return [region for region in chains(game, merged, EMPTY) if any(game.board[point] == EMPTY for point in region)]


def is_vital(game: Referee, region: frozenset[int], chain: frozenset[int]) -> bool:
    """Whether the region gives the chain a liberty for as long as its owner passes."""
    must_touch = [point for point in region if game.suicide or game.board[point] == EMPTY]
    return all(chain & set(game.neighbours(point)) for point in must_touch)


def is_territory(game: Referee, region: frozenset[int], colour: str) -> bool:
    """Whether a region among alive chains is safe from a living enemy inside."""
    inner = [p for p in region if all(game.board[near] != colour for near in game.neighbours(p))]
    return len(inner) <= 1 or all(game.board[point] == EMPTY for point in region)


def next_to(game: Referee, region: frozenset[int], colour: str) -> set[int]:
    """The stones of `colour` next to the region."""
    return {near for point in region for near in game.neighbours(point) if game.board[near] == colour}


def has_pass_dead_stones(game: Referee) -> bool:
    """Whether a stone stands in the opponent's pass-alive territory."""
    return any(game.board[p] == other(colour) for colour in (BLACK, WHITE) for p in pass_alive_area(game, colour))


def area_map(game: Referee) -> str:
    """Whose each point is under KataGo's area rules: like Tromp-Taylor, but without the pass-dead stones."""
    owner = dict.fromkeys(range(len(game.board)), EMPTY)
    for colour in (BLACK, WHITE):
        owner |= {p: colour for p in pass_alive_area(game, colour) if owner[p] == EMPTY}
    for point in range(len(game.board)):
        if owner[point] != EMPTY:
            continue
        if game.board[point] != EMPTY:
            owner[point] = game.board[point]
        else:
            region = frozenset(chain_at(game, game.board, point))
            bordering = [colour for colour in (BLACK, WHITE) if next_to(game, region, colour)]
            owner[point] = bordering[0] if len(bordering) == 1 else EMPTY
    return "".join(owner[point] for point in range(len(game.board)))
