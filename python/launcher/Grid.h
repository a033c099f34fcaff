// The grid of a launch, as Python gives it.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_GRID_H
#define TILEWRIGHT_PYTHON_LAUNCHER_GRID_H

#include <Python.h>

#include <array>
#include <cstdint>

namespace tilewright::python {

using Grid = std::array<int64_t, 3>;

/// The grid of a launcher: what Python gave, and its sides once they were read
/// from what cannot change any more.
struct GivenGrid {
  PyObject *object;
  Grid sides;
  bool isRead;
};

/// Reads an int, or a tuple or list of one to three; missing sides are 1. Sets
/// a Python error that names `kernel` and returns false for anything else and
/// for sides that are negative or beyond what every device allows.
bool readGrid(PyObject *value, const char *kernel, Grid &grid);

/// Whether what `readGrid` gives for it stays the same.
bool isConstantGrid(PyObject *value);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_GRID_H
