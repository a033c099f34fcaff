"""The functions that CUDA's libdevice has, under the names that Triton gives them, on every back end.

No file of CUDA's is needed: they are built from the ops of `arith` and `math`, which each back end implements.
See docs/libdevice.md for their errors.
"""

from . import bessel, elementary, errors, exponents, gamma, integers, norms, rounding
from .arguments import float_function

_FUNCTIONS = {}
for _module in (elementary, exponents, integers, norms, rounding):
    _FUNCTIONS.update(_module.functions())
for _module in (bessel, errors, gamma):
    _FUNCTIONS.update({name: float_function(name, *rest) for name, rest in _module.FUNCTIONS.items()})
_FUNCTIONS.update(bessel.order_functions())
globals().update(_FUNCTIONS)

__all__ = sorted(_FUNCTIONS)
