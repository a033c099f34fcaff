// Failures of the runtime as Python exceptions.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_STATUSERRORS_H
#define TILEWRIGHT_PYTHON_LAUNCHER_STATUSERRORS_H

#include "tilewright-c/runtime.h"

#include <pybind11/pybind11.h>

namespace tilewright::python {

/// Returns the exception class for a status that is not TW_OK.
pybind11::object exceptionFor(tw_status status);

/// Sets the Python error for a status that is not TW_OK, with this thread's
/// last message of the runtime.
void setPythonError(tw_status status);

/// Throws that error; does nothing for TW_OK.
void check(tw_status status);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_STATUSERRORS_H
