#!/usr/bin/env bash
# Installs the requirements of building and testing: the Debian packages of
# apt.txt and, in the virtual environment given as argument, the Python packages
# of pip.txt. Prints each step, and skips steps that are already done.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv=${1:?usage: deps.sh VENV}

say() { printf 'deps: %s\n' "$*"; }
fail() { printf 'deps: %s\n' "$*" >&2; exit 1; }
names() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$1"; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else fail "not root and no sudo; as root, run: $*"
  fi
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

install_debian_packages() {
  local missing=() name
  for name in $(names "$here/apt.txt"); do
    installed "$name" || missing+=("$name")
  done
  if [ ${#missing[@]} = 0 ]; then
    say "all Debian packages are installed"
    return
  fi
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Finds a Python with venv and headers; the first python3 in PATH may lack them.
find_python() {
  local python
  for python in "${PYTHON:-}" python3 /usr/bin/python3; do
    [ -n "$python" ] && "$python" - 2>/dev/null <<'EOF' && echo "$python" && return
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(sys.version_info < (3, 10) or not os.path.exists(header))
EOF
  done
  fail "no Python 3.10 or newer with venv and Python.h found; set PYTHON"
}

make_environment() {
  local python
  if ! "$venv/bin/python" -c '' 2>/dev/null; then
    python=$(find_python)
    say "making $venv with $("$python" --version)"
    "$python" -m venv --clear "$venv"
  fi
  say "installing Python packages into $venv"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$here/pip.txt"
}

# Without these tools the tests lose a stage but still pass, so a failure to
# fetch them is only reported.
find_cuda_tools() {
  local tool
  if PATH=$PATH:/usr/local/cuda/bin command -v ptxas >/dev/null &&
    PATH=$PATH:/usr/local/cuda/bin command -v nvdisasm >/dev/null &&
    compgen -G '/usr/local/cuda/lib64/libnvJitLink.so*' >/dev/null; then
    return
  fi
  say "no complete CUDA toolkit found; installing its assemblers and disassembler from the Python packages"
  if "$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$here/pip-cuda.txt"; then
    for tool in ptxas nvdisasm; do
      ln -sf "$("$venv/bin/python" -c 'import nvidia; print(nvidia.__path__[0])')/cu13/bin/$tool" "$venv/bin/$tool"
    done
  else
    say "could not install the assemblers: without others, tests that assemble PTX will be skipped"
  fi
}

# Without a browser only the browser test of explained kernels is skipped.
find_browser() {
  if command -v chromium >/dev/null || ! command -v apt-get >/dev/null; then
    return
  fi
  say "installing chromium, for the test of pages"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null ||
    say "could not install chromium: the browser test of pages will be skipped"
}

if command -v apt-get >/dev/null; then
  install_debian_packages
else
  say "apt-get not found: install the counterparts of packaging/apt.txt by hand"
fi
make_environment
find_cuda_tools
find_browser
