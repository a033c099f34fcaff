// Guards: assumptions of a compiled kernel about Python objects other than its
// arguments, such as the values of globals. `frontend/guards.py` makes them.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_GUARDS_H
#define TILEWRIGHT_PYTHON_LAUNCHER_GUARDS_H

#include <pybind11/pybind11.h>

#include <memory>
#include <vector>

namespace tilewright::python {

/// One value that the front end read.
struct Guard {
  enum class Kind : uint8_t { Item, Cell, Attribute, Content };

  /// Whether the owner still holds the identical object that the front end
  /// read. Returns false if only `present` can tell. Runs no Python code.
  [[gnu::always_inline]] bool isUntouched() const;
  /// Returns the present value, null if there is none. May run Python code.
  pybind11::object present() const;
  /// Returns the value of a constexpr, or another value itself.
  pybind11::object unwrapped(const pybind11::object &value) const;

  Kind kind = Kind::Item;
  /// The offset of the slot with the value of a constexpr; 0 for other expected
  /// objects.
  Py_ssize_t slot = 0;
  pybind11::object owner;
  /// Interned.
  pybind11::object name;
  /// Null if there was no value.
  pybind11::object expected;
  /// The value of the expected constexpr.
  pybind11::object held;
  /// The object that was last found to differ, so that it is compared once.
  pybind11::object different;
};

/// The guards of one compiled kernel. Copies are independent.
class Guards {
public:
  Guards() = default;
  /// Reads the list that `frontend/guards.py` makes.
  explicit Guards(const pybind11::tuple &given);
  Guards(const Guards &other)
      : guards(other.guards ? std::make_shared<List>(*other.guards) : nullptr) {
  }
  Guards(Guards &&) = default;
  Guards &operator=(Guards &&) = default;

  /// Whether all guards hold. An object of equal value becomes the expected
  /// one. Runs Python code only for entries that are not the expected object.
  /// Leaves no Python error.
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
