"""How fast Hypothesis tries kata 1, and how long it takes to find and shrink a failure. Prints JSON for tools/compare.

    measure.py SOLUTION WRONG... [--repeat N]

Only what is needed is switched on: no database, no deadline, no health checks, no explanation of a failure. That is
Hypothesis at its fastest.
"""

import argparse
import json
import os
import sys
import time

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from test_lock import lock_class, machine

STEPS = 16
RUNS = 200
# Enough to find each of the wrong locks; the measurement ends with the failure.
RUNS_TO_FIND = 20_000


def timed(lock_manager, random_seed, runs):
    """The machine and the seconds it took, and whether it found a failure."""
    leases = seed(random_seed)(machine(lock_manager))
    options = settings(
        max_examples=runs,
        stateful_step_count=STEPS,
        database=None,
        deadline=None,
        print_blob=False,
        verbosity=Verbosity.quiet,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    started = time.perf_counter()
    try:
        run_state_machine_as_test(leases, settings=options)
        failed = False
    except AssertionError:
        failed = True
    return leases, time.perf_counter() - started, failed


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("solution")
    arguments.add_argument("wrong", nargs="+")
    arguments.add_argument("--repeat", type=int, default=7)
    given = arguments.parse_args()

    figures = {"runs/s": [], "steps/s": [], "us/step": []}
    solution = lock_class(given.solution)
    # The first run pays for imports and caches.
    timed(solution, 0, 20)
    for i in range(given.repeat):
        leases, seconds, failed = timed(solution, i, RUNS)
        if failed:
            sys.exit(f"{given.solution} breaks a rule")
        figures["runs/s"].append(leases.runs / seconds)
        figures["steps/s"].append(leases.steps / seconds)
        figures["us/step"].append(seconds / leases.steps * 1e6)
    for path in given.wrong:
        wrong = lock_class(path)
        name = os.path.basename(path)
        for i in range(given.repeat):
            leases, seconds, failed = timed(wrong, i, RUNS_TO_FIND)
            if not failed:
                sys.exit(f"{path} was not caught in {RUNS_TO_FIND} runs")
            figures.setdefault(f"ms to find {name}", []).append(seconds * 1e3)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
