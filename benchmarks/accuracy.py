"""Measures the largest error of every mathematical function, in units in the last place (ULP).

    python benchmarks/accuracy.py [--backend cpu|cuda] [--out FILE] [--only NAME ...]

Arguments are all numbers of float16 and bfloat16. For float32 and float64 they are random, with special numbers (zeros,
infinities, NaN, subnormal numbers, the largest). Random ones are uniform over a range, uniform over the bit patterns of
the domain, or near 0 and 1. The references are in `accuracy_functions.py`. One ULP is the distance of neighbouring
numbers of the dtype at the exact result. If the exact result is NaN or infinite, the result must be, too.
"""

import argparse
import pathlib

import ml_dtypes
import numpy as np
import report
import tilewright as tw
import tilewright.language as tl
from accuracy_functions import FUNCTIONS

BLOCK = 1024
DTYPES = {
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float32": np.dtype(np.float32),
    "float64": np.dtype(np.float64),
}


def _apply(x, y, z, w, out, n, COUNT: tl.constexpr, F: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n)
    if COUNT == 1:
        result = F(a)
    elif COUNT == 2:
        result = F(a, tl.load(y + i, mask=i < n))
    elif COUNT == 3:
        result = F(a, tl.load(y + i, mask=i < n), tl.load(z + i, mask=i < n))
    else:
        result = F(a, tl.load(y + i, mask=i < n), tl.load(z + i, mask=i < n), tl.load(w + i, mask=i < n))
    tl.store(out + i, result, mask=i < n)


KERNELS = {numerics: tw.jit(_apply, numerics=numerics) for numerics in ("ieee", "triton")}


def run(function, arguments, device):
    """Computes the function on the device for NumPy arrays of one dtype."""
    given = [tw.from_numpy(argument, device) for argument in arguments]
    out = tw.empty(arguments[0].shape, arguments[0].dtype, device)
    padded = [*given, *[given[0]] * (4 - len(given))]
    count = len(arguments[0])
    KERNELS[function.numerics][(tw.cdiv(count, BLOCK),)](
        *padded, out, count, COUNT=len(given), F=function.callee(), BLOCK=BLOCK
    )
    return tw.to_numpy(out)


def all_numbers(dtype):
    """Returns every bit pattern of a 16-bit dtype."""
    return np.arange(1 << 16, dtype=np.uint16).view(dtype)


def special_numbers(dtype):
    """Returns zeros, infinities, NaN, and the ends of the normal and subnormal range, with both signs."""
    info = ml_dtypes.finfo(dtype)
    values = [
        0.0,
        np.inf,
        np.nan,
        info.smallest_subnormal,
        info.smallest_normal,
        info.max,
        info.eps,
        0.5,
        1.0,
        2.0,
    ]
    values += [float(info.smallest_normal) / 2, 1 + float(info.eps), 1 - float(info.eps), np.pi, np.e]
    values = np.array(values, np.float64).astype(dtype)
    return np.concatenate([values, -values])


