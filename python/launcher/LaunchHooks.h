// Functions of the program that are called before and after each launch.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_LAUNCHHOOKS_H
#define TILEWRIGHT_PYTHON_LAUNCHER_LAUNCHHOOKS_H

#include "python/launcher/Argument.h"
#include "python/launcher/Grid.h"

namespace tilewright::python {

/// What hooks are told of a launch.
struct LaunchFacts {
  pybind11::handle compiled;
  const Grid &grid;
  Device device;
  void *stream;
};

/// Whether there are any; all that a launch without hooks pays.
bool hasLaunchHooks();

/// Throw what the hooks raise.
void callHooksBefore(const LaunchFacts &launch);
void callHooksAfter(const LaunchFacts &launch);

/// `set_launch_hooks`.
void defineLaunchHooks(pybind11::module_ &module);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_LAUNCHHOOKS_H
