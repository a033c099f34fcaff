// `kernel.bind(grid, ...)`: a launch with its grid and arguments, which is all
// but queued. A call of it reads no array, and runs no Python unless a guard of
// the kernel fails: then it is bound again.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_BOUNDLAUNCH_H
#define TILEWRIGHT_PYTHON_LAUNCHER_BOUNDLAUNCH_H

#include "python/launcher/Call.h"
#include "python/launcher/CurrentStream.h"
#include "python/launcher/Grid.h"
#include "python/launcher/Guards.h"
#include "python/launcher/LoadedKernel.h"

#include <memory>
#include <vector>

namespace tilewright::python {

/// Where the launches of a call go: the stream that was given, else the current
/// one of ours, else that of the library that made the arrays.
struct StreamChoice {
  Device device = {};
  bool isGiven = false;
  void *stream = nullptr;
  /// Asked for its current stream, where arrays came by it.
  const dlpack::ExchangeApi *library = nullptr;

  /// Null on the CPU. Throws what the library raises.
  [[gnu::always_inline]] void *resolve() const {
    if (device.kind != DeviceKind::Cuda)
      return nullptr;
    if (isGiven)
      return stream;
    if (const CurrentStream *current = currentStream(device.index))
      return current->handle;
    if (!library)
      return stream;
    void *current = nullptr;
    if (library->currentStream(dlpack::kCuda, device.index, &current) != 0)
      throw pybind11::error_already_set();
    return current;
  }
};

struct BoundLaunch {
  ~BoundLaunch() { tw_cuda_bound_free(onGpu); }

  pybind11::object compiled;
  Guards guards;
  /// The arguments, which are kept as long as the object.
  pybind11::object arguments;
  pybind11::object loadedOwner;
  /// The stream that was given, which is kept, too.
  pybind11::object givenStream;
  const LoadedKernel *loaded = nullptr;
  Grid grid = {};
  StreamChoice stream;
  std::vector<const OwnArray *> ours;
  /// The kernel's arguments, for the CPU.
  std::vector<uint64_t> slots;
  tw_cuda_bound *onGpu = nullptr;
};

/// Makes the type. Called once, when the module is loaded.
void initBoundLaunchType();

/// The callable.
pybind11::object makeBoundLaunch(std::unique_ptr<BoundLaunch> launch);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_BOUNDLAUNCH_H
