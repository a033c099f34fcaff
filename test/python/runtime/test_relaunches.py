"""A launch may reuse state of the last launches of its kernel. Each launch here differs from the previous ones in one
property that selects the kernel, or in one value. Launches come in many orders, so that stale state shows. `warmup`
reads everything again each time."""

import itertools
import random

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from optional_packages import needs
from test_threads import at_once

pytestmark = pytest.mark.compiled

#: More launches than a kernel remembers.
MANY = 40


def make_note():
    @tw.jit
    def note(x, out, number, scale=1.0, KIND: tl.constexpr = 3):
        first = -1.0 if x is None else tl.load(x).to(tl.float64)
        tl.store(out, first)
        tl.store(out + 1, number.to(tl.float64))
        tl.store(out + 2, scale.to(tl.float64))
        tl.store(out + 3, tl.full((), KIND, tl.float64))

    return note


def orders(count, seed=0):
    """Numbers below `count`: in order, each twice, in all pairs, and at random."""
    indices = list(range(count))
    chosen = random.Random(seed)
    return [
        *indices,
        *indices,
        *(i for i in indices for _ in range(2)),
        *itertools.chain(*((i, (i + 1) % count) * 2 for i in indices)),
        *(chosen.randrange(count) for _ in range(10 * count)),
    ]


def check(kernel, call, expected, read):
    """Launches with the arguments and options of `call`; compares the result of `read` and the variant."""
    args, options = call
    compiled = kernel[1](*args, **options)
    np.testing.assert_array_equal(read(), expected)
    assert compiled is kernel.warmup(*args, **options)
    return id(compiled)


@pytest.fixture
def out(backend):
    return backend.array(np.zeros(4))


def at(array, offset):
    """The part of an aligned array that begins `offset` elements after its start."""
    return array[offset : offset + 1]


def aligned(backend, values, dtype):
    """An array of the back end that begins at a multiple of 16 bytes."""
    values = np.asarray(values)
    array = backend.array(np.concatenate([values] * 4), dtype)
    address = array.ctypes.data if isinstance(array, np.ndarray) else array.data_ptr()
    start = -address % 16 // array.dtype.itemsize
    array[start : start + len(values)] = backend.array(values, dtype)
    return array[start : start + len(values)]


def test_types_and_addresses(backend, out):
    note, calls = make_note(), []
    for number, (dtype, offset) in enumerate(
        itertools.product(["float32", "float16", "int8", "int64"], [0, 1, 3, 16])
    ):
        x = at(aligned(backend, np.arange(32), dtype), offset)
        calls.append(((x, out, number * 16), [offset, number * 16, 1, 3]))
    variants = {}
    for i in orders(len(calls)):
        args, expected = calls[i]
        variants.setdefault(i, set()).add(check(note, (args, {}), expected, lambda: backend.numpy(out)))
    assert all(len(found) == 1 for found in variants.values())
    # For each type, aligned and unaligned addresses.
    assert len(set().union(*variants.values())) == 2 * 4


def test_numbers(backend, out):
    note = make_note()
    x = aligned(backend, np.arange(4), "float32")
    numbers = [0, 2, 3, 5, 16, 32, 8, 24, 2**31 - 1, 2**31, 2**31 + 8, -(2**31), -1, -(2**40) - 1, 2**52]
    calls = [((x, out, number), [0, number, 1, 3]) for number in numbers]
    scales = [2, 7, 2.5, -0.5, True, False, 32, np.float32(0.25), np.int64(48), tl.constexpr(6), 2**33]
    calls += [((x, out, 5, scale), [0, 5, getattr(scale, "value", scale), 3]) for scale in scales]
    for i in orders(len(calls)):
        args, expected = calls[i]
        check(note, (args, {}), expected, lambda: backend.numpy(out))


def test_ones_are_constants(backend, out):
    @tw.jit
    def store(out, number):
        tl.store(out, number + 0.0)

    found = {}
    for number in [1, 2, 1, True, 1, 3, True, 1, 2, 1]:
        found.setdefault(repr(number), set()).add(
            check(store, ((out, number), {}), number, lambda: backend.numpy(out)[0])
        )
    assert [len(variants) for variants in found.values()] == [1] * 4
    assert found["1"] != found["2"] == found["3"] != found["True"]


def test_constants(backend, out):
    note = make_note()
    x = aligned(backend, [7], "float32")
    kinds = [1, True, 1.0, 4, 1000, 2.5, 1001, 4.0, *range(2000, 2000 + MANY)]
    for i in orders(len(kinds)):
        kind = type(kinds[i])(str(kinds[i])) if type(kinds[i]) is not bool else kinds[i]  # another object
        check(note, ((x, out, 5), {"KIND": kind}), [7, 5, 1, kind], lambda: backend.numpy(out))
    with pytest.raises(TypeError, match=r"argument 'KIND' .* a compile-time value has to be hashable"):
        note[1](x, out, 5, KIND=[])
    with pytest.raises(TypeError, match=r"argument 'KIND' .* is an array"):
        note[1](x, out, 5, KIND=x)
    check(note, ((x, out, 5), {"KIND": 4}), [7, 5, 1, 4], lambda: backend.numpy(out))


