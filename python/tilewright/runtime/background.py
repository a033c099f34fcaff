"""Compilations in other threads, several at once.

The front end is Python; passes, code generation and the assembler run without the interpreter's lock.
"""

import contextvars
import os
import threading
from concurrent.futures import Future, ThreadPoolExecutor

from ..locks import Lock

_lock = Lock()
_pool = None
#: The running computations by key, each with its thread.
_running = {}


def _forget():
    """In the child of a fork, where no thread goes on."""
    global _pool
    _pool = None
    _running.clear()


os.register_at_fork(after_in_child=_forget)


def submit(function, /, *args, **kwargs):
    """Call a function in the pool, which has a thread for each CPU of the process. Returns the `Future` of its result. It
    runs in a copy of the caller's context."""
    global _pool
    with _lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)), "tilewright-compile")
        return _pool.submit(contextvars.copy_context().run, function, *args, **kwargs)


def once(key, function):
    """The result of `function()`, called once for all threads that ask with an equal key at the same time. A thread
    that asks for its own running computation, as a signal handler may, computes it again."""
    thread = threading.get_ident()
    with _lock:
        other, whose = _running.get(key, (None, None))
        if other is None:
            mine = Future()
            _running[key] = mine, thread
    if whose == thread:
        return function()
    if other is not None:
        try:
            return other.result()
        except Exception:  # the error of the other thread; this one computes its own result or error
            return function()
    try:
        result = function()
    except BaseException as error:
        mine.set_exception(error)
        raise
    else:
        mine.set_result(result)
        return result
    finally:
        with _lock:
            if _running.get(key, (None,))[0] is mine:
                del _running[key]


def gathered(futures):
    """One `Future` for the list of results of several, or for the first error in their order."""
    futures, all_of_them = list(futures), Future()
    left = len(futures)

    def finish(_):
        nonlocal left
        with _lock:
            left -= 1
            if left:
                return
        error = next(filter(None, (future.exception() for future in futures)), None)
        if error is None:
            all_of_them.set_result([future.result() for future in futures])
        else:
            all_of_them.set_exception(error)

    if not futures:
        all_of_them.set_result([])
    for future in futures:
        future.add_done_callback(finish)
    return all_of_them
