"""Searches for kernels that the interpreter and a back end disagree about, in several processes.

    python test/python/differential [--backend cpu|cuda] [--count N] [--workers W] [--seconds S] [--first K]
                                    [--every S] [--out DIR]
    python test/python/differential [--backend cpu|cuda] --replay FILE

Each failing kernel is written to DIR at once, with the error as a comment, and then reduced. Kernels from K * 50 on are
the same in each run. A summary is printed at the end, also after the time limit or a signal (SIGTERM, SIGINT), and on
standard error every few seconds. The exit status is 1 if a kernel failed, or 128 plus the number of a signal that ended
the search.
"""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
EACH = 50
#: Exit status of a worker whose device takes no more work.
LOST = 3
#: A kernel that has run for this many seconds when the search ends is reported.
LONG = 30


def arguments():
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--count", type=int, default=2000, help="kernels to check")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--first", type=int, default=0, help="number of the first fifty kernels")
    parser.add_argument(
        "--every", type=float, default=30, help="seconds between lines that say how far it is"
    )
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("differential"))
    parser.add_argument("--replay", type=pathlib.Path)
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def report(path, text, error):
    """Writes a kernel that failed."""
    message = f"{type(error).__name__}: {error}"[:4000]
    comment = "\n".join(f"# {line}" for line in message.splitlines())
    path.write_text(f"{text}\n{comment}\n")


def work(options, directory):
    """One worker process, for every `workers`-th batch of fifty kernels. Prints a line for each checked kernel, and
    the file of each failed one."""
    from checking import Device
    from searching import Search
    from tilewright import DriverError

    device = Device(options.backend)
    for number in range(options.worker, -(-options.count // EACH), options.workers):
        (directory / "next").write_text(str(number))
        (directory / "next").replace(directory / "number")
        path = options.out / f"failure_{options.first + number}.py"

        def failure(text, error, path=path):
            report(path, text, error)
            print(path, flush=True)

        search = Search(
            device, directory, lambda: print("checked", flush=True), failure, num_warps=2 ** (number % 4)
        )
        failed = search.run(options.first + number, EACH, fatal=DriverError)
        if failed and isinstance(failed[1], DriverError):
            sys.exit(LOST)


class Supervisor:
    """Runs the workers and counts their results."""

    def __init__(self, options):
        self.options = options
        self.checked, self.failures, self.processes = 0, {}, {}
        self.lock, self.ended, self.signal = threading.Lock(), threading.Event(), 0

    def run(self):
        """Returns when all kernels are checked, after the time limit, or after a signal."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        begun = time.monotonic()
        threads = [
            threading.Thread(target=self._supervise, args=(worker,)) for worker in range(self.options.workers)
        ]
        for thread in threads:
            thread.start()
        threading.Thread(
            target=lambda: [*map(threading.Thread.join, threads), self.ended.set()], daemon=True
        ).start()
        while not self.ended.wait(
            min(self.options.every, max(0, begun + self.options.seconds - time.monotonic()))
        ):
            if time.monotonic() >= begun + self.options.seconds:
                self.ended.set()
            else:
                print(self.summary(begun), file=sys.stderr, flush=True)
        for process in list(self.processes.values()):
            process.terminate()
        for thread in threads:
            thread.join()
        return self.summary(begun)

    def summary(self, begun):
        """A one-line summary of the comparisons so far."""
        seconds = time.monotonic() - begun
        return f"{self.checked} kernels on {self.options.backend} in {seconds:.0f} s: {len(self.failures)} failed"

    def _on_signal(self, number, frame):
        self.signal = number
        self.ended.set()

    def _supervise(self, worker):
        """Runs a worker, and restarts it after a crash."""
        first, code = worker, None
        while code != 0 and not self.ended.is_set():
            with tempfile.TemporaryDirectory(prefix="differential") as name:
                directory = pathlib.Path(name)
                begun = time.monotonic()
                with self.lock:
                    process = self.processes[worker] = self._start(first, name)
                if self.ended.is_set():
                    process.terminate()
                for line in process.stdout:
                    begun = time.monotonic()
                    self._count(line.rstrip("\n"))
                code = _end_of(process)
                # A signal may reach the worker first.
                if (code != 0 and self.ended.wait(1)) or self.ended.is_set():
                    if time.monotonic() - begun > LONG:
                        self._report_last(directory, f"not ready after {time.monotonic() - begun:.0f} s")
                    return
                if code not in (0, LOST):
                    self._report_last(directory, f"the process ended with {code}")
                if code != 0:
                    at = _number(directory)
                    if at is None:
                        return
                    first = at + self.options.workers

    def _start(self, count_from, directory):
        """Starts a worker process, which skips the batches before `count_from`."""
        options = self.options
        command = [sys.executable, str(HERE), "--backend", options.backend, "--count", str(options.count)]
        command += [
            "--workers",
            str(options.workers),
            "--worker",
            str(count_from),
            "--first",
            str(options.first),
        ]
        command += ["--out", str(options.out)]
        environment = {"TILEWRIGHT_NUM_THREADS": "1", **os.environ, "TMPDIR": directory}
        environment["TILEWRIGHT_CACHE_DIR"] = f"{directory}/cache"  # no kernel comes twice
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)

    def _count(self, line):
        with self.lock:
            if line == "checked":
                self.checked += 1
            elif line.endswith(".py") and line not in self.failures:  # Hypothesis prints, too
                self.failures[line] = None
                print(f"failed: {line}", file=sys.stderr, flush=True)

    def _report_last(self, directory, what):
        """Reports the current kernel of a worker."""
        left = max(directory.glob("kernel_*.py"), key=lambda path: path.stat().st_mtime, default=None)
        number = self.options.first + (_number(directory) or 0)
        path = self.options.out / f"failure_{number}.py"
        report(path, left.read_text() if left else "", RuntimeError(what))
        self._count(str(path))


def _number(directory):
    """The current batch of the worker of a directory, None before its first."""
    path = directory / "number"
    return int(path.read_text()) if path.exists() else None


def _end_of(process):
    """The exit status of a process that has closed its output."""
    try:
        return process.wait(LONG)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def main():
    """Runs the command line."""
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
    supervisor = Supervisor(options)
    print(supervisor.run())
    for path in supervisor.failures:
        lines = pathlib.Path(path).read_text().splitlines()
        print(path, next(line for line in lines if line.startswith("# "))[:200])
    sys.exit(1 if supervisor.failures else 128 + supervisor.signal if supervisor.signal else 0)


if __name__ == "__main__":
    main()