def test_constants_that_clear_the_kernel(backend, out):
    class Kind:
        def __init__(self, clears):
            self.clears = clears

        def __hash__(self):
            return 3

        def __eq__(self, other):
            if self.clears or other.clears:
                note._dispatcher.clear()
                note[1](x, out, 9)
            return True

    @tw.jit
    def note(x, out, number, KIND: tl.constexpr = 0):
        tl.store(out, tl.load(x) + number)

    x = aligned(backend, [7], "float64")
    for clears in [False, False, True, False, True, True, False, False]:
        note[1](x, out, 5, KIND=Kind(clears))
        assert backend.numpy(out)[0] == 12


def test_forms_of_calls(backend, out):
    """By position and by name in any order, with defaults and with options."""
    note = make_note()
    x, y = (aligned(backend, [value], "float32") for value in (7, 8))
    forms = [
        ((x, out, 5), {}, [7, 5, 1, 3]),
        ((y, out), {"number": 6}, [8, 6, 1, 3]),
        ((), {"out": out, "x": x, "number": 7}, [7, 7, 1, 3]),
        ((), {"number": 9, "x": y, "out": out}, [8, 9, 1, 3]),
        ((x, out, 5, 2.5), {}, [7, 5, 2.5, 3]),
        ((x, out, 5, 2.5, 8), {}, [7, 5, 2.5, 8]),
        ((x, out), {"KIND": 9, "number": 11}, [7, 11, 1, 9]),
        ((x, out), {"number": 11, "KIND": 9}, [7, 11, 1, 9]),
        ((x, out), {"num_warps": 8, "number": 12}, [7, 12, 1, 3]),
        ((x, out), {"number": 12, "num_warps": 2}, [7, 12, 1, 3]),
        ((x, out), {"number": 12, "num_warps": 2, "stream": None}, [7, 12, 1, 3]),
        ((x, out), {"number": 5, "scale": 7}, [7, 5, 7, 3]),
        ((x, out), {"scale": 5, "number": 7}, [7, 7, 5, 3]),
        ((None, out), {"number": 13}, [-1, 13, 1, 3]),
        ((None, out, 14), {"scale": 3}, [-1, 14, 3, 3]),
    ]
    for i in orders(len(forms)):
        args, options, expected = forms[i]
        check(note, (args, options), expected, lambda: backend.numpy(out))
    for args, options in [((x, out), {}), ((x, out, 5), {"x": x}), ((x, out, 5), {"KINDS": 3})]:
        with pytest.raises(TypeError, match=r"kernel note\(\)"):
            note[1](*args, **options)


def test_options_that_are_parameters(backend, out):
    @tw.jit
    def warps(out, num_stages, num_warps: tl.constexpr = 4):
        tl.store(out, num_warps)
        tl.store(out + 1, num_stages)

    for number, stages in itertools.product((1, 2, 8, 2), (2, 3, 4, 3)):
        compiled = warps[1](out, num_stages=stages, num_warps=number)
        assert list(backend.numpy(out)[:2]) == [number, stages]
        assert compiled is warps.warmup(out, num_stages=stages, num_warps=number)
        assert compiled.metadata["num_warps"] == number


def test_without_specialization(backend, out):
    @tw.jit(do_not_specialize=["number"], do_not_specialize_on_alignment=["x"])
    def note(x, out, number):
        tl.store(out, tl.load(x).to(tl.float64))
        tl.store(out + 1, number.to(tl.float64))

    x, found = aligned(backend, np.arange(32), "float32"), set()
    for offset, number in zip([0, 1, 2, 0, 3, 4, 0, 1], [1, 2, 16, 1, 1, 8, 2, 16]):
        call = (at(x, offset), out, number), {}
        found.add(check(note, call, [offset, number], lambda: backend.numpy(out)[:2]))
    assert len(found) == 1


