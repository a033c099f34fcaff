// Streams, events and graphs that are ours to destroy.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_OWNEDHANDLE_H
#define TILEWRIGHT_PYTHON_LAUNCHER_OWNEDHANDLE_H

#include "python/launcher/StatusErrors.h"

namespace tilewright::python {

/// A handle of the driver, destroyed with the last that holds the object. No
/// `__del__` does it: of a cycle the collector finalises all objects before it
/// gives up the first, and some of the others may still need the handle.
template <tw_status (*destroy)(int, void *)> class OwnedHandle {
public:
  OwnedHandle(int device, void *handle) : device(device), handle(handle) {}
  // Fails only when the driver is gone, which has taken the handle along.
  ~OwnedHandle() { (void)destroy(device, handle); }
  OwnedHandle(const OwnedHandle &) = delete;
  OwnedHandle &operator=(const OwnedHandle &) = delete;

  void *get() const { return handle; }
  uintptr_t number() const { return reinterpret_cast<uintptr_t>(handle); }

private:
  int device;
  void *handle;
};

using OwnedStream = OwnedHandle<tw_cuda_stream_destroy>;
using OwnedEvent = OwnedHandle<tw_cuda_event_destroy>;
using OwnedGraph = OwnedHandle<tw_cuda_graph_destroy>;

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_OWNEDHANDLE_H
