"""Types of arguments, for annotations in your code.

>>> from lockstep_collectives.typing import CollectiveName
>>> names: list[CollectiveName] = ["all-gather", "all-to-all"]
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Callable, Iterable, Literal, Union

CollectiveName = Literal[
    "broadcast", "scatter", "all-gather", "all-to-all", "gather", "reduce", "reduce-scatter", "all-reduce"
]
"""The name of a collective."""

Collective = Union[CollectiveName, Iterable["tuple[Any, Any]"]]
"""The name of a collective, or a list of messages, each a source with its receivers."""

Switching = Literal["wormhole", "store-and-forward", "sf"]
PathRouting = Literal["minimal", "any"]
Scatter = Literal["direct", "relay"]
Duplex = Literal["full", "half"]
TransferKind = Literal["kernel", "message", "copy"]
Evidence = Literal["identified", "nominal", "not-limiting", "lower-limit", "assumed"]
Engine = Literal["auto", "analytic", "rings", "construct", "umda", "hgsa"]
Clock = Literal["synchronous", "asynchronous"]
FaultKind = Literal["links", "channels", "nodes"]
Runtime = Literal["msccl", "rccl"]
FlowRouting = Literal["sp-tree", "sp-random", "ecmp-round-robin", "ecmp-random", "ecmp-split"]
Rates = Literal["equal-share", "max-min"]
StepMode = Literal["free", "synchronous"]
Library = Literal["nccl", "rccl", "torchcomms", "open-mpi", "open-mpi-6", "mpich", "ucc"]

Measurements = Any
"""Outputs of benchmarks: paths, texts with a line break, or frames of pandas; one, or several in an iterable."""

WrittenFormat = Literal["json", "edges", "dot", "graphml", "node-link"]
"""A format of networks that is written."""

NetworkFormat = Literal[
    "json",
    "edges",
    "dot",
    "graphml",
    "node-link",
    "nccl-topo",
    "hwloc",
    "nvidia-smi",
    "rocm-smi",
    "amd-smi",
    "ibnetdiscover",
    "slurm",
    "simgrid",
    "astra-sim",
    "booksim",
    "htsim",
    "graph-golf",
    "gml",
    "nx-edges",
    "csv",
]
"""A format of networks that is read."""

ExportName = Literal[
    "msccl-xml",
    "mscclpp-json",
    "msccl-json",
    "goal",
    "goal-binary",
    "chakra",
    "simgrid",
    "htsim",
    "mpi-c",
    "nccl-c",
    "torch",
    "perfetto",
    "paje",
    "csv",
    "latex",
]
"""A format of :func:`lockstep_collectives.export`."""

ProgramFormat = Literal[
    "msccl-xml", "mscclpp-json", "msccl-json", "te-ccl", "goal", "goal-binary", "chakra", "htsim", "csv"
]
"""A format of programs that :func:`lockstep_collectives.judge` reads."""

Budget = Union[float, timedelta, str, None]
"""A limit: seconds, a ``timedelta``, a text such as ``30s``, ``unlimited``, or evaluations as a text such as ``4000000``."""

Size = Union[int, str]
"""A number of bytes, or a text such as ``64MiB``."""

Sizes = Union[str, "tuple[Size, Size]"]
"""Two sizes, the smaller one first: a pair, or a text such as ``64KiB..1MiB``."""

Progress = Union[bool, Callable[["dict[str, Any]"], Any], None]
"""True for a line on standard error, or a callable that receives each event."""
