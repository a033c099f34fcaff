"""Queues of work on a CUDA device: streams, events between them, and graphs of recorded work.

with tw.Stream() as stream:        # launches and copies in here are queued on it
    kernel[grid](x, out, n)
stream.synchronize()
"""

from contextlib import contextmanager

from ._tilewright import cuda as _driver
from .devices import name_of, ordinal_of


def _cuda_ordinal(device, what):
    ordinal = ordinal_of(_driver.current_device() if device is None else device)
    if ordinal < 0:
        raise ValueError(f"{what} is on a CUDA device, got the CPU")
    return ordinal


class Stream:
    """A queue of work, done in order. It runs concurrently with other streams, the default stream included.

    In a `with` block it is the one on which Tilewright's launches and copies on its device are queued, in this
    thread. `handle` is the driver's CUstream as an int; given one, the object refers to that stream but
    does not own it. Raises `DriverError` without a device.

    Example:

        >>> import tilewright as tw
        >>> stream = tw.Stream()
        >>> with stream:
        ...     x = tw.zeros(4)
        ...
        >>> stream.synchronize()
        >>> stream.done
        True
    """

    def __init__(self, device=None, handle=None):
        self.ordinal = _cuda_ordinal(device, "a stream")
        #: Owner of the driver's stream. Memory that is freed on the stream keeps it alive. None for a foreign stream.
        self.owner = _driver.OwnedStream(self.ordinal) if handle is None else None
        self.handle = self.owner.handle if handle is None else int(handle)

    @property
    def device(self):
        """ "cuda:NUMBER"."""
        return name_of(self.ordinal)

    def synchronize(self):
        """Wait for all work queued so far; errors of kernels surface here."""
        _driver.stream_synchronize(self.ordinal, self.handle)

    @property
    def done(self):
        """Whether all work queued so far is done."""
        return _driver.stream_is_done(self.ordinal, self.handle)

    def wait(self, other):
        """Let later work on the stream wait for an `Event`, or for all work queued on a `Stream`."""
        event = other.record_event() if isinstance(other, Stream) else other
        if not isinstance(event, Event):
            raise TypeError(f"a stream waits for an Event or a Stream, got {other!r}")
        _driver.stream_wait_event(self.ordinal, self.handle, event.handle)

    def record_event(self):
        """An `Event` that is done after all work queued so far."""
        event = Event(self.ordinal)
        event.record(self)
        return event

    def __enter__(self):
        _driver.enter_stream(self.ordinal, self.handle, self)
        return self

    def __exit__(self, *exception):
        _driver.leave_stream()

    def __cuda_stream__(self):
        """Version and handle, by which other libraries take the stream."""
        return 0, self.handle

    def __repr__(self):
        return f"<tilewright stream 0x{self.handle:x} on {self.device}>"


def current_stream(device=None):
    """The stream of the innermost `with` block of this thread on the device, else its default stream.

    Example:

        >>> import tilewright as tw
        >>> with tw.Stream() as stream:
        ...     tw.current_stream().handle == stream.handle
        ...
        True
    """
    ordinal = _cuda_ordinal(device, "a stream")
    return _driver.current_stream(ordinal) or Stream(ordinal, handle=0)


def handle_of(stream, ordinal, what="stream"):
    """The handle of `stream`: an int, a `Stream`, one of torch or CuPy, or None for the current one.

    `what` names it in errors. Raises `TypeError` for anything else and `ValueError` for a `Stream` of another device.
    """
    if stream is None:
        current = _driver.current_stream(ordinal)
        return current.handle if current else 0
    if isinstance(stream, Stream):
        if stream.ordinal != ordinal:
            raise ValueError(f"{stream!r} is used for work on {name_of(ordinal)}")
        return stream.handle
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream
    for attribute in ("cuda_stream", "ptr"):
        if isinstance(handle := getattr(stream, attribute, None), int):
            return handle
    if hasattr(stream, "__cuda_stream__"):
        return stream.__cuda_stream__()[1]
    raise TypeError(f"{what} is {stream!r}, not an int, a tilewright.Stream or a stream of torch or CuPy")


