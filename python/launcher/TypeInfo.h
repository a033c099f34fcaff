// The role of a Python type's objects in a launch.
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

/// Inspects a type once and caches the result permanently. Types that were ever
/// passed stay alive, and so does the result.
const TypeInfo &infoOf(PyTypeObject *type);

/// An array or an object that exports one, so not a compile-time value.
inline bool isArray(const TypeInfo &info) {
  return info.role == TypeInfo::Array || info.role == TypeInfo::OwnArray;
}

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_TYPEINFO_H
