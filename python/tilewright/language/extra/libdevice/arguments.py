"""Arguments of the functions of this package, and functions made of descriptions."""

from ... import dtypes
from ...builtin import builtin
from ...errors import LanguageTypeError
from ...semantic import convert, promote
from .examples import EXAMPLES

_TYPES = {"fp32": dtypes.float32, "fp64": dtypes.float64, "i32": dtypes.int32, "u32": dtypes.uint32,
          "i64": dtypes.int64, "u64": dtypes.uint64}  # fmt: skip


def _describe(values):
    return ", ".join(convert.describe(value) for value in values)


def _in_one_type(values, name):
    """The values, promoted together and stretched to one shape."""
    values = [convert.to_tensor(v) for v in values] if len(values) == 1 else list(values)
    for _ in range(len(values) - 1):  # each pass moves the widest type one position further
        for i in range(len(values) - 1):
            values[i], values[i + 1] = promote.operands(values[i], values[i + 1], name)
    for i in range(len(values) - 1, 0, -1):
        values[i - 1], values[i] = promote.operands(values[i - 1], values[i], name)
    return values


def floats(name, values, takes_narrow=True, widens=True):
    """The arguments as float32 or float64, in one shape, and the dtype that the result gets.

    float16 and bfloat16 are computed in float32, if they are taken; without `widens` they stay.
    """
    values = _in_one_type(values, name)
    given = values[0].dtype
    if not given.is_standard_floating() or (given.primitive_bitwidth < 32 and not takes_narrow):
        taken = "floats" if takes_narrow else "float32 and float64"
        raise LanguageTypeError(
            f"libdevice.{name} takes {taken}, got {_describe(values)}", hint="cast them with .to(tl.float32)"
        )
    if given.primitive_bitwidth < 32 and widens:
        values = [convert.cast(value, dtypes.float32) for value in values]
    return values, given


def _may_be(value, ty):
    """Whether an argument has this type, or is a number that it holds: a number with a fraction is no integer."""
    if convert.is_literal(value):
        return ty.is_floating() or not isinstance(value, float)
    return value.dtype == ty


def of_types(name, values, alternatives):
    """The arguments as the first of the `alternatives` (tuples of names of types) that they have, in one shape.

    Numbers are converted to the types of the alternative.
    """
    for types in alternatives:
        wanted = [_TYPES[ty] for ty in types]
        if all(_may_be(value, ty) for value, ty in zip(values, wanted, strict=True)):
            found = [
                convert.constant(value, ty) if convert.is_literal(value) else value
                for value, ty in zip(values, wanted, strict=True)
            ]
            shape = ()
            for value in found:
                shape = promote.broadcast_shapes(shape, value.shape)
            return [promote.broadcast_to_shape(value, shape) for value in found]
    known = " or ".join(f"({', '.join(str(_TYPES[ty]) for ty in types)})" for types in alternatives)
    raise LanguageTypeError(
        f"libdevice.{name} takes {known}, got ({_describe(values)})", hint="cast the arguments with .to()"
    )


def _with_arity(arity, run):
    """`run`, which takes a list, as a function of `arity` arguments with the names that callers may use."""
    if arity == 1:
        return lambda arg0: run([arg0])
    if arity == 2:
        return lambda arg0, arg1: run([arg0, arg1])
    if arity == 3:
        return lambda arg0, arg1, arg2: run([arg0, arg1, arg2])
    return lambda arg0, arg1, arg2, arg3: run([arg0, arg1, arg2, arg3])


def make_function(name, arity, run, text, types):
    """A function of the language that computes `run` on the list of its arguments."""

    def checked(values):
        for value in values:
            promote.check_operand(value, f"libdevice.{name}")
        return run(values)

    function = _with_arity(arity, checked)
    function.__name__ = function.__qualname__ = name
    arguments, result = EXAMPLES[name]
    function.__doc__ = f"""{text}, element by element.

    {types} Arguments are blocks, scalars or numbers, stretched to one shape. Raises `LanguageTypeError` for
    other dtypes.

    Example:

        >>> libdevice.{name}({arguments})
        {result}
    """
    return builtin(function)


def float_function(name, arity, compute, text, widens=True):
    """A function of floats of one dtype, which the result has; `compute` sees float32 or float64, without `widens` also
    float16 and bfloat16."""

    def run(values):
        values, given = floats(name, values, widens=widens)
        return convert.cast(compute(*values), given)

    types = "Takes and gives floats of one dtype"
    types += "; float16 and bfloat16 are computed in float32." if widens else "."
    return make_function(name, arity, run, text, types)


def typed_function(name, alternatives, compute, text):
    """A function of arguments of certain dtypes. The dtype of the result is that of `compute`."""
    types = " or ".join(f"({', '.join(str(_TYPES[ty]) for ty in entry)})" for entry in alternatives)
    return make_function(
        name,
        len(alternatives[0]),
        lambda values: compute(*of_types(name, values, alternatives)),
        text,
        f"Takes {types}.",
    )


def question(name, compute, text):
    """A function of one float that gives int1."""
    return make_function(
        name, 1, lambda values: compute(*floats(name, values)[0]), text, "Takes a float, gives int1."
    )
