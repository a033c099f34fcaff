#include "python/launcher/Guards.h"

#include "python/launcher/Ending.h"
#include "python/launcher/Slots.h"

#include <string>

namespace py = pybind11;

namespace tilewright::python {

static Guard::Kind guardKindNamed(const std::string &name) {
  if (name == "item")
    return Guard::Kind::Item;
  if (name == "cell")
    return Guard::Kind::Cell;
  return name == "attribute" ? Guard::Kind::Attribute : Guard::Kind::Content;
}

/// Calls a comparison of `frontend/guards.py` on two objects.
static bool isAlike(const char *function, const py::object &expected,
                    const py::object &now) {
  const py::object module = newReference(
      [] { return PyImport_ImportModule("tilewright.frontend.guards"); });
  return py::cast<bool>(callMethod(module, function, expected, now));
}

static Guard readGuard(const py::tuple &given) {
  Guard guard;
  guard.kind = guardKindNamed(py::cast<std::string>(given[0]));
  guard.owner = given[1];
  if (PyUnicode_Check(py::object(given[2]).ptr())) {
    PyObject *name = py::object(given[2]).release().ptr();
    PyUnicode_InternInPlace(&name);
    guard.name = py::reinterpret_steal<py::object>(name);
  }
  const py::tuple value = given[3], held = given[4];
  if (!value.empty())
    guard.expected = value[0];
  if (!held.empty()) {
    guard.slot = slotOffset(py::type::handle_of(guard.expected), "value");
    guard.held = held[0];
  }
  return guard;
}

Guards::Guards(const py::tuple &given) {
  if (given.empty())
    return;
  guards = std::make_shared<List>();
  for (py::handle guard : given)
    guards->push_back(readGuard(py::reinterpret_borrow<py::tuple>(guard)));
}

py::object Guard::present() const {
  PyObject *now = nullptr;
  switch (kind) {
  case Kind::Item:
#if PY_VERSION_HEX >= 0x030D0000
    PyDict_GetItemRef(owner.ptr(), name.ptr(), &now);
#else
    now = Py_XNewRef(PyDict_GetItemWithError(owner.ptr(), name.ptr()));
#endif
    break;
  case Kind::Cell:
    now = PyCell_Get(owner.ptr());
    break;
  case Kind::Attribute:
    now =
        unlessEnding([&] { return PyObject_GetAttr(owner.ptr(), name.ptr()); });
    break;
  case Kind::Content:
    now = owner.inc_ref().ptr();
    break;
  }
  if (!now)
    PyErr_Clear();
  return py::reinterpret_steal<py::object>(now);
}

py::object Guard::unwrapped(const py::object &value) const {
  return slot != 0 && Py_TYPE(value.ptr()) == Py_TYPE(expected.ptr())
             ? slotAt(value.ptr(), slot)
             : value;
}

static bool holdsByValue(Guard &guard) {
  const py::object now = guard.present();
  if (guard.kind == Guard::Kind::Content)
    return isAlike("same_content", guard.expected, now);
  if (!now || !guard.expected)
    return now.ptr() == guard.expected.ptr();
  if (now.is(guard.different))
    return false;
  const py::object value = guard.unwrapped(now);
  const bool isSame = now.is(guard.expected);
  if (isSame && (guard.slot == 0 || value.is(guard.held)))
    return true;
  // Distinguishes a constexpr from its value by their types.
  const bool hasSameKind =
      guard.slot == 0 || Py_TYPE(now.ptr()) == Py_TYPE(guard.expected.ptr());
  const py::object known = guard.slot == 0 ? guard.expected : guard.held;
  if (hasSameKind && isAlike("same_value", known, value)) {
    guard.expected = now;
    if (guard.slot != 0)
      guard.held = value;
    return true;
  }
  if (!isSame)
    guard.different = now;
  return false;
}

bool Guards::holdByValue() {
  const std::shared_ptr<List> checked = guards;
  try {
    for (Guard &guard : *checked)
      if (!guard.isUntouched() && !holdsByValue(guard))
        return false;
    return true;
  } catch (const py::error_already_set &) {
    return false; // The object cannot be compared.
  }
}

} // namespace tilewright::python
