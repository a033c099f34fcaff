// Which context a call of ours works in.
#ifndef TILEWRIGHT_RUNTIME_CUDA_CONTEXT_H
#define TILEWRIGHT_RUNTIME_CUDA_CONTEXT_H

#include "runtime/cuda/CudaDriver.h"

namespace tilewright::runtime::cuda {

/// Makes a context current while the object lives, and leaves the caller's
/// context stack as it was.
class ContextScope {
public:
  /// The caller's current context where it belongs to `ordinal`, else the
  /// device's primary context.
  static Result<ContextScope> enter(const Driver &driver, int ordinal);

  /// Exactly this context.
  static Result<ContextScope> enter(const Driver &driver,
                                    ContextHandle context);

  ContextScope(ContextScope &&other) noexcept
      : driver(other.driver), active(other.active),
        pushed(std::exchange(other.pushed, false)) {}
  ContextScope &operator=(ContextScope &&) = delete;
  ~ContextScope();

  ContextHandle context() const { return active; }

private:
  ContextScope(const Driver &driver, ContextHandle active, bool pushed)
      : driver(&driver), active(active), pushed(pushed) {}

  const Driver *driver;
  ContextHandle active;
  bool pushed;
};

/// The device of the caller's current context; 0 when it has none.
Result<int> currentDevice(const Driver &driver);

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_CONTEXT_H
