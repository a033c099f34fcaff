#include "python/launcher/CurrentStream.h"

#include <vector>

namespace py = pybind11;

namespace tilewright::python {

static std::vector<CurrentStream> &streams() {
  thread_local std::vector<CurrentStream> entered;
  return entered;
}

std::atomic<size_t> enteredStreams = 0;

const CurrentStream *innermostStream(int device) {
  std::vector<CurrentStream> &entered = streams();
  for (auto at = entered.rbegin(); at != entered.rend(); ++at)
    if (at->device == device)
      return &*at;
  return nullptr;
}

void appendToRecorded(int device, py::handle kernel) {
  for (const CurrentStream &entered : streams())
    if (entered.device == device && entered.recorded &&
        PyList_Append(entered.recorded, kernel.ptr()) != 0)
      throw py::error_already_set();
}

void enterStream(int device, void *handle, py::object object,
                 py::object recorded) {
  streams().push_back(
      {device, handle, object.release().ptr(),
       recorded.is_none() ? nullptr : recorded.release().ptr()});
  ++enteredStreams;
}

void leaveStream() {
  if (streams().empty())
    return;
  const CurrentStream left = streams().back();
  streams().pop_back();
  --enteredStreams;
  Py_DECREF(left.object);
  Py_XDECREF(left.recorded);
}

} // namespace tilewright::python
