// Selects the context of a runtime call.
#ifndef TILEWRIGHT_RUNTIME_CUDA_CONTEXT_H
#define TILEWRIGHT_RUNTIME_CUDA_CONTEXT_H

#include "runtime/cuda/CudaDriver.h"

namespace tilewright::runtime::cuda {

/// Makes a context current during its lifetime and then restores the caller's
/// context stack.
class ContextScope {
public:
  /// Enters the caller's current context if it belongs to `ordinal`, else the
  /// device's primary context.
  static Result<ContextScope> enter(const Driver &driver, int ordinal);

  /// Enters exactly this context.
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

/// Returns the device of the caller's current context; 0 if it has none.
Result<int> currentDevice(const Driver &driver);

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_CONTEXT_H
