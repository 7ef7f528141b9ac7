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
    with pytest.raises(KeyboardInterrupt):
        lockstep.plan(**arguments)
    ended = time.monotonic()
    timer.join()
    assert sent and ended - sent[0] < 1


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
