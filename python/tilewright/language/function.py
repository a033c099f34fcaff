"""Functions that are written in the language: what kernels can call."""

import functools

from .ir import builder


class KernelFunction:
    """A Python function written in the language. `tilewright.jit` gives objects of a class derived from
    this one.

    `fn` is the Python function; `__name__`, `__doc__` and the rest are its own.
    """

    is_kernel_function = True
    #: Whether `fn` may be replaced, by a function of another text.
    has_replaceable_text = False
    #: A launch inlines it.
    is_structured_argument = True
    #: `kernel[...]` takes a grid: there are no elements, and a loop over them would not end.
    __iter__ = None

    def __init__(self, fn):
        functools.update_wrapper(self, fn)
        self.fn = fn

    def __reduce__(self):
        """Pickled, and copied, by name, as functions are."""
        return self.__qualname__

    def __get__(self, instance, owner=None):
        """A method of an aggregate, called with the instance first; that of any other object is a kernel as any."""
        return BoundFunction(self, instance) if getattr(instance, "is_runtime_value", False) else self

    def __call__(self, *args, **kwargs):
        """Called from a kernel in the interpreter. Raises `LanguageError` elsewhere: a kernel is launched
        by `kernel[grid](...)`."""
        return builder().call(self, args, kwargs)


class BoundFunction:
    """A method of a value: `function` with `instance` as its first argument."""

    is_builtin = True

    def __init__(self, function, instance):
        self.function, self.instance = function, instance
        self.__name__ = function.__name__
        self._must_use_result = getattr(function, "_must_use_result", False)

    def __call__(self, *args, **kwargs):
        """Call the method from a kernel."""
        return builder().call(self.function, [self.instance, *args], kwargs)
