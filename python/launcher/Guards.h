// Guards: what a compiled kernel assumes of Python beyond its arguments, such
// as the values of globals. `frontend/guards.py` makes them.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_GUARDS_H
#define TILEWRIGHT_PYTHON_LAUNCHER_GUARDS_H

#include <pybind11/pybind11.h>

#include <memory>
#include <vector>

namespace tilewright::python {

/// One value that the front end read.
struct Guard {
  enum class Kind : uint8_t { Item, Cell, Attribute, Content };

  /// Whether the owner holds the very object that the front end read. False
  /// where only `present` can tell. Runs no Python code.
  [[gnu::always_inline]] bool isUntouched() const;
  /// The present value, null where there is none. May run Python code.
  pybind11::object present() const;
  /// What the value holds if it is a constexpr, else the value itself.
  pybind11::object unwrapped(const pybind11::object &value) const;

  Kind kind = Kind::Item;
  /// The offset of the slot of a constexpr that holds its value; 0 for other
  /// expected objects.
  Py_ssize_t slot = 0;
  pybind11::object owner;
  /// Interned.
  pybind11::object name;
  /// Null where there was no value.
  pybind11::object expected;
  /// What the expected constexpr held.
  pybind11::object held;
  /// The object that was last found to differ, so that it is compared once.
  pybind11::object different;
};

/// The guards of one compiled kernel. Copies are independent.
class Guards {
public:
  Guards() = default;
  /// Reads what `frontend/guards.py` lists.
  explicit Guards(const pybind11::tuple &given);
  Guards(const Guards &other)
      : guards(other.guards ? std::make_shared<List>(*other.guards) : nullptr) {
  }
  Guards(Guards &&) = default;
  Guards &operator=(Guards &&) = default;

  /// Whether all guards hold. An object that replaces another one of equal
  /// value becomes the expected one. Runs Python code only where an entry is
  /// not the expected object. Leaves no Python error.
  bool hold() {
    if (!guards)
      return true;
    for (const Guard &guard : *guards)
      if (!guard.isUntouched())
        return holdByValue();
    return true;
  }

private:
  using List = std::vector<Guard>;

  bool holdByValue();

  /// Shared with a check in progress: its Python code may replace the guards.
  std::shared_ptr<List> guards;
};

inline bool Guard::isUntouched() const {
  PyObject *now = nullptr;
  if (kind == Kind::Item) {
#if PY_VERSION_HEX >= 0x030D0000
    if (PyDict_GetItemRef(owner.ptr(), name.ptr(), &now) < 0)
      PyErr_Clear();
    Py_XDECREF(now); // Only compared.
#else
    now = PyDict_GetItemWithError(owner.ptr(), name.ptr());
    if (!now && PyErr_Occurred())
      PyErr_Clear();
#endif
  } else if (kind == Kind::Cell) {
    now = PyCell_GET(owner.ptr());
  } else {
    return false;
  }
  return now == expected.ptr() &&
         (slot == 0 || *reinterpret_cast<PyObject **>(
                           reinterpret_cast<char *>(now) + slot) == held.ptr());
}

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_GUARDS_H
