"""Time and order of destruction of driver objects, on the double of the driver."""

import pytest

pytestmark = pytest.mark.compiled

COUNTS = """
import ctypes, gc, os
fake = ctypes.CDLL(os.environ["TILEWRIGHT_LIBCUDA"])

class Cycle:
    "What only the collector gives up, with its members in any order."
    def __init__(self, **members):
        self.me = self
        self.__dict__.update(members)

def counts():
    "Uses of what is no more, streams that are alive, blocks of memory that were freed."
    gc.collect()
    return fake.fakeMisuses(), fake.fakeStreamsAlive(), fake.fakeFreed()
"""


@pytest.fixture
def counted(run, double):
    """`counted(code)`: the output of the code."""
    return lambda code: run(COUNTS + code, double("FakeCuda"))


def test_streams_outlive_memory_that_is_freed_on_them(counted):
    lines = counted("""
def made(stream):
    return tw.empty(4, stream=stream)

stream = tw.Stream()
Cycle(stream=stream, array=made(stream))
del stream
print(*counts())
stream = tw.Stream()
Cycle(array=made(stream), stream=stream)
del stream
print(*counts())

with tw.Stream():
    array = tw.zeros(4)
view = array.reshape(2, 2)
del array
print(*counts())
del view
print(*counts())
""")
    assert lines == ["0 0 1", "0 0 2", "0 1 2", "0 0 3"]


def test_memory_on_streams_of_others_is_freed_without_them(counted):
    """The lifetime of such a stream is unknown."""
    lines = counted("""
class Foreign:
    "As another library's: destroyed when it is finalised."
    def __init__(self):
        self.stream = tw.Stream()
        self.ptr = self.stream.handle
    def __del__(self):
        del self.stream

def use(stream):
    handle = stream if hasattr(stream, "ptr") else tw.Stream(handle=stream.handle)
    Cycle(stream=stream, array=tw.zeros(4, stream=handle))

use(Foreign())
print(*counts())
use(tw.Stream())
print(*counts())
""")
    assert lines == ["0 0 1", "0 0 2"]


def test_streams_outlive_launches_bound_to_them(counted):
    lines = counted("""
arguments = tw.zeros(4), None, 3
launch = kernel.bind(1, *arguments, stream=tw.Stream())
launch()
print(*counts())
del launch
print(*counts())
""")
    assert lines == ["0 1 0", "0 0 0"]


def test_graphs_and_events_of_cycles(counted):
    lines = counted("""
x = tw.zeros(4)
kernel[1](x, None, 3)
graph = tw.Graph()
with graph.capture() as stream:
    kernel[1](x, None, 3)
with graph.capture(stream):
    kernel[1](x, None, 3)
print(fake.fakeGraphsAlive())
Cycle(graph=graph, stream=stream, event=stream.record_event())
del graph, stream
print(*counts(), fake.fakeGraphsAlive())
""")
    assert lines == ["1", "0 0 0 0"]


def test_pinned_memory_outlives_its_copies(counted):
    lines = counted("""
fake.fakeDeferCopies()
x = tw.from_numpy(np.arange(4))
print(x.to_numpy())
x.to_numpy(tw.pinned(4, np.int64))
source = tw.pinned(4, np.int64)
source[:] = 7
x.copy_from(source[:])
del source
print(x.to_numpy(), *counts())
""")
    assert lines == ["[0 1 2 3]", "[7 7 7 7] 0 0 0"]


def test_memory_freed_while_its_stream_is_captured_is_no_part_of_the_graph(counted):
    lines = counted("""
stream = tw.Stream()
array = tw.zeros(4, stream=stream)
graph = tw.Graph()
with graph.capture(stream):
    del array
    print(*counts())
tw.empty(4, stream=stream)
print(*counts())
""")
    assert lines == ["0 1 0", "0 1 2"]


def test_graphs_keep_the_kernels_that_they_launch(counted):
    lines = counted("""
def captured(bind):
    @tw.jit
    def kernel(x, y, n):
        pass
    graph = tw.Graph()
    launch = kernel.bind(1, x, None, 3) if bind else lambda: kernel[1](x, None, 3)
    launch()
    with graph.capture():
        with tw.Stream():
            launch()
    return graph

x = tw.zeros(4)
for bind in (False, True):
    graph = captured(bind)
    gc.collect()
    print(fake.fakeModulesAlive(), end=" ")
    graph.launch()
    del graph
    gc.collect()
    print(fake.fakeModulesAlive())
""")
    assert lines == ["1 0", "1 0"]
