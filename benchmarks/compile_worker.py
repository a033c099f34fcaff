"""One process of the benchmark of compilation: compiles every case with one compiler.

    python benchmarks/compile_worker.py tilewright|triton cold|disk TARGET REPETITIONS

Prints one JSON object: for each case the seconds, by phase where they are known. "cold" ignores the disk cache but fills
it; "disk" loads the kernels from it. The first case is compiled once before the measurement, to warm up the process.
"""

import json
import os
import sys
import time

from compile_cases import CASES

#: Phases of a compilation, common to both compilers.
PHASES = ("front end", "passes", "LLVM", "PTX", "assembler", "rest")
_TRITON_STAGES = {"ttir": "passes", "ttgir": "passes", "llir": "LLVM", "ptx": "PTX", "cubin": "assembler"}
_LLVM = ("translate to LLVM IR", "optimise LLVM IR")


def _phase(entry):
    """Returns the phase of an entry of `CompiledKernel.report["times"]`."""
    if entry["name"] == "front end":
        return "front end"
    if entry["name"] == "print":
        return "rest"
    by_stage = {"ptx": "PTX", "cubin": "assembler"}
    return by_stage.get(entry["stage"], "LLVM" if entry["name"] in _LLVM else "passes")


class Tilewright:
    """Compiles with this compiler."""

    switch = "TILEWRIGHT_ALWAYS_COMPILE"

    def __init__(self, target):
        from tilewright.options import Options
        from tilewright.runtime.compiler import compile_kernel

        self.target, self.compile_kernel, self.Options = target, compile_kernel, Options

    def prepare(self, case):
        """Returns the argument of `compile`; not part of the measured time."""
        kernel = case.make("tilewright")
        options = self.Options(**case.options, numerics=kernel.numerics)
        order = [parameter.name for parameter in kernel.params]
        types = {name: case.types[name] for name in order if name in case.types}
        return kernel.fn, types, case.constants, dict.fromkeys(case.aligned, 16), self.target, options

    def compile(self, request):
        """Compiles and returns the seconds of each phase, and the bytes of PTX."""
        kernel = self.compile_kernel(*request)
        phases = dict.fromkeys(PHASES, 0.0)
        for entry in kernel.report.get("times", ()):
            phases[_phase(entry)] += 1e-3 * entry["milliseconds"]
        return phases, len(kernel.asm["ptx"])


class Triton:
    """Compiles with Triton."""

    switch = "TRITON_ALWAYS_COMPILE"

    def __init__(self, target):
        import triton
        from triton.backends.compiler import GPUTarget

        self.triton = triton
        self.target = GPUTarget("cuda", int(target.strip("sm_a")), 32)
        self.phases = {}
        triton.knobs.compilation.listener = self._listen

    def _listen(self, *, times, **_):
        self.phases = dict.fromkeys(PHASES, 0.0)
        self.phases["front end"] = 1e-6 * times.ir_initialization
        for stage, microseconds in times.lowering_stages:
            self.phases[_TRITON_STAGES[stage]] += 1e-6 * microseconds

    def prepare(self, case):
        """As `Tilewright.prepare`."""
        kernel = case.make("triton")
        names = kernel.arg_names
        signature = {name: case.types.get(name, "constexpr") for name in names}
        constants = {(names.index(name),): value for name, value in case.constants.items()}
        aligned = {(names.index(name),): [["tt.divisibility", 16]] for name in case.aligned}
        return kernel, signature, constants, aligned, case.options

    def compile(self, request):
        """As `Tilewright.compile`."""
        kernel, signature, constants, aligned, options = request
        source = self.triton.compiler.ASTSource(kernel, signature, constants, aligned)
        compiled = self.triton.compile(source, target=self.target, options=dict(options))
        return dict(self.phases), len(compiled.asm["ptx"])


def run(name, mode, target, repetitions):
    """Returns the results of the cases: dicts of `seconds`, `phases` and `ptx`."""
    compiler = {"tilewright": Tilewright, "triton": Triton}[name](target)
    os.environ[compiler.switch] = "1" if mode == "cold" else "0"
    requests = {case.name: compiler.prepare(case) for case in CASES}
    begun = time.perf_counter()
    compiler.compile(requests[CASES[0].name])
    results = {"first": [{"seconds": time.perf_counter() - begun}]}
    for case in CASES:
        results[case.name] = []
        for _ in range(repetitions):
            begun = time.perf_counter()
            phases, ptx = compiler.compile(requests[case.name])
            seconds = time.perf_counter() - begun
            phases["rest"] = max(0.0, seconds - sum(phases.values()) + phases["rest"])
            results[case.name].append({"seconds": seconds, "phases": phases, "ptx": ptx})
    return results


if __name__ == "__main__":
    print(json.dumps(run(*sys.argv[1:4], int(sys.argv[4]))))
