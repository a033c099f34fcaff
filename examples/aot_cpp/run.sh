#!/usr/bin/env bash
# Builds and runs the example: run.sh [cpu|cuda] [BUILD-DIRECTORY]. PYTHON is a Python with Tilewright or, in the source
# tree, with its dependencies.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
device=${1:-cpu}
build=${2:-$(mktemp -d)}
[ "$#" -ge 2 ] || trap 'rm -rf "$build"' EXIT
python=${PYTHON:-$(command -v python3)}
# In the source tree the package need not be installed.
export PYTHONPATH=$here/../../python${PYTHONPATH:+:$PYTHONPATH}

cmake -S "$here" -B "$build" -DDEVICE="$device" -DPython3_EXECUTABLE="$python" >"$build.log" 2>&1 &&
  cmake --build "$build" >>"$build.log" 2>&1 || { cat "$build.log"; rm -f "$build.log"; exit 1; }
rm -f "$build.log"
"$build/ahead_of_time"
