"""What a benchmark of a kernel says: its inputs, who runs on them and the least work they mean."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """One problem, for every library that can solve it.

    Attributes:
        kernel: name of the kernel.
        shape: sizes as people say them, e.g. "32768 x 8192".
        dtype: type of the operands.
        make: ``make(randn) -> operands``; ``randn(*shape)`` gives random arrays of ``dtype``.
        run: ``run(kernels, *operands)`` calls the kernel of a module with the interface of
            ``tilewright.kernels``; the same source compiled by Triton is such a module.
        torch: ``torch(*operands)``, PyTorch's way, or None.
        numpy: ``numpy(*operands)``, NumPy's way, or None.
        bytes: the least traffic with memory, in bytes.
        flops: floating-point operations; 0 where memory is the limit.
    """

    kernel: str
    shape: str
    dtype: str
    make: Callable
    run: Callable
    torch: Callable | None = None
    numpy: Callable | None = None
    bytes: int = 0
    flops: int = 0


ITEMSIZE = {"float32": 4, "float16": 2, "bfloat16": 2}
