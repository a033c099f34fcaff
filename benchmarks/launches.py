"""The kernels that a call launches."""

import tilewright as tw


def launched_kernels(call):
    """Returns the compiled kernels that ``call`` launches, each once."""
    launched = []
    with tw.launch_hook(lambda launch: launched.append(launch.compiled)):
        call()
    return list({id(kernel): kernel for kernel in launched}.values())


def ptx_bytes(call):
    """Returns the bytes of PTX of the kernels that ``call`` launches, each counted once; 0 on the CPU."""
    return sum(len(kernel.asm["ptx"]) for kernel in launched_kernels(call) if "ptx" in kernel.asm)
