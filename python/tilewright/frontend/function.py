"""What makes an object a function that kernels can call."""


class KernelFunction:
    """A Python function written in the language. `tilewright.jit` gives objects of a class derived from this one.

    `fn` is the Python function; `__name__`, `__doc__` and the rest are its own.
    """

    is_kernel_function = True

    def __init__(self, fn):
        import functools

        functools.update_wrapper(self, fn)
        self.fn = fn
