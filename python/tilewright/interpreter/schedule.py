"""Roles of the warp level, those of all programs of a cluster, one at a time.

Each role is a thread, so that it can stop in the middle of a function. Only one role runs at a time: it runs until it
waits for another role, and then the next one in round-robin order runs. So runs are deterministic. If all roles wait,
the kernel hangs, and an error says so.
"""

import contextvars
import threading

from ..language.errors import LanguageError


class _Cancelled(BaseException):
    """Ends a role that waits, because another one failed."""


class _Task:
    """One role of a program, and the event that it waits for."""

    def __init__(self, role, position):
        self.role, self.position = role, position
        self.context = contextvars.copy_context()
        self.resumed = threading.Semaphore(0)
        self.is_ready, self.waits_for = lambda: True, ""
        self.failure, self.interruption = None, None
        self.is_done = False
        self.thread = None


class _Barrier:
    """A barrier between roles: how many warps have come since it last started anew, and how often it has."""

    def __init__(self, warps):
        self.warps, self.arrived, self.rounds = warps, 0, 0

    def come(self, warps):
        """Arrive with `warps` warps. Returns the round that they belong to."""
        current = self.rounds
        self.arrived += warps
        if self.arrived > self.warps:
            raise LanguageError(
                f"{self.arrived} warps come to a barrier of {self.warps} at once",
                hint="it counts the warps of all roles that wait at it or arrive",
            )
        if self.arrived == self.warps:
            self.arrived, self.rounds = 0, current + 1
        return current


class Schedule:
    """Runs roles, objects with a `name` and a `run()`, of one or more programs. `move` is called with the grid
    position of the program whose role is next.
    """

    def __init__(self, move):
        self._tasks, self._move = [], move
        self._back = threading.Semaphore(0)
        self._current = None
        self._barriers = {}

    def add(self, roles, position):
        """Add the roles of a program, to be run where this is called from."""
        self._tasks += [_Task(role, position) for role in roles]

    @property
    def num_roles(self):
        """The roles of all programs."""
        return len(self._tasks)

    def barrier(self, number, warps):
        """The barrier of this number, for `warps` warps."""
        return self._barriers.setdefault(number, _Barrier(warps))

    @property
    def role(self):
        """The role that runs now."""
        return self._current.role

    def run(self):
        """Run all roles to their ends. Raises the first error of a role, and `LanguageError` if all wait."""
        for task in self._tasks:
            task.thread = threading.Thread(target=task.context.run, args=(self._body, task), daemon=True)
            task.thread.start()
        try:
            self._run_round_robin()
        finally:
            for task in self._tasks:
                if not task.is_done:
                    task.interruption = _Cancelled()
                    self._resume(task)
                task.thread.join()

    def wait_until(self, is_ready, what):
        """Let other roles run until `is_ready()`; `what` names the event."""
        task = self._current
        while not is_ready():
            task.is_ready, task.waits_for = is_ready, what
            self._back.release()
            task.resumed.acquire()
            if task.interruption is not None:
                raise task.interruption

    def _body(self, task):
        task.resumed.acquire()
        try:
            if task.interruption is None:
                task.role.run()
        except _Cancelled:
            pass
        except BaseException as error:  # raised again in the caller of the kernel
            task.failure = error
        finally:
            task.is_done = True
            self._back.release()

    def _resume(self, task):
        """Let `task` run until it waits or ends."""
        self._current = task
        self._move(task.position)
        task.resumed.release()
        self._back.acquire()
        if task.failure is not None:
            failure, task.failure = task.failure, None
            raise failure

    def _run_round_robin(self):
        while waiting := [task for task in self._tasks if not task.is_done]:
            ready = [task for task in waiting if task.is_ready()]
            for task in ready:
                if not task.is_done and task.is_ready():
                    self._resume(task)
            if not ready:
                self._interrupt(waiting)

    def _interrupt(self, waiting):
        """Raise the error of a deadlock in the first role that waits."""
        states = "; ".join(f"{task.role.name}() waits for {task.waits_for}" for task in waiting)
        waiting[0].interruption = LanguageError(
            f"the kernel hangs: {states}",
            hint="the role that fills a ring and each role that reads it pass equally many slots",
        )
        self._resume(waiting[0])
