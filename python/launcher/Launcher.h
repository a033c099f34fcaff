// `kernel[grid]`: a callable with a grid. It uses vectorcall, which avoids the
// tuple and the dict of an ordinary call.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_LAUNCHER_H
#define TILEWRIGHT_PYTHON_LAUNCHER_LAUNCHER_H

#include "python/launcher/Dispatcher.h"

namespace tilewright::python {

/// Creates the type. Called once, when the module is loaded.
void initLauncherType();

/// Returns a callable that launches, compiles or binds, as `form` says, over
/// `grid` if there is one. It keeps `owner`, the Python object of `dispatcher`,
/// alive.
pybind11::object makeLauncher(Dispatcher &dispatcher, pybind11::object owner,
                              pybind11::object grid, LaunchForm form);

/// Returns a callable that takes a grid and returns the launcher for it.
pybind11::object makeLauncherFactory(Dispatcher &dispatcher,
                                     pybind11::object owner);

/// Gives the class of kernels a `__getitem__` that runs no Python code. It
/// needs a launcher factory in the kernel's slot `_launcher` and no
/// `pre_run_hooks`; else it calls `_launch_specially`.
void defineSubscript(pybind11::handle type);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_LAUNCHER_H
