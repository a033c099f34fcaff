#include "python/launcher/Dispatcher.h"

#include "python/launcher/CurrentStream.h"
#include "python/launcher/Ending.h"
#include "python/launcher/LaunchHooks.h"
#include "python/launcher/OwnArray.h"
#include "python/launcher/Section.h"
#include "python/launcher/StatusErrors.h"

#include <pybind11/stl.h>

namespace py = pybind11;

namespace tilewright::python {

PyObject *Dispatcher::call(LaunchForm form, GivenGrid &grid,
                           const GivenArguments &given) {
  // Hooks receive more information than records contain.
  const bool isPlain = form == LaunchForm::Launch && !hasLaunchHooks();
  if (isPlain) {
    Passed passed;
    if (const LaunchRecord *record = records.find(given, passed))
      return callAgain(*record, grid, given, passed);
  }
  return callAnew(form, grid, given, /*remember=*/isPlain);
}

/// Repeats a recorded launch.
PyObject *Dispatcher::callAgain(const LaunchRecord &record, GivenGrid &grid,
                                const GivenArguments &given, Passed &passed) {
  // Others may clear the records while Python or a CPU kernel runs.
  ReadyKernel kernel = record.kernel();
  const Device device = record.device();
  GivenGrid read = grid;
  if (!grid.isRead) {
    Call call;
    if (!bindArguments(signature, given, call) ||
        !resolveGrid(grid, call, read.dims))
      return nullptr;
    read.isRead = true;
  }
  const tw_status status = queue(
      kernel, device, streamOf(passed, device).resolve(), passed, read.dims);
  if (status == TW_OK)
    return kernel.compiled.release().ptr();
  if (status == TW_UNSUPPORTED)
    return callAnew(LaunchForm::Launch, read, given, /*remember=*/false);
  setPythonError(status);
  return nullptr;
}

/// Handles a call without a record. Records the launch if requested.
PyObject *Dispatcher::callAnew(LaunchForm form, GivenGrid &grid,
                               const GivenArguments &given, bool remember) {
  Call call;
  if (!bindArguments(signature, given, call)) {
    rejectArguments(given);
    return nullptr;
  }
  if (!readArguments(signature, call))
    return nullptr;
  if (call.isStructured)
    return callStructured(form, call, grid, given, remember);
  Grid dims = grid.dims;
  if (!grid.isRead && !resolveGrid(grid, call, dims))
    return nullptr;
  return run(form, call, dims, [&](const KernelVariant &variant) {
    if (remember)
      records.add(LaunchRecord::make({given, signature, call, signature, call},
                                     variant));
  });
}

/// The rest of a call whose arguments are read. A launch passes its variant to
/// `found`.
template <typename Found>
PyObject *Dispatcher::run(LaunchForm form, Call &call, const Grid &dims,
                          Found found) {
  const KernelTable::Use use(table);
  const KernelVariant *variant =
      variantFor(call, /*load=*/form != LaunchForm::Compile);
  if (!variant ||
      (form != LaunchForm::Compile && !checkWritable(call, *variant)))
    return nullptr;
  if (form == LaunchForm::Bind)
    return bind(call, *variant, dims);
  // Another thread may replace the variant while this one runs without the
  // lock.
  ReadyKernel kept = *variant;
  if (form == LaunchForm::Launch) {
    found(*variant);
    if (!launch(call, *variant, dims))
      return nullptr;
  }
  return kept.compiled.release().ptr();
}

static py::tuple tupleOf(PyObject *const *values, size_t count) {
  py::tuple tuple(count);
  for (size_t i = 0; i < count; ++i)
    tuple[i] = py::reinterpret_borrow<py::object>(values[i]);
  return tuple;
}

static py::dict keywordsOf(PyObject *const *values, PyObject *names) {
  py::dict keywords;
  const Py_ssize_t count = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t i = 0; i < count; ++i)
    keywords[PyTuple_GET_ITEM(names, i)] =
        py::reinterpret_borrow<py::object>(values[i]);
  return keywords;
}

static const char *nameOf(LaunchForm form) {
  switch (form) {
  case LaunchForm::Launch:
    return "launcher";
  case LaunchForm::Compile:
    return "warmer";
  case LaunchForm::Bind:
    return "binder";
  }
  return "";
}

