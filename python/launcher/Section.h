// A lock on one object for builds of Python without the interpreter lock.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_SECTION_H
#define TILEWRIGHT_PYTHON_LAUNCHER_SECTION_H

#include <pybind11/pybind11.h>

namespace tilewright::python {

/// During its lifetime no other thread is in a section of the same object.
/// Exception: others may enter while Python code runs or the thread waits, as
/// with the interpreter lock. With that lock, a section does nothing.
class Section {
public:
#ifdef Py_GIL_DISABLED
  explicit Section(PyObject *object) {
    PyCriticalSection_Begin(&section, object);
  }
  ~Section() { PyCriticalSection_End(&section); }

private:
  PyCriticalSection section;

public:
#else
  explicit Section(PyObject *) {}
  ~Section() {}
#endif
  Section(const Section &) = delete;
  Section &operator=(const Section &) = delete;
};

/// Whether the caller has the only reference to the object; false if that is
/// unknown.
inline bool isOwnedAlone(PyObject *object) {
#ifdef Py_GIL_DISABLED
  return false;
#else
  return Py_REFCNT(object) == 1;
#endif
}

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_SECTION_H
