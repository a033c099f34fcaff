"""A minimal kernel: z = x + y, on the CPU, and on a GPU if PyTorch sees one."""

import numpy as np
import tilewright as tw
import tilewright.language as tl


@tw.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    """Each program adds BLOCK elements; the mask limits the last one."""
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < n
    x = tl.load(x_ptr + index, mask=inside)
    y = tl.load(y_ptr + index, mask=inside)
    tl.store(z_ptr + index, x + y, mask=inside)


def add(x, y, z):
    """Adds arrays of one length, on any device."""
    n = len(x)
    add_kernel[(tw.cdiv(n, 1024),)](x, y, z, n, BLOCK=1024)


def main():
    """Adds a million numbers on each device."""
    x, y = np.random.default_rng(0).random((2, 1_000_003), dtype=np.float32)
    z = np.empty_like(x)
    add(x, y, z)
    print("cpu", np.array_equal(z, x + y))

    try:
        import torch
    except ImportError:
        return
    if torch.cuda.is_available():
        x, y = torch.from_numpy(x).cuda(), torch.from_numpy(y).cuda()
        z = torch.empty_like(x)
        add(x, y, z)
        print("gpu", torch.equal(z, x + y))


if __name__ == "__main__":
    main()