PyObject *Dispatcher::callStructured(LaunchForm form, const Call &call,
                                     GivenGrid &grid,
                                     const GivenArguments &given,
                                     bool remember) {
  FlatCall flat;
  if (flattenDescriptors(signature, call, flat))
    return callFlat(form, call, grid, flat, given, remember);
  py::object over = grid.object
                        ? py::reinterpret_borrow<py::object>(grid.object)
                        : py::none();
  return callMethod(compiler, "call_structured", nameOf(form), over,
                    tupleOf(given.values, given.count),
                    keywordsOf(given.values + given.count, given.names))
      .release()
      .ptr();
}

/// Returns the dispatcher for the parts of the descriptors of such calls.
Dispatcher::Inner Dispatcher::innerDispatcher(const Call &call,
                                              const FlatCall &flat) {
  for (const auto &[key, found] : inner)
    if (key.size() == flat.keySize &&
        std::equal(key.begin(), key.end(), flat.key))
      return found;
  py::object made =
      callMethod(compiler, "inner_dispatcher",
                 tupleOf(call.values, signature.parameters.size()));
  auto *dispatcher = py::cast<Dispatcher *>(made);
  inner.push_back({{flat.key, flat.key + flat.keySize}, {made, dispatcher}});
  return inner.back().second;
}

PyObject *Dispatcher::callFlat(LaunchForm form, const Call &call,
                               GivenGrid &grid, FlatCall &flat,
                               const GivenArguments &given, bool remember) {
  Grid dims = grid.dims;
  if (!grid.isRead && !resolveGrid(grid, call, dims))
    return nullptr;
  const Inner kept = innerDispatcher(call, flat);
  const Signature &parts = kept.dispatcher->signature;
  const Section section(kept.owner.ptr());
  if (!readArguments(parts, flat.call))
    return nullptr;
  // The base of a descriptor must be an array, not a descriptor.
  if (flat.call.isStructured) {
    PyErr_Format(PyExc_TypeError,
                 "kernel %s(): the base of a tensor descriptor is an array",
                 signature.kernel.c_str());
    return nullptr;
  }
  return kept.dispatcher->run(
      form, flat.call, dims, [&](const KernelVariant &variant) {
        if (remember)
          records.add(LaunchRecord::make(
              {given, signature, call, parts, flat.call, flat.key, kept.owner},
              variant));
      });
}

void Dispatcher::rejectArguments(const GivenArguments &given) const {
  callMethod(compiler, "reject_arguments", tupleOf(given.values, given.count),
             keywordsOf(given.values + given.count, given.names));
}

static void setItem(const py::dict &dict, const py::object &key,
                    PyObject *value) {
  if (PyDict_SetItem(dict.ptr(), key.ptr(), value) != 0)
    throw py::error_already_set();
}

/// Returns options and arguments by name: a copy of the dict of defaults, which
/// costs less than a new one, with the values that differ.
py::dict Dispatcher::metaOf(const Call &call) const {
  if (!defaults) {
    py::dict made;
    for (size_t i = 0; i + 1 < signature.options.size(); ++i)
      setItem(made, signature.options[i].name, signature.optionDefaults[i]);
    for (const Parameter &parameter : signature.parameters)
      setItem(made, parameter.name,
              parameter.defaultValue ? parameter.defaultValue.ptr() : Py_None);
    defaults = made;
  }
  auto meta = py::reinterpret_steal<py::dict>(PyDict_Copy(defaults.ptr()));
  if (!meta)
    throw py::error_already_set();
  for (size_t i = 0; i + 1 < signature.options.size(); ++i)
    if (call.options[i] != signature.optionDefaults[i])
      setItem(meta, signature.options[i].name, call.options[i]);
  for (size_t i = 0; i < signature.parameters.size(); ++i)
    setItem(meta, signature.parameters[i].name, call.values[i]);
  return meta;
}

/// Calls a function for the grid. The compiler explains the lookup of an
/// undefined name.
py::object Dispatcher::callGrid(PyObject *function,
                                const py::dict &meta) const {
  try {
    return newReference(
        [&] { return PyObject_CallOneArg(function, meta.ptr()); });
  } catch (py::error_already_set &error) {
    if (error.matches(PyExc_KeyError) || error.matches(PyExc_TypeError))
      callMethod(compiler, "reject_grid", py::handle(function), meta,
                 error.value());
    throw;
  }
}

