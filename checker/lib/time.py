"""The simulation's clocks. Nothing here waits, and nothing here knows the real time."""

import _leasehold


def monotonic():
    return _leasehold.now_us() / 1_000_000


def monotonic_ns():
    return _leasehold.now_us() * 1000


perf_counter = monotonic
perf_counter_ns = monotonic_ns
process_time = monotonic
process_time_ns = monotonic_ns


def time():
    return _leasehold.wall_us() / 1_000_000


def time_ns():
    return _leasehold.wall_us() * 1000


def sleep(seconds):
    raise RuntimeError(
        "time.sleep() would stop the whole simulated process. Time is virtual here: "
        "use the clock that you are given."
    )
