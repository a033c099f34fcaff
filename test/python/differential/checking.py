"""Runs a generated kernel in the interpreter and on a back end, and compares."""

import importlib.util

import numpy as np
import tilewright as tw
from types_and_shapes import INPUTS, OUTPUTS, PROGRAMS

#: Relative to the magnitude of the result.
TOLERANCE = 2e-5


class Mismatch(AssertionError):
    """The interpreter and a back end disagree about a kernel."""


def load(path):
    """The kernel of the module in a file, and its scalar arguments."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel, module.ARGUMENTS


def _outputs():
    return {name: np.full(count, 0, dtype) for name, (dtype, count) in OUTPUTS.items()}


def interpreted(kernel, arguments):
    """The outputs of the interpreter, by name."""
    outputs = _outputs()
    with np.errstate(all="ignore"):
        tw.interpret(kernel)[PROGRAMS,](*outputs.values(), *INPUTS.values(), *arguments)
    return outputs


class Device:
    """Runs kernels on a device; inputs are copied to it once."""

    def __init__(self, backend):
        self.backend = backend
        self.inputs = [tw.from_numpy(values, backend) for values in INPUTS.values()]

    def run(self, kernel, arguments, **options):
        """The outputs of the compiled kernel, by name."""
        outputs = {name: tw.from_numpy(values, self.backend) for name, values in _outputs().items()}
        kernel[PROGRAMS,](*outputs.values(), *self.inputs, *arguments, **options)
        return {name: tw.to_numpy(array) for name, array in outputs.items()}


def compare(found, expected):
    """Raises `Mismatch` where outputs differ."""
    for name, values in expected.items():
        if name == "out_inexact":
            same = np.isclose(found[name], values, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)
        else:
            same = (found[name] == values) | ((found[name] != found[name]) & (values != values))
        if not same.all():
            index = int(np.argmin(same))
            raise Mismatch(
                f"{name}[{index}] is {found[name][index]!r}, in the interpreter {values[index]!r}; "
                f"{int((~same).sum())} elements differ"
            )


def check(path, device, **options):
    """Runs the kernel in a file both ways and compares. Raises `Mismatch`, or an error of compilation."""
    kernel, arguments = load(path)
    compare(device.run(kernel, arguments, **options), interpreted(kernel, arguments))
