// Streams, graphs and events of the emulated driver.

#include "test/emulator/EmulatedDevice.h"

#include <chrono>

using namespace tilewright::runtime::cuda;
using namespace emulator;

using Clock = std::chrono::steady_clock;

EMULATED cuStreamCreate(void **stream, unsigned) {
  *stream = newHandle();
  return kSuccess;
}
EMULATED cuStreamDestroy_v2(void *) { return kSuccess; }
EMULATED cuStreamSynchronize(void *) { return kSuccess; }
EMULATED cuStreamQuery(void *) { return kSuccess; }
EMULATED cuStreamWaitEvent(void *, void *, unsigned) { return kSuccess; }
EMULATED cuStreamIsCapturing(void *stream, int *status) {
  *status = stream && stream == device().captured;
  return kSuccess;
}
EMULATED cuStreamBeginCapture_v2(void *stream, int) {
  device().captured = stream;
  device().graph = std::make_unique<Graph>();
  return kSuccess;
}
EMULATED cuStreamEndCapture(void *, void **graph) {
  *graph = device().graph.release();
  device().captured = nullptr;
  return kSuccess;
}
EMULATED cuGraphInstantiateWithFlags(void **exec, void *graph,
                                     unsigned long long) {
  *exec = new Graph(*static_cast<Graph *>(graph));
  return kSuccess;
}
EMULATED cuGraphLaunch(void *exec, void *) {
  for (const auto &step : static_cast<Graph *>(exec)->steps)
    if (int error = step())
      return error;
  return kSuccess;
}
EMULATED cuGraphDestroy(void *graph) {
  delete static_cast<Graph *>(graph);
  return kSuccess;
}
EMULATED cuGraphExecDestroy(void *exec) {
  delete static_cast<Graph *>(exec);
  return kSuccess;
}

EMULATED cuEventCreate(void **event, unsigned) {
  *event = new Clock::time_point(Clock::now());
  return kSuccess;
}
EMULATED cuEventDestroy_v2(void *event) {
  delete static_cast<Clock::time_point *>(event);
  return kSuccess;
}
EMULATED cuEventRecord(void *event, void *) {
  *static_cast<Clock::time_point *>(event) = Clock::now();
  return kSuccess;
}
EMULATED cuEventQuery(void *) { return kSuccess; }
EMULATED cuEventSynchronize(void *) { return kSuccess; }
EMULATED cuEventElapsedTime(float *milliseconds, void *start, void *end) {
  *milliseconds = std::chrono::duration<float, std::milli>(
                      *static_cast<Clock::time_point *>(end) -
                      *static_cast<Clock::time_point *>(start))
                      .count();
  return kSuccess;
}
