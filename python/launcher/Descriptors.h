// Calls with tensor descriptors. Each consists of an array and the ints of its
// shape and strides, which become arguments of their own.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_DESCRIPTORS_H
#define TILEWRIGHT_PYTHON_LAUNCHER_DESCRIPTORS_H

#include "python/launcher/Call.h"

#include <optional>

namespace tilewright::python {

/// A call whose descriptors are replaced by their parts.
struct FlatCall {
  // Not defaulted: see Call.
  FlatCall() {}

  Call call;
  /// For each parameter, the compile-time properties of its descriptor: rank,
  /// padding, block shape; 0 for any other argument.
  int64_t key[kMaxParameters];
  size_t keySize = 0;
};

/// The properties of a descriptor except its array. The next call usually
/// passes an equal one: then its numbers are compared instead of read.
class KnownDescriptor {
public:
  /// Reads the descriptor whose entry in the `key` of a flat call begins at
  /// `next`, and advances `next`. `parts` are the objects of its shape and of
  /// all strides except the last. Returns nothing if they cannot be compared.
  static std::optional<KnownDescriptor> make(const int64_t *&next,
                                             PyObject *const *parts);

  /// Whether a descriptor has the same properties; then `base` is its array,
  /// borrowed.
  bool isSaidBy(PyObject *descriptor, PyObject *&base) const;

  /// The number of objects in `parts`.
  size_t partCount() const { return 2 * rank - 1; }

private:
  static constexpr size_t kMaxRank = 5;

  bool hasNumbers(PyObject *const *ints, size_t count, size_t first) const;

  size_t rank = 0;
  bool isNaN = false;
  /// Shape, strides except the last one, and block shape. `objects` are those
  /// of shape and strides, which the next call usually passes again.
  int64_t values[3 * kMaxRank - 1];
  pybind11::object objects[3 * kMaxRank - 1];
};

/// Returns false, without a Python error, if another argument is structured, or
/// if a descriptor's parts are not lists or tuples of ints. Such calls take the
/// slow path.
bool flattenDescriptors(const Signature &signature, const Call &call,
                        FlatCall &flat);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_DESCRIPTORS_H
