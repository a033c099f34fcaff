"""The functions whose error `accuracy.py` measures: their domains and references.

References take and return arrays of longdouble (x86: 64 bits of mantissa). Functions that NumPy lacks use mpmath and
fewer arguments.
"""

from dataclasses import dataclass, field

import mpmath
import numpy as np
import tilewright.language as tl

ALL = (-np.inf, np.inf)
#: Limits of the random arguments of unbounded domains.
_ENDS = {"float16": 65504.0, "bfloat16": 3e38, "float32": 3e38, "float64": 1e300}
_LARGEST_LOG = {"float16": 12.0, "bfloat16": 90.0, "float32": 90.0, "float64": 711.0}
_PI = np.longdouble("3.14159265358979323846264338327950288")
_FLOATS = ("float16", "bfloat16", "float32", "float64")
mpmath.mp.prec = 120


@dataclass
class Function:
    """One function. With `logs`, its `ranges` end at `logs` times the largest argument of `exp`."""

    name: str
    exact: object
    ranges: list
    dtypes: tuple = _FLOATS
    count: int = 1 << 20
    numerics: str = "ieee"
    takes_special: bool = True
    source: object = None
    logs: float = field(default=0.0)

    def callee(self):
        """Returns the function of the language."""
        if self.source is not None:
            return self.source
        name = self.name.partition(" ")[0]
        return getattr(tl, name, None) or getattr(tl.extra.libdevice, name)

    def domain(self, dtype):
        """Returns the limits of each argument."""
        if self.logs:
            end = _LARGEST_LOG[dtype] * self.logs
            return [(max(low, -end), min(high, end)) for low, high in self.ranges]
        end = _ENDS[dtype]
        return [(max(low, -end), min(high, end)) for low, high in self.ranges]

    def domain_text(self, dtype):
        """Returns the domain as text."""
        texts = [
            "all" if (low, high) == ALL and not self.logs else f"{found[0]:.4g} to {found[1]:.4g}"
            for (low, high), found in zip(self.ranges, self.domain(dtype))
        ]
        return texts[0] if len(set(texts)) == 1 else ", ".join(texts)


def _longdouble(value):
    if isinstance(value, mpmath.mpc):
        return np.longdouble("nan")
    return np.longdouble(mpmath.nstr(value, 24))


def by_mpmath(function):
    """Returns an array function of a function of mpmath's numbers; poles are NaN."""

    def one(*arguments):
        if not all(np.isfinite(argument) for argument in arguments):
            return np.longdouble("nan")
        try:
            return _longdouble(function(*(mpmath.mpf(float(argument)) for argument in arguments)))
        except (ValueError, ZeroDivisionError, OverflowError):
            return np.longdouble("nan")

    return np.vectorize(one, otypes=[np.longdouble])


def _sinpi(x):
    whole = np.rint(x)
    return np.where(np.fmod(whole, 2) == 0, 1, -1) * np.sin(_PI * (x - whole))


def _cospi(x):
    return _sinpi(0.5 - np.fmod(np.abs(x), 2))


def _norm(*values):
    largest = np.maximum.reduce([np.abs(value) for value in values])
    safe = np.where((largest == 0) | np.isinf(largest), 1, largest)
    return np.where(
        np.isinf(largest), largest, safe * np.sqrt(sum((value / safe) ** 2 for value in values))
    ) * (largest != 0)


def _remainder(x, y):
    y = np.abs(y)
    rest = np.fmod(np.abs(x), 2 * y)
    over = 2 * rest > y
    rest = np.where(over, rest - y, rest)
    rest = np.where(over & (2 * rest >= y), rest - y, rest)
    return np.copysign(1, x) * rest


def _fma(x, y, z):
    """Exact up to the 64 bits of longdouble, by splitting the product."""
    high = x * y
    split = np.longdouble(2**32 + 1)
    (xh, yh) = (v * split - (v * split - v) for v in (x, y))
    xl, yl = x - xh, y - yh
    low = ((xh * yh - high) + xh * yl + xl * yh) + xl * yl
    return (high + z) + low


