// Threads that are in C++ when the interpreter ends.
//
// From then on Python terminates every other thread that requests its lock.
// Before 3.14 it unwinds the stack. But destructors of our frames need that
// lock, and an exception in one aborts the process. So such a thread blocks, as
// in 3.14, and ends with the process.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_ENDING_H
#define TILEWRIGHT_PYTHON_LAUNCHER_ENDING_H

#include <pybind11/pybind11.h>

#include <cxxabi.h>
#include <unistd.h>

namespace tilewright::python {

/// Returns the result of a function that calls only Python's C interface. Calls
/// that may run Python code or take the interpreter lock go through this if
/// frames above have destructors.
template <typename Function>
auto unlessEnding(Function function) -> decltype(function()) {
#ifdef __GLIBCXX__
  try {
    return function();
  } catch (abi::__forced_unwind &) {
    for (;;)
      pause();
  }
#else
  return function();
#endif
}

/// Releases the interpreter lock during its lifetime.
class Unlocked {
public:
  Unlocked() : state(PyEval_SaveThread()) {}
  ~Unlocked() {
    unlessEnding([this] { PyEval_RestoreThread(state); });
  }
  Unlocked(const Unlocked &) = delete;

  /// Lets Python handle signals. Returns whether that raised an exception,
  /// which stays set.
  bool isInterrupted() {
    unlessEnding([this] { PyEval_RestoreThread(state); });
    const bool raised = unlessEnding([] { return PyErr_CheckSignals(); }) != 0;
    state = PyEval_SaveThread();
    return raised;
  }

  Unlocked &operator=(const Unlocked &) = delete;

private:
  PyThreadState *state;
};

/// Returns the object of a call of Python's C interface; throws if that failed.
template <typename Function> pybind11::object newReference(Function function) {
  PyObject *made = unlessEnding(function);
  if (!made)
    throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::object>(made);
}

/// `function(*arguments, **keywords)`.
inline pybind11::object
callPython(pybind11::handle function,
           const pybind11::tuple &arguments = pybind11::tuple(),
           const pybind11::dict &keywords = pybind11::dict()) {
  return newReference([&] {
    return PyObject_Call(function.ptr(), arguments.ptr(), keywords.ptr());
  });
}

/// `object.name`, which may be a property.
inline pybind11::object attributeOf(pybind11::handle object, const char *name) {
  return newReference(
      [&] { return PyObject_GetAttrString(object.ptr(), name); });
}

/// `object.method(*arguments)`.
template <typename... Arguments>
pybind11::object callMethod(pybind11::handle object, const char *method,
                            Arguments &&...arguments) {
  return callPython(
      attributeOf(object, method),
      pybind11::make_tuple(std::forward<Arguments>(arguments)...));
}

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_ENDING_H
