"""`triton.compile`: ahead-of-time compilation, also for absent devices."""

import time
from dataclasses import replace
from functools import partial

from ..options import OPTION_NAMES, Options
from ..runtime.compiler import compile_kernel
from . import driver, listening
from .functions import JITFunction
from .sources import ASTSource, architecture


def compile(src, target=None, options=None):
    """Compile an `ASTSource` for a `GPUTarget`, by default the device in use. Gives the `CompiledKernel`.

    `options` is a dict of options of a launch (`num_warps`, ...). Raises `TypeError` for anything but an `ASTSource`
    (files of Triton's own stages cannot be compiled here) and unknown options, `ValueError` for other targets.
    """
    if not isinstance(src, ASTSource):
        raise TypeError(f"compile takes an ASTSource, not Triton's own stages: got {src!r}")
    target = target or driver.driver.active.get_current_target()
    unknown = [name for name in options or {} if name not in OPTION_NAMES]
    if unknown:
        raise TypeError(f"there is no option {unknown[0]!r}; there is {', '.join(OPTION_NAMES)}")
    types = {
        name: ty for name, ty in src.signature.items() if ty != "constexpr" and name not in src.constants
    }
    given = Options(**{"numerics": getattr(src.fn, "numerics", "triton"), **(options or {})})
    if isinstance(src.fn, JITFunction):
        src.fn.check_parameters()
    begun = time.perf_counter()
    compiled = compile_kernel(src.fn, types, src.constants, src.divisors(), architecture(target), given)
    listening.tell(lambda: src, compiled, time.perf_counter() - begun)
    return replace(compiled, kernel=partial(getattr, src, "fn"), src=src)
