// What the objects of a Python type are to a launch.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_TYPEINFO_H
#define TILEWRIGHT_PYTHON_LAUNCHER_TYPEINFO_H

#include "python/launcher/Array.h"

namespace tilewright::python {

struct TypeInfo {
  enum Role : uint8_t {
    Bool,
    Int,
    Float,
    None,
    NumPyScalar,
    Wrapper,
    Structured,
    Descriptor,
    OwnArray,
    Array,
    Unknown
  };
  Role role = Unknown;
  ArrayReader reader = {};
};

/// Looks at a type once, and remembers it for good: the types that were ever
/// passed stay alive, and so does what this gives.
const TypeInfo &infoOf(PyTypeObject *type);

/// An array or something that exports one, and so no compile-time value.
inline bool isArray(const TypeInfo &info) {
  return info.role == TypeInfo::Array || info.role == TypeInfo::OwnArray;
}

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_TYPEINFO_H
