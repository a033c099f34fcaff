"""How C sees a library: types, names and prototypes of its functions."""

#: The C type of each scalar, and the expression for the 64 bits of an argument.
_SCALARS = {
    "i1": ("bool", "(uint64_t)({} ? 1 : 0)"),
    "i8": ("int8_t", "(uint64_t)(int64_t){}"),
    "i16": ("int16_t", "(uint64_t)(int64_t){}"),
    "i32": ("int32_t", "(uint64_t)(int64_t){}"),
    "i64": ("int64_t", "(uint64_t){}"),
    "u8": ("uint8_t", "(uint64_t){}"),
    "u16": ("uint16_t", "(uint64_t){}"),
    "u32": ("uint32_t", "(uint64_t){}"),
    "u64": ("uint64_t", "{}"),
    "fp32": ("float", "tw_float_bits({})"),
    "fp64": ("double", "tw_double_bits({})"),
}
# C has no standard types for these: the caller passes their bits.
_BITS = {"fp16": "uint16_t", "bf16": "uint16_t"}

_TAKEN = frozenset(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const
    const_cast constexpr continue decltype default delete do double dynamic_cast else enum explicit export
    extern false float for friend goto grid if inline int long mutable namespace new noexcept not not_eq
    nullptr operator or or_eq private protected public register reinterpret_cast requires restrict return
    short signed sizeof static static_assert static_cast stream struct switch template this thread_local
    threads throw true try typedef typeid typename typeof union unsigned using virtual void volatile wchar_t
    while xor xor_eq""".split()
)


def argument_name(name):
    """The name in C and C++ of an argument."""
    return f"{name}_" if name in _TAKEN or name.startswith(("tw_", "TW_", "_")) else name


def _type(type, written):
    if type.startswith("*"):
        return "void *" if written else "const void *"
    return f"{_SCALARS[type][0] if type in _SCALARS else _BITS.get(type, 'uint8_t')} "


def bits(name, type):
    """The expression for the 64 bits of an argument."""
    name = argument_name(name)
    if type.startswith("*"):
        return f"(uint64_t)(uintptr_t){name}"
    return _SCALARS.get(type, (None, "(uint64_t){}"))[1].format(name)


def prototype(function, kind):
    """The declaration, without a semicolon, of a function for "cuda" or "cpu"."""
    parameters = ["void *stream"] if kind == "cuda" else ["unsigned threads"]
    if function.takes_grid:
        parameters.append("const int64_t grid[3]")
    for (name, type), written in zip(function.arguments, function.written):
        parameters.append(_type(type, written) + argument_name(name))
    return f"int {function.name}_{kind}({', '.join(parameters)})"


def kinds(function):
    """The kinds of devices that a function has code for."""
    return [kind for kind, cpu in (("cuda", False), ("cpu", True)) if function.of_kind(cpu)]


def public_names(library):
    """Every name with external linkage that the C source of a library defines."""
    names = [f"{function.name}_{kind}" for function in library.functions for kind in kinds(function)]
    return [*names, f"{library.name}_error", f"{library.name}_load_cuda", f"{library.name}_unload_cuda"]
