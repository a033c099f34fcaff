// Arrays of any library, read by the protocol that is cheapest for their type.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_ARRAY_H
#define TILEWRIGHT_PYTHON_LAUNCHER_ARRAY_H

#include "python/launcher/Argument.h"
#include "python/launcher/DLPack.h"

namespace tilewright::python {

enum class Protocol : uint8_t {
  NotAnArray,
  /// A table of C functions on the type: no Python is run.
  DLPackExchange,
  CudaInterface,
  Buffer,
  ArrayInterface,
  DLPack,
  /// Methods and attributes alone: `data_ptr()`, `dtype`, `device`.
  DataPointer,
};

/// How to read the objects of a type.
struct ArrayReader {
  Protocol protocol = Protocol::NotAnArray;
  const dlpack::ExchangeApi *exchange = nullptr;
  /// JAX's arrays may still be computed when they are passed on, and nobody may
  /// write to them, of which none of the protocols tells.
  bool isOfJax = false;
  /// Derived from `torch.Tensor`.
  bool isOfTorch = false;
};

/// Looks at the type's attributes only; the caller remembers the answer.
ArrayReader arrayReaderFor(PyTypeObject *type);

/// Element type, device and address of a tensor. False with a Python error set.
bool readTensor(const dlpack::Tensor &tensor, const ArgumentName &name,
                Argument &argument);

/// Fills in all of `argument` but its hint. False with a Python error set.
bool readArray(const ArrayReader &reader, PyObject *array,
               const ArgumentName &name, Argument &argument);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_ARRAY_H
