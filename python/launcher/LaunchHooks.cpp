#include "python/launcher/LaunchHooks.h"

#include "python/launcher/Ending.h"

#include <atomic>
#include <mutex>

namespace py = pybind11;

namespace tilewright::python {

namespace {
/// A function, or none. Never destroyed: the interpreter may have ended.
class Hook {
public:
  bool isSet() const { return function.load(std::memory_order_relaxed); }

  py::object get() {
    const std::lock_guard<std::mutex> lock(mutex);
    return py::reinterpret_borrow<py::object>(function.load());
  }

  void replace(py::object by) {
    PyObject *to = by.is_none() ? nullptr : by.release().ptr();
    PyObject *old = nullptr;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      old = function.exchange(to);
    }
    Py_XDECREF(old);
  }

private:
  std::atomic<PyObject *> function = nullptr;
  std::mutex mutex;
};
} // namespace

static Hook before, after;

bool hasLaunchHooks() { return before.isSet() || after.isSet(); }

static void callHook(Hook &hook, const LaunchFacts &launch) {
  // The hook may replace itself.
  const py::object kept = hook.get();
  if (!kept)
    return;
  const bool onGpu = launch.device.kind == DeviceKind::Cuda;
  callPython(kept, py::make_tuple(launch.compiled,
                                  py::make_tuple(launch.grid[0], launch.grid[1],
                                                 launch.grid[2]),
                                  onGpu ? launch.device.index : -1,
                                  reinterpret_cast<uintptr_t>(launch.stream)));
}

void callHooksBefore(const LaunchFacts &launch) { callHook(before, launch); }
void callHooksAfter(const LaunchFacts &launch) { callHook(after, launch); }

void defineLaunchHooks(py::module_ &module) {
  module.def(
      "set_launch_hooks",
      [](py::object first, py::object last) {
        before.replace(std::move(first));
        after.replace(std::move(last));
      },
      py::arg("before"), py::arg("after"),
      "Functions of (compiled, grid, number of the CUDA device or -1, stream) "
      "that are called around each launch; None for none.");
}

} // namespace tilewright::python
