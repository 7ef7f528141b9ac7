"""Long calls: interruption, the global lock, progress, time limits."""

import os
import signal
import threading
import time

import pytest

import lockstep_collectives as lockstep

# A search that no bound ends. Its limit is far longer than the tests.
LONG = {"topology": "omega:32", "collective": "all-to-all", "engine": "umda", "budget": "60s"}
# The first schedule alone takes longer than the test.
LARGE = {"topology": "torus:24x24", "collective": "all-to-all", "engine": "construct", "budget": "60s"}


@pytest.fixture(autouse=True)
def interrupts_are_seen():
    """Programs that a script starts in the background ignore interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("arguments", [LONG, LARGE], ids=["search", "first schedule"])
def test_an_interrupt_ends_a_plan_within_a_second(arguments):
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.7, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt) as interrupt:
        lockstep.plan(**arguments)
    ended = time.monotonic()
    timer.join()
    assert sent and ended - sent[0] < 1
    assert isinstance(interrupt.value, lockstep.Interrupted) and interrupt.value.__cause__ is None


def interrupted(call, is_enough):
    """Interrupt a call as soon as an event is enough, and return the exception."""
    is_sent = []

    def see(event):
        if is_enough(event) and not is_sent:
            is_sent.append(True)
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(lockstep.Interrupted) as interrupt:
        call(progress=see)
    return interrupt.value


def has_schedule(event):
    return event["event"] in ("tried", "found") and "steps" in event


def test_an_interrupt_keeps_the_best_plan():
    best = interrupted(lambda progress: lockstep.plan(**LONG, progress=progress), has_schedule).best
    assert isinstance(best, lockstep.Plan) and best.cut_short == "interrupt"
    assert best.verify()["steps"] == best.steps >= best.lower_bound > 0


def test_an_interrupt_keeps_a_plan_after_faults():
    before = lockstep.plan("torus:6x6", "all-to-all", budget="1")
    faulty = before.topology.without(links=[before.topology.edges[0]])

    def call(progress):
        return lockstep.replan(before, faulty, budget=60, progress=progress)

    best = interrupted(call, has_schedule).best
    assert isinstance(best, lockstep.Plan) and best.topology == faulty


def test_an_interrupt_keeps_the_work_of_other_tasks():
    before = lockstep.plan("torus:6x6", "all-gather", budget="1")
    effects = interrupted(
        lambda progress: lockstep.faults(before, budget=60, progress=progress), lambda event: event["event"] == "fault sets"
    ).best
    assert 0 < len(effects) < 72 and all(effect.plan for effect in effects)
    design = interrupted(
        lambda progress: lockstep.design(64, 4, rounds=30, progress=progress), lambda event: event.get("done", 0) >= 3
    ).best
    assert design.topology.node_count == 64 and design.mean_distance >= design.least_mean_distance
    front = interrupted(
        lambda progress: lockstep.front("torus:6x6", "all-gather", unit="1GB/s", budget=60, progress=progress),
        lambda event: event["event"] == "found",
    ).best
    assert len(front) > 0 and front.is_cut_short and front.time("1MiB").synchronous > 0


def test_an_interrupt_without_a_result_has_none():
    text = str(lockstep.Interrupted())
    assert lockstep.Interrupted().best is None and text == "there is no result yet"
    assert issubclass(lockstep.Interrupted, KeyboardInterrupt) and not issubclass(lockstep.Interrupted, Exception)


def test_other_threads_run_during_a_plan():
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.01):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    try:
        plan = lockstep.plan("dragonfly:4,2,2", "all-to-all", budget="1s")
    finally:
        end = time.monotonic()
        done.set()
        thread.join()
    inside = [moment for moment in ticks if begin < moment < end]
    assert plan.cut_short == "deadline"
    assert len(inside) > 10 * (end - begin)


def test_a_callable_receives_events():
    events = []
    plan = lockstep.plan("omega:8", "all-gather", progress=events.append)
    assert {event["event"] for event in events} >= {"bound", "tried", "ended"}
    assert max(event["steps"] for event in events if event["event"] == "bound" and "steps" in event) == plan.lower_bound


def test_an_exception_of_the_callable_ends_the_plan():
    def refuse(event):
        raise RuntimeError(event["event"])

    with pytest.raises(RuntimeError, match="bound|tried"):
        lockstep.plan(**LONG, progress=refuse)


def test_progress_is_a_line_on_standard_error(capsys):
    plan = lockstep.plan("omega:8", "all-gather", progress=True)
    text = capsys.readouterr()
    last = text.err.split("\r")[-1]
    assert text.out == "" and last.endswith("\n") and f"best {plan.steps} bound {plan.lower_bound}" in last
