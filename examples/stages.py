"""The stages of the compilation of a kernel.

The same from a shell:  tilewright compile examples/stages.py:scale --target sm_80 \\
                            --signature "*fp32:16, fp32, i32, 256" --emit ptx -o DIRECTORY
"""

import numpy as np
import tilewright as tw
import tilewright.language as tl


@tw.jit
def scale(x_ptr, factor, n, BLOCK: tl.constexpr):
    """Computes x = factor * x."""
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < n
    tl.store(x_ptr + index, factor * tl.load(x_ptr + index, mask=inside), mask=inside)


def main():
    """Prints the tile level in full and the size of the other stages."""
    x = np.ones(1000, np.float32)
    compiled = scale[(tw.cdiv(len(x), 256),)](x, 3.0, len(x), BLOCK=256)
    assert (x == 3).all()
    print(compiled.asm["tile"])
    for stage, content in compiled.asm.items():
        print(
            f"{compiled.target}: {stage}, {len(content)} {'bytes' if isinstance(content, bytes) else 'characters'}"
        )


if __name__ == "__main__":
    main()
