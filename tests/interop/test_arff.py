"""ARFF of influence maps: what is written has Weka's header and reads back; damage is refused with its line."""

import numpy as np
import pytest

from research.interop import arff

MAPS = np.arange(8, dtype=np.float32).reshape(2, 2, 2) / 10
META = {"game": ["it's 50% done, \\o/", "?"], "move number": [12, None], "result": [0.5, -1.0]}

TEXT = r"""% two maps
@relation influence

@attribute A1 numeric
@attribute B1 numeric
@attribute A2 numeric
@attribute B2 numeric
@attribute game string
@attribute 'move number' numeric
@attribute result numeric

@data
0.2,0.3,0,0.1,'it\'s 50% done, \\o/',12,0.5
0.6,0.7,0.4,0.5,'?',?,-1
"""


def test_the_points_come_first_from_a1_upwards_then_the_meta_attributes() -> None:
    text = arff.write(MAPS, META, comment="two maps")
    assert text == TEXT


def test_what_is_written_reads_back() -> None:
    table = arff.parse(arff.write(MAPS, META))
    np.testing.assert_allclose(table.maps(), MAPS, rtol=1e-7)
    assert table.relation == "influence"
    assert table.column("game") == META["game"]
    assert table.column("move number") == [12.0, None]
    assert table.column("result") == [0.5, -1.0]


def test_a_full_board_begins_at_a1_and_ends_at_t19() -> None:
    maps = np.random.default_rng(0).random((3, 19, 19)).astype(np.float32)
    table = arff.parse(arff.write(maps))
    names = [name for name, _ in table.attributes]
    assert (names[0], names[1], names[18], names[19], names[-1], len(names)) == ("A1", "B1", "T1", "A2", "T19", 361)
    np.testing.assert_array_equal(table.maps().astype(np.float32), maps)


def test_arff_of_other_programs_is_read() -> None:
    table = arff.parse(
        "@RELATION \"a map\"\n%\n@Attribute\tA1\tREAL\n@ATTRIBUTE colour {black, 'light grey'}\n@DATA\n"
        "1e-1, black % why\n  ? ,'light grey'\n"
    )
    assert table.relation == "a map"
    assert table.attributes == [("A1", "real"), ("colour", "{black,light grey}")]
    assert table.rows == [[0.1, "black"], [None, "light grey"]]


HEAD = "@relation r\n@attribute A1 numeric\n@attribute c {x,y}\n@data\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "ends without @data"),
        ("@relation r\n@data\n", "no @attribute"),
        ("hello\n", "line 1: 'hello' is neither"),
        ("@relation r\n@attribute A1 number\n", "line 2: attribute 'A1' has the type 'number'"),
        ("@relation r\n@attribute\n", "line 2: @attribute without a name"),
        (HEAD + "1,x,2\n", "line 5: 3 values for 2 attributes"),
        (HEAD + "1,x\none,x\n", "line 6: 'one' is no number, as A1 wants"),
        (HEAD + "1,z\n", "line 5: 'z' is no value of c"),
        (HEAD + "1 x\n", "line 5: a comma is missing before 'x'"),
        (HEAD + "1,\n", "line 5: no value behind the last comma"),
        (HEAD + "1,'x\n", 'line 5: no value at "\'x"'),
        (HEAD + "{0 1}\n", "line 5: sparse data"),
    ],
)
def test_damage_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(arff.ArffError, match=words):
        arff.parse(text)


def test_tables_without_maps_and_wrong_meta_are_refused() -> None:
    with pytest.raises(ValueError, match="do not begin with a board's points"):
        arff.parse(HEAD + "1,x\n").maps()
    with pytest.raises(ValueError, match="there is no attribute 'B1'; there are A1, c"):
        arff.parse(HEAD).column("B1")
    with pytest.raises(ValueError, match="a point without a number"):
        arff.parse(arff.write(MAPS).replace("0.3", "?")).maps()
    with pytest.raises(ValueError, match="meta 'n' has 1 values; there are 2 maps"):
        arff.write(MAPS, {"n": [1]})
    with pytest.raises(ValueError, match="meta 'B2' has the name of a point"):
        arff.write(MAPS, {"B2": [1, 2]})
