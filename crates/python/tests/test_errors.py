"""Errors: each has a type and a message that names the value."""

import pickle
import subprocess
import sys

import pytest

import lockstep_collectives as lockstep


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("torus:0x4", "all-gather"), {}, lockstep.TopologyError, "length of a side is 0"),
        (("ring:4", "all-to-some"), {}, lockstep.ProblemError, "all-to-some"),
        (("ring:4", "broadcast"), {"root": "x"}, lockstep.ProblemError, "no node 'x'"),
        (("ring:4", "all-gather"), {"root": 0}, lockstep.ProblemError, "root"),
        (("ring:4", "all-gather"), {"switching": "x"}, lockstep.ProblemError, "switching: found 'x'"),
        (("ring:4", "all-gather"), {"ports": 0}, lockstep.ProblemError, "ports: found '0'"),
        (("ring:4", "all-gather"), {"routing": "x"}, lockstep.ProblemError, "routing: found 'x'"),
        (("ring:4", "all-gather"), {"duplex": "x"}, lockstep.ProblemError, "duplex: found 'x'"),
        (("ring:4", "all-gather"), {"scatter": "x"}, lockstep.ProblemError, "scatter: found 'x'"),
        (("ring:4", "all-gather"), {"engine": "x"}, lockstep.ProblemError, "engine: there is no 'x'"),
        (("ring:4", "all-gather"), {"budget": "soon"}, lockstep.ProblemError, "budget: found 'soon'"),
        (("ring:4", "all-gather"), {"budget": 0}, lockstep.ProblemError, "budget: found 0"),
        (("ring:4", "all-gather"), {"chunks": 0}, lockstep.ProblemError, "chunks: found 0"),
        (("ring:4", "all-gather"), {"steps": 1}, lockstep.PlanError, "no schedule has fewer"),
        (("ring:1", "all-gather"), {}, lockstep.LockstepError, "terminal"),
        ((4, "all-gather"), {}, TypeError, "expected a Topology"),
    ],
)
def test_errors_are_typed_and_name_the_value(arguments, options, error, message):
    with pytest.raises(error, match=message):
        lockstep.plan(*arguments, **options)


LONG = "x" * 10_000


@pytest.mark.parametrize(
    ("call", "error", "end"),
    [
        (lambda: lockstep.plan(LONG, "all-gather"), lockstep.TopologyError, "check the path and its permissions"),
        (lambda: lockstep.plan("ring:4", LONG), lockstep.ProblemError, "all-reduce"),
        (lambda: lockstep.plan("ring:4", "broadcast", root=LONG), lockstep.ProblemError, "expected a name or a number"),
        (lambda: lockstep.plan("ring:4", "all-gather", budget=LONG), lockstep.ProblemError, "evaluations ('4000000')"),
        (lambda: lockstep.plan("ring:4", "all-gather").export(LONG), lockstep.ExportError, "latex"),
        (lambda: lockstep.Topology("ring:4").without(links=[LONG]), lockstep.FaultError, "names or numbers"),
        (lambda: lockstep.simulate("ring:4", LONG), lockstep.SimulationError, "uniform or all-to-all"),
    ],
)
def test_a_long_name_is_shortened_in_the_message_but_not_the_remedy(call, error, end):
    with pytest.raises(error) as caught:
        call()
    message = str(caught.value)
    assert "x…x" in message and LONG[:201] not in message
    assert message.endswith(end)


def test_all_errors_have_one_base():
    for name in ("TopologyError", "ProblemError", "PlanError", "InvalidSchedule", "FaultError", "ExportError"):
        assert issubclass(getattr(lockstep, name), lockstep.LockstepError)
        assert getattr(lockstep, name).__module__ == "lockstep_collectives"


def test_errors_are_pickled_with_their_messages():
    with pytest.raises(lockstep.ProblemError) as raised:
        lockstep.plan("ring:4", "all-to-some")
    again = pickle.loads(pickle.dumps(raised.value))
    assert type(again) is lockstep.ProblemError and str(again) == str(raised.value)
    interrupted = pickle.loads(pickle.dumps(lockstep.Interrupted(lockstep.plan("ring:4", "all-gather"))))
    assert interrupted.best == lockstep.plan("ring:4", "all-gather") and "best" in str(interrupted)


def test_disconnected_terminals_are_a_problem():
    with pytest.raises(lockstep.ProblemError):
        lockstep.plan(lockstep.Topology("mesh:3").without(links=["0-1"]), "all-gather")


def test_the_package_needs_no_numpy():
    code = (
        "import sys\n"
        "for name in ('numpy', 'networkx', 'pandas', 'scipy', 'matplotlib'): sys.modules[name] = None\n"
        "import lockstep_collectives as lockstep\n"
        "plan = lockstep.plan('ring:4', 'all-gather')\n"
        "assert plan.steps == 2 and plan.to_svg() and plan.verify()['transfers'] == 12\n"
        "try: plan.transfers\n"
        "except ImportError: print('numpy is needed here')\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "numpy is needed here\n"
