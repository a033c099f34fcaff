"""Running kernels program after program."""

import itertools
import types

import numpy as np

from .. import knobs
from .._tilewright import cuda
from ..array_types import FROM_NUMPY
from ..frontend.annotations import annotated_type, as_annotated
from ..frontend.calls import MAX_DEPTH, too_deep
from ..frontend.signatures import signature_of
from ..frontend.texts import keep_text
from ..language.constexpr import constexpr
from ..language.dtypes import dtype, float32, int1, int32, int64, pointer_type, type_from_signature, uint64
from ..language.errors import LanguageError
from ..language.function import KernelFunction
from ..language.ir import using
from ..language.semantic.convert import is_literal
from ..language.structure import items_of, with_items
from ..language.tensor import tensor
from ..language.tiles import make_tensor_descriptor
from ..options import OPTION_NAMES, Options
from ..runtime.descriptor import TensorDescriptor
from ..runtime.parameters import parameters_of
from ..runtime.retyped import Retyped
from ..runtime.structured import flatten
from ..tensors import is_tensor, memory_problem
from .builder import EagerBuilder
from .grid import grid_dims
from .memory import Memory
from .numpy_types import numpy_dtype
from .rewrite import LocalFunction, rewrite


class _Refused(Exception):
    """An invalid argument, or a part of one: the name, the reason, and the type of the error."""

    def __init__(self, name, what, kind=TypeError):
        super().__init__(name, what)
        self.name, self.what, self.kind = name, what, kind


class Functions:
    """Functions prepared for the interpreter, each once a launch."""

    def __init__(self):
        self._prepared, self._depth = {}, 0

    def call(self, function, args, kwargs):
        """Call a kernel function from a kernel. Raises `LanguageError` where calls are nested too deep to compile."""
        if self._depth >= MAX_DEPTH:
            raise LanguageError(too_deep(function))
        self._depth += 1
        try:
            return self._run(function, args, kwargs)
        finally:
            self._depth -= 1

    def _run(self, function, args, kwargs):
        """Bind the arguments, mark the constants, run the body."""
        if isinstance(function, LocalFunction):
            return function.fn(*args, **kwargs)
        fn = function.fn
        signature = signature_of(fn)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        parameters = signature.parameters
        for name, value in bound.arguments.items():
            if is_constexpr(parameters[name]) and not isinstance(value, (constexpr, tensor)):
                bound.arguments[name] = constexpr(value)
        return self.prepared(fn)(*bound.args, **bound.kwargs)

    def prepared(self, fn):
        """The rewritten Python function of `fn`."""
        if fn not in self._prepared:
            self._prepared[fn] = rewrite(fn)
        return self._prepared[fn]


def is_constexpr(parameter):
    """Whether a parameter is annotated as a compile-time constant."""
    annotation = parameter.annotation
    return annotation is constexpr or (isinstance(annotation, str) and annotation.endswith("constexpr"))


