// Calls with tensor descriptors: each stands for an array and the ints of its
// shape and strides, which the kernel takes as arguments of their own.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_DESCRIPTORS_H
#define TILEWRIGHT_PYTHON_LAUNCHER_DESCRIPTORS_H

#include "python/launcher/Call.h"

#include <optional>

namespace tilewright::python {

/// A call with the parts of its descriptors in their place.
struct FlatCall {
  // Not defaulted, as that of the call.
  FlatCall() {}

  Call call;
  /// For each parameter what its descriptor says beside the parts: the number
  /// of sides, the padding, the sides of a block; 0 for any other argument.
  int64_t key[kMaxParameters];
  size_t keySize = 0;
};

/// What a descriptor said beside its array. The next call mostly passes one
/// that says the same: then its numbers are compared and not read.
class KnownDescriptor {
public:
  /// Of the one whose entry in `key` of a flat call begins at `next`, which
  /// moves behind it; `parts` are the objects that stand for its shape and all
  /// strides but the last. Nothing where that cannot be compared.
  static std::optional<KnownDescriptor> make(const int64_t *&next,
                                             PyObject *const *parts);

  /// Whether a descriptor says the same; then `base` is its array, borrowed.
  bool isSaidBy(PyObject *descriptor, PyObject *&base) const;

  /// Of the objects in `parts`.
  size_t partCount() const { return 2 * rank - 1; }

private:
  static constexpr size_t kMaxRank = 5;

  bool hasNumbers(PyObject *const *ints, size_t count, size_t first) const;

  size_t rank = 0;
  bool isNaN = false;
  /// Shape, strides but for the last one, and sides of the block, and of all
  /// but the block the objects, which are mostly passed again.
  int64_t values[3 * kMaxRank - 1];
  pybind11::object objects[3 * kMaxRank - 1];
};

/// False, without a Python error, where something else is structured, or a
/// descriptor is not made of lists or tuples of ints: then it is not for here.
bool flattenDescriptors(const Signature &signature, const Call &call,
                        FlatCall &flat);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_DESCRIPTORS_H
