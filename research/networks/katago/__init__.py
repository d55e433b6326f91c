"""KataGo's networks: read from its files, written to them, computed with Flax, and asked about positions."""

from research.networks.katago.description import NUM_GLOBALS, NUM_PLANES, Description
from research.networks.katago.design import DESIGNS, KataGoConfig, describe
from research.networks.katago.network import KataGoNetwork
from research.networks.katago.outputs import Evaluation, turned_round
from research.networks.katago.positions import (
    Inputs,
    encoder_for,
    evaluate,
    evaluate_average,
    make_katago_evaluate,
    make_read,
)
from research.networks.katago.reading import KataGoFile, parse_network, read_network
from research.networks.katago.tokens import NetworkFileError
from research.networks.katago.writing import write_network

__all__ = [
    "DESIGNS",
    "NUM_GLOBALS",
    "NUM_PLANES",
    "Description",
    "Evaluation",
    "Inputs",
    "KataGoConfig",
    "KataGoFile",
    "KataGoNetwork",
    "NetworkFileError",
    "describe",
    "encoder_for",
    "evaluate",
    "evaluate_average",
    "make_katago_evaluate",
    "make_read",
    "parse_network",
    "read_network",
    "turned_round",
    "write_network",
]
