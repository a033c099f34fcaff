// `kernel[grid]`: a callable that holds a grid. Its calls come in by
// vectorcall, which spares the tuple and the dict that a plain call would
// build.
#ifndef TILEWRIGHT_PYTHON_RUNTIME_LAUNCHER_H
#define TILEWRIGHT_PYTHON_RUNTIME_LAUNCHER_H

#include "python/bindings/runtime/Dispatcher.h"

namespace tilewright::python {

/// Makes the type. Called once, when the module is loaded.
void initLauncherType();

/// What a call of the object does.
enum class LauncherForm { Launch, Bind };

/// A launcher of `dispatcher`, kept alive by its Python object `owner`. A null
/// grid gives one that only compiles; `Bind`, one that gives a bound launch.
pybind11::object makeLauncher(Dispatcher &dispatcher, pybind11::object owner,
                              pybind11::object grid,
                              LauncherForm form = LauncherForm::Launch);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_RUNTIME_LAUNCHER_H
