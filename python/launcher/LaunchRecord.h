// The last launches of a kernel. The next one is mostly like one of them: then
// its arguments are compared with what those were like, and nothing is looked
// up.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_LAUNCHRECORD_H
#define TILEWRIGHT_PYTHON_LAUNCHER_LAUNCHRECORD_H

#include "python/launcher/Descriptors.h"
#include "python/launcher/KernelTable.h"
#include "python/launcher/TorchTensor.h"
#include "python/launcher/TypeInfo.h"

namespace tilewright::python {

/// A call that was read.
struct ReadCall {
  const GivenArguments &given;
  const Signature &signature;
  const Call &call;
  /// The same with the parts of descriptors in their place, of which `key`
  /// tells the others; the call itself where it has none.
  const Signature &parts;
  const Call &partsCall;
  const int64_t *key = nullptr;
  /// What `parts` belongs to; null for the owner of the signature.
  pybind11::object partsOwner = {};
};

/// What an argument has to be like for the same kernel to be launched. All that
/// a kernel is chosen by is either compared or follows from what is.
struct ExpectedArgument {
  enum Way : uint8_t {
    /// Of torch: read by its getters.
    Tensor,
    OwnArray,
    Integer,
    /// A compile-time value, or one that counts as that.
    Constant,
    Descriptor,
    /// The option that tells where to launch.
    Stream,
    /// Read as arguments are that were never seen before.
    Other,
  };
  struct Reading {
    const Parameter *parameter;
    const TypeInfo *info;
  };

  /// An array begins where this one did as far as the kernel goes by that, and
  /// where the device can read it.
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
  /// Of its value among those of the launch, or of a descriptor among those of
  /// the call.
  uint16_t place = 0;
  Way way = Constant;
  /// The bits of the address that are zero.
  uint8_t zeros = 0;
  /// The address is no multiple of 16 bytes.
  bool isOdd = false;
  bool readOnly = false;
};
static_assert(sizeof(ExpectedArgument) == 32, "two on a line of the cache");

class LaunchRecord {
public:
  /// Nothing for calls that are not told by their arguments alone.
  static std::optional<LaunchRecord> make(const ReadCall &read,
                                          const KernelVariant &variant);

  /// Whether a call launches the same kernel, whose guards hold; then what it
  /// passes is in `passed`. The argument with the number `unlike`, if there is
  /// one, is looked at first; it becomes that of the first that is unlike.
  /// Leaves no Python error; throws what reading arguments throws.
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
    uint16_t place;
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

  /// Of each argument, in the order in which they are given.
  std::vector<ExpectedArgument> expected;
  size_t positional = 0;
  pybind11::object names;
  size_t slotCount = 0;
  const dlpack::ExchangeApi *library = nullptr;
  Device launchedOn = {};
  ReadyKernel launched;
  /// What follows from arguments that are equal, and from defaults.
  std::vector<Value> values;
  std::vector<KnownArray> arrays;
  std::vector<pybind11::object> constants;
  const char *kernelName = nullptr;
  pybind11::object partsOwner;
  mutable Guards guards;
};

/// Those of one kernel. The last one comes first, and then those after it:
/// calls that take turns find theirs at once.
class LaunchRecords {
public:
  /// Null where the call is like none of them. What is found stays until Python
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
  /// The one that was found or added last, and the one that gives way next.
  size_t last = 0, oldest = 0;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_LAUNCHRECORD_H
