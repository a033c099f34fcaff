// Python bindings of compilation.

#include "python/bindings/Bindings.h"
#include "python/launcher/Ending.h"
#include "tilewright-c/assembler.h"
#include "tilewright-c/occupancy.h"

namespace py = pybind11;
using namespace tilewright::python;

namespace {
struct Artifact {
  explicit Artifact(tw_artifact *handle) : handle(handle) {}
  ~Artifact() { tw_artifact_destroy(handle); }
  Artifact(const Artifact &) = delete;
  tw_artifact *handle;
};
} // namespace

static py::object importJson() {
  return newReference([] { return PyImport_ImportModule("json"); });
}

static py::object readJson(const std::string &text) {
  return callMethod(importJson(), "loads", text);
}

/// Returns the bytes of a binary stage, text of the others, None if it is
/// absent.
static py::object getStage(Artifact &artifact, const std::string &stage) {
  size_t size = 0;
  const char *data = tw_artifact_get(artifact.handle, stage.c_str(), &size);
  if (!data)
    return py::none();
  if (stage == "cubin" || stage == "obj")
    return py::bytes(data, size);
  return py::str(data, size);
}

static std::unique_ptr<Artifact> compile(Module &module,
                                         const py::object &options) {
  std::string text =
      py::cast<std::string>(callMethod(importJson(), "dumps", options));
  tw_artifact *artifact;
  {
    // Compilation uses no Python objects.
    const Unlocked unlocked;
    artifact = tw_module_compile(module.handle, text.c_str());
  }
  if (!artifact)
    throwDiagnostics(*module.context);
  return std::make_unique<Artifact>(artifact);
}

/// Returns the assemblers found, as a list of dicts; see
/// tilewright-c/assembler.h.
static py::object describeAssemblers(const std::vector<std::string> &paths) {
  std::vector<const char *> raw;
  for (const std::string &path : paths)
    raw.push_back(path.c_str());
  return readJson(take(tw_assemblers_describe(raw.data(), raw.size())));
}

/// Returns the CTAs per SM, see tilewright-c/occupancy.h, or None.
static py::object describeOccupancy(uint32_t capability, int64_t numWarps,
                                    int64_t registers, int64_t sharedBytes) {
  tw_ctas_per_sm found;
  if (!tw_occupancy(capability, numWarps, registers, sharedBytes, &found))
    return py::none();
  py::dict limits;
  limits["warps"] = found.by_warps;
  limits["ctas"] = found.by_ctas;
  limits["shared"] = found.by_shared_memory;
  if (registers)
    limits["registers"] = found.by_registers;
  return py::make_tuple(found.ctas, found.max_warps, limits);
}

void tilewright::python::initCompiler(py::module_ &module) {
  py::class_<Artifact>(module, "Artifact")
      .def("get", &getStage, py::arg("stage"),
           "The stage 'tile', 'warp', 'llvm', 'ptx' (str), 'cubin' or 'obj' "
           "(bytes); None "
           "if the target has no such stage.")
      .def_property_readonly("metadata",
                             [](Artifact &self) {
                               return readJson(
                                   tw_artifact_metadata(self.handle));
                             })
      .def_property_readonly(
          "report",
          [](Artifact &self) {
            return readJson(tw_artifact_report(self.handle));
          },
          "A report of the compilation: a dict of times, remarks and "
          "lines; see tilewright-c/compiler.h.");
  module.def(
      "compile", &compile, py::arg("module"), py::arg("options"),
      "Compiles a module; see tilewright-c/compiler.h for the options. Raises "
      "DiagnosticError.");
  module.def("assemblers", &describeAssemblers, py::arg("paths"),
             "The assemblers of PTX found at `paths` and in the default paths, "
             "the preferred one first: dicts of kind, name, path and "
             "max_ptx_version, or of error.");
  module.def("occupancy", &describeOccupancy, py::arg("capability"),
             py::arg("num_warps"), py::arg("registers"),
             py::arg("shared_bytes"),
             "The CTAs per SM, the maximum warps of an SM and a dict of the "
             "CTAs that each resource allows; None for an unknown GPU.");
  module.attr("__version__") = tw_version();
  module.def("llvm_version", &tw_llvm_version,
             "The version of the LLVM inside.");
  module.def("build_id", &tw_build_id,
             "A digest of the compiler's build, for cache keys.");
}
