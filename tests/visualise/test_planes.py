"""Planes as text and as a picture: every plane is there, under its name, with its own content."""

import numpy as np
import pytest

from research.visualise.planes import planes_figure, planes_text

NAMES = ("own stones", "opponent's stones", "black to move")


def make_planes() -> np.ndarray:
    """A 3x3 position: an own stone in the top right corner, an opponent's at the bottom left, Black to move."""
    planes = np.zeros((3, 3, 3), bool)
    planes[0, 2, 0] = planes[2, 0, 1] = True
    planes[..., 2] = True
    return planes


def test_text_shows_planes_side_by_side_and_constant_ones_in_a_line() -> None:
    assert planes_text(make_planes(), NAMES) == (
        "0  own stones          1  opponent's stones\n"
        ". . #                  . . .\n"
        ". . .                  . . .\n"
        ". . .                  # . .\n"
        "\n"
        "  2  black to move: # everywhere\n"
    )


def test_text_of_fractions_keeps_its_columns() -> None:
    planes = np.array([[[0.0], [0.25]], [[1.0], [3.0]]])
    assert planes_text(planes, ("liberties",)) == "0  liberties\n   . 0.25\n   #    3\n"


def test_the_picture_has_one_titled_image_a_plane_with_its_values() -> None:
    planes = make_planes()
    figure = planes_figure(planes, NAMES, title="a position")
    assert [axes.get_title() for axes in figure.axes] == [f"{index} {name}" for index, name in enumerate(NAMES)]
    for index, axes in enumerate(figure.axes):
        (image,) = axes.get_images()
        np.testing.assert_array_equal(image.get_array(), planes[..., index])
        # The same grey means the same number in every plane, also in one that is 1 everywhere.
        assert image.get_clim() == (0, 1)
    assert figure.get_suptitle() == "a position"


def test_a_plane_with_larger_numbers_gets_a_scale_that_holds_them() -> None:
    (axes,) = planes_figure(np.array([[[0.0], [4.0]]]), ("liberties",)).axes
    assert axes.get_images()[0].get_clim() == (0, 4)


@pytest.mark.parametrize("show", [planes_text, planes_figure])
def test_names_must_be_as_many_as_planes(show) -> None:
    with pytest.raises(ValueError, match="got 3 planes and 2 names"):
        show(make_planes(), NAMES[:2])