def argument(name, value, memory):
    """The kernel's value for the argument `value`: arrays become pointers and numbers scalars."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (bool, int, float)):
        return _number(name, value)
    if isinstance(value, Retyped):
        pointer = argument(name, value.base, memory)
        return tensor(pointer.handle, pointer_type(value.dtype))
    if isinstance(value, cuda.ArrayBase):
        value = _own(name, value)
    if isinstance(value, np.ndarray):
        known = value
        while memory.owners and isinstance(known.base, np.ndarray):
            known = known.base
        if known.size:
            start, end = np.lib.array_utils.byte_bounds(known)
            memory.add(name, start, end - start, value.flags.writeable)
        return _pointer(value.ctypes.data, _signature(name, value.dtype))
    if hasattr(value, "data_ptr") and hasattr(value, "element_size"):
        return _torch(name, value, memory)
    items = items_of(value)
    if items is not None:
        return with_items(type(value), [argument(f"{name}.{part}", item, memory) for part, item in items])
    if isinstance(value, TensorDescriptor):
        return _descriptor(name, value, memory)
    if value is None or isinstance(value, (str, dtype, constexpr)) or callable(value):
        return value
    raise _not_taken(name, value)


def _not_taken(name, value):
    shown = f"{value!r:.80}"
    return _Refused(
        name,
        f"cannot pass {shown} of type {type(value).__name__!r}; kernels take arrays, int, float, bool and None. "
        "Annotate the parameter with tl.constexpr to pass a compile-time value",
    )


def annotated_argument(name, annotation, value, memory):
    """`argument` in the type that the parameter is annotated with."""
    plain = value.item() if isinstance(value, np.generic) else value
    if not is_literal(plain) or annotated_type(annotation) is None:
        plain = argument(name, value, memory)
    return as_annotated(name, annotation, plain)


def _descriptor(name, value, memory):
    base, *numbers = (
        argument(name, entry, memory) for entry in (value.base, *value.shape, *value.strides[:-1])
    )
    rank = len(value.shape)
    return make_tensor_descriptor(
        base, numbers[:rank], [*numbers[rank:], 1], value.block_shape, value.padding
    )


def _number(name, value):
    """A Python number as a launch passes it: int1, int32, int64 or uint64 if they hold it, float32."""
    if isinstance(value, float):
        ty = float32
    elif isinstance(value, bool):
        ty = int1
    else:
        fits = [t for t in (int32, int64, uint64) if t.get_int_min_value() <= value <= t.get_int_max_value()]
        if not fits:
            raise _Refused(name, f"{value} does not fit 64 bits", OverflowError)
        ty = fits[0]
    storage = np.dtype(np.uint64) if ty == uint64 else numpy_dtype(ty)
    with np.errstate(over="ignore"):
        return tensor(np.asarray(value, storage).view(numpy_dtype(ty)), ty)


def _signature(name, element):
    text = str(element).removeprefix("torch.")
    if text not in FROM_NUMPY:
        raise _Refused(name, f"no kernel takes elements of dtype {text}")
    return FROM_NUMPY[text]


def _pointer(address, signature):
    return tensor(np.asarray(address, np.int64), pointer_type(type_from_signature(signature)))


def _own(name, value):
    """The memory of a `tilewright.Array` as a NumPy array."""
    if value.device != "cpu":
        raise TypeError(
            f"argument {name!r} is on {value.device}; the interpreter takes arrays in host memory"
        )
    return np.asarray(value)


def _torch(name, value, memory):
    if is_tensor(value) and (problem := memory_problem(value)):
        error, text = problem
        raise _Refused(name, text, error)
    shift, address = 0, value.data_ptr()
    if value.device.type != "cpu":
        if not hasattr(value, "untyped_storage"):
            raise TypeError(
                f"argument {name!r} is on {value.device}; the interpreter takes torch tensors from there, and else "
                "arrays in host memory"
            )
        shift = memory.borrow(value.untyped_storage())
    if memory.owners and hasattr(value, "untyped_storage"):
        storage = value.untyped_storage()
        memory.add(name, storage.data_ptr() + shift, storage.nbytes())
    elif value.numel():
        steps = ((size - 1) * stride for size, stride in zip(value.shape, value.stride(), strict=True))
        memory.add(name, address + shift, (sum(steps) + 1) * value.element_size())
    return _pointer(address + shift, _signature(name, value.dtype))


class InterpretedKernel(KernelFunction):
    """A kernel that runs in the interpreter: `kernel[grid](*args)`.

    The kernel works in place on NumPy arrays and torch tensors in host memory. Memory of other torch tensors is copied to
    the host, and back at the end.
    """

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(grid, args, kwargs)

    def run(self, grid, args, kwargs):
        """Run all programs of `grid` on the arguments. Of the compiler options, only checks count."""
        signature = signature_of(self.fn)
        given = {
            name: kwargs[name] for name in OPTION_NAMES if name in kwargs and name not in signature.parameters
        }
        bound = signature.bind(*args, **{name: v for name, v in kwargs.items() if name not in given})
        bound.apply_defaults()
        launch(self.fn, grid, bound.arguments, Options(**{**knobs.switches(), **given}))


def launch(fn, grid, arguments, options):
    """Run the Python function `fn` as a kernel for all programs of `grid`.

    `arguments` maps all parameters to values. `grid` has up to three dimensions, or is a function of `arguments` that
    returns them. `options` are the `Options`. Raises the errors of the kernel, with the program in a note where Python
    has notes.
    """
    memory, functions = Memory(owners=options.numerics == "triton"), Functions()
    dims = grid_dims(fn, grid, arguments)
    builder = EagerBuilder(memory, dims, functions, options)
    try:
        _run(fn, arguments, builder, memory)
    except Exception as error:
        refused = _refusal(error, fn, arguments, options)
        if refused is None:
            if isinstance(error, LanguageError) and error.hint:
                _note(error, f"hint: {error.hint}")
            raise
        for note in getattr(error, "__notes__", ()):
            refused.add_note(note)
        refused.origin = error
        # The traceback of the failure leads debuggers to the line of the kernel.
        raise refused.with_traceback(error.__traceback__) from None
    memory.give_back()


def _note(error, text):
    if hasattr(error, "add_note"):  # Python 3.11
        error.add_note(text)


def _run(fn, arguments, builder, memory):
    """Run all programs."""
    parameters, body, values = signature_of(fn).parameters, builder.functions.prepared(fn), {}
    with using(builder):
        for name, value in arguments.items():
            values[name] = _given(fn, name, parameters[name], value, memory)
        for z, y, x in itertools.product(*(range(size) for size in reversed(builder.grid))):
            builder.position = (x, y, z)
            try:
                if body(**values) is not None:
                    raise LanguageError("a kernel returns nothing", "store the result through a pointer")
            except Exception as error:
                _note(error, f"in program {builder.position} of the grid {builder.grid}")
                raise


def _given(fn, name, parameter, value, memory):
    """The kernel's value for an argument. Raises for invalid ones."""
    kernel = f"kernel {fn.__name__}()"
    if is_constexpr(parameter):
        if hasattr(value, "dtype") and not isinstance(value, (tensor, np.generic)):
            raise TypeError(
                f"argument {name!r} of {kernel} is an array, but the parameter is tl.constexpr and takes a "
                "compile-time value"
            )
        if getattr(type(value), "__hash__", None) is None:
            raise TypeError(
                f"argument {name!r} of {kernel}: a compile-time value has to be hashable, got a value of type "
                f"{type(value).__name__!r}"
            )
        return constexpr(value)
    try:
        if isinstance(value, (str, bytes, dtype, types.FunctionType)):
            raise _not_taken(name, value)
        return annotated_argument(name, parameter.annotation, value, memory)
    except _Refused as refused:
        raise refused.kind(f"argument {refused.name!r} of {kernel}: {refused.what}") from None


def _refusal(error, fn, arguments, options):
    """The compiler's error for a kernel that failed, or None if it accepts the line."""
    from .failures import refusal

    scratch = Memory(owners=False)
    try:
        leaves, trees = flatten(parameters_of(fn), arguments)
        builder = EagerBuilder(scratch, (1, 1, 1), Functions(), options)
        with using(builder):
            seen = {
                name: value if param.is_constexpr else argument(name, value, scratch)
                for name, (param, value) in leaves.items()
            }
    except (TypeError, _Refused):
        return None
    return refusal(error, fn, seen, trees, options)


def interpret(kernel):
    """The kernel (a `@tw.jit` function or a plain one) as it runs in the interpreter.

    Example:

        >>> import numpy as np
        >>> import tilewright as tw
        >>> x, out = np.arange(5), np.zeros(5, int)
        >>> tw.interpret(twice)[2,](x, out, 5, BLOCK=4)
        >>> out
        array([0, 2, 4, 6, 8])
    """
    fn = getattr(kernel, "fn", kernel)
    if not hasattr(fn, "__code__"):
        raise TypeError(f"interpret takes a kernel or a Python function, got {kernel!r}")
    keep_text(fn)
    return InterpretedKernel(fn)
