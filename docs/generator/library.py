"""The page of the kernel library, made from the declarations of its kernels."""

import inspect
import re

from tilewright.kernels import declarations
from tilewright.kernels._declaration import Array, Option, Scalar

from . import render

_INTRODUCTION = """# Kernel library

<!-- Made by `make reference` from the declarations in `kernels`; change those. -->

The functions of `tilewright.kernels` take arrays of NumPy, PyTorch or CuPy. They return arrays of the same library on the
same device. Every result has a parameter that takes an array to write to; without it the result is allocated. Dimensions
of one name are equal, and "..." stands for any number of leading dimensions. An error is the norm of the difference over
the norm of the reference, by the dtype of the arguments. `benchmarks/library.py` measures the kernels, and
[Adding a kernel](adding-a-kernel.md) describes declarations.
"""


#: A role of Sphinx, such as :func:`softmax`.
_ROLE = re.compile(r":\w+:`([^`]+)`")


def _dtypes(kind):
    return "any" if kind.dtypes is None else ", ".join(kind.dtypes)


def _argument(name, kind, declaration):
    """A row of the table: what the argument is, and its shape."""
    if isinstance(kind, Array):
        text = f"array: {_dtypes(kind)}"
        text += f"; the type of `{kind.like}`" if kind.like else ""
        text += ", or a number" if kind.number else ""
        layouts = {"any": "", "last": "last dimension contiguous", "contiguous": "C-contiguous"}
        shape = f"({kind.shape})" if kind.shape is not None else ""
        shape += ", or broadcasts to it" if kind.broadcasts else ""
        more = [layouts[kind.layout]] if layouts[kind.layout] else []
    else:
        shape, more = "", []
        if isinstance(kind, Scalar):
            text = kind.type.__name__
            more += [f"at least {kind.low}"] if kind.low is not None else []
            more += [f"at most {kind.high}"] if kind.high is not None else []
        elif isinstance(kind, Option):
            text = ", ".join(f"`{choice!r}`" for choice in kind.choices)
            text += f", or {kind.other}" if kind.other else ""
        else:
            text = kind.text
    default = f"`{declaration.defaults[name]!r}`" if name in declaration.defaults else ""
    return f"| `{name}` | {text.replace('|', '/')} | {shape} | {'; '.join(more)} | {default} |"


def _result(name, kind):
    dtype = f"the type of `{kind.dtype}`" if isinstance(kind.dtype, str) else "see above"
    given = {"any": "any", "same": "the same"}.get(kind.dtypes) or ", ".join(kind.dtypes)
    layout = {"any": "any strides", "last": "last dimension contiguous", "contiguous": "C-contiguous"}[
        kind.layout
    ]
    needs = f"; with `{kind.needs}` only" if kind.needs else ""
    apart = "; not the memory of " + ", ".join(f"`{other}`" for other in kind.apart) if kind.apart else ""
    return f"| `{name}` | {dtype}; a given array: {given}{needs} | ({kind.shape}) | {layout}{apart} | |"


def entry(declaration):
    """The text of one kernel."""
    function = declaration.function
    lines = [
        f"## {declaration.name}\n",
        f"```python\n{render.wrapped(f'kernels.{declaration.name}', function)}\n```\n",
        render.paragraphs(_ROLE.sub(r"`\1`", inspect.getdoc(function))),
        "| parameter | what | shape | | default |",
        "|---|---|---|---|---|",
        *(_argument(name, kind, declaration) for name, kind in declaration.arguments.items()),
        *(_result(name, kind) for name, kind in declaration.results.items()),
        "",
    ]
    limits = [f"{dim} is {low} to {high}" for dim, (low, high) in declaration.limits.items()]
    errors = ", ".join(f"{dtype} {limit:.2g}" for dtype, limit in declaration.tolerance.items())
    found = declaration.gradient
    gradient = f"[`{found.kernel}`](#{found.kernel})" if found else "none"
    lines += [f"- {'; '.join(limits)}."] if limits else []
    lines += [f"- Gradient: {gradient}.", f"- Largest relative error: {errors}."]
    return "\n".join(lines) + "\n"


def page():
    """The text of the page."""
    found = sorted(declarations().values(), key=lambda declaration: declaration.name)
    return "\n".join([_INTRODUCTION, *map(entry, found)])