def test_grids_that_are_functions(backend, out):
    """They are called once per launch, with its arguments, and may launch and clear the kernel."""
    note, seen = make_note(), []
    x, y = (aligned(backend, [value], "float32") for value in (7, 8))

    def grid(meta):
        seen.append(meta["number"])
        if meta["number"] % 3 == 0:
            note[1](y, out, meta["number"] + 1)
        if meta["number"] % 5 == 0:
            note._dispatcher.clear()
        return (1,)

    for number in range(2, 40):
        note[grid](x, out, number)
        np.testing.assert_array_equal(backend.numpy(out), [7, number, 1, 3])
    assert seen == list(range(2, 40))
    with pytest.raises(ZeroDivisionError):
        note[lambda meta: 1 / 0](x, out, 5)
    with pytest.raises(TypeError, match="grid of kernel note"):
        note[lambda meta: "x"](x, out, 5)
    check(note, ((x, out, 5), {}), [7, 5, 1, 3], lambda: backend.numpy(out))


def test_cleared(backend, out):
    note = make_note()
    x = aligned(backend, [7], "float32")
    first = note[1](x, out, 5)
    assert note[1](x, out, 5) is first
    note._dispatcher.clear()
    assert len(note._dispatcher) == 0
    second = note[1](x, out, 5)
    assert second is not first
    assert note[1](x, out, 5) is second


def test_hooks_between(backend, out):
    note, seen = make_note(), []
    x = aligned(backend, [7], "float32")
    for number in range(2, 12):
        if number % 2:
            with tw.launch_hook(lambda launch: seen.append(launch.compiled)):
                compiled = note[1](x, out, number)
            assert seen.pop() is compiled
        else:
            note[1](x, out, number)
        np.testing.assert_array_equal(backend.numpy(out), [7, number, 1, 3])
    assert not seen


def test_read_only(backend):
    @tw.jit
    def copy(x, out):
        tl.store(out, tl.load(x))

    x, out = np.full(4, 7.0), np.zeros(4)
    for writable in [True, True, False, False, True, False, True]:
        x.flags.writeable = not writable
        out.flags.writeable = writable
        if writable:
            out[:] = 0
            copy[1](x, out)
            assert out[0] == 7
        else:
            with pytest.raises(ValueError, match=r"argument 'out' of kernel copy.* the array is read-only"):
                copy[1](x, out)


def descriptors_of(backend):
    """Descriptors that differ pairwise in their kernel or their content, with the expected sums."""
    for dtype, (rows, columns), width, start in [
        ("float32", (16, 16), 64, 0),
        ("float32", (16, 16), 64, 4),
        ("float32", (16, 1), 64, 0),
        ("float32", (1, 16), 64, 0),
        ("float32", (16, 15), 64, 0),
        ("float32", (16, 16), 72, 0),
        ("float32", (16, 16), 68, 0),
        ("float32", (15, 16), 68, 8),
        ("float16", (16, 16), 64, 0),
        ("float16", (16, 16), 64, 8),
        ("float64", (16, 16), 64, 0),
        ("int8", (16, 16), 64, 16),
    ]:
        values = np.arange(16 * width) % 100 + 1
        array = aligned(backend, values, dtype)[start:]
        matrix = np.zeros((8, 16))
        part = np.lib.stride_tricks.as_strided(
            values[start:], (16, 16), (values.itemsize * width, values.itemsize)
        )
        matrix[:rows, :columns] = part[: min(rows, 8), :columns]
        yield tw.TensorDescriptor(array, [rows, columns], [width, 1], [8, 16]), matrix.sum()


def test_descriptors(backend, out):
    @tw.jit
    def total(x, out, number):
        tl.store(out, tl.sum(x.load([0, 0]).to(tl.float64)) + number)

    cases = list(descriptors_of(backend))
    for i in orders(len(cases)):
        descriptor, expected = cases[i]
        compiled = total[1](descriptor, out, 2 + i)
        assert backend.numpy(out)[0] == expected + 2 + i
        assert compiled is total.warmup(descriptor, out, 2 + i)


def test_bases_of_descriptors(backend, out):
    """One descriptor whose array is replaced."""

    @tw.jit
    def total(x, out):
        tl.store(out, tl.sum(x.load([0, 0]).to(tl.float64)))

    bases = [
        aligned(backend, np.full(256, value), dtype)
        for value, dtype in [(1, "float32"), (2, "float32"), (3, "float16"), (4, "int32"), (5, "float32")]
    ]
    descriptor = tw.TensorDescriptor(bases[0], [8, 16], [16, 1], [8, 16])
    for i in orders(len(bases)):
        descriptor.base = bases[i]
        compiled = total[1](descriptor, out)
        assert backend.numpy(out)[0] == 128 * (i + 1)
        assert compiled is total.warmup(descriptor, out)


