"""Collective communication schedules with proved lower bounds, for any interconnection network.

>>> import lockstep_collectives as lockstep
>>> plan = lockstep.plan("torus:4x4", "all-gather")
>>> plan.steps, plan.lower_bound, plan.is_optimal
(4, 4, True)

A :class:`Topology` is a network, :func:`plan` finds a schedule for a collective on it, and a :class:`Plan` holds the schedule
with its proved lower bound. All searches are done by the library ``lockstep``, which is written in Rust.
"""

from ._native import (
    DesignError,
    ExportError,
    FaultError,
    InvalidSchedule,
    LockstepError,
    MeasurementError,
    PlanError,
    ProblemError,
    SimulationError,
    TopologyError,
    __version__,
)
from ._design import AllGatherDesign, Design, design, design_all_gather
from ._expect import Expectation, ExpectedTime, expect
from ._faults import FaultEffect, FaultFigures, RecoveryBook, faults
from ._front import Front, FrontPlan, FrontTime, front
from ._judge import Judgement, judge
from ._measured import Fit, FittedClass, SlowLink, read_measurements
from ._planning import Bound, bounds, plan, replan, verify
from ._progress import Interrupted
from ._schedule import ExportFormat, Plan, Schedule, Times, export, export_formats
from ._simulation import Simulation, simulate
from ._topology import Topology
from ._values import sizes
from ._warnings import LockstepWarning

__all__ = [
    "AllGatherDesign",
    "Bound",
    "Design",
    "DesignError",
    "Expectation",
    "ExpectedTime",
    "ExportError",
    "ExportFormat",
    "FaultEffect",
    "FaultError",
    "FaultFigures",
    "Fit",
    "FittedClass",
    "Front",
    "FrontPlan",
    "FrontTime",
    "Interrupted",
    "InvalidSchedule",
    "Judgement",
    "LockstepError",
    "LockstepWarning",
    "MeasurementError",
    "Plan",
    "PlanError",
    "ProblemError",
    "RecoveryBook",
    "Schedule",
    "Simulation",
    "SimulationError",
    "SlowLink",
    "Times",
    "Topology",
    "TopologyError",
    "__version__",
    "bounds",
    "design",
    "design_all_gather",
    "expect",
    "export",
    "export_formats",
    "faults",
    "front",
    "judge",
    "plan",
    "read_measurements",
    "replan",
    "simulate",
    "sizes",
    "verify",
]