/// Computes a grid that may change. The result of a function is for this call
/// only: other threads may call the launcher meanwhile.
bool Dispatcher::resolveGrid(GivenGrid &grid, const Call &call,
                             Grid &dims) const {
  if (!grid.object)
    return true;
  const char *kernel = signature.kernel.c_str();
  if (PyCallable_Check(grid.object)) {
    const py::dict meta = metaOf(call);
    return readGrid(callGrid(grid.object, meta).ptr(), kernel, dims);
  }
  if (!readGrid(grid.object, kernel, dims))
    return false;
  if (isConstantGrid(grid.object)) {
    grid.dims = dims;
    grid.isRead = true;
  }
  return true;
}

const KernelVariant *Dispatcher::variantFor(const Call &call, bool load) {
  const KernelVariant *found = table.find(call.key);
  if (!found)
    return PyErr_Occurred() ? nullptr : compileVariant(call, load);
  return found->loaded || !load ? found : this->load(call, *found);
}

/// Returns ("*fp32", 16) for a typed argument, None for others; without
/// `aligned` no divisibility.
static py::object specOf(ArgumentKey argument, bool aligned) {
  if (argument.kind() == ArgumentKind::None)
    return py::none();
  std::string type = spelling(argument.type());
  if (argument.kind() == ArgumentKind::Pointer)
    type.insert(0, "*");
  const Hint hint = argument.hint();
  return py::make_tuple(
      type, hint == Hint::One || aligned ? static_cast<int>(hint) : 0);
}

/// Returns the spec of each parameter, None for compile-time values.
static py::list specsOf(const Signature &signature, const Call &call,
                        bool aligned) {
  py::list specs;
  const ArgumentKey *next = call.key.arguments;
  for (const Parameter &parameter : signature.parameters)
    specs.append(parameter.isConstexpr ? py::none() : specOf(*next++, aligned));
  return specs;
}

/// Returns the device in the compiler's form: a kind and a number.
static py::tuple deviceOf(const Call &call) {
  const bool onGpu = call.key.device.kind == DeviceKind::Cuda;
  return py::make_tuple(onGpu ? "cuda" : "cpu", call.key.device.index);
}

/// Loads a variant that was only compiled. It is passed by value: other threads
/// may change the table meanwhile.
const KernelVariant *Dispatcher::load(const Call &call, KernelVariant variant) {
  variant.loadedOwner = callMethod(
      compiler, "load", variant.compiled,
      tupleOf(call.options, signature.options.size() - 1), deviceOf(call));
  variant.loaded = py::cast<const LoadedKernel *>(variant.loadedOwner);
  return &table.insert(call.key, std::move(variant));
}

py::tuple Dispatcher::compile(const Call &call, bool load, bool aligned) const {
  return callMethod(compiler, "compile",
                    tupleOf(call.values, signature.parameters.size()),
                    specsOf(signature, call, aligned),
                    tupleOf(call.options, signature.options.size() - 1),
                    deviceOf(call), load);
}

const KernelVariant *Dispatcher::compileVariant(const Call &call, bool load) {
  py::tuple result = compile(call, load, /*aligned=*/true);
  if (load && result[1].is_none())
    throw py::type_error("compile() returned no loaded kernel");
  KernelVariant variant;
  variant.compiled = result[0];
  if (!result[1].is_none()) {
    variant.loadedOwner = result[1];
    variant.loaded = py::cast<const LoadedKernel *>(result[1]);
  }
  variant.written = py::cast<std::vector<bool>>(result[2]);
  variant.takesExtents = py::cast<bool>(result[3]);
  variant.guards = Guards(py::tuple(result[4]));
  variant.written.resize(signature.parameters.size(), false);
  return &table.insert(call.key, std::move(variant));
}

StreamChoice Dispatcher::streamOf(const Passed &passed,
                                  const Device &device) const {
  StreamChoice choice = {device, false, passed.stream, passed.library};
  if (passed.givenStream != Py_None && device.kind == DeviceKind::Cuda)
    useStream(passed.givenStream, choice);
  return choice;
}

[[gnu::noinline]] void Dispatcher::useStream(PyObject *given,
                                             StreamChoice &choice) const {
  auto stream = py::reinterpret_borrow<py::object>(given);
  if (!PyLong_Check(given))
    stream = callMethod(compiler, "stream_handle", stream);
  choice.isGiven = true;
  choice.stream = reinterpret_cast<void *>(py::cast<uintptr_t>(stream));
}

