#!/usr/bin/env bash
# Prepares an unpacked bundle for this machine's Python and runs a command in it:
#
#   ./setup.sh                                  builds the extension module, prints the next steps
#   ./setup.sh python3 -m pytest test/kernels   builds it if needed, then runs the command
#
# Needs a C++17 compiler, CMake and the headers of Python (python3, or $PYTHON).
# Needs no LLVM, no network and no GPU.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=${PYTHON:-python3}

build_module() {
  local suffix module log
  suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
  module=$top/python/tilewright/_tilewright$suffix
  [ -e "$module" ] && return
  log=$top/build$suffix.log
  echo "setup: building the extension module for $("$python" --version)" >&2
  { cmake -S "$top" -B "$top/build$suffix" -DTILEWRIGHT_BUILD_COMPILER=OFF -DTILEWRIGHT_WERROR=OFF \
      -DPython_EXECUTABLE="$(command -v "$python")" -Dpybind11_DIR="$top/pybind11/share/cmake/pybind11" &&
    cmake --build "$top/build$suffix" -j; } >"$log" 2>&1 ||
    { cat "$log" >&2; echo "setup: building the extension module failed" >&2; exit 1; }
}

build_module
export PYTHONPATH=$top/python${PYTHONPATH:+:$PYTHONPATH}
export PATH=$top/python/tilewright/bin:$PATH
cd "$top"
if [ $# -gt 0 ]; then
  exec "$@"
fi
echo "Ready. To use Tilewright in this shell:"
echo "  export PYTHONPATH=$top/python PATH=$top/python/tilewright/bin:\$PATH"
