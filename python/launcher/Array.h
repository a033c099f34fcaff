// Reads arrays of any library by the cheapest protocol of their type.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_ARRAY_H
#define TILEWRIGHT_PYTHON_LAUNCHER_ARRAY_H

#include "python/launcher/Argument.h"
#include "python/launcher/DLPack.h"

namespace tilewright::python {

enum class Protocol : uint8_t {
  NotAnArray,
  /// A table of C functions on the type: runs no Python code.
  DLPackExchange,
  CudaInterface,
  Buffer,
  ArrayInterface,
  DLPack,
  /// Only methods and attributes: `data_ptr()`, `dtype`, `device`.
  DataPointer,
};

/// The protocol of a type's objects.
struct ArrayReader {
  Protocol protocol = Protocol::NotAnArray;
  const dlpack::ExchangeApi *exchange = nullptr;
  /// JAX may still be computing an array when it is passed, and its arrays are
  /// read-only. No protocol reports that.
  bool isOfJax = false;
  /// Derived from `torch.Tensor`.
  bool isOfTorch = false;
};

/// Inspects only the type's attributes; the caller caches the result.
ArrayReader arrayReaderFor(PyTypeObject *type);

/// Reads element type, device and address of a tensor. Returns false with a
/// Python error set.
bool readTensor(const dlpack::Tensor &tensor, const ArgumentName &name,
                Argument &argument);

/// Fills in all of `argument` except its hint. Returns false with a Python
/// error set.
bool readArray(const ArrayReader &reader, PyObject *array,
               const ArgumentName &name, Argument &argument);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_ARRAY_H
