"""Statistics of matches: how sure a score rate is.

*Source:* Wilson 1927, "Probable inference, the law of succession, and statistical inference", JASA 22; its coverage
compared with other intervals: Newcombe 1998, Statistics in Medicine 17, table I, method 3.
"""

from statistics import NormalDist


def wilson_interval(num_points: float | int, num_games: int, confidence: float = 0.95) -> tuple[float, float]:
    """(low, high): Wilson's score interval of a rate of which `num_points` out of `num_games` were seen.

    Points may be halves (a draw counts half). A draw varies less than a win and a loss do, so with draws the interval
    is on the wide side.

    *Raises:* ValueError for no games, points outside 0 to `num_games`, or a confidence not between 0 and 1.
    """
    if num_games < 1:
        raise ValueError(f"num_games is {num_games}; allowed: 1 or more")
    if not 0 <= num_points <= num_games:
        raise ValueError(f"num_points is {num_points}; allowed: 0 to num_games = {num_games}")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence is {confidence}; allowed: between 0 and 1")
    deviations = NormalDist().inv_cdf(0.5 + confidence / 2)
    rate = num_points / num_games
    shrink = 1 + deviations**2 / num_games
    centre = (rate + deviations**2 / (2 * num_games)) / shrink
    variance = rate * (1 - rate) / num_games + deviations**2 / (4 * num_games**2)
    half_width = deviations * variance**0.5 / shrink
    # Exactly 0 and 1 at the ends, where rounding would leave a hair.
    low = 0.0 if num_points == 0 else centre - half_width
    high = 1.0 if num_points == num_games else centre + half_width
    return low, high
