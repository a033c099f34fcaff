// Records of a kernel's last launches. The next launch usually resembles one of
// them: then its arguments are compared with the record, without any lookup.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_LAUNCHRECORD_H
#define TILEWRIGHT_PYTHON_LAUNCHER_LAUNCHRECORD_H

#include "python/launcher/Descriptors.h"
#include "python/launcher/KernelTable.h"
#include "python/launcher/TorchTensor.h"
#include "python/launcher/TypeInfo.h"

namespace tilewright::python {

/// A call whose arguments were read.
struct ReadCall {
  const GivenArguments &given;
  const Signature &signature;
  const Call &call;
  /// The signature and call with descriptors replaced by their parts, as `key`
  /// describes them. The same as the call's own if it has none.
  const Signature &parts;
  const Call &partsCall;
  const int64_t *key = nullptr;
  /// The owner of `parts`; null for the owner of the signature.
  pybind11::object partsOwner = {};
};

/// The properties of an argument that launch the same kernel. Each property
/// that selects a kernel is compared or follows from compared ones.
struct ExpectedArgument {
  enum Way : uint8_t {
    /// A tensor of torch, read by its getters.
    Tensor,
    OwnArray,
    Integer,
    /// A compile-time value, or an argument that is handled as one.
    Constant,
    Descriptor,
    /// The option with the stream.
    Stream,
    /// Read in full, like an argument of an unknown call.
    Other,
  };
  struct Reading {
    const Parameter *parameter;
    const TypeInfo *info;
  };

  /// Whether an address has the alignment that the kernel assumes and the
  /// device requires.
  bool hasAddress(uint64_t address) const {
    return (address & zeros) == 0 && !(isOdd && address % 16 == 0);
  }

  PyTypeObject *type = nullptr;
  union {
    TensorFacts facts;
    Reading reading;
    PyObject *constant = nullptr;
  };
  ArgumentKey key = {};
  /// The index of its value among those of the launch, or of a descriptor among
  /// those of the call.
  uint16_t slot = 0;
  Way way = Constant;
  /// Number of low bits of the address that are zero.
  uint8_t zeros = 0;
  /// The address is not a multiple of 16 bytes.
  bool isOdd = false;
  bool readOnly = false;
};
static_assert(sizeof(ExpectedArgument) == 32, "two on a line of the cache");

class LaunchRecord {
public:
  /// Returns nothing for calls whose arguments alone do not determine the
  /// launch.
  static std::optional<LaunchRecord> make(const ReadCall &read,
                                          const KernelVariant &variant);

  /// Whether a call launches the same kernel, whose guards hold; then its
  /// values are in `passed`. Compares argument number `unlike` first, if there
  /// is one. Sets `unlike` to the first argument that differs. Leaves no Python
  /// error; throws errors of reading arguments.
  bool matches(const GivenArguments &given, Passed &passed,
               size_t &unlike) const;

  const ReadyKernel &kernel() const { return launched; }
  const Device &device() const { return launchedOn; }

private:
  class Maker;
  struct KnownArray {
    KnownDescriptor descriptor;
    ExpectedArgument base;
  };
  struct Value {
    uint16_t slot;
    uint64_t bits;
  };

  bool hasNames(const GivenArguments &given) const;
  size_t firstUnlike(PyObject *const *value, const TorchTensors *torch,
                     Passed &passed) const;
  bool matchesTensor(const ExpectedArgument &expected, PyObject *value,
                     const TorchTensors *torch, Passed &passed) const;
  bool matchesOwn(const ExpectedArgument &expected, PyObject *value,
                  Passed &passed) const;
  bool matchesOther(const ExpectedArgument &expected, PyObject *value,
                    Passed &passed) const;
  bool matchesDescriptor(const ExpectedArgument &expected, PyObject *value,
                         const TorchTensors *torch, Passed &passed) const;
  bool matchesArgument(const ExpectedArgument &expected, PyObject *value,
                       const TorchTensors *torch, Passed &passed) const;

  /// For each argument, in the order of the call.
  std::vector<ExpectedArgument> expected;
  size_t positional = 0;
  pybind11::object names;
  size_t slotCount = 0;
  const dlpack::ExchangeApi *library = nullptr;
  Device launchedOn = {};
  ReadyKernel launched;
  /// Values that follow from equal arguments and from defaults.
  std::vector<Value> values;
  std::vector<KnownArray> arrays;
  std::vector<pybind11::object> constants;
  const char *kernelName = nullptr;
  pybind11::object partsOwner;
  mutable Guards guards;
};

/// The records of one kernel. A search begins with the last record and
/// continues with those after it: calls that alternate find theirs at once.
class LaunchRecords {
public:
  /// Returns null if the call matches none. The result is valid until Python
  /// runs.
  const LaunchRecord *find(const GivenArguments &given, Passed &passed);

  void add(std::optional<LaunchRecord> record);
  void clear() {
    records.clear();
    last = oldest = 0;
  }

private:
  static constexpr size_t kMost = 32;
  using Records = Clearable<std::vector<LaunchRecord>>;

  Records records;
  /// The record that was found or added last, and the next one to replace.
  size_t last = 0, oldest = 0;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_LAUNCHRECORD_H
