// What the interpreter's lock does for all objects, for one object where a
// build of Python has no such lock.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_SECTION_H
#define TILEWRIGHT_PYTHON_LAUNCHER_SECTION_H

#include <pybind11/pybind11.h>

namespace tilewright::python {

/// While it lives no other thread is in a section of the same object, but where
/// Python code runs or something is waited for: others may go on there, as they
/// may with the lock of the interpreter. Where there is that lock it is
/// nothing.
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

/// Whether nobody but the caller has the object; false where that is not known.
inline bool isOwnedAlone(PyObject *object) {
#ifdef Py_GIL_DISABLED
  return false;
#else
  return Py_REFCNT(object) == 1;
#endif
}

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_SECTION_H
