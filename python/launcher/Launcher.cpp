#include "python/launcher/Launcher.h"

#include "python/launcher/Ending.h"
#include "python/launcher/Slots.h"

#include <structmember.h>

#include <cstddef>

namespace py = pybind11;

namespace tilewright::python {

namespace {
struct LauncherObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  Dispatcher *dispatcher;
  PyObject *owner;
  GivenGrid grid;
  LaunchForm form;
  /// The last object of a factory, for reuse; null for others.
  PyObject *made;
};
} // namespace

static PyTypeObject *launcherType = nullptr;

/// Whether a hook of the user skipped the compilation of a kernel.
static bool isSkipped(const py::error_already_set &error) {
  return error.matches(py::module_::import("tilewright.runtime.preloading")
                           .attr("CompilationSkipped"));
}

static PyObject *call(PyObject *self, PyObject *const *args,
                      size_t countAndFlag, PyObject *keywordNames) {
  auto *launcher = reinterpret_cast<LauncherObject *>(self);
  // The boundary to C: no exception may pass.
  try {
    const Section section(launcher->owner);
    return launcher->dispatcher->call(
        launcher->form, launcher->grid,
        {args, static_cast<size_t>(PyVectorcall_NARGS(countAndFlag)),
         keywordNames});
  } catch (py::error_already_set &error) {
    if (isSkipped(error))
      Py_RETURN_NONE;
    error.restore();
  } catch (const py::builtin_exception &error) {
    error.set_error();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

/// Reuses the last launcher for this grid. It is valid for the identical grid
/// object, as in a loop that launches with the same tuple. It is also valid if
/// nobody else refers to the launcher any more.
static PyObject *remakeForGrid(LauncherObject &factory, PyObject *grid) {
  auto *made = reinterpret_cast<LauncherObject *>(factory.made);
  if (!made)
    return nullptr;
  if (made->grid.object != grid) {
    if (!isOwnedAlone(factory.made) || !isConstantGrid(grid))
      return nullptr;
    Py_DECREF(made->grid.object);
    made->grid = {Py_NewRef(grid), {1, 1, 1}, false};
  }
  return Py_NewRef(factory.made);
}

/// Keeps a launcher for reuse. Not for a function as the grid, which would keep
/// the objects that it refers to, such as arrays, alive.
static void keepMade(LauncherObject &factory, PyObject *made) {
  if (!isConstantGrid(reinterpret_cast<LauncherObject *>(made)->grid.object))
    return;
  Py_XDECREF(factory.made);
  factory.made = Py_NewRef(made);
}

static PyObject *launcherFor(LauncherObject &factory, PyObject *grid) {
  const Section section(reinterpret_cast<PyObject *>(&factory));
  if (PyObject *made = remakeForGrid(factory, grid))
    return made;
  try {
    py::object made = makeLauncher(
        *factory.dispatcher, py::reinterpret_borrow<py::object>(factory.owner),
        py::reinterpret_borrow<py::object>(grid), LaunchForm::Launch);
    keepMade(factory, made.ptr());
    return made.release().ptr();
  } catch (py::error_already_set &error) {
    error.restore();
  }
  return nullptr;
}

static PyObject *makeForGrid(PyObject *self, PyObject *const *args,
                             size_t countAndFlag, PyObject *keywordNames) {
  if (PyVectorcall_NARGS(countAndFlag) == 1 && !keywordNames)
    return launcherFor(*reinterpret_cast<LauncherObject *>(self), args[0]);
  PyErr_SetString(PyExc_TypeError, "a launcher is made for one grid");
  return nullptr;
}

namespace {
/// Slots of the class of kernels, and the name of its method for other cases.
struct KernelSlots {
  Py_ssize_t factory, hooks;
  PyObject *otherwise;
};
} // namespace

static KernelSlots kernelSlots;

/// `kernel[grid]`.
static PyObject *subscript(PyObject *kernel, PyObject *grid) {
  const py::object factory = slotAt(kernel, kernelSlots.factory);
  const py::object hooks = slotAt(kernel, kernelSlots.hooks);
  if (factory && Py_TYPE(factory.ptr()) == launcherType && hooks &&
      PyList_CheckExact(hooks.ptr()) && PyList_GET_SIZE(hooks.ptr()) == 0)
    return launcherFor(*reinterpret_cast<LauncherObject *>(factory.ptr()),
                       grid);
  return unlessEnding([&] {
    return PyObject_CallMethodOneArg(kernel, kernelSlots.otherwise, grid);
  });
}

void defineSubscript(py::handle type) {
  static PyMethodDef method = {
      "__getitem__", subscript, METH_O,
      "A callable that runs the kernel over the grid."};
  const Section section(type.ptr());
  kernelSlots = {slotOffset(type, "_launcher"),
                 slotOffset(type, "pre_run_hooks"),
                 PyUnicode_InternFromString("_launch_specially")};
  const auto descriptor = py::reinterpret_steal<py::object>(
      PyDescr_NewMethod(reinterpret_cast<PyTypeObject *>(type.ptr()), &method));
  if (!descriptor)
    throw py::error_already_set();
  type.attr("__getitem__") = descriptor;
  // Python's generic slot function would look the method up at each launch.
  // Python restores it in derived classes and if the method is replaced.
  reinterpret_cast<PyTypeObject *>(type.ptr())->tp_as_mapping->mp_subscript =
      subscript;
}

static void freeLauncher(PyObject *self) {
  auto *launcher = reinterpret_cast<LauncherObject *>(self);
  Py_XDECREF(launcher->owner);
  Py_XDECREF(launcher->grid.object);
  Py_XDECREF(launcher->made);
  PyTypeObject *type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

void initLauncherType() {
  static PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                   offsetof(LauncherObject, vectorcall),
                                   READONLY, nullptr},
                                  {nullptr, 0, 0, 0, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(freeLauncher)},
      {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
      {Py_tp_members, members},
      {0, nullptr}};
  static PyType_Spec spec = {
      "tilewright._tilewright.Launcher", sizeof(LauncherObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, slots};
  launcherType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  if (!launcherType)
    throw py::error_already_set();
}

py::object makeLauncher(Dispatcher &dispatcher, py::object owner,
                        py::object grid, LaunchForm form) {
  auto *launcher = PyObject_New(LauncherObject, launcherType);
  if (!launcher)
    throw py::error_already_set();
  launcher->vectorcall = call;
  launcher->dispatcher = &dispatcher;
  launcher->owner = owner.release().ptr();
  launcher->grid = {grid.release().ptr(), {1, 1, 1}, false};
  launcher->form = form;
  launcher->made = nullptr;
  return py::reinterpret_steal<py::object>(
      reinterpret_cast<PyObject *>(launcher));
}

py::object makeLauncherFactory(Dispatcher &dispatcher, py::object owner) {
  py::object factory = makeLauncher(dispatcher, std::move(owner), py::object(),
                                    LaunchForm::Launch);
  reinterpret_cast<LauncherObject *>(factory.ptr())->vectorcall = makeForGrid;
  return factory;
}

} // namespace tilewright::python
