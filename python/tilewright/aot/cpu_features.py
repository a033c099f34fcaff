"""Detection of CPU features, for the C source of a library."""

_EAX, _EBX, _ECX, _EDX = range(4)
#: Features that change which instructions kernels are made of: leaf, subleaf, register and bit of CPUID.
X86 = {
    "sse3": (1, 0, _ECX, 0),
    "ssse3": (1, 0, _ECX, 9),
    "fma": (1, 0, _ECX, 12),
    "sse4.1": (1, 0, _ECX, 19),
    "sse4.2": (1, 0, _ECX, 20),
    "movbe": (1, 0, _ECX, 22),
    "popcnt": (1, 0, _ECX, 23),
    "avx": (1, 0, _ECX, 28),
    "f16c": (1, 0, _ECX, 29),
    "bmi": (7, 0, _EBX, 3),
    "avx2": (7, 0, _EBX, 5),
    "bmi2": (7, 0, _EBX, 8),
    "avx512f": (7, 0, _EBX, 16),
    "avx512dq": (7, 0, _EBX, 17),
    "avx512ifma": (7, 0, _EBX, 21),
    "avx512cd": (7, 0, _EBX, 28),
    "avx512bw": (7, 0, _EBX, 30),
    "avx512vl": (7, 0, _EBX, 31),
    "avx512vbmi": (7, 0, _ECX, 1),
    "avx512vbmi2": (7, 0, _ECX, 6),
    "gfni": (7, 0, _ECX, 8),
    "vaes": (7, 0, _ECX, 9),
    "vpclmulqdq": (7, 0, _ECX, 10),
    "avx512vnni": (7, 0, _ECX, 11),
    "avx512bitalg": (7, 0, _ECX, 12),
    "avx512vpopcntdq": (7, 0, _ECX, 14),
    "avx512vp2intersect": (7, 0, _EDX, 8),
    "avx512fp16": (7, 0, _EDX, 23),
    "avxvnni": (7, 1, _EAX, 4),
    "avx512bf16": (7, 1, _EAX, 5),
    "avxifma": (7, 1, _EAX, 23),
    "avxvnniint8": (7, 1, _EDX, 4),
    "avxneconvert": (7, 1, _EDX, 5),
    "avxvnniint16": (7, 1, _EDX, 10),
    "lzcnt": (0x80000001, 0, _ECX, 5),
    "sse4a": (0x80000001, 0, _ECX, 6),
    "xop": (0x80000001, 0, _ECX, 11),
    "fma4": (0x80000001, 0, _ECX, 16),
    "tbm": (0x80000001, 0, _ECX, 21),
}
# Bits of XCR0.
_SSE_AND_AVX, _AVX512 = 0b110, 0b11100110


def needed(features):
    """Of a list of LLVM's names, those that count here, in order."""
    return [name for name in X86 if name in features]


def saved_registers(features):
    """The bits of XCR0 that the system must have set for its programs to use the registers."""
    if "avx512f" in features:
        return _AVX512
    return _SSE_AND_AVX if "avx" in features else 0


def missing(features):
    """Of the features that count, those that this machine does not have."""
    from .. import _tilewright

    here = {name[1:] for name in _tilewright.host_target().split(";")[2].split(",") if name.startswith("+")}
    return [name for name in needed(features) if name not in here]
