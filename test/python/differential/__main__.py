"""Searches for kernels that the interpreter and a back end disagree about, in several processes.

    python test/python/differential [--backend cpu|cuda] [--count N] [--workers W] [--seconds S] [--first K] [--out DIR]
    python test/python/differential [--backend cpu|cuda] --replay FILE

Each kernel that fails is made small and written to DIR, with what was wrong as a comment. Kernel K * 50 and those that
follow are the same in each run. Ends with 1 if a kernel failed.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
EACH = 50
#: How a worker ends whose device takes no more work.
LOST = 3


def arguments():
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--count", type=int, default=2000, help="kernels to check")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--first", type=int, default=0, help="number of the first fifty kernels")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("differential"))
    parser.add_argument("--replay", type=pathlib.Path)
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def report(out, number, text, error):
    """Writes a kernel that failed."""
    message = f"{type(error).__name__}: {error}"[:4000]
    comment = "\n".join(f"# {line}" for line in message.splitlines())
    (out / f"failure_{number}.py").write_text(f"{text}\n{comment}\n")


def work(options, directory):
    """One process: every `workers`-th fifty kernels, a line for each to standard output."""
    from checking import Device
    from searching import Search
    from tilewright import DriverError

    device = Device(options.backend)
    deadline = time.monotonic() + options.seconds
    for number in range(options.worker, -(-options.count // EACH), options.workers):
        if time.monotonic() > deadline:
            break
        (directory / "number").write_text(str(number))
        search = Search(device, directory, num_warps=2 ** (number % 4))
        failed = search.run(options.first + number, EACH, fatal=DriverError)
        if failed:
            report(options.out, options.first + number, *failed)
        print(search.count, int(failed is not None), flush=True)
        if failed and isinstance(failed[1], DriverError):
            sys.exit(LOST)


def start(options, count_from, until, directory):
    """Starts the process of a worker, which leaves out the fifties before `count_from`."""
    command = [sys.executable, str(HERE), "--backend", options.backend, "--count", str(options.count)]
    command += ["--workers", str(options.workers), "--worker", str(count_from), "--first", str(options.first)]
    command += ["--seconds", str(max(0.0, until - time.monotonic())), "--out", str(options.out)]
    environment = {"TILEWRIGHT_NUM_THREADS": "1", **os.environ, "TMPDIR": directory}
    environment["TILEWRIGHT_CACHE_DIR"] = f"{directory}/cache"  # no kernel comes twice
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def supervise(options, worker, until):
    """Runs a worker, again where it died, and gives how many kernels it checked and how many failed."""
    checked = failures = 0
    first, code = worker, None
    while code != 0:
        with tempfile.TemporaryDirectory(prefix="differential") as name:
            process = start(options, first, until, name)
            for line in process.stdout:
                if not line[:1].isdigit():  # Hypothesis warns here that making a kernel small takes long
                    continue
                count, failed = map(int, line.split())
                checked, failures = checked + count, failures + failed
            code = process.wait()
            if code not in (0, LOST):
                failures += 1
                report_death(options, pathlib.Path(name), code)
            if code != 0:
                first = int((pathlib.Path(name) / "number").read_text()) + options.workers
    return checked, failures


def report_death(options, directory, code):
    """Writes the kernel that a worker was at when it died."""
    left = max(directory.glob("kernel_*.py"), key=lambda path: path.stat().st_mtime, default=None)
    number = options.first + int((directory / "number").read_text())
    text = left.read_text() if left else ""
    report(options.out, number, text, RuntimeError(f"the process ended with {code}"))


def main():
    """Does what the command line says."""
    options = arguments()
    sys.path[:0] = [str(HERE), str(HERE.parents[2] / "python")]
    if options.replay:
        from checking import Device, check

        check(options.replay, Device(options.backend))
        print("both agree")
        return
    options.out.mkdir(parents=True, exist_ok=True)
    if options.worker is not None:
        work(options, pathlib.Path(tempfile.gettempdir()))
        return
    from concurrent.futures import ThreadPoolExecutor

    begun = time.monotonic()
    with ThreadPoolExecutor(options.workers) as pool:
        results = pool.map(
            lambda worker: supervise(options, worker, begun + options.seconds), range(options.workers)
        )
        checked, failures = map(sum, zip(*results))
    print(f"{checked} kernels on {options.backend} in {time.monotonic() - begun:.0f} s: {failures} failed")
    for path in sorted(options.out.glob("failure_*.py")):
        print(path, next(line for line in path.read_text().splitlines() if line.startswith("# "))[:200])
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
