"""The bits of registers as blocks of unsigned integers, and the types that instructions see them as."""

from ..dtypes import (
    bfloat16,
    float8e4nv,
    float8e5,
    float16,
    float32,
    float64,
    int1,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ..semantic import arithmetic, convert, promote
from .text import WIDTHS

UNSIGNED = {1: int1, 8: uint8, 16: uint16, 32: uint32, 64: uint64}
SIGNED = {8: int8, 16: int16, 32: int32, 64: int64}
FLOATS = {"f16": float16, "bf16": bfloat16, "f32": float32, "f64": float64}
_FP8 = {"e4m3": float8e4nv, "e5m2": float8e5}


def element_type(name):
    """The type of the language for the elements that a type of PTX has."""
    if name in FLOATS or name in _FP8:
        return {**FLOATS, **_FP8}[name]
    if name == "tf32":
        return float32
    return (SIGNED if name[0] == "s" else UNSIGNED)[WIDTHS[name]]


def lanes(name):
    """The type of one element and the number of elements in a register."""
    return (name.removesuffix("x2"), 2) if name.endswith("x2") else (name, 1)


def constant(value, ty, like):
    """A number in the form of the block, or the scalar, `like` (None: a scalar)."""
    number = convert.constant(value, ty)
    return number if like is None else promote.broadcast_to_shape(number, like.shape)


def resized(word, bits, signed=False):
    """The low `bits` of a word, or the word with zeros, or with its sign, in front."""
    width = word.dtype.primitive_bitwidth
    if width == bits:
        return word
    if signed and bits > width:
        return convert.bitcast(
            convert.cast(convert.bitcast(word, SIGNED[width]), SIGNED[bits]), UNSIGNED[bits]
        )
    return convert.cast(word, UNSIGNED[bits])


def shifted(word, count, symbol):
    """A word shifted by a number known now, less than its width."""
    return arithmetic.shift(word, constant(count, word.dtype, word), symbol) if count else word


def halves(word):
    """A word as its low and its high half."""
    bits = word.dtype.primitive_bitwidth // 2
    return [resized(word, bits), resized(shifted(word, bits, ">>"), bits)]


def joined(words):
    """Words of one width, the lowest first, as one word."""
    width = words[0].dtype.primitive_bitwidth
    whole = resized(words[0], width * len(words))
    for position, word in enumerate(words[1:], 1):
        high = shifted(resized(word, width * len(words)), position * width, "<<")
        whole = arithmetic.bitwise(whole, high, "arith.ori", "|")
    return whole


def parts(word, count):
    """The inverse of `joined`."""
    bits = word.dtype.primitive_bitwidth // count
    return [resized(shifted(word, position * bits, ">>"), bits) for position in range(count)]


def seen_as(word, name):
    """The elements that a type of PTX sees in a word: a list of one, or of two."""
    element, count = lanes(name)
    words = halves(word) if count == 2 else [word]
    return [
        entry if entry.dtype.is_bool() else convert.bitcast(entry, element_type(element)) for entry in words
    ]


def as_word(values):
    """The inverse of `seen_as`."""
    words = []
    for value in values:
        ty = value.dtype
        words.append(value if ty.is_bool() else convert.bitcast(value, UNSIGNED[ty.primitive_bitwidth]))
    return joined(words) if len(words) > 1 else words[0]
