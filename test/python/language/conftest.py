"""Kernels of the warp level that do not compile."""

import inspect
import re

import pytest
from tilewright.frontend import CompilationError, KernelFunction
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel


@pytest.fixture
def refused():
    """`refused(kernel, message)`: the kernel of a float16 array and a size does not compile, at its line `# !`."""

    def check(fn, message, target="sm_90a", x="*fp16", divisible=16):
        fn = KernelFunction(fn).fn
        lines, first = inspect.getsourcelines(fn)
        (marked,) = [first + i for i, line in enumerate(lines) if line.rstrip().endswith("# !")]
        types = {"x_ptr": x, "n": "i32"}
        with pytest.raises(CompilationError, match=re.escape(message)) as caught:
            compile_kernel(
                fn, types, {}, dict.fromkeys(types, divisible), target, Options(), stop_after="warp"
            )
        assert (caught.value.file, caught.value.line) == (inspect.getsourcefile(fn), marked)
        return caught.value

    return check
