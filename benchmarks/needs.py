"""Requirements of benchmarks: `from needs import torch`, and `gpu()` or `torch_gpu()` at their start.

If a requirement is missing, the benchmark ends with a message.
"""

import tilewright as tw


def __getattr__(name):
    if name != "torch":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        import torch
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise SystemExit(
            "this benchmark compares with PyTorch, which is not installed: pip install torch"
        ) from None
    return torch


def gpu():
    """Ends the process if there is no CUDA device."""
    if not tw.cuda.is_available():
        raise SystemExit("this benchmark needs a CUDA device, and there is none here")


def torch_gpu():
    """Ends the process if there is no CUDA device, or PyTorch cannot use it."""
    gpu()
    torch = __getattr__("torch")
    if not torch.cuda.is_available():
        raise SystemExit(f"this benchmark needs PyTorch with CUDA, and {torch.__version__} is without")
