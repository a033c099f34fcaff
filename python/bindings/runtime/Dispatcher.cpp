#include "python/bindings/runtime/Dispatcher.h"

#include "python/bindings/runtime/CurrentStream.h"
#include "python/bindings/runtime/OwnArray.h"
#include "python/bindings/runtime/Status.h"

#include <pybind11/stl.h>

namespace py = pybind11;

namespace tilewright::python {

PyObject *Dispatcher::call(PyObject *grid, PyObject *const *args, size_t count,
                           PyObject *keywordNames) {
  Call call;
  if (!bindArguments(signature, args, count, keywordNames, call)) {
    rejectArguments(args, count, keywordNames);
    return nullptr;
  }
  Grid sides;
  if (!readArguments(signature, call))
    return nullptr;
  if (call.isStructured)
    return callStructured(grid, args, count, keywordNames);
  if (grid && !resolveGrid(grid, call, sides))
    return nullptr;
  const KernelVariant *variant = variantFor(call, grid != nullptr);
  if (!variant)
    return nullptr;
  // Another thread may clear the table while this one runs without the lock.
  py::object compiled = variant->compiled;
  const py::object loaded = variant->loadedOwner;
  if (grid && !launch(call, *variant, sides))
    return nullptr;
  return compiled.release().ptr();
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

PyObject *Dispatcher::callStructured(PyObject *grid, PyObject *const *args,
                                     size_t count,
                                     PyObject *keywordNames) const {
  py::object over =
      grid ? py::reinterpret_borrow<py::object>(grid) : py::none();
  return compiler
      .attr("call_structured")(over, tupleOf(args, count),
                               keywordsOf(args + count, keywordNames))
      .release()
      .ptr();
}

void Dispatcher::rejectArguments(PyObject *const *args, size_t count,
                                 PyObject *keywordNames) const {
  compiler.attr("reject_arguments")(tupleOf(args, count),
                                    keywordsOf(args + count, keywordNames));
}

bool Dispatcher::resolveGrid(PyObject *grid, const Call &call,
                             Grid &sides) const {
  if (!PyCallable_Check(grid))
    return readGrid(grid, signature.kernel.c_str(), sides);
  py::dict meta;
  for (size_t i = 0; i + 1 < signature.options.size(); ++i)
    meta[signature.options[i].name] =
        py::reinterpret_borrow<py::object>(call.options[i]);
  for (size_t i = 0; i < signature.parameters.size(); ++i)
    meta[signature.parameters[i].name] =
        py::reinterpret_borrow<py::object>(call.values[i]);
  py::object result = py::reinterpret_borrow<py::object>(grid)(meta);
  return readGrid(result.ptr(), signature.kernel.c_str(), sides);
}

const KernelVariant *Dispatcher::variantFor(const Call &call, bool load) {
  CallKey key;
  if (!makeKey(signature, call, key))
    return nullptr;
  const KernelVariant *found = table.find(key);
  if (PyErr_Occurred())
    return nullptr;
  // One that was only compiled is compiled again: the disk cache has it.
  if (found && (found->loaded || !load))
    return found;
  return compile(call, key, load);
}

/// ("*fp32", 16) for each argument that has a type, None for the others; with
/// `aligned`, else nothing is said of divisibility.
static py::list specsOf(const Signature &signature, const Call &call,
                        bool aligned) {
  py::list specs;
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    const Argument &argument = call.arguments[i];
    if (signature.parameters[i].isConstexpr ||
        argument.kind == ArgumentKind::None) {
      specs.append(py::none());
      continue;
    }
    std::string type = spelling(argument.type);
    if (argument.kind == ArgumentKind::Pointer)
      type.insert(0, "*");
    const int hint = static_cast<int>(argument.hint);
    specs.append(py::make_tuple(type, hint == 1 || aligned ? hint : 0));
  }
  return specs;
}

py::tuple Dispatcher::compile(const Call &call, bool load, bool aligned) const {
  const bool onGpu = call.device.kind == DeviceKind::Cuda;
  return compiler.attr("compile")(
      tupleOf(call.values, signature.parameters.size()),
      specsOf(signature, call, aligned),
      tupleOf(call.options, signature.options.size() - 1),
      py::make_tuple(onGpu ? "cuda" : "cpu", call.device.index), load);
}

const KernelVariant *Dispatcher::compile(const Call &call, const CallKey &key,
                                         bool load) {
  py::tuple result = compile(call, load, /*aligned=*/true);
  if (load && result[1].is_none())
    throw py::type_error("compile() gave no loaded kernel");
  KernelVariant variant;
  variant.compiled = result[0];
  if (!result[1].is_none()) {
    variant.loadedOwner = result[1];
    variant.loaded = py::cast<const LoadedKernel *>(result[1]);
  }
  variant.written = py::cast<std::vector<bool>>(result[2]);
  variant.written.resize(signature.parameters.size(), false);
  return &table.insert(key, std::move(variant));
}

void *Dispatcher::streamOf(const Call &call) const {
  PyObject *given = call.options[signature.options.size() - 1];
  if (given == Py_None) {
    const CurrentStream *current = currentStream(call.device.index);
    return current ? current->handle : call.stream;
  }
  auto stream = py::reinterpret_borrow<py::object>(given);
  if (!PyLong_Check(given))
    stream = compiler.attr("stream_handle")(stream);
  return reinterpret_cast<void *>(py::cast<uintptr_t>(stream));
}

/// Tells arrays of ours where they are used.
static void noteUse(const Call &call, size_t parameters, void *stream) {
  for (size_t i = 0; i < parameters; ++i)
    if (call.arguments[i].isOwn)
      ownArray(call.values[i]).memory->noteUse(stream);
}

bool Dispatcher::checkWritable(const Call &call,
                               const KernelVariant &variant) const {
  for (size_t i = 0; i < signature.parameters.size(); ++i)
    if (variant.written[i] && !signature.parameters[i].isConstexpr &&
        call.arguments[i].readOnly) {
      PyErr_Format(PyExc_ValueError,
                   "argument '%U' of kernel %s(): the array is read-only, and "
                   "the kernel writes to it",
                   signature.parameters[i].name.ptr(),
                   signature.kernel.c_str());
      return false;
    }
  return true;
}

bool Dispatcher::launch(const Call &call, const KernelVariant &variant,
                        const Grid &grid) const {
  if (!checkWritable(call, variant))
    return false;
  uint64_t slots[kMaxParameters];
  size_t count = 0;
  for (size_t i = 0; i < signature.parameters.size(); ++i)
    if (isPassed(signature.parameters[i], call.arguments[i]))
      slots[count++] = call.arguments[i].bits;
  void *stream =
      call.device.kind == DeviceKind::Cuda ? streamOf(call) : nullptr;
  noteUse(call, signature.parameters.size(), stream);
  tw_status status = variant.loaded->launch(grid, stream, slots, count);
  // Arrays that tensor maps do not describe (with strides that are negative,
  // say) are rare: they cost the attempt, and the first one a compilation.
  if (status == TW_UNSUPPORTED) {
    if (!variant.plainOwner)
      variant.plainOwner = compile(call, /*load=*/true, /*aligned=*/false)[1];
    const py::object plain = variant.plainOwner;
    status = py::cast<const LoadedKernel *>(plain)->launch(grid, stream, slots,
                                                           count);
  }
  if (status != TW_OK)
    setPythonError(status);
  return status == TW_OK;
}

} // namespace tilewright::python
