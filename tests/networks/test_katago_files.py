"""KataGo's files: read to the last byte, written as they were read, and refused in one line that says where.

*Source:* the networks of tests/data/katago/networks; the format as KataGo's cpp/neuralnet/desc.cpp reads it.
"""

import dataclasses
import gzip
from pathlib import Path

import jax
import numpy as np
import pytest
from networks.katago_networks import B6, NAMES, loaded, made_up, path_of

from research.networks.katago import KataGoFile, NetworkFileError, parse_network, read_network, write_network
from research.networks.katago.description import LAST_VERSION
from research.networks.katago.writing import network_bytes

KINDS = [  # version, what it is beside
    (8, {}),
    (9, {"first_kernel": 3}),
    (11, {"num_inner_channels": 4, "activation": "mish"}),
    (12, {"activation": "silu"}),
    (13, {"activation": "identity"}),
    (14, {"num_inner_channels": 4, "activation": "mish"}),
    (15, {"activation": "mish"}),
    (16, {"num_inner_channels": 4}),
    (17, {"num_inner_channels": 4, "activation": "mish"}),
]


def fault_of(data: bytes) -> str:
    """The one line that refuses a file."""
    with pytest.raises(NetworkFileError) as caught:
        parse_network(data, "net.bin.gz")
    line = str(caught.value)
    assert line.startswith("net.bin.gz: ")
    assert "\n" not in line
    return line


