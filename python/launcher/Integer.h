// Reads a Python int, without a function call if it has one digit.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_INTEGER_H
#define TILEWRIGHT_PYTHON_LAUNCHER_INTEGER_H

#include <Python.h>

#include <cstdint>

namespace tilewright::python {

/// Returns false for an int that does not fit. `value` is an int or of a
/// derived class.
inline bool readLong(PyObject *value, int64_t &number) {
#if PY_VERSION_HEX >= 0x030C0000
  const auto *integer = reinterpret_cast<PyLongObject *>(value);
  if (PyUnstable_Long_IsCompact(integer)) {
    number = PyUnstable_Long_CompactValue(integer);
    return true;
  }
#endif
  int overflow = 0;
  number = PyLong_AsLongLongAndOverflow(value, &overflow);
  return overflow == 0;
}

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_INTEGER_H