bool Dispatcher::checkWritable(const Call &call,
                               const KernelVariant &variant) const {
  for (size_t i = 0; i < call.readOnlyCount; ++i)
    if (const size_t index = call.readOnly[i]; variant.written[index]) {
      PyErr_Format(PyExc_ValueError,
                   "argument '%U' of kernel %s(): the array is read-only, and "
                   "the kernel writes to it",
                   signature.parameters[index].name.ptr(),
                   signature.kernel.c_str());
      return false;
    }
  return true;
}

void Dispatcher::addExtents(Call &call) const {
  py::list arrays;
  const ArgumentKey *next = call.key.arguments;
  for (size_t i = 0; i < signature.parameters.size(); ++i)
    if (!signature.parameters[i].isConstexpr &&
        (next++)->kind() == ArgumentKind::Pointer)
      arrays.append(py::reinterpret_borrow<py::object>(call.values[i]));
  const py::list bounds = callMethod(compiler, "extents", arrays);
  for (py::handle bound : bounds)
    call.slots[call.slotCount++] =
        static_cast<uint64_t>(py::cast<int64_t>(bound));
}

/// Returns a variant for arrays that tensor maps cannot describe, for example
/// with negative strides. They are rare, so each call attempts the specialised
/// launch first, and the first one costs a compilation.
py::object Dispatcher::plainVariant(const Call &call,
                                    const KernelVariant &variant) const {
  if (!variant.plainOwner)
    variant.plainOwner = compile(call, /*load=*/true, /*aligned=*/false)[1];
  return variant.plainOwner;
}

/// Queues or runs a kernel.
tw_status Dispatcher::queue(const ReadyKernel &kernel, const Device &device,
                            void *stream, Passed &passed,
                            const Grid &grid) const {
  for (size_t i = 0; i < passed.ownArrayCount; ++i)
    passed.ownArrays[i]->noteUse(stream);
  keepForGraph(device.index, kernel.loadedOwner);
  return kernel.loaded->launch(grid, stream, passed.slots, passed.slotCount);
}

bool Dispatcher::launch(Call &call, const KernelVariant &variant,
                        const Grid &grid) const {
  if (variant.takesExtents)
    addExtents(call);
  const Device device = call.key.device;
  void *stream = streamOf(call, device).resolve();
  const LaunchFacts facts = {variant.compiled, grid, device, stream};
  if (hasLaunchHooks())
    callHooksBefore(facts);
  tw_status status = queue(variant, device, stream, call, grid);
  if (status == TW_UNSUPPORTED) {
    const py::object plain = plainVariant(call, variant);
    status =
        queue({variant.compiled, plain, py::cast<const LoadedKernel *>(plain)},
              device, stream, call, grid);
  }
  if (status != TW_OK)
    setPythonError(status);
  else if (hasLaunchHooks())
    callHooksAfter(facts);
  return status == TW_OK;
}

static tw_status bindOnGpu(const LoadedKernel &kernel, BoundLaunch &bound) {
  bound.loaded = &kernel;
  return tw_cuda_bind(kernel.cudaKernel(), bound.grid.data(),
                      bound.slots.data(), bound.slots.size(), &bound.onGpu);
}

PyObject *Dispatcher::bind(Call &call, const KernelVariant &variant,
                           const Grid &dims) const {
  auto bound = std::make_unique<BoundLaunch>();
  bound->grid = dims;
  if (variant.takesExtents)
    addExtents(call);
  bound->compiled = variant.compiled;
  bound->guards = Guards(variant.guards);
  bound->arguments = tupleOf(call.values, signature.parameters.size());
  bound->loadedOwner = variant.loadedOwner;
  bound->loaded = variant.loaded;
  bound->stream = streamOf(call, call.key.device);
  bound->givenStream = py::reinterpret_borrow<py::object>(call.givenStream);
  bound->ours.assign(call.ownArrays, call.ownArrays + call.ownArrayCount);
  bound->slots.assign(call.slots, call.slots + call.slotCount);
  if (call.key.device.kind == DeviceKind::Cuda) {
    tw_status status = bindOnGpu(*variant.loaded, *bound);
    if (status == TW_UNSUPPORTED) {
      bound->loadedOwner = plainVariant(call, variant);
      status =
          bindOnGpu(py::cast<const LoadedKernel &>(bound->loadedOwner), *bound);
    }
    check(status);
  }
  return makeBoundLaunch(std::move(bound)).release().ptr();
}

} // namespace tilewright::python
