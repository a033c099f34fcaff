// The grid of a launch, converted from Python.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_GRID_H
#define TILEWRIGHT_PYTHON_LAUNCHER_GRID_H

#include <Python.h>

#include <array>
#include <cstdint>

namespace tilewright::python {

using Grid = std::array<int64_t, 3>;

/// The grid of a launcher: the Python object, and its extents once they were
/// read from an immutable object.
struct GivenGrid {
  PyObject *object;
  Grid dims;
  bool isRead;
};

/// Reads an int, or a tuple or list of one to three; missing extents are 1.
/// Sets a Python error that names `kernel` and returns false for other values,
/// and for extents that are negative or exceed the limits of all devices.
bool readGrid(PyObject *value, const char *kernel, Grid &grid);

/// Whether `readGrid` always returns the same for it.
bool isConstantGrid(PyObject *value);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_GRID_H
