"""Random numbers that depend on a seed and an offset only: the same on each back end and in each launch.

The generator is Philox-4x32 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
"""

from .builtin import builtin
from .dtypes import float32, int32, int64, uint32, uint64
from .errors import LanguageTypeError
from .math import cos, log, sin, sqrt
from .semantic import arithmetic, compare, convert

N_ROUNDS_DEFAULT = 10
#: By the width of the counters.
_MULTIPLIERS = {32: (0xD2511F53, 0xCD9E8D57), 64: (0xD2E7470EE14C6C93, 0xCA5A826395121157)}
_KEY_STEPS = {32: (0x9E3779B9, 0xBB67AE85), 64: (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)}
# Maps the largest integer of 32 or 64 bits to the largest float below 1.
_TO_UNIT = {32: 4.6566127342e-10, 64: 1.0842020432385337e-19}
# Adding this rounds a small float to an integer in its last bits.
_ROUNDING = 1.5 * 2**23
# Polynomials in the square of x through the zeros of Chebyshev polynomials, |x| <= 1/2: sin(x pi / 2) / x and
# cos(x pi / 2).
_SINE = 1.5707963705, -0.64596349, 0.07968022, -0.004602149
_COSINE = 1.0, -1.2337005138, 0.2536694109, -0.0208615288, 0.00090673991


def _xor(*values):
    result = values[0]
    for value in values[1:]:
        result = arithmetic.bitwise(result, value, "arith.xori", "^")
    return result


def _bits(value, mask):
    return arithmetic.bitwise(value, mask, "arith.andi", "&")


def _integers(value, what):
    value = convert.to_tensor(value)
    if not value.dtype.is_int():
        raise LanguageTypeError(f"a random number takes an integer as its {what}, got {value.type}")
    return value


@builtin
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds=N_ROUNDS_DEFAULT):
    """`n_rounds` rounds on the counter `c0` to `c3` with the key `k0`, `k1`, all uint32, or all uint64; gives four of
    that type.

    Example:

        >>> c = tl.full((), 0, tl.uint32)
        >>> tl.philox_impl(c, c, c, c, c, c)
        uint32 1713891541
        uint32 3781805453
        uint32 3159862348
        uint32 2600524760
    """
    multipliers, steps = _MULTIPLIERS[c0.dtype.int_bitwidth], _KEY_STEPS[c0.dtype.int_bitwidth]
    for _ in range(n_rounds):
        high0, low0 = arithmetic.multiply_high(c0, multipliers[0]), arithmetic.mul(c0, multipliers[0])
        high2, low2 = arithmetic.multiply_high(c2, multipliers[1]), arithmetic.mul(c2, multipliers[1])
        c0, c1, c2, c3 = _xor(high2, c1, k0), low2, _xor(high0, c3, k1), low0
        k0, k1 = arithmetic.add(k0, steps[0]), arithmetic.add(k1, steps[1])
    return c0, c1, c2, c3


@builtin
def philox(seed, c0, c1, c2, c3, n_rounds=N_ROUNDS_DEFAULT):
    """Four blocks of random uint32 from an integer `seed` (its 64 bits are the key) and four counters of up to 32 bits;
    of random uint64 where the first counter has 64.

    Example:

        >>> tl.philox(0, 0, 0, 0, 0)
        uint32 1713891541
        uint32 3781805453
        uint32 3159862348
        uint32 2600524760
    """
    seed = convert.cast(_integers(seed, "seed"), uint64)
    counters = [_integers(c, "counter") for c in (c0, c1, c2, c3)]
    if counters[0].dtype.int_bitwidth == 64:
        keys, width = (seed, convert.constant(0, uint64)), uint64
    else:
        keys, width = (seed, arithmetic.shift(seed, 32, ">>")), uint32
    return philox_impl(*[convert.cast(value, width) for value in (*counters, *keys)], n_rounds)


def _polynomial(x, coefficients):
    result = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        result = arithmetic.fma(x, result, coefficient)
    return result


def _turned(u):
    """Cosine and sine of `2 pi u`, 0 <= u < 1, in float32. The remainder of `u` from the nearest quarter is exact, so no
    argument reduction is needed. The polynomials have an error of at most 1e-7.
    """
    quarters = arithmetic.mul(u, 4.0)
    rounded = arithmetic.add(quarters, _ROUNDING)
    rest = arithmetic.sub(quarters, arithmetic.sub(rounded, _ROUNDING))
    square = arithmetic.mul(rest, rest)
    sine = arithmetic.mul(rest, _polynomial(square, _SINE))
    cosine = _polynomial(square, _COSINE)
    # The last bits count the quarters.
    number = convert.bitcast(rounded, uint32)

    def pick(even, odd, negated):
        value = arithmetic.where(compare.compare("ne", _bits(number, 1), 0), odd, even)
        sign = arithmetic.shift(_bits(negated, 2), 30, "<<")
        return convert.bitcast(_xor(convert.bitcast(value, uint32), sign), float32)

    return pick(cosine, sine, arithmetic.add(number, 1, check=False)), pick(sine, cosine, number)


