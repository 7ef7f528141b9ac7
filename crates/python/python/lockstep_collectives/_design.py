"""Networks of given order and degree."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from . import _native
from ._progress import observed
from ._topology import Topology
from .typing import Progress

if TYPE_CHECKING:
    from fractions import Fraction


class Design(NamedTuple):
    """A network with a small mean distance between its nodes, and a lower bound of that distance."""

    topology: Topology
    mean_distance: float
    least_mean_distance: float
    diameter: int


class AllGatherDesign(NamedTuple):
    """A network for all-gathers: its steps per chunk for many chunks, and its stages for one chunk."""

    topology: Topology
    steps_per_chunk: Fraction
    stages: int


def design(order: int, degree: int, *, rounds: int = 10, seed: int = 1, progress: Progress = None) -> Design:
    """Search a network of `order` nodes with `degree` links each: smallest diameter, then mean distance.

    Each round takes twice as long as the one before; ten take about one second.

    >>> found = design(10, 3)
    >>> found.diameter, found.mean_distance == found.least_mean_distance
    (2, True)
    """

    def call(observer: _native._Observer) -> tuple[_native.Network, int, int, int]:
        return _native.design_distance(order, degree, rounds, seed, observer)

    def wrap(found: tuple[_native.Network, int, int, int]) -> Design:
        network, distance_sum, bound, diameter = found
        pairs = order * (order - 1)
        return Design(Topology._of(network), distance_sum / pairs, bound / pairs, diameter)

    return observed(progress, call, wrap)


def design_all_gather(
    order: int, degree: int, *, full_duplex: bool = False, seed: int = 1, progress: Progress = None
) -> list[AllGatherDesign]:
    """Search networks of `order` nodes and at most `degree` links for all-gathers, from few stages to few steps per chunk.

    >>> [(network.topology.name, network.stages) for network in design_all_gather(8, 4)][:1]
    [('...', 2)]
    """
    from fractions import Fraction

    def call(observer: _native._Observer) -> list[tuple[str, list[int], int]]:
        return _native.design_all_gather(order, degree, full_duplex, seed, observer)

    def wrap(rows: list[tuple[str, list[int], int]]) -> list[AllGatherDesign]:
        return [AllGatherDesign(Topology(spec), Fraction(*steps), stages) for spec, steps, stages in rows]

    return observed(progress, call, wrap)
