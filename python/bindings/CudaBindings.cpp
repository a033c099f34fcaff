// Python bindings of CUDA devices.

#include "python/bindings/Bindings.h"
#include "python/launcher/StatusErrors.h"
#include "tilewright-c/runtime.h"

namespace py = pybind11;
using namespace tilewright::python;

static int64_t attribute(int device, tw_cuda_device_attribute which) {
  int64_t value = 0;
  check(tw_cuda_device_attribute_get(device, which, &value));
  return value;
}

static void defineDevices(py::module_ &module) {
  module.def("driver_version", [] {
    int version = 0;
    check(tw_cuda_driver_version(&version));
    return version;
  });
  module.def("device_count", [] {
    int count = 0;
    check(tw_cuda_device_count(&count));
    return count;
  });
  module.def("current_device", [] {
    int device = 0;
    check(tw_cuda_current_device(&device));
    return device;
  });
  module.def(
      "device_properties",
      [](int device) {
        char name[256];
        check(tw_cuda_device_name(device, name, sizeof(name)));
        py::dict found;
        found["name"] = std::string(name);
        const std::pair<const char *, tw_cuda_device_attribute> numbers[] = {
            {"compute_capability", TW_DEVICE_COMPUTE_CAPABILITY},
            {"multiprocessors", TW_DEVICE_MULTIPROCESSORS},
            {"shared_bytes_per_program", TW_DEVICE_SHARED_BYTES_PER_PROGRAM},
            {"shared_bytes_per_multiprocessor",
             TW_DEVICE_SHARED_BYTES_PER_MULTIPROCESSOR},
            {"registers_per_program", TW_DEVICE_REGISTERS_PER_PROGRAM},
            {"warp_size", TW_DEVICE_WARP_SIZE},
            {"global_bytes", TW_DEVICE_GLOBAL_BYTES},
            {"l2_bytes", TW_DEVICE_L2_BYTES},
            {"clock_kilohertz", TW_DEVICE_CLOCK_KILOHERTZ},
            {"memory_clock_kilohertz", TW_DEVICE_MEMORY_CLOCK_KILOHERTZ},
            {"memory_bus_bits", TW_DEVICE_MEMORY_BUS_BITS},
        };
        for (auto [key, which] : numbers)
          found[key] = attribute(device, which);
        return found;
      },
      py::arg("device"));
}

void tilewright::python::initCuda(py::module_ &module) {
  py::module_ cuda = module.def_submodule(
      "cuda", "The CUDA driver; every function raises DriverError without it.");
  defineDevices(cuda);
  initCudaMemory(cuda);
}
