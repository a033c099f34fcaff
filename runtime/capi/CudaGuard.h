// Wrappers for the functions of the C interface that need the driver.
#ifndef TILEWRIGHT_RUNTIME_CAPI_CUDAGUARD_H
#define TILEWRIGHT_RUNTIME_CAPI_CUDAGUARD_H

#include "runtime/capi/Guard.h"
#include "runtime/cuda/CudaDriver.h"

namespace tilewright::runtime::capi {

inline cuda::StreamHandle streamOf(void *stream) {
  return static_cast<cuda::StreamHandle>(stream);
}

inline cuda::EventHandle eventOf(void *event) {
  return static_cast<cuda::EventHandle>(event);
}

/// Runs `body` with the process's driver and returns its status.
template <typename Body> tw_status withDriver(Body body) noexcept {
  return guarded([&]() -> Status {
    Result<const cuda::Driver *> driver = cuda::Driver::get();
    if (!driver.ok())
      return driver.status();
    return body(**driver);
  });
}

/// Same for a body with a result, which goes to `*out` on success.
template <typename Out, typename Body>
tw_status withDriverInto(Out *out, Body body) noexcept {
  return withDriver([&](const cuda::Driver &driver) -> Status {
    auto result = body(driver);
    if (!result.ok())
      return result.status();
    *out = static_cast<Out>(*result);
    return Status::success();
  });
}

} // namespace tilewright::runtime::capi

#endif // TILEWRIGHT_RUNTIME_CAPI_CUDAGUARD_H
