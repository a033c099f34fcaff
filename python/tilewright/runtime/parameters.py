"""The parameters of a kernel and how calls are specialised on them."""

import inspect
from dataclasses import dataclass

from ..frontend.annotations import annotated_type
from ..frontend.signatures import signature_of
from ..language.constexpr import constexpr
from ..language.dtypes import float64

#: The default of a parameter without one.
REQUIRED = inspect.Parameter.empty


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel.

    `is_constexpr`: its value is part of the compiled code. `specialize`: compile separately for the int 1;
    `align`: and for ints and addresses divisible by 16, and other ints divisible by 8. `is_double`: a float is passed as
    a float64.
    `default`: a Python value or `REQUIRED`. `num`: its position. `annotation`: as written.
    """

    name: str
    default: object = REQUIRED
    is_constexpr: bool = False
    specialize: bool = True
    align: bool = True
    is_double: bool = False
    num: int = 0
    annotation: object = REQUIRED

    @property
    def has_default(self):
        """Whether a call may leave the argument out."""
        return self.default is not REQUIRED

    @property
    def do_not_specialize(self):
        """Whether an int 1 is compiled for as any other."""
        return not self.specialize

    @property
    def do_not_specialize_on_alignment(self):
        """Whether divisibility of the argument is ignored."""
        return not self.align


def _is_constexpr(annotation):
    if isinstance(annotation, str):  # postponed evaluation of annotations
        return annotation.rsplit(".", 1)[-1].strip() == "constexpr"
    return annotation is constexpr


def _indices(fn, names, chosen, what):
    """The positions of the parameters that `chosen` lists by name or position."""
    found = set()
    for entry in chosen:
        index = names.index(entry) if entry in names else entry
        if not isinstance(index, int) or not 0 <= index < len(names):
            raise ValueError(f"{what} of kernel {fn.__name__}() names {entry!r}, which is no parameter of it")
        found.add(index)
    return found


def parameters_of(fn, do_not_specialize=(), do_not_specialize_on_alignment=()):
    """The parameters of the function `fn` as a tuple; the other two list names or positions.

    `*args`, which only calls from other kernels have, is none of them. Raises `TypeError` for `**kwargs` and
    `ValueError` for a name or position that `fn` does not have.
    """
    signature = dict(signature_of(fn).parameters)
    for name, parameter in list(signature.items()):
        if parameter.kind is parameter.VAR_KEYWORD:
            raise TypeError(f"kernel {fn.__name__}() cannot take {parameter}: its arguments have to be named")
        if parameter.kind is parameter.VAR_POSITIONAL:
            del signature[name]
    names = list(signature)
    unspecialized = _indices(fn, names, do_not_specialize, "do_not_specialize")
    unaligned = unspecialized | _indices(
        fn, names, do_not_specialize_on_alignment, "do_not_specialize_on_alignment"
    )
    types = [annotated_type(parameter.annotation) for parameter in signature.values()]
    return tuple(
        Parameter(
            name,
            p.default,
            _is_constexpr(p.annotation),
            i not in unspecialized and types[i] is None,
            i not in unaligned,
            types[i] == float64,
            i,
            p.annotation,
        )
        for i, (name, p) in enumerate(signature.items())
    )
