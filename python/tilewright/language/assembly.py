"""Assembly in kernels."""

import re

from .builtin import builtin
from .dtypes import dtype as _dtype
from .dtypes import int32, with_scalar
from .errors import LanguageTypeError, LanguageValueError
from .ir import UNIT, builder, is_for_gpu
from .semantic import convert, nan_traces, promote
from .tensor import tensor


def _broadcast(values):
    """The values as tensors of one shape."""
    values = [convert.to_tensor(value) for value in values]
    shape = ()
    for value in values:
        shape = promote.broadcast_shapes(shape, value.shape)
    return [promote.broadcast_to_shape(value, shape) for value in values]


def _registers(value, pack):
    """How many registers the elements of a group take."""
    bits = convert.to_tensor(value).dtype.primitive_bitwidth
    return pack if bits >= 32 else -(-pack * bits // 32)


def _with_immediates(asm, constraints, args, pack):
    """Substitutes constants for the operands of constraint "n". Returns the text, the remaining constraints and
    `args`."""
    entries = [entry.strip() for entry in constraints.split(",")]
    results = sum(entry.startswith("=") for entry in entries)
    if "n" not in entries[results:]:
        return asm, constraints, args
    names, kept_entries, kept_args = [f"${i}" for i in range(results)], entries[:results], []
    rest = entries[results:]
    for value in args:
        if rest[:1] == ["n"]:
            if not isinstance(value, int):
                raise LanguageTypeError(
                    f"the constraint 'n' is for an integer known at compile time, got {convert.describe(value)}"
                )
            names.append(str(int(value)))
            del rest[0]
            continue
        count = _registers(value, pack)
        names += [f"${len(kept_entries) + i}" for i in range(count)]
        kept_entries += rest[:count]
        kept_args.append(value)
        del rest[:count]

    def renamed(match):
        number = match["plain"] or match["braced"]
        return names[int(number)] if number and int(number) < len(names) else match[0]

    text = re.sub(r"\$\$|\$(?P<plain>\d+)|\$\{(?P<braced>\d+)\}", renamed, asm)
    return text, ",".join(kept_entries + rest), kept_args


def _result_types(dtype, shaped):
    dtypes = list(dtype) if isinstance(dtype, (tuple, list)) else [dtype]
    for entry in dtypes:
        if not isinstance(entry, _dtype) or not (entry.is_floating() or entry.is_int()) or entry.is_bool():
            raise LanguageTypeError(
                f"dtype of tl.inline_asm_elementwise is a type of numbers such as tl.int32, or a tuple of "
                f"them, got {entry!r}"
            )
    return [with_scalar(shaped, entry) for entry in dtypes]


@builtin
def inline_asm_elementwise(asm, constraints, args, dtype, is_pure, pack):
    """Run PTX on the elements of blocks.

    `asm` runs for each group of `pack` elements. Which elements form a group, and the order of groups, are not
    fixed. `$0`, `$1`, ... in it are registers, first of the results, then of the `args`, whose kinds
    `constraints` names: a comma-separated list of "=r" and the like for results, then "r" and the like for
    arguments; h has 16 bits, r and f (floats) 32, l and d (floats) 64. Elements narrower than 32 bits share
    registers, the first lowest: four int8 are one "r" with `pack=4`. An argument with the constraint "n" is an
    integer known at compile time, and is substituted in the text.

    `args` (blocks, scalars, numbers) broadcast to the shape of the result. `dtype` is the type of the
    result, or a tuple of types, which gives a tuple of results. `is_pure` says that the text has no
    effect but its results, so that it may be removed or merged. Raises `LanguageTypeError` and
    `LanguageValueError`; wrong PTX is reported by the assembler.

    The CPU back end and the interpreter run a text of the instructions below. Registers are declared with `.reg` or
    have a `$`. Scopes `{ }` and guards `@p` and `@!p` are supported.

    - bits: `and or xor not cnot lop3 shl shr shf prmt bfe bfi brev popc clz fns`
    - numbers: `add sub mul mad fma div rem min max abs neg copysign`. Types have 16 to 64 bits, or are pairs
      (`f16x2`, `bf16x2`, ...). Modifiers are `.rn`, `.ftz`, `.sat`, `.relu`, `.NaN`, `.lo`, `.hi`, `.wide`
    - functions: `rcp sqrt rsqrt ex2 lg2 sin cos tanh`, computed more accurately than `.approx` promises
    - moves: `mov` (also of parts in braces), `setp` (one comparison), `selp`
    - conversions: `cvt`, also of two numbers at once, of e4m3, e5m2 and e2m1 with `.satfinite`, and to tf32
    - memory: `ld` and `st` of global memory, `bar.sync` and fences

    Anything else (branches, atomics, barriers of clusters, GPU registers such as `%laneid`) raises
    `LanguageValueError` there.
    An integer division by 0 gives the result of a division by 1.

    Example:

        >>> x = tl.arange(0, 4).to(tl.float32)
        >>> tl.inline_asm_elementwise("mul.f32 $0, $1, $1;", "=f,f", [x], tl.float32, True, 1)
        float32 [0.0, 1.0, 4.0, 9.0]
    """
    for name, value in (("asm", asm), ("constraints", constraints)):
        if not isinstance(value, str):
            raise LanguageTypeError(
                f"{name} of tl.inline_asm_elementwise is a string, got {convert.describe(value)}"
            )
    if isinstance(pack, bool) or not isinstance(pack, int) or not 1 <= pack <= 32 or pack & (pack - 1):
        raise LanguageValueError(
            "pack of tl.inline_asm_elementwise is a power of two from 1 to 32, known at compile time, got "
            f"{convert.describe(pack)}"
        )
    if not isinstance(args, (tuple, list)):
        raise LanguageTypeError(
            f"args of tl.inline_asm_elementwise is a list, got {convert.describe(args)}",
            hint="write [x] for a single one",
        )
    asm, constraints, args = _with_immediates(asm, constraints, args, pack)
    operands = _broadcast(args)
    types = _result_types(dtype, operands[0].type if operands else int32)
    if not is_for_gpu():
        return _without_gpu(asm, constraints, operands, dtype, pack)
    attrs = {"text": asm, "constraints": constraints, "pack": pack, **({"pure": UNIT} if is_pure else {})}
    handles = builder().create("tile.inline_asm", [operand.handle for operand in operands], types, attrs)
    results = tuple(tensor(handle, ty) for handle, ty in zip(handles, types, strict=True))
    nan_traces.trace_black_box(results, operands, "tl.inline_asm_elementwise")
    return results if isinstance(dtype, (tuple, list)) else results[0]


def _without_gpu(asm, constraints, operands, dtype, pack):
    """Evaluates the text by operations of the language."""
    from .ptx import evaluate

    is_tuple = isinstance(dtype, (tuple, list))
    results = tuple(evaluate(asm, constraints, operands, list(dtype) if is_tuple else [dtype], pack))
    nan_traces.trace_black_box(results, operands, "tl.inline_asm_elementwise")
    return results if is_tuple else results[0]
