// Access to slots of Python classes (`__slots__`) without lookups.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_SLOTS_H
#define TILEWRIGHT_PYTHON_LAUNCHER_SLOTS_H

#include "python/launcher/Section.h"

#include <pybind11/pybind11.h>

#include <structmember.h>

#include <string>

namespace tilewright::python {

/// Returns the offset of the slot in objects of the class.
inline Py_ssize_t slotOffset(pybind11::handle type, const char *name) {
  const pybind11::object slot = type.attr(name);
  if (!PyObject_TypeCheck(slot.ptr(), &PyMemberDescr_Type))
    throw pybind11::type_error(std::string("the class has no slot ") + name);
  return reinterpret_cast<PyMemberDescrObject *>(slot.ptr())->d_member->offset;
}

/// Returns the content of the slot; null if it is unset.
inline pybind11::object slotAt(PyObject *object, Py_ssize_t offset) {
  const Section section(object); // In which Python fills slots, too.
  return pybind11::reinterpret_borrow<pybind11::object>(
      *reinterpret_cast<PyObject **>(reinterpret_cast<char *>(object) +
                                     offset));
}

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_SLOTS_H
