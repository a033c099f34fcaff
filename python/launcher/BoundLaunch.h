// `kernel.bind(grid, ...)`: a launch with its grid and arguments, ready to be
// queued. A call of it reads no array. It runs Python only if a guard of the
// kernel fails, and then binds again.
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

/// The stream of a call's launches: the given one, else the current one of
/// `tilewright.Stream`, else that of the library that made the arrays.
struct StreamChoice {
  Device device = {};
  bool isGiven = false;
  void *stream = nullptr;
  /// The library that is asked for its current stream; null if no array came
  /// from one.
  const dlpack::ExchangeApi *library = nullptr;

  /// Returns null on the CPU. Throws the errors of the library.
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
  /// Keeps the arguments alive.
  pybind11::object arguments;
  pybind11::object loadedOwner;
  /// Keeps the given stream alive.
  pybind11::object givenStream;
  const LoadedKernel *loaded = nullptr;
  Grid grid = {};
  StreamChoice stream;
  std::vector<const OwnArray *> ours;
  /// The kernel's arguments, for the CPU.
  std::vector<uint64_t> slots;
  tw_cuda_bound *onGpu = nullptr;
};

/// Creates the type. Called once, when the module is loaded.
void initBoundLaunchType();

/// Returns the callable.
pybind11::object makeBoundLaunch(std::unique_ptr<BoundLaunch> launch);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_BOUNDLAUNCH_H
