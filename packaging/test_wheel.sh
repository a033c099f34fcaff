#!/usr/bin/env bash
# Installs the wheel in dist/ into a clean environment. Checks that the library
# depends only on system libraries, and runs the README's example.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${1:?usage: test_wheel.sh PYTHON}
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

"$python" -m venv "$stage/venv"
"$stage/venv/bin/python" -m pip install -q --disable-pip-version-check dist/*.whl
sed -n '/^```python$/,/^```$/{/^```/!p}' README.md >"$stage/example.py"

cd "$stage"
library=$(echo venv/lib/python3*/site-packages/tilewright/lib/libtilewright.so)
needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
foreign=$(grep -vE '^(libc|libm|libdl|libpthread|librt|ld-linux-x86-64|libz|libzstd)\.so' <<<"$needed" || true)
if [ -n "$foreign" ]; then
  echo "wheel: the library needs $foreign" >&2
  exit 1
fi
# An empty environment: no settings of this shell, no compiler and no LLVM tools.
env -i HOME="$stage" PATH="$stage/venv/bin" python example.py
printf 'wheel: the README example runs in a clean environment\n'