_EXP = {"logs": 1.2}
_SLOW = {"count": 6000, "takes_special": False}
_FLOAT32 = {"dtypes": ("float32",)}
_LIST = [
    Function("exp", np.exp, [ALL], **_EXP),
    Function("exp2", np.exp2, [ALL], logs=1.7),
    Function("exp10", lambda x: np.power(np.longdouble(10), x), [ALL], logs=0.5),
    Function("expm1", np.expm1, [ALL], **_EXP),
    Function("log", np.log, [ALL]),
    Function("log2", np.log2, [ALL]),
    Function("log10", np.log10, [ALL]),
    Function("log1p", np.log1p, [ALL]),
    Function("sqrt", np.sqrt, [ALL]),
    Function("sqrt_rn", np.sqrt, [ALL]),
    Function("rsqrt", lambda x: 1 / np.sqrt(x), [ALL]),
    Function("rsqrt_rn", lambda x: 1 / np.sqrt(x), [ALL]),
    Function("cbrt", np.cbrt, [ALL]),
    Function("rcbrt", lambda x: 1 / np.cbrt(x), [ALL]),
    Function("sin", np.sin, [(-100, 100)]),
    Function("cos", np.cos, [(-100, 100)]),
    Function("tan", np.tan, [(-100, 100)]),
    Function("sinpi", _sinpi, [ALL]),
    Function("cospi", _cospi, [ALL]),
    Function("asin", np.arcsin, [(-1, 1)]),
    Function("acos", np.arccos, [(-1, 1)]),
    Function("atan", np.arctan, [ALL]),
    Function("sinh", np.sinh, [ALL], **_EXP),
    Function("cosh", np.cosh, [ALL], **_EXP),
    Function("tanh", np.tanh, [ALL]),
    Function("asinh", np.arcsinh, [ALL]),
    Function("acosh", np.arccosh, [(1, np.inf)]),
    Function("atanh", np.arctanh, [(-1, 1)]),
    Function("sigmoid", lambda x: 1 / (1 + np.exp(-x)), [(-80, 80)]),
    Function("erf", by_mpmath(mpmath.erf), [(-6, 6)], count=20000, takes_special=False),
    Function("erfc", by_mpmath(mpmath.erfc), [(-6, 9)], count=20000, takes_special=False),
    Function("erfcx", by_mpmath(lambda x: mpmath.exp(x * x) * mpmath.erfc(x)), [(-5, 9)], **_SLOW),
    Function("erfinv", by_mpmath(mpmath.erfinv), [(-0.999, 0.999)], dtypes=("float32", "float64"), **_SLOW),
    Function("normcdf", by_mpmath(mpmath.ncdf), [(-12, 6)], dtypes=("float32", "float64"), **_SLOW),
    Function("tgamma", by_mpmath(mpmath.gamma), [(0.01, 30)], dtypes=("float32", "float64"), **_SLOW),
    Function("lgamma", by_mpmath(mpmath.loggamma), [(3, 1e4)], dtypes=("float32", "float64"), **_SLOW),
    Function(
        "cyl_bessel_i0",
        by_mpmath(lambda x: mpmath.besseli(0, x)),
        [(-30, 30)],
        dtypes=("float32", "float64"),
        **_SLOW,
    ),
    Function(
        "cyl_bessel_i1",
        by_mpmath(lambda x: mpmath.besseli(1, x)),
        [(-30, 30)],
        dtypes=("float32", "float64"),
        **_SLOW,
    ),
    Function("div_rn", np.divide, [ALL, ALL]),
    Function("fdiv", np.divide, [(-1e4, 1e4), (1e-3, 1e4)], takes_special=False),
    Function("fma", _fma, [(-1e3, 1e3)] * 3, takes_special=False),
    Function("pow", np.power, [(0.01, 20), (-9, 9)], takes_special=False),
    Function("atan2", np.arctan2, [ALL, ALL], takes_special=False),
    Function("hypot", np.hypot, [(-1e3, 1e3)] * 2, takes_special=False),
    Function("rhypot", lambda x, y: 1 / np.hypot(x, y), [(-1e3, 1e3)] * 2, takes_special=False),
    Function("norm3d", _norm, [(-1e3, 1e3)] * 3, takes_special=False),
    Function("rnorm3d", lambda *v: 1 / _norm(*v), [(-1e3, 1e3)] * 3, takes_special=False),
    Function("norm4d", _norm, [(-1e3, 1e3)] * 4, takes_special=False),
    Function("rnorm4d", lambda *v: 1 / _norm(*v), [(-1e3, 1e3)] * 4, takes_special=False),
    Function("fmod", np.fmod, [(-1e4, 1e4), (1e-3, 1e3)], takes_special=False),
    Function("remainder", _remainder, [(-1e4, 1e4), (1e-3, 1e3)], takes_special=False),
    Function("fast_expf", np.exp, [(-80, 80)], **_FLOAT32),
    Function("fast_exp10f", lambda x: np.power(np.longdouble(10), x), [(-30, 30)], **_FLOAT32),
    Function("fast_logf", np.log, [(2, 1e30)], **_FLOAT32),
    Function("fast_log2f", np.log2, [(2, 1e30)], **_FLOAT32),
    Function("fast_log10f", np.log10, [(2, 1e30)], **_FLOAT32),
    Function("fast_tanhf", np.tanh, [(-9, 9)], **_FLOAT32),
    Function("fast_powf", np.power, [(0.1, 9), (-3, 3)], takes_special=False, **_FLOAT32),
    Function("fast_dividef", np.divide, [(-1e4, 1e4), (1e-3, 1e4)], takes_special=False, **_FLOAT32),
    Function("exp of Triton", np.exp, [ALL], numerics="triton", **_EXP),
    Function("exp2 of Triton", np.exp2, [ALL], numerics="triton", logs=1.7),
]
FUNCTIONS = {function.name: function for function in _LIST}
