// The stream that `with tilewright.Stream():` makes current, per thread.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_CURRENTSTREAM_H
#define TILEWRIGHT_PYTHON_LAUNCHER_CURRENTSTREAM_H

#include <pybind11/pybind11.h>

#include <atomic>

namespace tilewright::python {

struct CurrentStream {
  int device;
  void *handle;
  /// The Python object, which keeps the stream alive.
  PyObject *object;
  /// A list for the kernels whose launches are recorded, which the graph keeps;
  /// null if the stream is not captured.
  PyObject *recorded;
};

/// The number of entered streams in all threads. It is usually zero, and then
/// launches skip the lookup in thread-local storage.
extern std::atomic<size_t> enteredStreams;

/// Returns the innermost stream of this thread on the device; null if there is
/// none.
const CurrentStream *innermostStream(int device);

inline const CurrentStream *currentStream(int device) {
  return enteredStreams.load(std::memory_order_relaxed)
             ? innermostStream(device)
             : nullptr;
}

/// Appends the owner of a kernel that is about to be launched to the lists of
/// this thread's captures on the device.
void appendToRecorded(int device, pybind11::handle kernel);

inline void keepForGraph(int device, pybind11::handle kernel) {
  if (enteredStreams.load(std::memory_order_relaxed))
    appendToRecorded(device, kernel);
}

/// `recorded` is a list, or None for a stream that is not captured.
void enterStream(int device, void *handle, pybind11::object object,
                 pybind11::object recorded);
/// Leaves the innermost stream; does nothing if there is none.
void leaveStream();

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_CURRENTSTREAM_H
