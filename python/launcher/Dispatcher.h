// Calls of one kernel, from Python arguments to a launch. No Python code runs
// if the kernel has been compiled for such arguments before.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_DISPATCHER_H
#define TILEWRIGHT_PYTHON_LAUNCHER_DISPATCHER_H

#include "python/launcher/BoundLaunch.h"
#include "python/launcher/LaunchRecord.h"

namespace tilewright::python {

/// The action of a call.
enum class LaunchForm { Launch, Compile, Bind };

/// Called in a section of the Python object that it belongs to.
class Dispatcher {
public:
  /// `compiler` is a Python object with methods for the rare cases:
  ///   compile(values, specs, options, device, load)
  ///                         -> (compiled, LoadedKernel or None, written,
  ///                             takes extents, guards);
  ///   load(compiled, options, device) -> LoadedKernel: loads a kernel that was
  ///                                    only compiled;
  ///   extents(arrays) -> begin and end of each;
  ///   reject_arguments(args, kwargs): raises for arguments that do not fit;
  ///   reject_grid(function, names, error): raises for known mistakes of a
  ///                                    function for the grid;
  ///   call_structured(form, grid, args, kwargs): runs a call with a structured
  ///                                    argument;
  ///   inner_dispatcher(values) -> Dispatcher for the parts of structured
  ///                                    arguments;
  ///   stream_handle(stream) -> int, for streams that are not ints.
  Dispatcher(Signature signature, pybind11::object compiler)
      : signature(std::move(signature)), compiler(std::move(compiler)),
        table(this->signature) {}

  /// Launches, compiles or binds the kernel over `grid`, as `form` says. The
  /// object of `grid` is null if the kernel is only compiled. Takes arguments
  /// in vectorcall form. Returns the compiled kernel or the `BoundLaunch`, or
  /// null with a Python error set.
  PyObject *call(LaunchForm form, GivenGrid &grid, const GivenArguments &given);

  size_t size() const { return table.size(); }
  void clear() {
    table.clear();
    inner.clear();
    records.clear();
  }

private:
  /// A dispatcher and its owner, which avoids a cast at each launch.
  struct Inner {
    pybind11::object owner;
    Dispatcher *dispatcher;
  };

  const KernelVariant *variantFor(const Call &call, bool load);
  pybind11::tuple compile(const Call &call, bool load, bool aligned) const;
  const KernelVariant *compileVariant(const Call &call, bool load);
  const KernelVariant *load(const Call &call, KernelVariant variant);
  pybind11::object callGrid(PyObject *function,
                            const pybind11::dict &meta) const;
  bool resolveGrid(GivenGrid &grid, const Call &call, Grid &dims) const;
  pybind11::dict metaOf(const Call &call) const;
  PyObject *callAgain(const LaunchRecord &record, GivenGrid &grid,
                      const GivenArguments &given, Passed &passed);
  PyObject *callAnew(LaunchForm form, GivenGrid &grid,
                     const GivenArguments &given, bool remember);
  PyObject *callStructured(LaunchForm form, const Call &call, GivenGrid &grid,
                           const GivenArguments &given, bool remember);
  PyObject *callFlat(LaunchForm form, const Call &call, GivenGrid &grid,
                     FlatCall &flat, const GivenArguments &given,
                     bool remember);
  Inner innerDispatcher(const Call &call, const FlatCall &flat);
  template <typename Found>
  PyObject *run(LaunchForm form, Call &call, const Grid &dims, Found found);
  PyObject *bind(Call &call, const KernelVariant &variant,
                 const Grid &dims) const;
  StreamChoice streamOf(const Passed &passed, const Device &device) const;
  void useStream(PyObject *given, StreamChoice &choice) const;
  void addExtents(Call &call) const;
  pybind11::object plainVariant(const Call &call,
                                const KernelVariant &variant) const;
  bool checkWritable(const Call &call, const KernelVariant &variant) const;
  bool launch(Call &call, const KernelVariant &variant, const Grid &grid) const;
  tw_status queue(const ReadyKernel &kernel, const Device &device, void *stream,
                  Passed &passed, const Grid &grid) const;
  void rejectArguments(const GivenArguments &given) const;

  Signature signature;
  pybind11::object compiler;
  KernelTable table;
  /// Options and parameters by name with their defaults, created on demand.
  mutable pybind11::object defaults;
  /// Dispatchers of calls with tensor descriptors, by their key. There is
  /// usually one, and a few if block shapes are tuned.
  std::vector<std::pair<std::vector<int64_t>, Inner>> inner;
  LaunchRecords records;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_DISPATCHER_H
