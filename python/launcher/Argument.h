// Properties of one Python argument that a launch needs. These are its type in
// a kernel's signature, the compiler's assumptions on its value, and its 64
// bits.
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

/// Returns the type in the spelling of signatures: "fp32", "i64", "u8".
const char *spelling(ElementType type);

/// `Structured`: several values, which the launch passes one by one.
enum class ArgumentKind : uint8_t { Scalar, Pointer, None, Structured };

/// Assumptions that the value permits.
enum class Hint : uint8_t {
  Nothing = 0,
  One = 1,
  DivisibleBy8 = 8,
  DivisibleBy16 = 16
};

enum class DeviceKind : int32_t { Any, Cpu, Cuda };

/// All zeros mean no device in particular.
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
  /// Whether the array reports the stream of its owner.
  bool hasStream;
  Device device;
  void *stream;
  /// The library that made the array, if it can be asked for its stream.
  const dlpack::ExchangeApi *library;
  /// Address, sign-extended integer, or the bits of a float, low bytes first.
  uint64_t bits;
};

/// The options of a parameter for reading its values.
struct Specialization {
  bool onOne = true;
  bool onAlignment = true;
  /// Floats are passed as 64 bits.
  bool asDouble = false;
};

/// Returns the hints for an address; below, for an integer.
inline Hint hintAtAddress(const Specialization &specialization,
                          uint64_t address) {
  return specialization.onAlignment && address % 16 == 0 ? Hint::DivisibleBy16
                                                         : Hint::Nothing;
}
/// A multiple of 8 also serves rows of f16, which then begin at multiples of 16
/// bytes.
inline Hint hintAtInteger(const Specialization &specialization, uint64_t bits) {
  if (specialization.onOne && bits == 1)
    return Hint::One;
  if (!specialization.onAlignment || bits % 8 != 0)
    return Hint::Nothing;
  return bits % 16 == 0 ? Hint::DivisibleBy16 : Hint::DivisibleBy8;
}

/// Returns the type of an int that fits in 64 bits.
inline ElementType typeOfInteger(int64_t number) {
  return number >= INT32_MIN && number <= INT32_MAX ? ElementType::I32
                                                    : ElementType::I64;
}

/// Identifies the argument in error messages.
struct ArgumentName {
  const char *kernel;
  PyObject *parameter;
};

struct TypeInfo;

/// Reads `value`, whose type is `info`, into a zero-initialised argument. Sets
/// a Python error and returns false if a kernel cannot take it.
bool readArgument(PyObject *value, const TypeInfo &info,
                  const Specialization &specialization,
                  const ArgumentName &name, Argument &argument);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_ARGUMENT_H
