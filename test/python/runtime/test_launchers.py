"""State that a kernel keeps from a launch for the next one, when the next one differs."""

import sys

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from optional_packages import needs

pytestmark = pytest.mark.compiled


@tw.jit
def count(out):
    """Writes both extents of the grid."""
    tl.store(out + tl.program_id(0), tl.num_programs(0) * 10 + tl.num_programs(1))


def launched(grid):
    """The result of `count` over the grid."""
    out = np.zeros(8, np.int32)
    count[grid](out)
    return out[0]


def test_grids_that_change():
    assert [launched(grid) for grid in (3, (4,), (4,), (2, 5), 3, [6], (lambda meta: 7), (np.int64(1),))] == [
        31,
        41,
        41,
        25,
        31,
        61,
        71,
        11,
    ]
    extents = [1]
    launch = count[extents]
    for extent in (1, 2):
        extents[0] = extent
        out = np.zeros(8, np.int32)
        launch(out)
        assert out[0] == 10 * extent + 1


def test_the_same_grid_gives_the_same_launcher():
    grid = (3,)
    launch = count[grid]
    assert count[grid] is launch
    other = count[(4, 2)]  # while the first one is held
    first, second = np.zeros(8, np.int32), np.zeros(8, np.int32)
    launch(first)
    other(second)
    assert (first[0], second[0]) == (31, 42)


def test_launchers_keep_no_arrays():
    array = np.zeros(8, np.int32)
    references = sys.getrefcount(array)
    for _ in range(3):
        count[lambda meta, array=array: (len(array),)](array)
    assert sys.getrefcount(array) == references


def test_bad_grids_are_refused_each_time():
    for _ in range(2):
        with pytest.raises(ValueError, match=r"along x is -1"):
            launched((-1,))
        with pytest.raises(TypeError, match=r"along x is 2.5"):
            launched((2.5,))
    assert launched((2,)) == 21


def test_arguments_of_changing_types(kernel, compilations):
    torch = needs("torch")
    own = tw.zeros(4, np.float16)
    given = [
        (np.zeros(4, np.float32), "*fp32"),
        (torch.zeros(4, dtype=torch.float64), "*fp64"),
        (torch.zeros(4, dtype=torch.bfloat16), "*bf16"),
        (own, "*fp16"),
        (5, "i32"),
        (torch.zeros(4, dtype=torch.float64), "*fp64"),
        (2.5, "fp32"),
        (True, "i1"),
        (None, None),
    ]
    for value, name in given * 2:
        made = kernel.warmup(value, None, 3)
        assert made.arg_types.get("x") == name
    assert len(compilations) == len(given) - 1  # float64 comes twice


def test_elements_that_no_kernel_takes_after_ones_that_it_does(kernel, compilations):
    torch = needs("torch")
    kernel.warmup(torch.zeros(4), None, 3)
    for _ in range(2):
        with pytest.raises(TypeError, match=r"argument 'x' of kernel kernel.*no kernel takes elements"):
            kernel.warmup(torch.zeros(4, dtype=torch.complex64), None, 3)
        with pytest.raises(TypeError, match=r"argument 'x' of kernel kernel.*cannot read the array"):
            kernel.warmup(torch.zeros(4, 4).to_sparse(), None, 3)
    kernel.warmup(torch.zeros(4), None, 3)
    assert len(compilations) == 1


def test_constants_that_are_equal_but_not_the_same(kernel, compilations):
    for _ in range(3):
        kernel.warmup(None, None, 3, BLOCK=int("1024"))
        kernel.warmup(None, None, 3, BLOCK=int("2048"))
    assert [made["constants"]["BLOCK"] for made in compilations] == [1024, 2048]


def test_read_only_arrays_after_others():
    array = np.zeros(8, np.int32)
    count[2,](array)
    array.flags.writeable = False
    with pytest.raises(ValueError, match=r"argument 'out' of kernel count.*read-only"):
        count[2,](array)
    mine = tw.zeros(8, np.int32)
    count[2,](mine)
    assert mine.to_numpy()[0] == 21


class Same(int):
    """Numbers with equal hashes and a comparison in Python."""

    compared = None

    def __hash__(self):
        return 7

    def __eq__(self, other):
        if Same.compared:
            Same.compared()
        return int(self) == int(other)


@pytest.fixture
def whenever_compared():
    """`whenever_compared(action)`: calls `action` once, at the next comparison of constants."""

    def arrange(action):
        def compared():
            Same.compared = None
            action()

        Same.compared = compared

    yield arrange
    Same.compared = None


def test_comparisons_of_constants_that_launch(kernel, compilations, whenever_compared):
    def launch(number):
        return kernel.warmup(None, None, 3, BLOCK=Same(number))

    for number in range(4):
        launch(number)
    whenever_compared(lambda: [launch(number) for number in range(100, 700)])
    launch(3)
    assert len(compilations) == 604
    launch(650)
    assert len(compilations) == 604


def test_comparisons_of_constants_that_forget_kernels(kernel, compilations, whenever_compared):
    made = [kernel.warmup(None, None, 3, BLOCK=Same(number)) for number in range(4)]
    whenever_compared(kernel._dispatcher.clear)
    assert kernel.warmup(None, None, 3, BLOCK=Same(3)) is made[3]
    assert len(kernel._dispatcher) == 0
    whenever_compared(kernel.forget)
    kernel.warmup(None, None, 3, BLOCK=Same(3))
    assert len(compilations) == 5


def test_a_subscript_of_a_derived_class_and_one_that_is_replaced(monkeypatch):
    assert launched((3,)) == 31

    class Noting(type(count)):
        __slots__ = ("grids",)

        def __getitem__(self, grid):
            self.grids = [grid]
            return super().__getitem__(grid)

    derived, out = Noting(count.fn), np.zeros(8, np.int32)
    derived[(2, 4)](out)
    assert (out[0], derived.grids) == (24, [(2, 4)])
    original = type(count).__getitem__
    with monkeypatch.context() as patch:
        patch.setattr(type(count), "__getitem__", lambda self, grid: original(self, (5,)))
        assert launched((3,)) == 51
    assert launched((3,)) == 31
