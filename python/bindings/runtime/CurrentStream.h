// The stream that `with tilewright.Stream():` makes current, for each thread.
#ifndef TILEWRIGHT_PYTHON_RUNTIME_CURRENTSTREAM_H
#define TILEWRIGHT_PYTHON_RUNTIME_CURRENTSTREAM_H

#include <pybind11/pybind11.h>

namespace tilewright::python {

struct CurrentStream {
  int device;
  void *handle;
  /// The Python object, which keeps the stream alive.
  PyObject *object;
};

/// The innermost one of the device; null if there is none.
const CurrentStream *currentStream(int device);

void enterStream(int device, void *handle, pybind11::object object);
/// Leaves the innermost one; does nothing where there is none.
void leaveStream();

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_RUNTIME_CURRENTSTREAM_H
