"""`triton.tools.mxfp`: torch tensors of numbers of 4 bits (e2m1) and of scales that are powers of two (e8m0)."""

import torch

#: The magnitudes of e2m1 by their three bits.
_MAGNITUDES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
_BIAS = 127
_NAN = 255


class _Bits:
    """Numbers as bytes in `data`. Made of floats, which are rounded, or with a `size` and a `device` alone, which
    `random` fills."""

    def __init__(self, data=None, size=None, device=None):
        if data is None and size is None:
            raise ValueError(f"a {type(self).__name__} is made of data or of a size")
        self.device = (
            torch.device(device) if data is None and device is not None else getattr(data, "device", None)
        )
        self.size = size if data is None else data.shape
        self.data = None if data is None else self._rounded(data)


class MXFP4Tensor(_Bits):
    """Numbers of 4 bits: a sign, two bits of exponent, one of mantissa."""

    def random(self):
        """Fill it with any of the sixteen numbers."""
        self.data = torch.randint(0, 16, self.size, dtype=torch.uint8, device=self.device)
        return self

    @staticmethod
    def _rounded(values):
        """To the nearest, ties to even. Numbers too large become the largest."""
        table = torch.tensor(_MAGNITUDES, dtype=torch.float32, device=values.device)
        magnitudes = values.abs().float().clamp(max=_MAGNITUDES[-1])
        above = torch.searchsorted(table, magnitudes).clamp(max=7)
        below = (above - 1).clamp(min=0)
        low, high = magnitudes - table[below], table[above] - magnitudes
        nearer = torch.where((low < high) | ((low == high) & (below % 2 == 0)), below, above)
        return (nearer | (torch.signbit(values).long() << 3)).to(torch.uint8)

    def to(self, dtype):
        """The numbers as float32. Raises `TypeError` for other types."""
        if dtype != torch.float32:
            raise TypeError(f"numbers of 4 bits are converted to torch.float32, not to {dtype}")
        table = torch.tensor(_MAGNITUDES, dtype=dtype, device=self.data.device)
        magnitudes = table[(self.data & 7).long()]
        return torch.where(self.data >= 8, -magnitudes, magnitudes)

    def to_packed_tensor(self, dim):
        """Two adjacent numbers along `dim` in a byte, the first in the low bits, zero for a missing one.
        Raises `AssertionError`, as Triton does, for an invalid `dim`."""
        if not -self.data.ndim <= dim < self.data.ndim:
            raise AssertionError(f"dim is one of {self.data.ndim} axes, got {dim}")
        data = self.data.movedim(dim, -1)
        if data.shape[-1] % 2:
            data = torch.nn.functional.pad(data, (0, 1))
        return (data[..., 0::2] | (data[..., 1::2] << 4)).movedim(-1, dim)

    def unpack_packed_tensor(self, packed_tensor, dim, original_shape):
        """The bytes that `to_packed_tensor` made packed bytes of."""
        packed = packed_tensor.movedim(dim, -1)
        halves = torch.stack([packed & 15, packed >> 4], dim=-1).flatten(-2)
        return halves[..., : original_shape[dim]].movedim(-1, dim).contiguous()


class MXScaleTensor(_Bits):
    """Scales: powers of two from 2 ** -127 to 2 ** 127, and NaN."""

    def random(self, low=None, high=None):
        """Fill it with powers of two, from `low` to `high` where they are given."""
        first = 0 if low is None else max(0, self._exponent(low))
        last = _NAN - 1 if high is None else min(_NAN - 1, self._exponent(high))
        if first > last:
            raise ValueError(f"low is at most high, got {low} and {high}")
        self.data = torch.randint(first, last + 1, self.size, dtype=torch.uint8, device=self.device)
        return self

    @staticmethod
    def _exponent(value):
        return int(torch.log2(torch.tensor(value, dtype=torch.float64))) + _BIAS

    @staticmethod
    def _rounded(values):
        """To the power of two below, NaN if there is none."""
        exponents = torch.frexp(values.double())[1] - 1 + _BIAS
        fits = (values > 0) & torch.isfinite(values)
        return torch.where(fits, exponents.clamp(0, _NAN - 1), _NAN).to(torch.uint8)

    def to(self, dtype):
        """The scales as float32. Raises `TypeError` for other types."""
        if dtype != torch.float32:
            raise TypeError(f"scales are converted to torch.float32, not to {dtype}")
        powers = torch.exp2(self.data.double() - _BIAS).to(dtype)
        return torch.where(self.data == _NAN, torch.nan, powers)


def fp8e8m0_to_float32(scale):
    """The powers of two that the bytes `scale` encode, NaN for 255."""
    bits = scale.view(torch.uint8).to(torch.int32) << 23
    bits = bits.clamp(min=1 << 22)  # 2**-127 is no normal number
    return torch.where(bits == _NAN << 23, torch.nan, bits.view(torch.float32))
