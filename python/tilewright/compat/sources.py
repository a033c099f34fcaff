"""`triton.compiler.ASTSource` and compiler back ends: requests for compilations and targets."""

from ..options import OPTION_NAMES, Options


class ASTSource:
    """A kernel and its specialisation: `signature` maps its arguments to types ("*fp16", "i32", "constexpr"),
    `constexprs` the constants to values, `attrs` arguments to lists of pairs such as `["tt.divisibility", 16]`. The
    last two may name arguments by tuples of positions, too."""

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        self.fn, self.signature = fn, dict(signature)
        self.constants = {self._name(key): value for key, value in (constexprs or {}).items()}
        self.attrs = {self._name(key): value for key, value in (attrs or {}).items()}
        self.name = fn.__name__

    def _name(self, key):
        if isinstance(key, str):
            return key
        (index,) = key if isinstance(key, tuple) else (key,)
        return self.fn.arg_names[index]

    def divisors(self):
        """The known divisor of each argument."""
        known = {name: dict(pairs).get("tt.divisibility") for name, pairs in self.attrs.items()}
        return {name: divisor for name, divisor in known.items() if divisor}


def source_of(compilation):
    """The `ASTSource` of a compilation for a call, a `Compilation` of hooks."""
    signature = {**compilation.types, **dict.fromkeys(compilation.constants, "constexpr")}
    attrs = {name: [["tt.divisibility", divisor]] for name, divisor in compilation.divisors.items()}
    function = compilation.function or compilation.python_function
    return ASTSource(function, signature, compilation.constants, attrs)


class Backend:
    """The compiler back end for `target`, a `GPUTarget`. `parse_options(...)` returns the options of a launch. `hash()`
    identifies the compiler and the device."""

    def __init__(self, target):
        self.target, self.binary_ext = target, "obj" if target.backend == "cpu" else "cubin"
        self.architecture = architecture(target)

    @staticmethod
    def supports_target(target):
        """Whether there is such a device."""
        return target.backend in ("cpu", "cuda")

    def hash(self):
        """A text for caches of others."""
        from .. import _tilewright

        return f"{_tilewright.build_id()}-{self.architecture}"

    def parse_options(self, options):
        """The `Options` of a dict. Unknown entries are ignored."""
        known = {name: value for name, value in options.items() if name in OPTION_NAMES}
        return Options(**{"numerics": "triton", **known})


def make_backend(target):
    """The `Backend` for a `GPUTarget`. Raises `ValueError` where there is none."""
    return Backend(target)


def min_dot_size(target):
    """A function of the operand types that returns the least M, N and K of a dot on `target`: the K of one tensor-core
    instruction. Smaller dots are padded with zeros."""
    del target
    return lambda left, right: (1, 1, 32 if left.scalar.primitive_bitwidth == 8 else 16)


def architecture(target):
    """The target of the compiler for a `GPUTarget`. Raises `ValueError` where there is none."""
    if target.backend == "cpu":
        return "cpu"
    if target.backend != "cuda":
        raise ValueError(f"kernels are compiled for the CPU and for CUDA devices, not for {target.backend!r}")
    return "sm_90a" if target.arch == 90 else f"sm_{target.arch}"
