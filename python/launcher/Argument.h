// What a launch needs to know of one Python argument: its type in a kernel's
// signature, what the compiler may assume of its value, and the 64 bits that
// are passed.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_ARGUMENT_H
#define TILEWRIGHT_PYTHON_LAUNCHER_ARGUMENT_H

#include "python/launcher/DLPack.h"

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>

namespace tilewright::python {

enum class ElementType : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F8E4M3FN,
  F8E5M2,
  F8E4M3FNUZ,
  F8E5M2FNUZ,
  F8E4M3B15,
  F16,
  BF16,
  F32,
  F64,
};

/// As signatures spell it: "fp32", "i64", "u8".
const char *spelling(ElementType type);

/// `Structured`: several values, which the launch passes one by one.
enum class ArgumentKind : uint8_t { Scalar, Pointer, None, Structured };

/// What the value allows the compiler to assume.
enum class Hint : uint8_t {
  Nothing = 0,
  One = 1,
  DivisibleBy8 = 8,
  DivisibleBy16 = 16
};

enum class DeviceKind : int32_t { Any, Cpu, Cuda };

/// On no device in particular where it is all zeros.
struct Device {
  DeviceKind kind;
  int32_t index;

  bool operator==(const Device &other) const {
    return kind == other.kind && index == other.index;
  }
};

/// "the CPU", "CUDA device 1".
std::string describe(const Device &device);

struct Argument {
  ArgumentKind kind;
  ElementType type;
  Hint hint;
  bool readOnly;
  /// Set where the array says which stream its owner works on.
  bool hasStream;
  Device device;
  void *stream;
  /// The library that made the array, where it can be asked for its stream.
  const dlpack::ExchangeApi *library;
  /// Address, sign-extended integer, or the bits of a float, low bytes first.
  uint64_t bits;
};

/// How a parameter wants its values looked at.
struct Specialization {
  bool onOne = true;
  bool onAlignment = true;
  /// Floats are passed with 64 bits.
  bool asDouble = false;
};

/// What is said of an address, and of an integer.
inline Hint hintAtAddress(const Specialization &specialization,
                          uint64_t address) {
  return specialization.onAlignment && address % 16 == 0 ? Hint::DivisibleBy16
                                                         : Hint::Nothing;
}
/// Rows of 8 halves of precision begin at multiples of 16 bytes, too.
inline Hint hintAtInteger(const Specialization &specialization, uint64_t bits) {
  if (specialization.onOne && bits == 1)
    return Hint::One;
  if (!specialization.onAlignment || bits % 8 != 0)
    return Hint::Nothing;
  return bits % 16 == 0 ? Hint::DivisibleBy16 : Hint::DivisibleBy8;
}

/// The type of an int that fits 64 bits.
inline ElementType typeOfInteger(int64_t number) {
  return number >= INT32_MIN && number <= INT32_MAX ? ElementType::I32
                                                    : ElementType::I64;
}

/// Names the argument in errors.
struct ArgumentName {
  const char *kernel;
  PyObject *parameter;
};

struct TypeInfo;

/// Reads `value`, of whose type `info` is, into an argument of zeros. Sets a
/// Python error and returns false for what a kernel cannot take.
bool readArgument(PyObject *value, const TypeInfo &info,
                  const Specialization &specialization,
                  const ArgumentName &name, Argument &argument);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_ARGUMENT_H
