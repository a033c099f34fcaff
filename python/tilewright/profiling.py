"""`tilewright.profile`: a trace of launches with their times, for chrome://tracing and Perfetto."""

import json
import threading
import time

from .devices import ordinal_of
from .hooks import launch_hook
from .streams import Event, Stream


class Profile:
    """The launches of a `with` block.

    After the block, `launches` has a dict for each launch:

    - `kernel`, `grid`, `device`, `stream`, `thread`.
    - `start` and `host`: microseconds from the start of the block, and spent in the launch.
    - `device_start` and `device_time`: the same of the run on a GPU, None if it was not measured.

    Measuring adds two events around each kernel, which reduces overlap of consecutive kernels a little.
    """

    def __init__(self, path=None):
        self.path, self.launches = path, []
        self._records, self._bases = [], {}
        self._open = threading.local()

    def __enter__(self):
        self._start = time.perf_counter_ns()
        self._hook = launch_hook(self._before, self._after)
        return self

    def __exit__(self, *exception):
        self._hook.remove()
        records, self._records = self._records, []  # a launch of another thread may still be on its way
        self.launches = [self._finish(*record) for record, _ in records]
        self._notes = [note for _, note in records]
        if self.path is not None:
            # Facts of a kernel's launch_metadata may be of any type.
            text = json.dumps(self.trace(), default=_plain)
            with open(self.path, "w", encoding="utf-8") as file:
                file.write(text)

    def _microseconds(self):
        return (time.perf_counter_ns() - self._start) / 1e3

    def _base(self, ordinal):
        """An event of the device and the time at which it was reached."""
        if ordinal not in self._bases:
            event = Event(ordinal).record(Stream(ordinal))
            event.synchronize()
            self._bases[ordinal] = event, self._microseconds()
        return self._bases[ordinal]

    def _event(self, launch):
        if launch.device == "cpu":
            return None
        ordinal = ordinal_of(launch.device)
        self._base(ordinal)
        return Event(ordinal).record(launch.stream)

    def _before(self, launch):
        event = self._event(launch)
        self._open.start = self._microseconds(), event

    def _after(self, launch):
        begun, self._open.start = getattr(self._open, "start", None), None
        if begun is None:  # when the block began, the launch was on its way in another thread
            return
        start, first = begun
        host = self._microseconds() - start
        record = (launch, threading.get_ident(), start, host, first, self._event(launch))
        self._records.append((record, self._note()))  # at once: other threads append, too

    def _note(self):
        """A note on the context of the launch, for derived classes."""

    def _finish(self, launch, thread, start, host, first, last):
        """The dict of a launch."""
        begin = length = None
        if launch.device == "cpu":
            begin, length = start, host
        elif first is not None:
            try:
                base, reached = self._bases[first.ordinal]
                length = 1e3 * last.elapsed(first)
                begin = reached + 1e3 * first.elapsed(base)
            except RuntimeError:  # recorded in a graph, so that it was never reached
                length = None
        return {
            "kernel": launch.kernel,
            "metadata": launch.metadata,
            "grid": list(launch.grid),
            "device": launch.device,
            "stream": launch.stream,
            "thread": thread,
            "start": start,
            "host": host,
            "device_start": begin,
            "device_time": length,
        }

    def trace(self):
        """The launches as a dict in Chrome's trace format; a row for each thread and for each stream."""
        events = []
        for launch in self.launches:
            arguments = {"grid": launch["grid"], **launch["metadata"]}
            common = {"name": launch["kernel"], "ph": "X", "args": arguments}
            host = {"pid": "host", "tid": launch["thread"], "ts": launch["start"], "dur": launch["host"]}
            events.append(common | host | {"cat": "launch"})
            if launch["device_time"] is not None and launch["device"] != "cpu":
                where = {"pid": launch["device"], "tid": f"stream 0x{launch['stream']:x}"}
                when = {"ts": launch["device_start"], "dur": launch["device_time"]}
                events.append(common | where | when | {"cat": "kernel"})
        return {"traceEvents": events, "displayTimeUnit": "ms"}


def _plain(value):
    """A fact as JSON has it: a number of NumPy as one of Python, else its text."""
    return value.item() if hasattr(value, "item") and getattr(value, "size", 0) == 1 else repr(value)


def profile(path=None):
    """Measure the launches of a `with` block; with `path` write them there as a Chrome trace.

    with tw.profile("trace.json") as profile:
        kernel[grid](x, out, n)
    print(profile.launches[0]["device_time"])

    Example:

        >>> import numpy as np
        >>> import tilewright as tw
        >>> x, out = np.arange(5), np.zeros(5, int)
        >>> with tw.profile() as profile:
        ...     _ = twice[(2,)](x, out, 5, BLOCK=4)
        ...
        >>> profile.launches[0]["kernel"]
        'twice'
    """
    return Profile(path)


__all__ = ["Profile", "profile"]
