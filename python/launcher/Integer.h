// The value of a Python int, without a call where it has one digit.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_INTEGER_H
#define TILEWRIGHT_PYTHON_LAUNCHER_INTEGER_H

#include <Python.h>

#include <cstdint>

namespace tilewright::python {

/// False for one that does not fit. `value` is an int or of a class derived
/// from it.
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
