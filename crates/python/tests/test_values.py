"""Values of arguments: budgets, sizes and names."""

import time
from datetime import timedelta
from fractions import Fraction
from typing import get_args

import numpy
import pytest

import lockstep_collectives as lockstep
from lockstep_collectives import _native, typing
from lockstep_collectives._values import limit


@pytest.mark.parametrize("name, expected", _native.names())
def test_types_list_the_names_of_the_library(name, expected):
    assert sorted(get_args(getattr(typing, name))) == sorted(expected)


@pytest.mark.parametrize("budget", [1, timedelta(seconds=1)])
def test_a_budget_is_a_time(budget):
    begin = time.monotonic()
    plan = lockstep.plan("dragonfly:4,2,2", "all-to-all", budget=budget)
    assert plan.cut_short == "deadline" and time.monotonic() - begin >= 1


def test_budgets_are_texts_of_the_program():
    assert (limit(None), limit("unlimited"), limit("4000000")) == (None, "unlimited", "4000000")
    assert (limit(20), limit(0.5), limit(timedelta(milliseconds=2))) == ("20000000000ns", "500000000ns", "2000000ns")
    assert limit(numpy.float32(0.25)) == limit(Fraction(1, 4)) == "250000000ns"
    assert limit(1e-12) == "1ns" and limit(float("inf")) == limit(timedelta.max) == limit(10**400) == "unlimited"


@pytest.mark.parametrize("budget", [0, -1, float("nan"), timedelta(0), timedelta(seconds=-1), "soon", "0", ""])
def test_a_wrong_budget_is_named(budget):
    with pytest.raises(lockstep.ProblemError, match="budget: found"):
        lockstep.plan("ring:4", "all-gather", budget=budget)


@pytest.mark.parametrize("budget", [True, [1], object()])
def test_a_budget_of_another_type_is_named(budget):
    with pytest.raises(TypeError, match="budget: expected seconds"):
        lockstep.plan("ring:4", "all-gather", budget=budget)


def test_sizes_are_numbers_and_texts():
    plan = lockstep.plan("ring:4", "all-gather")
    sizes = [1 << 20, "1MiB", float(1 << 20), numpy.int64(1 << 20)]
    times = plan.time(sizes, unit="1GB/s")
    assert [time.bytes for time in times] == [1 << 20] * 4 and len(set(times)) == 1
    assert times[0] == plan.time("1MiB", unit=1e9) and plan.time([], unit=1) == []
    assert plan.time(numpy.array([1, 2]), unit=1)[1].bytes == 2


@pytest.mark.parametrize("size", [-1, 2**64, 1.5, float("nan"), None, "large", "1KiB..1MiB"])
def test_a_wrong_size_is_named(size):
    with pytest.raises(lockstep.ProblemError, match="size|'large'"):
        lockstep.plan("ring:4", "all-gather").time(size, unit=1)


def test_ranges_of_sizes():
    assert lockstep.sizes("1KiB..1MiB") == [1 << power for power in range(10, 21, 2)]
    assert lockstep.sizes((3, 20), factor=2) == [3, 6, 12, 20] and lockstep.sizes("5..5") == [5] and lockstep.sizes("1KiB") == [1 << 10]
    for wrong in ("1..2..3", "2..1", "0..1", (1,)):
        with pytest.raises(lockstep.ProblemError, match="sizes"):
            lockstep.sizes(wrong)
    with pytest.raises(lockstep.ProblemError, match="factor: found 1"):
        lockstep.sizes("1..2", factor=1)
    fronts = [
        lockstep.front("ring:4", "all-gather", sizes=sizes, unit="25GB/s", budget="20s")
        for sizes in ("64KiB..1MiB", ("64KiB", 1 << 20))
    ]
    assert fronts[0] == fronts[1] and fronts[0].sizes == (1 << 16, 1 << 20)