def owner_of(stream, ordinal):
    """The owner of the stream whose handle `handle_of` returns; None for the default stream and foreign ones."""
    if stream is None:
        stream = _driver.current_stream(ordinal)
    return stream.owner if isinstance(stream, Stream) else None


class Event:
    """A point in a stream's work. `record` sets it; streams, the host, and measurements of time use it.

    Example:

        >>> import tilewright as tw
        >>> start, end = tw.Event(), tw.Event()
        >>> _ = start.record()
        >>> x = tw.zeros(1 << 20)
        >>> _ = end.record()
        >>> end.elapsed(start) >= 0
        True
    """

    def __init__(self, device=None):
        self.ordinal = _cuda_ordinal(device, "an event")
        self._owner = _driver.OwnedEvent(self.ordinal)
        self.handle = self._owner.handle

    def record(self, stream=None):
        """Set it after all work queued on `stream` (None: the current one). Returns the event."""
        _driver.event_record(self.ordinal, self.handle, handle_of(stream, self.ordinal))
        return self

    def synchronize(self):
        """Wait until it is reached."""
        _driver.event_synchronize(self.ordinal, self.handle)

    @property
    def done(self):
        """Whether it was reached; True also before it is recorded."""
        return _driver.event_is_done(self.ordinal, self.handle)

    def elapsed(self, start):
        """Milliseconds from the event `start` to this one, which is waited for."""
        return _driver.event_elapsed(self.ordinal, start.handle, self.handle)


class Graph:
    """Launches recorded once and then queued as a whole, at a fraction of their cost.

        graph = tw.Graph()
        with graph.capture():
            kernel[grid](x, out, n)
        graph.launch()

    Kernels are compiled before: launch each once. The graph keeps them; arrays that it uses are kept by the caller.

    Example:

        >>> import numpy as np
        >>> import tilewright as tw
        >>> x = tw.from_numpy(np.arange(5))
        >>> out = tw.zeros(5, x.dtype)
        >>> _ = twice[(2,)](x, out, 5, BLOCK=4)
        >>> graph = tw.Graph()
        >>> with graph.capture():
        ...     _ = twice[(2,)](x, out, 5, BLOCK=4)
        ...
        >>> graph.launch()
        >>> tw.to_numpy(out)
        array([0, 2, 4, 6, 8])
    """

    def __init__(self, device=None):
        self.ordinal = _cuda_ordinal(device, "a graph")
        self._graph = None
        self._kernels = []  # that it launches

    @contextmanager
    def capture(self, stream=None):
        """A `with` block in which Tilewright's launches on the device are recorded and not run.

        Gives the `Stream` of the capture (`stream`, else a new one): work of other libraries is recorded where
        it is queued on that. Memory can be neither allocated nor copied from or to the host. Raises
        `DriverError` if the queued work cannot be recorded.
        """
        stream = Stream(self.ordinal) if stream is None else stream
        if not isinstance(stream, Stream):
            stream = Stream(self.ordinal, handle=handle_of(stream, self.ordinal))
        kernels = []
        _driver.capture_begin(self.ordinal, stream.handle)
        try:
            _driver.enter_stream(self.ordinal, stream.handle, stream, kernels)
            try:
                yield stream
            finally:
                _driver.leave_stream()
        except BaseException:
            self._abandon(stream)
            raise
        self._graph = _driver.capture_end(self.ordinal, stream.handle)
        self._kernels = kernels

    def _abandon(self, stream):
        """End a capture in which something failed: the first error is the one to show."""
        try:
            _driver.capture_end(self.ordinal, stream.handle)
        except RuntimeError:
            pass

    def launch(self, stream=None):
        """Queue the recorded work on `stream` (None: the current one). Raises `RuntimeError` if there is
        none."""
        if self._graph is None:
            raise RuntimeError("nothing was captured in this graph; use `with graph.capture():` first")
        _driver.graph_launch(self.ordinal, self._graph, handle_of(stream, self.ordinal))
