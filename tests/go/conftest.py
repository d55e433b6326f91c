"""The fixture that puts every drawing to both engines.

*Source:* none; tests/diagrams.py says how drawings are read.
"""

from functools import partial

import pytest
from diagrams import Make, Position
from engines import OnDevice, OnReferee


@pytest.fixture(params=[OnReferee, OnDevice])
def make(request: pytest.FixtureRequest) -> Make:
    """Makes a position from a drawing, on each engine in turn."""
    return partial(Position, request.param)
