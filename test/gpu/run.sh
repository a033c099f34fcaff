#!/usr/bin/env bash
# Tests and measures on a machine with an NVIDIA GPU, from an unpacked bundle or
# a built source tree; needs PyTorch, no LLVM and no network.
#
#   test/gpu/run.sh [tests] [memcheck] [racecheck] [synccheck] [random] [products]
#                   [gemm] [gemm_triton] [tutorials] [published] [benchmarks] [host] [compile]
#
# Runs all of them by default. The step random runs COUNT (default 2000) random
# kernels from number FIRST (default 0) times fifty on. The step products runs
# PRODUCTS (default 2000) random matmuls from seed FIRST on.
#
# Logs and results go to $OUT (default gpu-results). Prints a short table last.
# Exits 1 when a step failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=${OUT:-$PWD/gpu-results}
python=${PYTHON:-python3}
jobs=${JOBS:-4}
measurements=(gemm gemm_triton tutorials published benchmarks host compile)
[ $# -gt 0 ] || set -- tests memcheck racecheck synccheck random products "${measurements[@]}"
mkdir -p "$out"

export PYTHONPATH=$PWD/python${PYTHONPATH:+:$PYTHONPATH}
export PATH=$PATH:/usr/local/cuda/bin
# A new cache, so that this run compiles everything that it tests.
TILEWRIGHT_CACHE_DIR=$(mktemp -d)
export TILEWRIGHT_CACHE_DIR
trap 'rm -rf "$TILEWRIGHT_CACHE_DIR"' EXIT

pytest_on_gpu=("$python" -m pytest -q -p no:cacheprovider --backend cuda --ignore test/kernels/test_assembly.py)

run_setup() { if [ -x setup.sh ]; then ./setup.sh true; fi && "$python" -c 'import tilewright._tilewright'; }
run_tests() { "${pytest_on_gpu[@]}" -n "$jobs" test/python test/kernels; }
# The sanitizer checks every memory access, so the tests of the kernels suffice.
# They run in JOBS processes, some of which may launch nothing. PyTorch's memory
# pool would hide overruns, so it is disabled.
sanitize() {
  local tool=$1 shard failed=0 files=(test/kernels/test_*.py)
  local shards=$((jobs < ${#files[@]} ? jobs : ${#files[@]}))
  for ((shard = 0; shard < shards; ++shard)); do
    local mine=()
    for ((i = shard; i < ${#files[@]}; i += shards)); do mine+=("${files[i]}"); done
    PYTORCH_NO_CUDA_MEMORY_CACHING=1 compute-sanitizer --tool "$tool" --error-exitcode 86 --launch-timeout 0 \
      --require-cuda-init no "${pytest_on_gpu[@]}" -x --timeout 0 "${mine[@]}" >"$out/$tool.$shard.log" 2>&1 &
  done
  for process in $(jobs -p); do wait "$process" || failed=1; done
  cat "$out/$tool".*.log
  grep -hoE '[0-9]+ passed' "$out/$tool".*.log | awk '{ n += $1 } END { print n + 0 " passed in all processes" }'
  return $failed
}
run_memcheck() { sanitize memcheck; }
run_racecheck() { sanitize racecheck; }
run_synccheck() { sanitize synccheck; }
run_random() {
  "$python" test/python/differential --backend cuda --count "${COUNT:-2000}" --first "${FIRST:-0}" --out "$out/random"
}
run_products() {
  "$python" benchmarks/gemm_check.py --cases "${PRODUCTS:-2000}" --seed "${FIRST:-0}" --workers "$jobs"
}
run_gemm() { "$python" benchmarks/gemm.py --out "$out/gemm.json"; }
run_gemm_triton() { "$python" benchmarks/gemm_triton.py --workers "$jobs" --out "$out/gemm_triton.json"; }
run_tutorials() { "$python" benchmarks/tutorials.py --out "$out/tutorials.json"; }
run_published() { "$python" benchmarks/published.py --out "$out/published.json"; }
run_benchmarks() { "$python" benchmarks/run.py --backend cuda --out "$out/benchmarks.json"; }
run_host() { "$python" benchmarks/host.py --out "$out/host.json"; }
run_compile() { "$python" benchmarks/compile.py --out "$out/compile.json"; }

table=()
failed=0
step() {
  local name=$1 start=$SECONDS result=passed
  printf '== %s\n' "$name"
  if ! "run_$name" >"$out/$name.log" 2>&1; then
    result=FAILED
    failed=1
    tail -n 40 "$out/$name.log"
  fi
  table+=("$(printf '%-12s %-8s %5d s   %s' "$name" "$result" $((SECONDS - start)) \
    "$(grep -E '(passed|failed|error|ERROR SUMMARY|wrong|geometric mean)' "$out/$name.log" | tail -n 1 | cut -c1-90)")")
}

step setup
for name in "$@"; do
  case $name in
    tests | memcheck | racecheck | synccheck | random | products | gemm | gemm_triton | tutorials | published | benchmarks | host | compile)
      step "$name"
      ;;
    *) echo "unknown step '$name'" >&2; exit 2 ;;
  esac
done
for name in "${measurements[@]}"; do
  [ -e "$out/$name.log" ] && cat "$out/$name.log"
done
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
printf '%s\n' "${table[@]}"
exit $failed
