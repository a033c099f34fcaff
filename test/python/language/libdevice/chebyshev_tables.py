"""Computes the tables of `tilewright.language.extra.libdevice.tables`; run it to write the file anew.

A function on [-1, 1] becomes its Chebyshev coefficients, by the discrete cosine transform of its values at
Chebyshev points in 60 digits, cut where they fall below 1e-18 of the largest.
"""

import mpmath as mp

mp.mp.dps = 60


def coefficients(function, points=64):
    """The Chebyshev coefficients of `function` on [-1, 1], rounded to float64."""
    angles = [mp.pi * (k + mp.mpf(1) / 2) / points for k in range(points)]
    values = [function(mp.cos(angle)) for angle in angles]
    found = [
        2 * mp.fsum(v * mp.cos(j * a) for v, a in zip(values, angles, strict=True)) / points
        for j in range(points)
    ]
    found[0] /= 2
    largest = max(map(abs, found))
    last = max(j for j, c in enumerate(found) if abs(c) > largest * mp.mpf(10) ** -18)
    return [float(c) for c in found[: last + 1]]


def _near(t):
    """x in [0, 8] for t = 2 (x / 8)^2 - 1."""
    return 8 * mp.sqrt((t + 1) / 2)


def _far(t):
    """x from 8 on for t = 2 (8 / x)^2 - 1."""
    return 8 / mp.sqrt((t + 1) / 2)


def _phase(order, x):
    return x - (2 * order + 1) * mp.pi / 4


def _p(order, t):
    x = _far(t)
    angle = _phase(order, x)
    return mp.sqrt(mp.pi * x / 2) * (
        mp.besselj(order, x) * mp.cos(angle) + mp.bessely(order, x) * mp.sin(angle)
    )


def _q(order, t):
    x = _far(t)
    angle = _phase(order, x)
    value = mp.bessely(order, x) * mp.cos(angle) - mp.besselj(order, x) * mp.sin(angle)
    return mp.sqrt(mp.pi * x / 2) * value * x / 8


def _y0(t):
    x = _near(t)
    return mp.bessely(0, x) - 2 / mp.pi * mp.log(x) * mp.besselj(0, x)


def _y1(t):
    x = _near(t)
    return (mp.bessely(1, x) - 2 / mp.pi * (mp.log(x) * mp.besselj(1, x) - 1 / x)) / x


def _stirling(t):
    """8 / x times the result is the error of Stirling's formula for the logarithm of gamma."""
    x = _far(t)
    return (mp.loggamma(x) - ((x - mp.mpf(1) / 2) * mp.log(x) - x + mp.log(2 * mp.pi) / 2)) * x / 8


def _i_near(order):
    def function(t):
        x = 4 * (t + 1)
        return mp.exp(-x) * mp.besseli(order, x) / (x if order else 1)

    return function


def _i_far(order):
    def function(t):
        x = 16 / (t + 1)
        return mp.exp(-x) * mp.besseli(order, x) * mp.sqrt(x)

    return function


TABLES = {
    "J0_NEAR": lambda t: mp.besselj(0, _near(t)),
    "J1_NEAR": lambda t: mp.besselj(1, _near(t)) / _near(t),
    "Y0_NEAR": _y0,
    "Y1_NEAR": _y1,
    "P0_FAR": lambda t: _p(0, t),
    "Q0_FAR": lambda t: _q(0, t),
    "P1_FAR": lambda t: _p(1, t),
    "Q1_FAR": lambda t: _q(1, t),
    "I0_NEAR": _i_near(0),
    "I0_FAR": _i_far(0),
    "I1_NEAR": _i_near(1),
    "I1_FAR": _i_far(1),
    "LOG_GAMMA": lambda t: mp.loggamma(2 + t / 2) / (t / 2),
    "GAMMA": lambda t: (mp.gamma(2 + t / 2) - 1) / (t / 2),
    "STIRLING": _stirling,
}


def main():
    """Write the module."""
    import pathlib

    path = pathlib.Path(__file__).parents[4] / "python/tilewright/language/extra/libdevice/tables.py"
    lines = [
        '"""Chebyshev coefficients, as test/python/language/libdevice/chebyshev_tables.py computes them.',
        "",
        "NEAR: of t = 2 (x / 8)^2 - 1 for x up to 8 (I: of x / 4 - 1); FAR: of 2 (8 / x)^2 - 1 from there on",
        "(I: of 16 / x - 1); gamma: of 2 (x - 2) from 1.5 to 2.5.",
        '"""',
    ]
    for name, function in TABLES.items():
        lines += ["", f"{name} = (", *(f"    {c!r}," for c in coefficients(function)), ")  # fmt: skip"]
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
