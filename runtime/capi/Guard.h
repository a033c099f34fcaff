// Wrappers for all functions of the C interface.
#ifndef TILEWRIGHT_RUNTIME_CAPI_GUARD_H
#define TILEWRIGHT_RUNTIME_CAPI_GUARD_H

#include "runtime/core/Status.h"
#include "tilewright-c/runtime.h"

#include <exception>
#include <new>

namespace tilewright::runtime::capi {

/// Records a failure for tw_last_error and gives its code.
inline tw_status report(const Status &status) {
  if (!status.ok())
    setLastError(status);
  return static_cast<tw_status>(status.code());
}

/// Runs `body`, which returns a Status. The runtime itself throws nothing, but
/// the standard library throws if memory is exhausted. No exception may leave a
/// C function.
template <typename Body> tw_status guarded(Body body) noexcept {
  try {
    return report(body());
  } catch (const std::bad_alloc &) {
    return report(Status(StatusCode::OutOfMemory, "out of memory"));
  } catch (const std::exception &error) {
    return report(Status(StatusCode::Internal, error.what()));
  }
}

/// Same for a body with a result, which goes to `*out` on success.
template <typename Out, typename Body>
tw_status guardedInto(Out *out, Body body) noexcept {
  return guarded([&]() -> Status {
    auto result = body();
    if (!result.ok())
      return result.status();
    *out = static_cast<Out>(*result);
    return Status::success();
  });
}

} // namespace tilewright::runtime::capi

#endif // TILEWRIGHT_RUNTIME_CAPI_GUARD_H