def test_arrays_of_ours(backend):
    """On the CPU and, where there is one, on the GPU, of several types and at several addresses."""
    note, calls = make_note(), []
    for device, dtype, offset in itertools.product(
        ["cpu", *["cuda"] * (backend.name == "cuda")], ["float32", "float16", "int8"], [0, 1, 5]
    ):
        memory = tw.from_numpy(np.arange(32).astype(dtype), device=device)
        x = tw.from_dlpack(at(np.from_dlpack(memory), offset)) if device == "cpu" else memory
        out = tw.from_numpy(np.zeros(4), device=device)
        calls.append((x, out, offset if device == "cpu" else 0))
    for i in orders(len(calls)):
        x, out, offset = calls[i]
        check(note, ((x, out, i + 2), {}), [offset, i + 2, 1, 3], out.to_numpy)


def test_arrays_of_two_devices(backend):
    if backend.name != "cuda":
        pytest.skip("needs a GPU")
    note = make_note()
    given = {
        device: (tw.from_numpy(np.full(4, 7.0), device), tw.from_numpy(np.zeros(4), device))
        for device in ("cpu", "cuda")
    }
    for first, second in ["cpu", "cpu"], ["cuda", "cuda"], ["cpu", "cuda"], ["cuda", "cpu"], ["cpu", "cpu"]:
        args = given[first][0], given[second][1], 5
        if first == second:
            check(note, (args, {}), [7, 5, 1, 3], given[second][1].to_numpy)
            continue
        with pytest.raises(ValueError, match=r"argument 'out' of kernel note.* is on .*, but 'x' is on"):
            note[1](*args)


def test_addresses_that_a_gpu_cannot_read(backend):
    if backend.name != "cuda":
        pytest.skip("needs a GPU")
    note, out = make_note(), tw.from_numpy(np.zeros(4), "cuda")
    memory = tw.from_numpy(np.arange(64, dtype=np.int8), "cuda")

    class Words:
        def __init__(self, offset):
            self.data = memory.address + offset, False

        @property
        def __cuda_array_interface__(self):
            return {"shape": (4,), "typestr": "<i2", "data": self.data, "version": 3}

    for offset in [0, 2, 1, 2, 4, 3, 0, 16, 5, 6]:
        x = Words(offset)
        if offset % 2:
            with pytest.raises(ValueError, match=r"argument 'x' of kernel note.* begins at address"):
                note[1](x, out, 5)
        else:
            check(note, ((x, out, 5), {}), [offset + 256 * (offset + 1), 5, 1, 3], out.to_numpy)


def test_tensors(backend):
    """Tensors of PyTorch of all types, at any address, mixed with other arrays."""
    torch = needs("torch")
    device = "cuda" if backend.name == "cuda" and not backend.is_emulated else "cpu"
    note, out = make_note(), torch.zeros(4, dtype=torch.float64, device=device)
    whole = [
        torch.arange(32, device=device).to(dtype)
        for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.int64)
    ]
    calls = [(x[offset:], offset) for x in whole for offset in (0, 1, 3, 16)]
    calls += [(torch.nn.Parameter(whole[0][2:]), 2), (whole[0][:16].view(4, 4).t()[3], 3), (None, -1)]
    variants = {}
    for i in orders(len(calls)):
        x, expected = calls[i]
        compiled = check(note, ((x, out, i + 2), {}), [expected, i + 2, 1, 3], lambda: out.cpu().numpy())
        variants.setdefault((None if x is None else x.dtype, i + 2), set()).add(compiled)
    assert all(len(found) == 1 for found in variants.values())
    changed = torch.zeros(4, device=device)
    for i in orders(len(whole)):
        changed.data = whole[i][i:]
        check(note, ((changed, out, 5), {}), [i, 5, 1, 3], lambda: out.cpu().numpy())


def test_empty_tensors(backend):
    torch = needs("torch")
    device = "cuda" if backend.name == "cuda" and not backend.is_emulated else "cpu"

    @tw.jit
    def store(x, out, number):
        tl.store(out, number)

    out = torch.zeros(1, dtype=torch.int32, device=device)
    arrays = [torch.zeros(4, device=device), torch.zeros(0, device=device), torch.zeros(0, 3, device=device)]
    for number, i in enumerate([0, 1, 1, 0, 2, 0, 1, 2]):
        store[1](arrays[i], out, number)
        assert out.item() == number


def test_threads(backend):
    """All threads launch one kernel, each with its own arguments."""
    note = make_note()

    def launches(number):
        out = backend.array(np.zeros(4))
        arrays = [
            at(aligned(backend, np.arange(32), dtype), offset)
            for dtype, offset in [("float32", number), ("float16", number), ("int64", 0), ("float32", 0)]
        ]

        def launch():
            for iteration in range(60):
                x = arrays[iteration % 4]
                note[1](x, out, 100 * number + iteration, KIND=number)
                expected = [number if iteration % 4 < 2 else 0, 100 * number + iteration, 1, number]
                np.testing.assert_array_equal(backend.numpy(out), expected)

        return launch

    at_once(*(launches(number) for number in range(6)))
