"""Locks of the whole process that a fork does not leave locked for ever."""

import os
import threading
import weakref

_all = weakref.WeakSet()


class Lock:
    """A lock for `with`, which its thread may take again. The child of a fork finds it free, unless the thread that
    forked had it."""

    def __init__(self):
        self._lock = threading.RLock()
        _all.add(self)

    def __enter__(self):
        self._lock.acquire()

    def __exit__(self, *_):
        self._lock.release()

    def _renew(self):
        if self._lock.acquire(blocking=False):
            self._lock.release()
        else:
            self._lock = threading.RLock()


def _renew_all():
    for lock in list(_all):
        lock._renew()


os.register_at_fork(after_in_child=_renew_all)
