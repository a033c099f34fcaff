"""Calls of declared kernels with random arguments, and their float64 results."""

from dataclasses import dataclass

import numpy as np
from tilewright.kernels import declarations
from tilewright.kernels._declaration import Array, samples


@dataclass(frozen=True)
class Case:
    """A sample of a kernel with a dtype."""

    declaration: object
    sample: object
    dtype: str

    def __str__(self):
        return f"{self.declaration.name} {samples.described(self.sample)} {self.dtype}"


def cases():
    """Yields the first samples of each kernel with each dtype, the others with one dtype in turn."""
    for declaration in declarations().values():
        dtypes = list(declaration.tolerance)
        for number, sample in enumerate(declaration.samples):
            for dtype in dtypes if number < 2 else [dtypes[number % len(dtypes)]]:
                yield Case(declaration, sample, dtype)


class Call:
    """Arguments on the back end.

    `arrays`: those of the kernel. `numbers`: the same for the reference, arrays as float64 or integers.
    """

    def __init__(self, backend, rng, case, place=None):
        self.backend, self.case = backend, case
        self.arrays, self.numbers = {}, {}
        place = place or (lambda kind, values, dtype: backend.array(values, dtype))
        for name, value in samples.make(case.declaration, case.sample, case.dtype, rng).items():
            kind = case.declaration.arguments[name]
            if isinstance(kind, Array) and isinstance(value, tuple):
                value = place(kind, *value)
                numbers = backend.numpy(value)
                self.numbers[name] = numbers if numbers.dtype.kind in "iu" else numbers.astype(np.float64)
            else:
                self.numbers[name] = value
            self.arrays[name] = value

    def types(self):
        """The inferred types of the results by name, without those that are not computed."""
        found = self.case.declaration.infer(**self.arrays)
        return {name: type_ for name, type_ in found.items() if type_ is not None}

    def run(self, **results):
        """Calls the kernel; returns its results by name."""
        declaration = self.case.declaration
        made = declaration.function(**self.arrays, **results)
        made = made if len(declaration.results) > 1 else (made,)
        return dict(zip(declaration.results, made))

    def check(self, made):
        """Asserts that the results are those of the reference, up to the kernel's tolerance."""
        types = self.types()
        if all(0 in type_.shape for type_ in types.values()):
            return
        expected = samples.expected(self.case.declaration, self.numbers)
        limit = self.case.declaration.tolerance[self.case.dtype]
        for name, type_ in types.items():
            actual = self.backend.numpy(made[name]).astype(np.float64)
            assert actual.shape == type_.shape == np.shape(expected[name]), name
            assert np.isfinite(actual).all(), f"{name} has elements that are not finite"
            error = np.linalg.norm(actual - expected[name])
            norm = np.linalg.norm(expected[name])
            assert error <= limit * max(norm, 1e-30), f"{name}: relative error {error / max(norm, 1e-30):.3g}"
