#!/usr/bin/env bash
# Packs the wheel from an existing build directory, without a second build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${1:?usage: wheel.sh PYTHON BUILD}
build=${2:?usage: wheel.sh PYTHON BUILD}

rm -rf dist/*.whl
"$python" -m pip wheel . --quiet --disable-pip-version-check --no-build-isolation --no-deps \
  --wheel-dir dist --config-settings build-dir="$build"
wheel=$(echo dist/*.whl)
printf 'wheel: %s, %s\n' "$wheel" "$(du -h "$wheel" | cut -f1)"
