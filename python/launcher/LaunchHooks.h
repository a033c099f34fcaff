// User functions that are called before and after each launch.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_LAUNCHHOOKS_H
#define TILEWRIGHT_PYTHON_LAUNCHER_LAUNCHHOOKS_H

#include "python/launcher/Argument.h"
#include "python/launcher/Grid.h"

namespace tilewright::python {

/// Information for hooks about a launch.
struct LaunchFacts {
  pybind11::handle compiled;
  const Grid &grid;
  Device device;
  void *stream;
};

/// Whether there are any hooks; the only cost of a launch without hooks.
bool hasLaunchHooks();

/// Throws the errors of the hooks.
void callHooksBefore(const LaunchFacts &launch);
void callHooksAfter(const LaunchFacts &launch);

/// `set_launch_hooks`.
void defineLaunchHooks(pybind11::module_ &module);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_LAUNCHHOOKS_H
