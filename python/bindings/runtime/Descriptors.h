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

/// False, without a Python error, where something else is structured, or a
/// descriptor is not made of lists or tuples of ints: then it is not for here.
bool flattenDescriptors(const Signature &signature, const Call &call,
                        FlatCall &flat);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_RUNTIME_DESCRIPTORS_H
