// CUDA devices, memory, streams and events, for Python.

#include "python/bindings/Bindings.h"
#include "python/bindings/runtime/Status.h"
#include "tilewright-c/runtime.h"

namespace py = pybind11;
using namespace tilewright::python;

static void *handle(uintptr_t value) { return reinterpret_cast<void *>(value); }

/// Runs a call that may wait for the device, without the interpreter's lock.
template <typename Function> static void checkUnlocked(Function call) {
  tw_status status;
  {
    py::gil_scoped_release unlocked;
    status = call();
  }
  check(status);
}

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

static void defineMemory(py::module_ &module) {
  module.def(
      "alloc",
      [](int device, size_t bytes) {
        uint64_t address = 0;
        check(tw_cuda_alloc(device, bytes, &address));
        return address;
      },
      py::arg("device"), py::arg("bytes"));
  module.def(
      "free",
      [](int device, uint64_t address) {
        check(tw_cuda_free(device, address));
      },
      py::arg("device"), py::arg("address"));
  module.def(
      "copy_to_device",
      [](int device, uint64_t to, uintptr_t from, size_t bytes,
         uintptr_t stream) {
        checkUnlocked([&] {
          return tw_cuda_copy_to_device(device, to, handle(from), bytes,
                                        handle(stream));
        });
      },
      py::arg("device"), py::arg("to"), py::arg("from_host"), py::arg("bytes"),
      py::arg("stream") = 0);
  module.def(
      "copy_to_host",
      [](int device, uintptr_t to, uint64_t from, size_t bytes,
         uintptr_t stream) {
        checkUnlocked([&] {
          return tw_cuda_copy_to_host(device, handle(to), from, bytes,
                                      handle(stream));
        });
      },
      py::arg("device"), py::arg("to_host"), py::arg("from_device"),
      py::arg("bytes"), py::arg("stream") = 0);
}

static void defineFill(py::module_ &module) {
  module.def(
      "fill",
      [](int device, uint64_t to, uint8_t value, size_t bytes,
         uintptr_t stream) {
        check(tw_cuda_fill(device, to, value, bytes, handle(stream)));
      },
      py::arg("device"), py::arg("to"), py::arg("value"), py::arg("bytes"),
      py::arg("stream") = 0);
}

static uintptr_t makeEvent(int device) {
  void *event = nullptr;
  check(tw_cuda_event_create(device, &event));
  return reinterpret_cast<uintptr_t>(event);
}

static void defineEvents(py::module_ &module) {
  module.def(
      "synchronize",
      [](int device) {
        checkUnlocked([&] { return tw_cuda_synchronize(device); });
      },
      py::arg("device"));
  module.def("event_create", &makeEvent, py::arg("device"));
  module.def(
      "event_destroy",
      [](int device, uintptr_t event) {
        check(tw_cuda_event_destroy(device, handle(event)));
      },
      py::arg("device"), py::arg("event"));
  module.def(
      "event_record",
      [](int device, uintptr_t event, uintptr_t stream) {
        check(tw_cuda_event_record(device, handle(event), handle(stream)));
      },
      py::arg("device"), py::arg("event"), py::arg("stream") = 0);
  module.def(
      "event_elapsed",
      [](int device, uintptr_t start, uintptr_t end) {
        float milliseconds = 0;
        checkUnlocked([&] {
          return tw_cuda_event_elapsed(device, handle(start), handle(end),
                                       &milliseconds);
        });
        return milliseconds;
      },
      py::arg("device"), py::arg("start"), py::arg("end"),
      "Waits for `end`; milliseconds between the two.");
}

void tilewright::python::initCuda(py::module_ &module) {
  py::module_ cuda = module.def_submodule(
      "cuda", "The CUDA driver; every function raises DriverError without it.");
  defineDevices(cuda);
  defineMemory(cuda);
  defineFill(cuda);
  defineEvents(cuda);
}
