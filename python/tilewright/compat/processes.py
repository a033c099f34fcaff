"""Test functions in processes of their own, for tests that end the use of the device or print from it."""

import multiprocessing
import os
import pickle
import tempfile
from dataclasses import dataclass


@dataclass
class ProcessResult:
    """The exception of a function in its process (`exc`, None if nothing), and the standard error of that process
    (`driver_stderr_output`)."""

    exc: BaseException | None
    driver_stderr_output: str


def run_in_process(client_fn, args=(), kwargs=None, env=None):
    """Call a function of a module in a new process, with the variables `env` in its environment. Gives the
    `ProcessResult`, and raises `RuntimeError` where the process ends without one."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "stderr")
        process = context.Process(target=_call, args=(there, client_fn, args, kwargs or {}, env or {}, path))
        process.start()
        there.close()
        try:
            exc = here.recv()
        except EOFError:
            process.join()
            raise RuntimeError(
                f"the process of {client_fn.__name__}() ended with {process.exitcode}: {_text(path)}"
            ) from None
        process.join()
        return ProcessResult(exc, _text(path))


def _text(path):
    if not os.path.exists(path):
        return ""
    with open(path, errors="replace") as file:
        return file.read()


def _call(result, function, args, kwargs, env, path):
    """The main function of the process. Its standard error is that of the system, which a device's driver writes to."""
    os.environ.update(env)
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY)
    os.dup2(descriptor, 2)
    exc = None
    try:
        function(*args, **kwargs)
        _synchronize()
    except Exception as error:
        exc = error
    result.send(exc if _travels(exc) else RuntimeError(f"{type(exc).__name__}: {exc}"))


def _synchronize():
    """Errors of kernels are known when these have run."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.synchronize()


def _travels(exc):
    try:
        return type(pickle.loads(pickle.dumps(exc))) is type(exc)
    except Exception:
        return False
