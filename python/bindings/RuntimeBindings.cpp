// Python bindings of loading, launching, the disk cache and CUDA devices.

#include "python/bindings/Bindings.h"
#include "python/launcher/LaunchHooks.h"
#include "python/launcher/Launcher.h"
#include "python/launcher/Section.h"
#include "python/launcher/StatusErrors.h"
#include "tilewright-c/host.h"
#include "tilewright-c/runtime.h"

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace tilewright::python;

/// One parameter in Python's description: name, has a default, the default, is
/// constexpr, specialise on 1, specialise on alignment, floats are doubles.
using ParameterTuple =
    std::tuple<py::object, bool, py::object, bool, bool, bool, bool>;

/// Returns the unique object for all equal names.
static py::object interned(const py::object &name) {
  PyObject *text = name.inc_ref().ptr();
  PyUnicode_InternInPlace(&text);
  return py::reinterpret_steal<py::object>(text);
}

static std::unique_ptr<Dispatcher>
makeDispatcher(const std::string &kernel,
               const std::vector<ParameterTuple> &parameters,
               const std::vector<std::pair<py::object, py::object>> &options,
               py::object compiler) {
  if (parameters.size() > kMaxParameters)
    throw py::type_error("kernel " + kernel + "() has " +
                         std::to_string(parameters.size()) +
                         " parameters; at most " +
                         std::to_string(kMaxParameters) + " are supported");
  if (options.size() > kMaxOptions)
    throw py::value_error("a dispatcher takes at most " +
                          std::to_string(kMaxOptions) + " options");
  if (options.empty())
    throw py::value_error("the last option of a dispatcher is the stream");
  Signature signature;
  signature.kernel = kernel;
  for (const auto &[name, hasDefault, value, isConstexpr, onOne, onAlignment,
                    asDouble] : parameters)
    signature.add(Parameter{interned(name),
                            hasDefault ? value : py::object(),
                            isConstexpr,
                            {onOne, onAlignment, asDouble}});
  for (const auto &[name, value] : options)
    signature.add(Option{interned(name), value});
  return std::make_unique<Dispatcher>(std::move(signature),
                                      std::move(compiler));
}

static void defineDispatcher(py::module_ &module) {
  module.def(
      "guards_hold",
      [](const py::tuple &guards) { return Guards(guards).hold(); },
      py::arg("guards"),
      "Whether a kernel's assumptions about Python objects hold.");
  initLauncherType();
  initBoundLaunchType();
  defineLaunchHooks(module);
  module.def(
      "define_subscript", &defineSubscript, py::arg("type"),
      "Adds a `__getitem__` that runs no Python to the class of kernels.");
  py::class_<Dispatcher>(module, "Dispatcher")
      .def(py::init(&makeDispatcher), py::arg("kernel"), py::arg("parameters"),
           py::arg("options"), py::arg("compiler"))
      .def(
          "launcher",
          [](py::object self, py::object grid) {
            return makeLauncher(py::cast<Dispatcher &>(self), self, grid,
                                LaunchForm::Launch);
          },
          py::arg("grid"), "A callable that runs the kernel over the grid.")
      .def(
          "launchers",
          [](py::object self) {
            return makeLauncherFactory(py::cast<Dispatcher &>(self), self);
          },
          "launcher(), as a callable that costs less.")
      .def(
          "binder",
          [](py::object self, py::object grid) {
            return makeLauncher(py::cast<Dispatcher &>(self), self, grid,
                                LaunchForm::Bind);
          },
          py::arg("grid"),
          "A callable that takes the arguments of a launch and returns one "
          "that "
          "launches with them.")
      .def(
          "warmer",
          [](py::object self) {
            return makeLauncher(py::cast<Dispatcher &>(self), self,
                                py::object(), LaunchForm::Compile);
          },
          "A callable that takes the arguments of a launch and only compiles.")
      .def(
          "clear",
          [](py::object self) {
            const Section section(self.ptr());
            py::cast<Dispatcher &>(self).clear();
          },
          "Forgets the compiled variants.")
      .def("__len__", [](py::object self) {
        const Section section(self.ptr());
        return py::cast<Dispatcher &>(self).size();
      });
}

