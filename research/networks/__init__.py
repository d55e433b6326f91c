"""The networks: planes in, a policy and a value out. The only room that knows Flax; the rest sees pure functions."""

from research.networks.network import Network, NetworkConfig, Prediction, Variables, make_network

__all__ = ["Network", "NetworkConfig", "Prediction", "Variables", "make_network"]
