// Python bindings of memory of CUDA devices, streams, events and graphs.

#include "python/bindings/Bindings.h"
#include "python/launcher/CurrentStream.h"
#include "python/launcher/Ending.h"
#include "python/launcher/OwnArray.h"
#include "python/launcher/OwnedHandle.h"
#include "python/launcher/StatusErrors.h"

namespace py = pybind11;
using namespace tilewright::python;

static void *handle(uintptr_t value) { return reinterpret_cast<void *>(value); }

/// Runs a call that may wait for the device, without the interpreter lock.
template <typename Function> static void checkUnlocked(Function call) {
  tw_status status;
  {
    const Unlocked unlocked;
    status = call();
  }
  check(status);
}

namespace {
/// Page-locked host memory as a Python buffer of bytes.
struct PinnedMemory {
  PinnedMemory(int device, size_t bytes) : device(device), bytes(bytes) {
    check(tw_cuda_host_alloc(device, bytes, &start));
  }
  ~PinnedMemory() {
    if (isUsed) {
      const Unlocked unlocked;
      (void)tw_cuda_synchronize(device);
    }
    tw_cuda_host_free(device, start);
  }
  PinnedMemory(const PinnedMemory &) = delete;
  int device;
  size_t bytes;
  void *start = nullptr;
  /// Copies were queued and may be unfinished.
  std::atomic<bool> isUsed = false;
};
} // namespace

static void definePinned(py::module_ &module) {
  py::class_<PinnedMemory>(module, "PinnedMemory", py::buffer_protocol())
      .def(py::init<int, size_t>(), py::arg("device"), py::arg("bytes"))
      .def_buffer([](PinnedMemory &self) {
        return py::buffer_info(static_cast<uint8_t *>(self.start),
                               static_cast<py::ssize_t>(self.bytes));
      });
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
      "trim",
      [](int device, size_t keep) { check(tw_cuda_pool_trim(device, keep)); },
      py::arg("device"), py::arg("keep") = 0,
      "Frees unused memory of the pool.");
  module.def(
      "memory_use",
      [](int device) {
        tw_cuda_memory_use use = {};
        check(tw_cuda_memory_use_get(device, &use));
        return std::make_tuple(use.free_bytes, use.total_bytes,
                               use.reserved_bytes, use.used_bytes);
      },
      py::arg("device"),
      "Bytes: free and total of the device, reserved and used of the pool.");
  module.def(
      "fill",
      [](int device, uint64_t to, uint8_t value, size_t bytes,
         uintptr_t stream) {
        check(tw_cuda_fill(device, to, value, bytes, handle(stream)));
      },
      py::arg("device"), py::arg("to"), py::arg("value"), py::arg("bytes"),
      py::arg("stream") = 0);
}

/// Whether host memory is pinned: then copies are only queued. `pinned` is the
/// object of pinned memory, or null.
static bool isQueued(PinnedMemory *pinned) {
  if (pinned)
    pinned->isUsed = true;
  return pinned;
}

static void defineCopies(py::module_ &module) {
  module.def(
      "upload",
      [](int device, uint64_t to, uintptr_t from, size_t bytes,
         uintptr_t stream, PinnedMemory *pinned) {
        const auto copy =
            isQueued(pinned) ? tw_cuda_copy_to_device : tw_cuda_upload;
        checkUnlocked([&] {
          return copy(device, to, handle(from), bytes, handle(stream));
        });
      },
      py::arg("device"), py::arg("to"), py::arg("from_host"), py::arg("bytes"),
      py::arg("stream"), py::arg("pinned"),
      "Queues a copy; pageable host memory may be reused at once.");
  module.def(
      "download",
      [](int device, uintptr_t to, uint64_t from, size_t bytes,
         uintptr_t stream, PinnedMemory *pinned) {
        const auto copy =
            isQueued(pinned) ? tw_cuda_copy_to_host : tw_cuda_download;
        checkUnlocked([&] {
          return copy(device, handle(to), from, bytes, handle(stream));
        });
      },
      py::arg("device"), py::arg("to_host"), py::arg("from_device"),
      py::arg("bytes"), py::arg("stream"), py::arg("pinned"),
      "Copies; only queues the copy if the host memory is pinned.");
  module.def(
      "copy_on_device",
      [](int device, uint64_t to, uint64_t from, size_t bytes,
         uintptr_t stream) {
        check(tw_cuda_copy_on_device(device, to, from, bytes, handle(stream)));
      },
      py::arg("device"), py::arg("to"), py::arg("from_device"),
      py::arg("bytes"), py::arg("stream"));
}