namespace {
/// An object file linked into this process.
struct HostLibrary {
  ~HostLibrary() { tw_host_unload(handle); }
  tw_host_library *handle = nullptr;
  tw_host_kernel kernel = nullptr;
};
} // namespace

static tw_host_order orderNamed(const std::string &name) {
  if (name == "waiting")
    return TW_HOST_WAITING;
  return name == "in_order" ? TW_HOST_IN_ORDER : TW_HOST_ANY_ORDER;
}

static std::unique_ptr<LoadedKernel> loadHost(const py::bytes &object,
                                              const std::string &name,
                                              const std::string &order) {
  auto library = std::make_unique<HostLibrary>();
  const std::string_view bytes = object;
  check(tw_host_load(bytes.data(), bytes.size(), name.c_str(), &library->handle,
                     &library->kernel));
  auto address = reinterpret_cast<uintptr_t>(library->kernel);
  return LoadedKernel::host(address, py::cast(std::move(library)),
                            orderNamed(order));
}

static int64_t kernelAttribute(const LoadedKernel &kernel,
                               tw_cuda_kernel_attribute attribute) {
  return kernel.cudaKernel()
             ? tw_cuda_kernel_attribute_get(kernel.cudaKernel(), attribute)
             : 0;
}

static void defineLoadedKernel(py::module_ &module) {
  py::class_<HostLibrary>(module, "HostLibrary");
  py::class_<LoadedKernel>(module, "LoadedKernel")
      .def_static("host", &loadHost, py::arg("object"), py::arg("name"),
                  py::arg("order") = "any",
                  "Links an object file and finds the kernel in it.")
      .def_static("cuda", &LoadedKernel::cuda, py::arg("device"),
                  py::arg("image"), py::arg("name"), py::arg("threads"),
                  py::arg("dynamic_shared"),
                  py::arg("cluster") = std::array<uint32_t, 3>{1, 1, 1},
                  py::arg("recipe") = std::vector<int64_t>(),
                  py::arg("cooperative") = false, py::arg("dependent") = false,
                  "Loads a cubin or PTX. Raises OutOfResources if the device "
                  "cannot hold it.")
      .def("pass_only", &LoadedKernel::passOnly, py::arg("arguments"),
           "Sets for each argument of a launch whether the kernel has a "
           "parameter for it.")
      .def_property_readonly("registers",
                             [](const LoadedKernel &self) {
                               return kernelAttribute(self,
                                                      TW_KERNEL_REGISTERS);
                             })
      .def_property_readonly("local_bytes",
                             [](const LoadedKernel &self) {
                               return kernelAttribute(self,
                                                      TW_KERNEL_LOCAL_BYTES);
                             })
      .def_property_readonly("static_shared_bytes",
                             [](const LoadedKernel &self) {
                               return kernelAttribute(
                                   self, TW_KERNEL_STATIC_SHARED_BYTES);
                             })
      .def_property_readonly("log", [](const LoadedKernel &self) {
        return self.cudaKernel() ? tw_cuda_kernel_log(self.cudaKernel()) : "";
      });
  module.def("host_target", &tw_host_target,
             "This machine as a target of host code, for cache keys.");
  module.def(
      "host_thread_count",
      [] {
        unsigned threads = 0;
        check(tw_host_thread_count(&threads));
        return threads;
      },
      "The threads of a launch on the CPU.");
}

namespace {
struct Cache {
  explicit Cache(const std::optional<std::string> &directory,
                 uint64_t maxBytes) {
    check(tw_cache_open(directory ? directory->c_str() : nullptr, maxBytes,
                        &handle));
  }
  ~Cache() { tw_cache_close(handle); }
  Cache(const Cache &) = delete;

  py::object get(const std::string &key) const;
  py::object peek(const std::string &key) const;
  py::list list() const;
  void put(const std::string &key, const py::dict &blobs) const;