@builtin
def randint4x(seed, offset, n_rounds=N_ROUNDS_DEFAULT):
    """Four blocks of random uint32 in the shape of `offset`: as cheap as one.

    Example:

        >>> tl.randint4x(42, tl.arange(0, 2))
        uint32 [2632642643, 4242219303]
        uint32 [2012563771, 1404726525]
        uint32 [314527917, 2207210094]
        uint32 [1463989207, 1951270651]
    """
    offset = _integers(offset, "offset")
    low = convert.cast(offset, uint32)
    zero = arithmetic.mul(low, 0)
    wide = offset.dtype.int_bitwidth > 32
    high = convert.cast(arithmetic.shift(offset, 32, ">>"), uint32) if wide else zero
    return philox(seed, low, high, zero, zero, n_rounds)


@builtin
def randint(seed, offset, n_rounds=N_ROUNDS_DEFAULT):
    """Random uint32 in the shape of the integers `offset`, one for each value of `offset` under one `seed`.

    Example:

        >>> tl.randint(42, tl.arange(0, 4))
        uint32 [2632642643, 4242219303, 3547071013, 3133604981]
    """
    return randint4x(seed, offset, n_rounds)[0]


@builtin
def uint_to_uniform_float(x):
    """32 or 64 random bits to a float32 evenly spread over [0, 1).

    Example:

        >>> tl.uint_to_uniform_float(tl.full((), 2**30, tl.uint32))
        float32 0.5
    """
    x = _integers(x, "bits")
    width = 64 if x.dtype.int_bitwidth == 64 else 32
    x = convert.bitcast(x, int64 if width == 64 else int32)
    folded = arithmetic.where(compare.compare("lt", x, 0), arithmetic.invert(x), x)
    return arithmetic.mul(convert.cast(folded, float32), _TO_UNIT[width])


@builtin
def rand(seed, offset, n_rounds=N_ROUNDS_DEFAULT):
    """Random float32 from [0, 1) in the shape of the integers `offset`.

    Example:

        >>> tl.rand(42, tl.arange(0, 4))
        float32 [0.77408, 0.024563, 0.34827, 0.5408]
    """
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@builtin
def rand4x(seed, offsets, n_rounds=N_ROUNDS_DEFAULT):
    """Four blocks as `rand` gives one.

    Example:

        >>> tl.rand4x(42, tl.arange(0, 2))
        float32 [0.77408, 0.024563]
        float32 [0.93717, 0.65413]
        float32 [0.14646, 0.97219]
        float32 [0.68172, 0.90863]
    """
    return tuple(uint_to_uniform_float(bits) for bits in randint4x(seed, offsets, n_rounds))


@builtin
def pair_uniform_to_normal(u1, u2):
    """Two independent numbers from [0, 1) to two of the standard normal distribution (Box and Muller).

    Example:

        >>> tl.pair_uniform_to_normal(tl.full((), 0.5, tl.float32), tl.full((), 0.25, tl.float32))
        float32 -0.0
        float32 1.1774
    """
    radius = sqrt(arithmetic.mul(log(arithmetic.maximum(u1, 1.0e-7)), -2.0))
    u2 = convert.to_tensor(u2)
    if u2.dtype == float32:
        cosine, sine = _turned(u2)
    else:
        angle = arithmetic.mul(u2, 6.283185307179586)
        cosine, sine = cos(angle), sin(angle)
    return arithmetic.mul(radius, cosine), arithmetic.mul(radius, sine)


@builtin
def randn(seed, offset, n_rounds=N_ROUNDS_DEFAULT):
    """Random float32 of the standard normal distribution in the shape of the integers `offset`.

    Example:

        >>> tl.randn(42, tl.arange(0, 4))
        float32 [0.66061, -1.5427, -0.59046, -0.60163]
    """
    u1, u2, _, _ = rand4x(seed, offset, n_rounds)
    return pair_uniform_to_normal(u1, u2)[0]


@builtin
def randn4x(seed, offset, n_rounds=N_ROUNDS_DEFAULT):
    """Four blocks as `randn` gives one.

    Example:

        >>> tl.randn4x(42, tl.arange(0, 2))
        float32 [0.66061, -1.5427]
        float32 [-0.27523, -2.2435]
        float32 [-0.81532, 0.19944]
        float32 [-1.7825, -0.12899]
    """
    u1, u2, u3, u4 = rand4x(seed, offset, n_rounds)
    return *pair_uniform_to_normal(u1, u2), *pair_uniform_to_normal(u3, u4)
