// Calls of one kernel: from Python arguments to a launch without running any
// Python where the kernel has been compiled for such arguments before.
#ifndef TILEWRIGHT_PYTHON_RUNTIME_DISPATCHER_H
#define TILEWRIGHT_PYTHON_RUNTIME_DISPATCHER_H

#include "python/bindings/runtime/BoundLaunch.h"
#include "python/bindings/runtime/KernelTable.h"

namespace tilewright::python {

class Dispatcher {
public:
  /// `compiler` is a Python object with the methods that the rare cases need:
  ///   compile(values, specs, options, device, load)
  ///                         -> (compiled, LoadedKernel or None, written,
  ///                             takes extents)
  ///   extents(arrays) -> their begins and ends
  ///   reject_arguments(args, kwargs)   raises for arguments that do not fit
  ///   call_structured(form, grid, args, kwargs)         runs a call with an
  ///                                    argument that is several values
  ///   stream_handle(stream) -> int     for streams that are no int
  Dispatcher(Signature signature, pybind11::object compiler)
      : signature(std::move(signature)), compiler(std::move(compiler)) {}

  /// Runs the kernel over `grid`, or only compiles it if that is null. Takes
  /// arguments in vectorcall form; gives the compiled kernel, or null with a
  /// Python error set.
  PyObject *call(PyObject *grid, PyObject *const *args, size_t count,
                 PyObject *keywordNames);

  /// A `BoundLaunch` over `grid`, or null with a Python error set.
  PyObject *bind(PyObject *grid, PyObject *const *args, size_t count,
                 PyObject *keywordNames);

  size_t size() const { return table.size(); }
  void clear() { table.clear(); }

private:
  const KernelVariant *variantFor(const Call &call, bool load);
  pybind11::tuple compile(const Call &call, bool load, bool aligned) const;
  const KernelVariant *compile(const Call &call, const CallKey &key, bool load);
  bool resolveGrid(PyObject *grid, const Call &call, Grid &sides) const;
  PyObject *callStructured(const char *form, PyObject *grid,
                           PyObject *const *args, size_t count,
                           PyObject *keywordNames) const;
  StreamChoice streamOf(const Call &call) const;
  const KernelVariant *prepare(PyObject *grid, PyObject *const *args,
                               size_t count, PyObject *keywordNames, Call &call,
                               Grid &sides, bool load);
  size_t addExtents(const Call &call, uint64_t *slots) const;
  size_t packSlots(const Call &call, const KernelVariant &variant,
                   uint64_t *slots) const;
  const LoadedKernel &plainVariant(const Call &call,
                                   const KernelVariant &variant) const;
  bool checkWritable(const Call &call, const KernelVariant &variant) const;
  bool launch(const Call &call, const KernelVariant &variant,
              const Grid &grid) const;
  void rejectArguments(PyObject *const *args, size_t count,
                       PyObject *keywordNames) const;

  Signature signature;
  pybind11::object compiler;
  KernelTable table;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_RUNTIME_DISPATCHER_H