  tw_cache *handle = nullptr;
};
} // namespace

/// Returns the blobs of an entry, and frees it; None if it is null.
static py::object takeEntry(tw_cache_entry *handle) {
  std::unique_ptr<tw_cache_entry, void (*)(tw_cache_entry *)> entry(
      handle, tw_cache_entry_free);
  if (!entry)
    return py::none();
  py::dict blobs;
  for (size_t i = 0; i < tw_cache_entry_size(entry.get()); ++i) {
    tw_blob blob = tw_cache_entry_blob(entry.get(), i);
    blobs[blob.name] =
        py::bytes(static_cast<const char *>(blob.data), blob.size);
  }
  return blobs;
}

py::object Cache::get(const std::string &key) const {
  return takeEntry(tw_cache_get(handle, key.c_str()));
}

py::object Cache::peek(const std::string &key) const {
  return takeEntry(tw_cache_peek(handle, key.c_str()));
}

py::list Cache::list() const {
  std::vector<std::tuple<std::string, uint64_t, int64_t>> items;
  const auto append = [](void *user, const char *key, uint64_t bytes,
                         int64_t used) {
    static_cast<decltype(items) *>(user)->emplace_back(key, bytes, used);
  };
  check(tw_cache_list(handle, append, &items));
  return py::cast(items);
}

void Cache::put(const std::string &key, const py::dict &blobs) const {
  std::vector<std::string> names;
  std::vector<std::string_view> contents;
  for (auto [name, content] : blobs) {
    names.push_back(py::cast<std::string>(name));
    contents.push_back(py::cast<std::string_view>(content));
  }
  std::vector<tw_blob> raw;
  for (size_t i = 0; i < names.size(); ++i)
    raw.push_back({names[i].c_str(), contents[i].data(), contents[i].size()});
  check(tw_cache_put(handle, key.c_str(), raw.data(), raw.size()));
}

static void defineCache(py::module_ &module) {
  py::class_<Cache>(module, "Cache")
      .def(py::init<std::optional<std::string>, uint64_t>(),
           py::arg("directory") = py::none(), py::arg("max_bytes") = 0,
           "The disk cache; None and 0 select the environment's settings.")
      .def("get", &Cache::get, py::arg("key"),
           "The blobs under a key as a dict of bytes; None if there are none.")
      .def("put", &Cache::put, py::arg("key"), py::arg("blobs"))
      .def("peek", &Cache::peek, py::arg("key"),
           "The same, without changes to the entry.")
      .def("list", &Cache::list,
           "(key, bytes, seconds since 1970 of the last use) of each entry, "
           "the least recently used first.")
      .def(
          "prune",
          [](const Cache &self, uint64_t bytes) {
            check(tw_cache_prune(self.handle, bytes));
          },
          py::arg("bytes"),
          "Removes the least recently used entries until `bytes` are left.")
      .def(
          "remove",
          [](const Cache &self, const std::string &key) {
            check(tw_cache_remove(self.handle, key.c_str()));
          },
          py::arg("key"), "Removes one entry, if it is there.")
      .def("clear",
           [](const Cache &self) { check(tw_cache_clear(self.handle)); })
      .def_property_readonly(
          "usage",
          [](const Cache &self) {
            uint64_t entries = 0, bytes = 0;
            check(tw_cache_usage(self.handle, &entries, &bytes));
            return std::pair(entries, bytes);
          },
          "Number of entries and their bytes.")
      .def_property_readonly(
          "directory",
          [](const Cache &self) { return tw_cache_directory(self.handle); })
      .def_property_readonly("max_bytes", [](const Cache &self) {
        return tw_cache_max_bytes(self.handle);
      });
  module.def(
      "sha256",
      [](std::string_view data) {
        char hex[65];
        tw_sha256(data.data(), data.size(), hex);
        return std::string(hex);
      },
      py::arg("data"), "SHA-256 in hexadecimal.");
}

void tilewright::python::initRuntime(py::module_ &module) {
  defineDispatcher(module);
  defineLoadedKernel(module);
  defineCache(module);
}
