"""Every declared kernel: results, strides, repeated calls, and refused arguments."""

import numpy as np
import pytest
from declared import Call, cases
from tilewright.kernels import declarations
from tilewright.kernels._declaration import Array, Option, Scalar, samples

CASES = list(cases())
FIRST = {case.declaration.name: case for case in reversed(CASES)}
SECOND = [case for name in FIRST for case in [case for case in CASES if case.declaration.name == name][3:9:2]]


def embedded(backend, shape, dtype):
    """An array that is poisoned, and a view of it: rows with gaps, from an odd offset on."""
    wide = backend.poisoned((*shape[:-1], shape[-1] + 3), dtype)
    return wide, wide[..., 1:-2]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_results(backend, rng, case):
    call = Call(backend, rng, case)
    outs = {name: backend.poisoned(type_.shape, type_.dtype) for name, type_ in call.types().items()}
    made = call.run(**outs)
    assert all(made[name] is out for name, out in outs.items())
    call.check(made)


@pytest.mark.parametrize("case", SECOND, ids=str)
def test_allocated_results_of_repeated_calls(backend, rng, case):
    for _ in range(2):
        call = Call(backend, rng, case)
        made = call.run()
        for name, type_ in call.types().items():
            assert tuple(made[name].shape) == type_.shape and str(made[name].dtype).endswith(type_.dtype)
        call.check(made)


@pytest.mark.parametrize("case", SECOND, ids=str)
def test_strides(backend, rng, case):
    def place(kind, values, dtype):
        if kind.layout == "contiguous" or values.ndim == 0:
            return backend.array(values, dtype)
        if kind.layout == "any" and values.ndim > 1:
            values = np.ascontiguousarray(np.swapaxes(values, -1, -2))
            return backend.array(values, dtype).swapaxes(-1, -2)
        filled = np.full((*values.shape[:-1], values.shape[-1] + 3), 7.0)
        filled[..., 1:-2] = values
        return backend.array(filled, dtype)[..., 1:-2]

    call = Call(backend, rng, case, place)
    whole, outs = {}, {}
    for name, type_ in call.types().items():
        if case.declaration.results[name].layout != "contiguous" and type_.shape:
            whole[name], outs[name] = embedded(backend, type_.shape, type_.dtype)
    before = {name: backend.numpy(wide) for name, wide in whole.items()}
    call.check(call.run(**outs))
    for name, wide in whole.items():
        gaps = np.ones(before[name].shape, bool)
        gaps[..., 1:-2] = False
        np.testing.assert_array_equal(backend.numpy(wide)[gaps], before[name][gaps])


@pytest.mark.parametrize("name", declarations())
def test_rows_of_wider_arrays(backend, rng, name):
    case = SECOND[[case.declaration.name for case in SECOND].index(name)]

    def place(kind, values, dtype):
        if kind.layout == "contiguous" or values.ndim == 0:
            return backend.array(values, dtype)
        filled = np.full((*values.shape[:-1], values.shape[-1] + 3), 7.0)
        filled[..., 1:-2] = values
        return backend.array(filled, dtype)[..., 1:-2]

    call = Call(backend, rng, case, place)
    call.check(call.run())


def has_elements(sample):
    """Whether all arrays have elements and dimensions."""
    return samples.elements(sample) > 0 and (len(sample.sizes) > 1 or sample.sizes.get("...") != ())


def wrong_values(backend, declaration, call):
    """Yields a parameter, a wrong value, and the error."""
    for name, kind in declaration.arguments.items():
        if isinstance(kind, Option):
            yield name, "no such choice", ValueError, f"^{name} must be .*, got 'no such choice'"
        if isinstance(kind, Scalar) and kind.type is not bool:
            yield name, "two", TypeError, f"^{name} is 'two', expected a number"
            if kind.low is not None:
                yield name, kind.low - 1, ValueError, f"^{name} is .*, expected at least {kind.low}"
        if not isinstance(kind, Array) or not hasattr(call.arrays.get(name), "shape"):
            continue
        value = call.arrays[name]
        yield name, [1.0], TypeError, f"^{name} is of type list, expected an array"
        if kind.dtypes is not None:
            wrong = backend.array(backend.numpy(value).astype(np.float32) != 0)
            yield name, wrong, TypeError, rf"^{name} is (torch\.)?bool, expected "
        if kind.shape is not None and not kind.shape.startswith("..."):
            yield name, value[None], ValueError, rf"^{name} has shape \(1, .*, expected "
    for name, type_ in call.types().items():
        shape = (*type_.shape[:-1], type_.shape[-1] + 1)
        wrong = backend.poisoned(shape, type_.dtype)
        yield name, wrong, ValueError, rf"^{name} has shape \({shape[0]},.*, expected \("
        yield name, [1.0], TypeError, f"^{name} is of type list, expected an array"
        if declaration.results[name].dtypes != "any":
            wrong = backend.poisoned(type_.shape, "int16")
            yield name, wrong, TypeError, f"^{name} is int16, expected "


@pytest.mark.parametrize("name", declarations())
def test_wrong_arguments(backend, rng, name):
    case = next(case for case in CASES if case.declaration.name == name and has_elements(case.sample))
    call = Call(backend, rng, case)
    seen = 0
    for parameter, value, error, message in wrong_values(backend, case.declaration, call):
        for _ in range(2):
            with pytest.raises(error, match=message):
                case.declaration.function(**call.arrays | {parameter: value})
        seen += 1
    assert seen >= 3


@pytest.mark.parametrize("name", declarations())
def test_wrong_calls(backend, rng, name):
    call = Call(backend, rng, FIRST[name])
    with pytest.raises(TypeError, match="unexpected keyword argument 'nothing'"):
        FIRST[name].declaration.function(**call.arrays, nothing=1)
    with pytest.raises(TypeError, match="missing a required argument"):
        FIRST[name].declaration.function()