def assert_same(first: KataGoFile, second: KataGoFile) -> None:
    assert first.description == second.description
    assert jax.tree.structure(first.variables) == jax.tree.structure(second.variables)
    for one, other in zip(jax.tree.leaves(first.variables), jax.tree.leaves(second.variables), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_katagos_is_written_as_it_was_read_to_the_byte(name: str) -> None:
    assert network_bytes(loaded(name)) == gzip.decompress(path_of(name).read_bytes())


def test_every_parameter_is_accounted_for() -> None:
    b6 = loaded(B6)
    assert sum(leaf.size for leaf in jax.tree.leaves(b6.variables["params"])) == 1_027_911
    assert [type(block).__name__[0] for block in b6.description.trunk.blocks] == list("OOPOPO")
    assert (b6.description.version, b6.description.trunk.num_channels) == (8, 96)


@pytest.mark.parametrize(("version", "settings"), KINDS, ids=lambda value: str(value))
@pytest.mark.parametrize("is_binary", [True, False], ids=["bin", "txt"])
def test_reading_what_was_written_gives_the_same_network(version: int, settings: dict, is_binary: bool) -> None:
    network = made_up(version, **settings)
    assert_same(parse_network(network_bytes(network, is_binary)), network)


def test_a_file_is_written_whole_and_packed(tmp_path: Path) -> None:
    network = made_up(15)
    for name in ("net.bin.gz", "net.txt.gz"):
        write_network(network, tmp_path / name)
        assert_same(read_network(tmp_path / name), network)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["net.bin.gz", "net.txt.gz"]
    assert b"@BIN@" not in gzip.decompress((tmp_path / "net.txt.gz").read_bytes())


def test_nothing_is_written_that_is_no_network(tmp_path: Path) -> None:
    network = made_up()
    with pytest.raises(ValueError, match=r"ends in \.bin\.gz or \.txt\.gz"):
        write_network(network, tmp_path / "net.npz")
    for change, fault in (
        (lambda weights: weights.pop("kernel"), "convolution/kernel are missing"),
        (lambda weights: weights.update(kernel=weights["kernel"][:1]), r"kernel are \(1, 5, 22, 6\); wanted"),
        (lambda weights: weights.update(kernel=weights["kernel"] * np.nan), "all finite"),
        (lambda weights: weights.update(bias=np.zeros(3)), "no place for the weights params/trunk/convolution/bias"),
    ):
        variables = jax.tree.map(np.copy, network.variables)
        change(variables["params"]["trunk"]["convolution"])
        with pytest.raises(ValueError, match=fault):
            write_network(network._replace(variables=variables), tmp_path / "net.bin.gz")
    assert list(tmp_path.iterdir()) == []


def test_what_an_older_version_cannot_say_is_not_written() -> None:
    for version, settings, fault in (
        (8, {"activation": "mish"}, "kind of 'trunk/actv' is mish|kind of 'block0/actv1' is mish"),
        (8, {}, "multipliers of 'made-up' is"),
        (15, {}, "flags of 'made-up' has 0 numbers; wanted 8"),
        (8, {"name": "two words"}, "'two words' cannot be written; wanted one word"),
    ):
        network = made_up(version, **{key: value for key, value in settings.items() if key != "name"})
        described = dataclasses.replace(network.description, name=settings.get("name", "made-up"))
        if "multipliers" in fault:
            described = dataclasses.replace(described, multipliers=(1.0,) * 7)
        if "flags" in fault:
            described = dataclasses.replace(described, flags=())
        with pytest.raises(ValueError, match=fault):
            network_bytes(network._replace(description=described))


@pytest.mark.parametrize("is_binary", [True, False], ids=["bin", "txt"])
def test_a_file_that_was_cut_off_anywhere_is_refused_with_block_and_byte(is_binary: bool) -> None:
    data = network_bytes(made_up(15, num_inner_channels=4), is_binary)
    lengths = [*range(0, 60), *range(60, len(data) - 4, len(data) // 29)]
    for length in lengths:
        line = fault_of(data[:length])
        assert "of the unpacked file" in line, (length, line)
        position = int(line.split("at byte ")[1].split()[0])
        assert position <= length
    assert "header, at byte 0 of the unpacked file: the file ends where a name is wanted" in fault_of(b"")
    half = data[: len(data) // 2]
    assert "trunk/block_" in fault_of(half) or "trunk/convolution" in fault_of(half)


def test_a_packed_file_that_was_cut_off_says_so_with_the_block_that_it_had_come_to() -> None:
    packed = path_of(B6).read_bytes()
    line = fault_of(packed[: len(packed) // 2])
    assert "trunk/block_" in line
    assert "('rconv3/" in line
    assert "it is cut short" in line
    assert "get the file again" in line
    assert "it is cut short" in fault_of(packed[:-4])


def test_a_damaged_byte_is_found_wherever_it_is() -> None:
    packed = bytearray(gzip.compress(network_bytes(made_up()), mtime=0))
    for place in range(10, len(packed), 911):
        damaged = packed.copy()
        damaged[place] ^= 0x40
        assert "of the unpacked file" in fault_of(bytes(damaged)), place
    # Weights without structure: only the checksum can tell.
    data = bytearray(gzip.compress(network_bytes(made_up()), compresslevel=0, mtime=0))
    data[data.index(b"@BIN@") + 12] ^= 1
    line = fault_of(bytes(data))
    assert "after the last layer" in line
    assert "damaged" in line


def test_more_than_a_network_is_refused() -> None:
    data = network_bytes(made_up())
    assert "5 bytes more than the network has" in fault_of(data + b"conv1")
    assert "after the last layer" in fault_of(gzip.compress(data) + b"and more")
    assert parse_network(data + b" \n").description.version == 8
    assert parse_network(gzip.compress(data) + b"\0" * 8).description.version == 8


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (b"\n8\n22\n", b"\n18\n22\n", f"version 18, newer than the newest that is known here, {LAST_VERSION}"),
        (b"\n8\n22\n", b"\n7\n22\n", "version 7, which reads other planes"),
        (b"\n8\n22\n", b"\neight\n22\n", "wanted version, a whole number"),
        (b"\n8\n22\n19\n", b"\n8\n18\n19\n", "wanted 22 planes and 19 globals, got 18 and 19"),
        (b"ordinary_block\n", b"transformer_attention_block\n", "trunk/block_00, at byte "),
        (b"ordinary_block\n", b"transformer_ffn_block\n", "a network with transformer blocks (transformer_ffn_block)"),
        (b"ordinary_block\n", b"dilated_block\n", "wanted a kind of block (ordinary_block, gpool_block, nested_"),
        (b"block0/w1\n3\n3\n6\n6\n", b"block0/w1\n3\n3\n6\n7\n", "block_00/convolution1 ('block0/w1')"),
        (b"block0/w1\n3\n3\n6\n6\n", b"block0/w1\n3\n3\n7\n6\n", "block_00"),
        (b"block0/w1\n3\n3\n6\n6\n", b"block0/w1\n2\n3\n6\n6\n", "a kernel of 2x3; wanted odd numbers"),
        (b"block0/w1\n3\n3\n6\n6\n", b"block0/w1\n3\n-3\n6\n6\n", "wanted num columns, a whole number from 1 to"),
        (b"block0/w1\n3\n3\n6\n6\n", b"block0/w1\n3\n3\n6\n99999999999\n", "whole number from 1 to"),
        (
            b"block0/w1\n3\n3\n6\n6\n",
            b"block0/w1\n3\n3\n6\n900000\n",
            "the file ends where the kernel, 48600000 floats",
        ),
        (b"block0/norm1\n6\n1e-20\n", b"block0/norm1\n6\nnan\n", "wanted epsilon, a number, got 'nan'"),
        (b"block0/norm1\n6\n1e-20\n1\n", b"block0/norm1\n6\n1e-20\n2\n", "whether the layer has scale"),
    ],
    ids=lambda value: value.decode().replace("\n", " ").strip() if isinstance(value, bytes) else "",
)
def test_what_is_not_known_here_or_does_not_fit_is_refused_where_it_stands(old: bytes, new: bytes, fault: str) -> None:
    data = network_bytes(made_up())
    assert data.count(old) == 1
    line = fault_of(data.replace(old, new))
    assert fault in line
    assert "of the unpacked file" in line


@pytest.mark.parametrize(
    ("version", "old", "new", "fault"),
    [
        (15, b"22\n19\n20.0", b"22\n19\n-x", "wanted a number of multipliers"),
        (15, b"0.25\n30.0\n0\n0\n", b"0.25\n30.0\n1\n0\n", "reads who is playing"),
        (15, b"0.25\n30.0\n0\n0\n0\n", b"0.25\n30.0\n0\n0\n4\n", "ask for something that is not known here"),
        (15, b"\n3\n3\n0\n0\n0\n0\n0\n0\n", b"\n3\n3\n1\n0\n0\n0\n0\n0\n", "'trunk' asks by the numbers (1, 0, 0"),
        (15, b"ACTIVATION_RELU\nblock0/w1\n", b"ACTIVATION_GELU\nblock0/w1\n", "of kind 'gelu'; known are identity"),
        (17, b"policyhead\n4\n0\n0\n0\n", b"policyhead\n3\n0\n0\n0\n", "as many outputs for the pass as for a point"),
    ],
)
def test_numbers_that_newer_versions_have_are_looked_at(version: int, old: bytes, new: bytes, fault: str) -> None:
    data = network_bytes(made_up(version))
    assert data.count(old) == 1
    assert fault in fault_of(data.replace(old, new))


def test_areas_as_if_suicide_were_legal_are_the_encoders_option() -> None:
    data = network_bytes(made_up(15))
    assert parse_network(data).description.pass_alive_suicide is None
    flagged = parse_network(data.replace(b"0.25\n30.0\n0\n0\n", b"0.25\n30.0\n0\n1\n"))
    assert flagged.description.pass_alive_suicide is True


def test_weights_that_are_no_numbers_are_refused() -> None:
    network = made_up()
    data = network_bytes(network)
    start = data.index(b"@BIN@") + 5
    line = fault_of(data[:start] + np.array([np.inf], "<f4").tobytes() + data[start + 4 :])
    assert "trunk/convolution ('conv1'), at byte " in line
    assert "the kernel holds inf; the file is damaged" in line
    text = network_bytes(network, is_binary=False)
    number = text.split(b"\n")[18].split(b" ")[3]
    line = fault_of(text.replace(b" " + number + b" ", b" x ", 1))
    assert "the kernel, number 4 of 3300, a number, got 'x'" in line


def test_what_is_no_network_at_all_is_refused(tmp_path: Path) -> None:
    for data in (b"\x00\x01\x02" * 100, b"<html><body>404</body></html>", b"PK\x03\x04" + bytes(50), b"\x1f\x8b\x00"):
        assert "of the unpacked file" in fault_of(data)
    with pytest.raises(NetworkFileError, match=r"nowhere.bin.gz: cannot be read: No such file"):
        read_network(tmp_path / "nowhere.bin.gz")
    with pytest.raises(NetworkFileError, match="cannot be read: Is a directory"):
        read_network(tmp_path)
