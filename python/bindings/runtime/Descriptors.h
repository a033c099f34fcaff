// Calls with tensor descriptors: each stands for an array and the ints of its
// shape and strides, which the kernel takes as arguments of their own.
#ifndef TILEWRIGHT_PYTHON_RUNTIME_DESCRIPTORS_H
#define TILEWRIGHT_PYTHON_RUNTIME_DESCRIPTORS_H

#include "python/bindings/runtime/Call.h"

namespace tilewright::python {

/// A call with the parts of its descriptors in their place. Nothing of it is on
/// the heap, which would be asked at each launch.
struct FlatCall {
  // Not defaulted, which would zero it all.
  FlatCall() {}
  ~FlatCall();
  FlatCall(const FlatCall &) = delete;
  FlatCall &operator=(const FlatCall &) = delete;

  Call call;
  /// For each parameter what its descriptor says beside the parts: the number
  /// of sides, the padding, the sides of a block; 0 for any other argument.
  int64_t key[kMaxParameters];
  size_t keySize = 0;
  /// What the parts belong to.
  PyObject *kept[kMaxParameters];
  size_t keptCount = 0;
};

/// The descriptors of a call, which the next one mostly passes again: then
/// their numbers are compared and not read.
class KnownDescriptors {
public:
  /// Puts the parts of the descriptors of `call` into `flat` as
  /// `flattenDescriptors` does, but for the key; the numbers are there while a
  /// `Use` lives. False, without a Python error, where something is not as it
  /// was.
  bool match(const Signature &signature, const Call &call,
             FlatCall &flat) const;
  /// Remembers those of a flat call that was read. False where it cannot.
  bool learn(const Signature &signature, const FlatCall &flat);
  void forget() { isKnown = false; }

  /// What `signature`, that of the parts, need not read.
  const std::vector<ReadIntegers> &integers() const { return read; }

  /// While it lives they stay as they are: a function for the grid, or an array
  /// that is asked for its address, may launch the kernel, too.
  class Use {
  public:
    explicit Use(KnownDescriptors &known) : known(known) { ++known.uses; }
    ~Use() { --known.uses; }
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;

  private:
    KnownDescriptors &known;
  };

private:
  struct Numbers {
    size_t rank = 0;
    bool isNaN = false;
    /// Shape, strides but for the last one, and sides of the block, and of
    /// all but the block the objects, which are mostly passed again.
    int64_t values[ReadIntegers::kMax + 5];
    pybind11::object objects[ReadIntegers::kMax + 5];

    bool has(PyObject *const *ints, size_t count, size_t first) const;
  };
  class Matcher;

  bool isKnown = false;
  size_t uses = 0;
  std::vector<Numbers> numbers;
  std::vector<ReadIntegers> read;
};

/// False, without a Python error, where something else is structured, or a
/// descriptor is not made of lists or tuples of ints: then it is not for here.
bool flattenDescriptors(const Signature &signature, const Call &call,
                        FlatCall &flat);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_RUNTIME_DESCRIPTORS_H
