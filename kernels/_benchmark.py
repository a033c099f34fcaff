"""A benchmark case of a kernel: its inputs, the implementations to compare, and the minimum work."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """One problem, for every library that can solve it.

    Attributes:
        kernel: name of the kernel.
        shape: sizes as text, e.g. "32768 x 8192".
        dtype: type of the operands.
        make: ``make(randn) -> operands``; ``randn(*shape)`` gives random arrays of ``dtype``.
        run: ``run(kernels, *operands)`` calls the kernel of a module with the interface of
            ``tilewright.kernels``, such as the same source compiled by Triton.
        torch: ``torch(*operands)`` for PyTorch, or None.
        numpy: ``numpy(*operands)`` for NumPy, or None.
        bytes: minimum memory traffic, in bytes.
        flops: floating-point operations; 0 if memory bandwidth is the limit.
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
