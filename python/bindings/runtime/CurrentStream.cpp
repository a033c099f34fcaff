#include "python/bindings/runtime/CurrentStream.h"

#include <vector>

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

void enterStream(int device, void *handle, pybind11::object object) {
  streams().push_back({device, handle, object.release().ptr()});
  ++enteredStreams;
}

void leaveStream() {
  if (streams().empty())
    return;
  PyObject *object = streams().back().object;
  streams().pop_back();
  --enteredStreams;
  Py_DECREF(object);
}

} // namespace tilewright::python
