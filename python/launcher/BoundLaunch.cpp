#include "python/launcher/BoundLaunch.h"

#include "python/launcher/Clearable.h"
#include "python/launcher/Ending.h"
#include "python/launcher/LaunchHooks.h"
#include "python/launcher/OwnArray.h"
#include "python/launcher/Section.h"
#include "python/launcher/StatusErrors.h"

#include <structmember.h>

#include <cstddef>

namespace py = pybind11;

namespace tilewright::python {

namespace {
/// A launch that may be replaced during calls of it.
using Launches = Clearable<std::unique_ptr<BoundLaunch>>;

struct BoundLaunchObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  Launches *launches;
  /// Returns the same launch of a kernel whose guards hold; null for none.
  PyObject *renewal;

  static BoundLaunchObject *of(PyObject *object) {
    return reinterpret_cast<BoundLaunchObject *>(object);
  }
};
} // namespace

static PyTypeObject *boundLaunchType = nullptr;

/// Binds the launch again. Returns false if nothing is to be launched because a
/// hook skipped the compilation.
static bool renew(BoundLaunchObject &object) {
  if (!object.renewal)
    throw std::runtime_error("a global of the kernel has changed since bind()");
  const auto renewal = py::reinterpret_borrow<py::object>(object.renewal);
  const py::object made = callPython(renewal);
  if (Py_TYPE(made.ptr()) != boundLaunchType)
    return false;
  object.launches->clear();
  **object.launches = std::move(**BoundLaunchObject::of(made.ptr())->launches);
  return true;
}

static tw_status queue(const BoundLaunch &launch, void *stream) {
  for (const OwnArray *array : launch.ours)
    array->noteUse(stream);
  if (launch.onGpu) {
    keepForGraph(launch.stream.device.index, launch.loadedOwner);
    return tw_cuda_bound_launch(launch.onGpu, stream);
  }
  // The kernel may modify its arguments.
  std::vector<uint64_t> slots = launch.slots;
  return launch.loaded->launch(launch.grid, nullptr, slots.data(),
                               slots.size());
}

static void launchBound(const BoundLaunch &launch, void *stream) {
  if (!hasLaunchHooks()) {
    if (tw_status status = queue(launch, stream); status != TW_OK)
      check(status);
    return;
  }
  const LaunchFacts facts = {launch.compiled, launch.grid, launch.stream.device,
                             stream};
  callHooksBefore(facts);
  check(queue(launch, stream));
  callHooksAfter(facts);
}

static PyObject *callBound(PyObject *self, PyObject *const *,
                           size_t countAndFlag, PyObject *keywordNames) {
  BoundLaunchObject &object = *BoundLaunchObject::of(self);
  if (PyVectorcall_NARGS(countAndFlag) || keywordNames) {
    PyErr_SetString(PyExc_TypeError,
                    "a bound launch takes no arguments; bind() was given them");
    return nullptr;
  }
  // The boundary to C: no exception may pass.
  try {
    const Section section(self);
    const Launches::Use use(*object.launches);
    if ((**object.launches)->guards.hold() || renew(object)) {
      const BoundLaunch &launch = ***object.launches;
      launchBound(launch, launch.stream.resolve());
    }
    Py_RETURN_NONE;
  } catch (py::error_already_set &error) {
    error.restore();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

static void freeBound(PyObject *self) {
  BoundLaunchObject &object = *BoundLaunchObject::of(self);
  delete object.launches;
  Py_XDECREF(object.renewal);
  PyTypeObject *type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject *compiledOf(PyObject *self, void *) {
  const Section section(self);
  const BoundLaunch &launch = ***BoundLaunchObject::of(self)->launches;
  return launch.compiled.inc_ref().ptr();
}

static int setRenewal(PyObject *self, PyObject *value, void *) {
  const Section section(self);
  Py_XSETREF(BoundLaunchObject::of(self)->renewal, Py_XNewRef(value));
  return 0;
}

void initBoundLaunchType() {
  static PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                   offsetof(BoundLaunchObject, vectorcall),
                                   READONLY, nullptr},
                                  {nullptr, 0, 0, 0, nullptr}};
  static PyGetSetDef properties[] = {
      {"compiled", compiledOf, nullptr, "The kernel that is launched.",
       nullptr},
      {"renewal", nullptr, setRenewal,
       "A function that binds the launch again.", nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(freeBound)},
      {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
      {Py_tp_members, members},
      {Py_tp_getset, properties},
      {0, nullptr}};
  static PyType_Spec spec = {
      "tilewright._tilewright.BoundLaunch", sizeof(BoundLaunchObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, slots};
  boundLaunchType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  if (!boundLaunchType)
    throw py::error_already_set();
}

py::object makeBoundLaunch(std::unique_ptr<BoundLaunch> launch) {
  auto *object = PyObject_New(BoundLaunchObject, boundLaunchType);
  if (!object)
    throw py::error_already_set();
  object->vectorcall = callBound;
  object->launches = new Launches();
  **object->launches = std::move(launch);
  object->renewal = nullptr;
  return py::reinterpret_steal<py::object>(
      reinterpret_cast<PyObject *>(object));
}

} // namespace tilewright::python