/// Defines the Python class of a handle that `create` makes.
template <typename Handle>
static void defineHandle(py::module_ &module, const char *name,
                         tw_status (*create)(int, void **)) {
  py::class_<Handle>(module, name)
      .def(py::init([create](int device) {
             void *made = nullptr;
             check(create(device, &made));
             return std::make_unique<Handle>(device, made);
           }),
           py::arg("device"))
      .def_property_readonly("handle", &Handle::number);
}

static void defineStreams(py::module_ &module) {
  module.def(
      "synchronize",
      [](int device) {
        checkUnlocked([&] { return tw_cuda_synchronize(device); });
      },
      py::arg("device"));
  defineHandle<OwnedStream>(module, "OwnedStream", tw_cuda_stream_create);
  module.def(
      "stream_synchronize",
      [](int device, uintptr_t stream) {
        checkUnlocked(
            [&] { return tw_cuda_stream_synchronize(device, handle(stream)); });
      },
      py::arg("device"), py::arg("stream"));
  module.def(
      "stream_is_done",
      [](int device, uintptr_t stream) {
        int done = 0;
        check(tw_cuda_stream_is_done(device, handle(stream), &done));
        return done != 0;
      },
      py::arg("device"), py::arg("stream"));
  module.def(
      "stream_wait_event",
      [](int device, uintptr_t stream, uintptr_t event) {
        check(tw_cuda_stream_wait_event(device, handle(stream), handle(event)));
      },
      py::arg("device"), py::arg("stream"), py::arg("event"));
}

static void defineCurrentStream(py::module_ &module) {
  module.def(
      "enter_stream",
      [](int device, uintptr_t stream, py::object object, py::object recorded) {
        enterStream(device, handle(stream), std::move(object),
                    std::move(recorded));
      },
      py::arg("device"), py::arg("stream"), py::arg("object"),
      py::arg("recorded") = py::none(),
      "Makes a stream current in this thread. `recorded`: a list that gets the "
      "kernels which are launched until it is left.");
  module.def("leave_stream", &leaveStream);
  module.def(
      "current_stream",
      [](int device) -> py::object {
        const CurrentStream *current = currentStream(device);
        if (!current)
          return py::none();
        return py::reinterpret_borrow<py::object>(current->object);
      },
      py::arg("device"), "The object that was entered last; None for none.");
}

static void defineEvents(py::module_ &module) {
  defineHandle<OwnedEvent>(module, "OwnedEvent", tw_cuda_event_create);
  module.def(
      "event_record",
      [](int device, uintptr_t event, uintptr_t stream) {
        check(tw_cuda_event_record(device, handle(event), handle(stream)));
      },
      py::arg("device"), py::arg("event"), py::arg("stream") = 0);
  module.def(
      "event_synchronize",
      [](int device, uintptr_t event) {
        checkUnlocked(
            [&] { return tw_cuda_event_synchronize(device, handle(event)); });
      },
      py::arg("device"), py::arg("event"));
  module.def(
      "event_is_done",
      [](int device, uintptr_t event) {
        int done = 0;
        check(tw_cuda_event_is_done(device, handle(event), &done));
        return done != 0;
      },
      py::arg("device"), py::arg("event"));
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

static void defineGraphs(py::module_ &module) {
  py::class_<OwnedGraph>(module, "OwnedGraph");
  module.def(
      "capture_begin",
      [](int device, uintptr_t stream) {
        check(tw_cuda_capture_begin(device, handle(stream)));
      },
      py::arg("device"), py::arg("stream"));
  module.def(
      "capture_end",
      [](int device, uintptr_t stream) {
        void *graph = nullptr;
        check(tw_cuda_capture_end(device, handle(stream), &graph));
        return std::make_unique<OwnedGraph>(device, graph);
      },
      py::arg("device"), py::arg("stream"));
  module.def(
      "graph_launch",
      [](int device, const OwnedGraph &graph, uintptr_t stream) {
        check(tw_cuda_graph_launch(device, graph.get(), handle(stream)));
      },
      py::arg("device"), py::arg("graph"), py::arg("stream"));
}

void tilewright::python::initCudaMemory(py::module_ &module) {
  definePinned(module);
  defineMemory(module);
  defineCopies(module);
  defineStreams(module);
  defineCurrentStream(module);
  defineEvents(module);
  defineGraphs(module);
  defineOwnArrays(module);
}
