#!/usr/bin/env bash
# Packs dist/tilewright-VERSION-linux-x86_64.tar.xz: the built library and tools,
# the Python sources, the sources of the extension module, kernels, tests and
# benchmarks. Its setup.sh prepares an unpacked bundle.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${1:?usage: bundle.sh PYTHON BUILD}
build=${2:?usage: bundle.sh PYTHON BUILD}
limit_mb=25

if readelf -d "$build/lib/libtilewright.so" | grep -q 'NEEDED.*libLLVM'; then
  echo "bundle: $build links LLVM's shared library; build with TILEWRIGHT_LINK_LLVM_DYLIB=OFF" >&2
  exit 1
fi
version=$(sed -nE 's/^project\(Tilewright VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
name=tilewright-$version-linux-x86_64
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
top=$stage/$name
mkdir "$top"

git ls-files -z --cached --others --exclude-standard -- \
  CMakeLists.txt LICENSE README.md CHANGELOG.md pyproject.toml cmake compiler/include runtime/include \
  docs python kernels benchmarks examples ':(glob)test/*.py' test/python test/kernels test/gpu |
  xargs -0 cp --parents --no-dereference -t "$top"
cp packaging/setup.sh "$top/setup.sh"

install -D -m 755 -t "$top/python/tilewright/lib" "$build/lib/libtilewright.so"
for tool in "$build"/bin/tilewright-*; do
  [[ $tool == *-test-* ]] || install -D -m 755 -t "$top/python/tilewright/bin" "$tool"
done
# The target machine may have no package index to fetch pybind11 from.
cp -r "$("$python" -c 'import pybind11; print(pybind11.__path__[0])')" "$top/pybind11"
find "$top/pybind11" -name __pycache__ -prune -exec rm -r {} +

mkdir -p dist
archive=dist/$name.tar.xz
XZ_OPT='-6 -T0' tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner -cJf "$archive" "$name"
size_mb=$(($(stat -c %s "$archive") / 1000000))
printf 'bundle: %s, %s MB\n' "$archive" "$size_mb"
if [ "$size_mb" -ge "$limit_mb" ]; then
  echo "bundle: larger than $limit_mb MB" >&2
  exit 1
fi
