"""`triton.profiler`: sessions that measure launches, by scope, and write them as trees.

A session measures while it is active. Its file is in the format that Triton's profiler writes: a list of the root of
the tree and the devices; each node has a `frame` with a `name`, `metrics`, and `children`.
"""

import contextlib
import functools
import json
from collections import deque
from contextvars import ContextVar
from dataclasses import dataclass, field

import tilewright as tw

from ..profiling import Profile

DEFAULT_PROFILE_NAME = "proton"
TIME, COUNT = "time (ns)", "count"

#: The names of the scopes that are open, outermost first.
_scopes = ContextVar("tilewright_profiler_scopes", default=())
_sessions = {}


class _Recording(Profile):
    """The launches of a stretch in which a session is active, with the scopes that each was in, and the metrics that
    scopes were given: how many launches were before, the names of the scope and those around it, and the metrics."""

    def __init__(self):
        super().__init__()
        self.metrics = []

    def _note(self):
        return _scopes.get()

    def count(self, scopes, metrics):
        """Take in metrics of the innermost of the scopes."""
        self.metrics.append((len(self._records), scopes, metrics))

    @property
    def scopes(self):
        """Those of each launch."""
        return self._notes


@dataclass
class _Session:
    """One session: where it writes to, the stretches that are done, and the one that is open."""

    name: str
    hook: object
    done: list = field(default_factory=list)
    recording: object = None

    def activate(self):
        if self.recording is None:
            self.recording = _Recording()
            self.recording.__enter__()

    def deactivate(self):
        if self.recording is not None:
            self.recording.__exit__(None, None, None)
            self.done.append(self.recording)
            self.recording = None

    def count(self, scopes, metrics):
        """Take in metrics of the innermost of the scopes."""
        if self.recording is not None:
            self.recording.count(scopes, metrics)

    def tree(self):
        """The root of the tree of scopes and kernels."""
        root = _node("ROOT")
        for recording in self.done:
            given = deque(recording.metrics)
            for before, scopes in enumerate((*recording.scopes, None)):
                while given and given[0][0] <= before:
                    _, path, metrics = given.popleft()
                    _accumulate(functools.reduce(_child, path, root), metrics)
                if scopes is not None:
                    self._add(root, recording.launches[before], scopes)
        return root

    def _add(self, root, launch, scopes):
        node = functools.reduce(_child, scopes, root)
        facts = launch["metadata"] if self.hook == "triton" else {}
        node = _child(node, str(facts.get("name", launch["kernel"])))
        time = launch["device_time"]
        counted = {COUNT: 1, TIME: 0 if time is None else time * 1e3}
        counted |= {key: value for key, value in facts.items() if isinstance(value, (int, float))}
        _accumulate(node, counted)
        kind, _, number = launch["device"].partition(":")
        node["metrics"] |= {"device_type": kind.upper(), "device_id": number or "0"}


def _node(name):
    return {"frame": {"name": name, "type": "function"}, "metrics": {}, "children": []}


def _child(node, name):
    """The child of that name, a new one where there is none."""
    for child in node["children"]:
        if child["frame"]["name"] == name:
            return child
    node["children"].append(_node(name))
    return node["children"][-1]


def _accumulate(node, metrics):
    """Add metrics to those of a node; properties, whose names end with "(pty)", are replaced."""
    for name, value in metrics.items():
        key = name.removesuffix(" (pty)").removesuffix(" (exc)")
        before = None if key != name else node["metrics"].get(key)
        node["metrics"][key] = value if before is None else before + value


def _count(scopes, metrics):
    """In the sessions that are active."""
    if metrics:
        for session in list(_sessions.values()):
            session.count(scopes, dict(metrics))


def _chosen(session):
    if session is None:
        return list(_sessions.values())
    if session not in _sessions:
        raise ValueError(f"there is no profiling session {session!r}, but {sorted(_sessions)}")
    return [_sessions[session]]


def start(name=None, *, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """Start a session that writes `name`.hatchet when it is finalized, and give its number.

    `hook="triton"`: names and metrics (`flops`, `bytes` ...) of kernels come from their `launch_metadata`. `backend` and
    `mode` are ignored: kernels are always measured by events around them.

    Raises:
        ValueError: `context` other than "shadow" (the scopes) or `data` other than "tree".
    """
    if context != "shadow" or data != "tree":
        raise ValueError(
            f"profiles are trees of scopes (context='shadow', data='tree'), got {context!r}, {data!r}"
        )
    number = max(_sessions, default=-1) + 1
    _sessions[number] = _Session(DEFAULT_PROFILE_NAME if name is None else str(name), hook)
    _sessions[number].activate()
    return number


def activate(session=None):
    """Measure from here on: the session of that number, or all."""
    for chosen in _chosen(session):
        chosen.activate()


def deactivate(session=None, flushing=False):
    """Do not measure from here on: the session of that number, or all."""
    for chosen in _chosen(session):
        chosen.deactivate()


def finalize(session=None, output_format="hatchet"):
    """End the session of that number, or all, and write the results."""
    if output_format not in ("", "hatchet"):
        raise ValueError(f"profiles are written as 'hatchet', got {output_format!r}")
    for number in list(_sessions) if session is None else [session]:
        (ended,) = _chosen(number)
        ended.deactivate()
        del _sessions[number]
        text = json.dumps([ended.tree(), _devices()])
        with open(f"{ended.name}.hatchet", "w", encoding="utf-8") as file:
            file.write(text)


def _devices():
    """The description of the devices in the file."""
    infos = [tw.device_info(i) for i in range(tw.cuda.device_count())] if tw.cuda.is_available() else []
    return (
        {"CUDA": {str(i): {"name": info.name, "arch": info.architecture} for i, info in enumerate(infos)}}
        if infos
        else {}
    )


@contextlib.contextmanager
def scope(name, metrics=None):
    """`with scope("name", {"bytes": n}):`, or a decorator: launches in it are below a node of that name, which
    sums the metrics of all entries."""
    token = _scopes.set((*_scopes.get(), str(name)))
    _count(_scopes.get(), metrics)
    try:
        yield
    finally:
        _scopes.reset(token)


def enter_scope(name, *, metrics=None):
    """Open a scope that `exit_scope` ends."""
    _scopes.set((*_scopes.get(), str(name)))
    _count(_scopes.get(), metrics)


def exit_scope(name=None, *, metrics=None):
    """End the innermost scope; with `name` it is that one. `metrics` are added to it."""
    open_ = _scopes.get()
    if not open_ or (name is not None and open_[-1] != name):
        raise ValueError(f"the innermost scope is {open_[-1] if open_ else None!r}, not {name!r}")
    _count(open_, metrics)
    _scopes.set(open_[:-1])


def profile(func=None, *, name=None, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """Measure the calls of a function: `profile(f, name="f")(x)`, or a decorator."""
    if func is None:
        return functools.partial(
            profile, name=name, context=context, data=data, backend=backend, mode=mode, hook=hook
        )

    @functools.wraps(func)
    def measured(*args, **kwargs):
        session = start(name, context=context, data=data, backend=backend, mode=mode, hook=hook)
        try:
            return func(*args, **kwargs)
        finally:
            finalize(session)

    return measured


__all__ = [
    "DEFAULT_PROFILE_NAME",
    "activate",
    "deactivate",
    "enter_scope",
    "exit_scope",
    "finalize",
    "profile",
    "scope",
    "start",
]
