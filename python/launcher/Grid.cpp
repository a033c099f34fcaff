#include "python/launcher/Grid.h"

namespace tilewright::python {

static bool readDim(PyObject *value, const char *kernel, int axis,
                    int64_t &extent) {
  static constexpr int64_t kLimits[3] = {INT32_MAX, 65535, 65535};
  // Arrays have an index, but only those of one int return it.
  const bool isIndex = PyIndex_Check(value) && !PyBool_Check(value);
  PyObject *index = isIndex ? PyNumber_Index(value) : nullptr;
  if (!index) {
    if (isIndex && !PyErr_ExceptionMatches(PyExc_TypeError))
      return false;
    PyErr_Format(
        PyExc_TypeError, "grid of kernel %s() along %c is %R, not an int%s",
        kernel, "xyz"[axis], value,
        PyFloat_Check(value) ? "; tilewright.cdiv divides and rounds up" : "");
    return false;
  }
  int overflow = 0;
  extent = PyLong_AsLongLongAndOverflow(index, &overflow);
  Py_DECREF(index);
  if (extent < 0 && overflow <= 0) {
    PyErr_Format(PyExc_ValueError,
                 "grid of kernel %s() along %c is %R, a negative number",
                 kernel, "xyz"[axis], value);
    return false;
  }
  if (overflow || extent > kLimits[axis]) {
    PyErr_Format(
        PyExc_ValueError,
        "grid of kernel %s() along %c is %R, but at most %lld programs "
        "are allowed there",
        kernel, "xyz"[axis], value, static_cast<long long>(kLimits[axis]));
    return false;
  }
  return true;
}

bool readGrid(PyObject *value, const char *kernel, Grid &grid) {
  grid = {1, 1, 1};
  if (PyIndex_Check(value))
    return readDim(value, kernel, 0, grid[0]);
  if (!PyTuple_Check(value) && !PyList_Check(value)) {
    PyErr_Format(PyExc_TypeError,
                 "grid of kernel %s() is %R; it is an int, one to three ints, "
                 "or a function of the arguments that returns them",
                 kernel, value);
    return false;
  }
  const Py_ssize_t rank = PySequence_Fast_GET_SIZE(value);
  if (rank < 1 || rank > 3) {
    PyErr_Format(PyExc_ValueError,
                 "grid of kernel %s() has %zd dimensions, not one to three",
                 kernel, rank);
    return false;
  }
  for (Py_ssize_t axis = 0; axis < rank; ++axis)
    if (!readDim(PySequence_Fast_GET_ITEM(value, axis), kernel,
                 static_cast<int>(axis), grid[axis]))
      return false;
  return true;
}

bool isConstantGrid(PyObject *value) {
  if (!PyTuple_CheckExact(value))
    return PyLong_CheckExact(value);
  for (Py_ssize_t axis = 0; axis < PyTuple_GET_SIZE(value); ++axis)
    if (!PyLong_CheckExact(PyTuple_GET_ITEM(value, axis)))
      return false;
  return true;
}

} // namespace tilewright::python