def random_numbers(rng, dtype, low, high, count):
    """Returns numbers of a range: uniform, uniform by bit pattern, and near 0, 1 and -1."""
    even = rng.uniform(low, high, count // 2).astype(dtype)
    bits = rng.integers(0, 1 << 8 * dtype.itemsize, 2 * count, dtype=np.uint64, endpoint=False)
    patterns = bits.astype(f"u{dtype.itemsize}").view(dtype)
    with np.errstate(invalid="ignore"):
        patterns = patterns[(patterns >= low) & (patterns <= high)][: count // 4]
    near = rng.choice([0.0, 1.0, -1.0], count // 4) + rng.uniform(-1, 1, count // 4) * 2.0 ** -rng.uniform(
        0, 20, count // 4
    )
    near = near[(near >= low) & (near <= high)].astype(dtype)
    return np.concatenate([even, patterns, near])


def _inside(numbers, range_, with_special):
    """Returns a mask of the numbers in a range, and with `with_special` of infinities and NaN."""
    with np.errstate(invalid="ignore"):
        wide = numbers.astype(np.float64)
        return ((wide >= range_[0]) & (wide <= range_[1])) | (with_special & ~np.isfinite(wide))


def arguments_of(function, name, rng, count):
    """Returns arrays of arguments in the dtype of this name, one for each parameter."""
    dtype = DTYPES[name]
    ranges = function.domain(name)
    if dtype.itemsize == 2 and len(ranges) == 1:
        numbers = all_numbers(dtype)
        return [numbers[_inside(numbers, ranges[0], function.takes_special)]]
    columns = [random_numbers(rng, dtype, low, high, count) for low, high in ranges]
    size = min(map(len, columns))
    columns = [rng.permutation(column)[:size] for column in columns]
    special = special_numbers(dtype)
    if not function.takes_special:
        special = special[:0]
    if len(ranges) == 1:
        return [np.concatenate([columns[0], special[_inside(special, ranges[0], True)]])]
    pairs = [grid.ravel() for grid in np.meshgrid(*[special] * len(ranges))] if len(ranges) == 2 else []
    return [np.concatenate([column, pair]) for column, pair in zip(columns, pairs)] if pairs else columns


def errors(result, exact, dtype):
    """Returns the distance of each result to the exact one (longdouble) in ULP; infinite if just one is NaN."""
    info = ml_dtypes.finfo(dtype)
    largest = np.longdouble(info.max)
    wide = result.astype(np.longdouble)
    exponent = np.frexp(np.abs(exact))[1].astype(np.int64) - 1
    exponent = np.maximum(np.where(np.isfinite(exact) & (exact != 0), exponent, info.minexp), info.minexp)
    exponent = np.minimum(exponent, info.maxexp - 1)
    unit = np.ldexp(np.longdouble(1), (exponent - info.nmant).astype(np.int32))
    # An infinite result counts as the number that would follow the largest one.
    beyond = largest + np.ldexp(np.longdouble(1), int(info.maxexp) - 1 - int(info.nmant))
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.clip(np.where(np.isinf(wide), np.copysign(beyond, wide), wide), -beyond, beyond)
        distance = np.abs(near - np.clip(exact, -beyond, beyond)) / unit
    distance[np.isnan(exact) & np.isnan(wide)] = 0
    distance[np.isnan(exact) != np.isnan(wide)] = np.inf
    return distance


def measure(function, name, rng, device):
    """Returns the largest error of a function in one dtype, its arguments, and the number of arguments tested."""
    dtype = DTYPES[name]
    arguments = arguments_of(function, name, rng, function.count)
    result = run(function, arguments, device)
    with np.errstate(all="ignore"):
        exact = function.exact(*(argument.astype(np.longdouble) for argument in arguments))
    distance = errors(result, np.asarray(exact, np.longdouble), dtype)
    wrong = np.isinf(distance)
    finite = np.where(wrong, -1, distance)
    worst = int(finite.argmax())
    found = {
        "ulp": float(f"{float(finite[worst]):.4g}"),
        "at": [float(argument[worst]) for argument in arguments],
        "arguments": len(result),
        "domain": function.domain_text(name),
    }
    if wrong.any():
        first = int(wrong.argmax())
        found["special wrong"] = int(wrong.sum())
        found["special at"] = [repr(float(argument[first])) for argument in arguments]
    return found


def facts(backend):
    """Hardware, versions and command of this run."""
    device = tw.device_info(backend)
    return report.facts(f"{device.name} ({device.architecture})", "mpmath")


def main():
    """Measures and writes a JSON file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--out", type=pathlib.Path, help=report.OUT)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    rows = {}
    for name, function in FUNCTIONS.items():
        if options.only and name not in options.only:
            continue
        rng = np.random.default_rng(0)
        rows[name] = {dtype: measure(function, dtype, rng, options.backend) for dtype in function.dtypes}
        text = ", ".join(
            f"{dtype} {found['ulp']}"
            + (f" ({found['special wrong']} specials)" if "special wrong" in found else "")
            for dtype, found in rows[name].items()
        )
        print(f"{name:16} {text}", flush=True)
    if options.out:
        report.keep(options.out, {"facts": facts(options.backend), "functions": rows})


if __name__ == "__main__":
    main()
