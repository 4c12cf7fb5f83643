#!/usr/bin/env bash
# Prints the figures of Hypothesis on kata 1 as JSON (see measure.py; tools/compare makes a table of them and ours).
# The first time it fetches the packages of requirements.txt; after that it needs no network.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=../../../tools/setup.sh
. "$here/../../../tools/setup.sh"
kata="$here/../../../exercises/01-acquire-with-fencing"

have python3 || fail "Python 3 is missing." "Install CPython 3.10 or newer and run this again."
venv="$LEASEHOLD_CACHE/hypothesis"
if ! cmp -s "$here/requirements.txt" "$venv/.installed"; then
  {
    step "Making a Python environment with Hypothesis (once, under 1 min)" python3 -m venv --clear "$venv"
    step "Installing Hypothesis" "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
  } >&2
  cp "$here/requirements.txt" "$venv/.installed"
fi
cd "$here"
exec env PYTHONDONTWRITEBYTECODE=1 HYPOTHESIS_STORAGE_DIRECTORY="$venv/storage" "$venv/bin/python" measure.py "$kata/solution.py" \
  "$kata/wrong/never_expires.py" "$kata/wrong/held_at_its_expiry.py" "$kata/wrong/token_per_name.py" "$@"
