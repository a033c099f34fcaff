// The result of every operation of the runtime that can fail: a code for
// programs and a message for people. Nothing here throws.
#ifndef TILEWRIGHT_RUNTIME_CORE_STATUS_H
#define TILEWRIGHT_RUNTIME_CORE_STATUS_H

#include <cassert>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tilewright::runtime {

/// Same values as `tw_status` in tilewright-c/runtime.h.
enum class StatusCode : int {
  Ok = 0,
  /// The caller passed an argument that can never work.
  InvalidArgument = 1,
  /// A named thing (kernel, entry, symbol) does not exist.
  NotFound = 2,
  /// This machine lacks something: a driver, a device, a readable cache.
  Unavailable = 3,
  /// Present, but too old or too small for the request.
  Unsupported = 4,
  /// Host or device memory is exhausted.
  OutOfMemory = 5,
  /// The file system reported an error.
  Io = 6,
  /// The device's driver reported an error.
  Driver = 7,
  /// A `tile.assert` of a running kernel failed.
  KernelAssert = 8,
  /// A defect of the runtime itself.
  Internal = 9,
  /// The program asked for the call to end early.
  Interrupted = 10,
};

/// A pointer, null on success: success costs a launch nothing.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode code, std::string message)
      : failure(new Failure{code, std::move(message)}) {}
  Status(const Status &other)
      : failure(other.failure ? new Failure(*other.failure) : nullptr) {}
  Status(Status &&) = default;
  Status &operator=(const Status &other) { return *this = Status(other); }
  Status &operator=(Status &&) = default;

  static Status success() { return {}; }

  bool ok() const { return !failure; }
  StatusCode code() const { return failure ? failure->code : StatusCode::Ok; }
  /// Empty on success.
  const std::string &message() const;

private:
  struct Failure {
    StatusCode code;
    std::string message;
  };
  std::unique_ptr<const Failure> failure;
};

/// A value, or the status of the failure.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : held(std::move(value)) {}
  Result(Status status) : failure(std::move(status)) {
    assert(!failure.ok() && "a result without a value needs a reason");
  }

  bool ok() const { return held.has_value(); }
  const Status &status() const { return failure; }

  T &operator*() { return *held; }
  const T &operator*() const { return *held; }
  T *operator->() { return &*held; }
  const T *operator->() const { return &*held; }

private:
  std::optional<T> held;
  Status failure;
};

/// Sets the error that `tw_last_error` reports, one per thread.
void setLastError(const Status &status);
const Status &lastError();

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_STATUS_H
