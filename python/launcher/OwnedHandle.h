// Streams, events and graphs that Tilewright destroys.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_OWNEDHANDLE_H
#define TILEWRIGHT_PYTHON_LAUNCHER_OWNEDHANDLE_H

#include "python/launcher/StatusErrors.h"

namespace tilewright::python {

/// A handle of the driver, destroyed with the last reference to the object.
/// `__del__` would be too early: the collector finalises all objects of a cycle
/// before it frees the first, and others may still need the handle.
template <tw_status (*destroy)(int, void *)> class OwnedHandle {
public:
  OwnedHandle(int device, void *handle) : device(device), handle(handle) {}
  // Fails only if the driver has shut down, which destroys the handle.
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
