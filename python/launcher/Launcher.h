// `kernel[grid]`: a callable that holds a grid. Its calls come in by
// vectorcall, which spares the tuple and the dict that a plain call would
// build.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_LAUNCHER_H
#define TILEWRIGHT_PYTHON_LAUNCHER_LAUNCHER_H

#include "python/launcher/Dispatcher.h"

namespace tilewright::python {

/// Makes the type. Called once, when the module is loaded.
void initLauncherType();

/// A callable that does what `form` says, over `grid` where it has one, and
/// keeps the Python object `owner` of `dispatcher` alive.
pybind11::object makeLauncher(Dispatcher &dispatcher, pybind11::object owner,
                              pybind11::object grid, LaunchForm form);

/// A callable that takes a grid and gives the launcher for it.
pybind11::object makeLauncherFactory(Dispatcher &dispatcher,
                                     pybind11::object owner);

/// Gives the class of kernels a `__getitem__` that runs no Python where a
/// kernel has such a callable in its slot `_launcher` and none of its
/// `pre_run_hooks`; else it calls `_launch_specially`.
void defineSubscript(pybind11::handle type);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_LAUNCHER_H
