#include "python/bindings/runtime/LaunchHooks.h"

namespace py = pybind11;

namespace tilewright::python {

/// Null where there is none. Never destroyed: the interpreter may be gone.
static PyObject *before = nullptr;
static PyObject *after = nullptr;

bool hasLaunchHooks() { return before || after; }

static void callHook(PyObject *hook, const LaunchFacts &launch) {
  if (!hook)
    return;
  // The hook may replace itself.
  const auto kept = py::reinterpret_borrow<py::object>(hook);
  const bool onGpu = launch.device.kind == DeviceKind::Cuda;
  kept(launch.compiled,
       py::make_tuple(launch.grid[0], launch.grid[1], launch.grid[2]),
       onGpu ? launch.device.index : -1,
       reinterpret_cast<uintptr_t>(launch.stream));
}

void callHooksBefore(const LaunchFacts &launch) { callHook(before, launch); }
void callHooksAfter(const LaunchFacts &launch) { callHook(after, launch); }

static void replace(PyObject *&hook, py::object by) {
  PyObject *old = hook;
  hook = by.is_none() ? nullptr : by.release().ptr();
  Py_XDECREF(old);
}

void defineLaunchHooks(py::module_ &module) {
  module.def(
      "set_launch_hooks",
      [](py::object first, py::object last) {
        replace(before, std::move(first));
        replace(after, std::move(last));
      },
      py::arg("before"), py::arg("after"),
      "Functions of (compiled, grid, number of the CUDA device or -1, stream) "
      "that are called around each launch; None for none.");
}

} // namespace tilewright::python
