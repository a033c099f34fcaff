// Streams, events and graphs of the driver's test double, and NVTX.

#include "test/unit/Runtime/Cuda/FakeDriver.h"

using namespace tilewright::runtime::cuda;

#ifndef FAKE_CUDA_OLD
FAKE cuGraphInstantiateWithFlags(void **exec, void *, unsigned long long) {
  FAIL_IF_ORDERED;
  ++fake().graphsAlive;
  *exec = fakeHandle(0x9000);
  return kSuccess;
}
#endif

FAKE cuStreamBeginCapture_v2(void *stream, int mode) {
  FAIL_IF_ORDERED;
  FAIL_IF_DESTROYED(stream);
  if (mode != static_cast<int>(CaptureMode::Relaxed))
    return kErrorInvalidValue;
  fake().isCapturing = true;
  fake().captured = stream;
  return kSuccess;
}

FAKE cuStreamEndCapture(void *, void **graph) {
  fake().isCapturing = false;
  FAIL_IF_ORDERED;
  *graph = fakeHandle(0x8000);
  return kSuccess;
}

FAKE cuStreamIsCapturing(void *stream, int *status) {
  FAIL_IF_ORDERED;
  FAIL_IF_DESTROYED(stream);
  *status = fake().isCapturing && stream == fake().captured;
  return kSuccess;
}

FAKE cuGraphLaunch(void *, void *stream) {
  FAIL_IF_ORDERED;
  FAIL_IF_DESTROYED(stream);
  ++fake().graphLaunches;
  return kSuccess;
}

FAKE cuGraphDestroy(void *) { return kSuccess; }

FAKE cuGraphExecDestroy(void *) {
  --fake().graphsAlive;
  return kSuccess;
}

FAKE cuStreamCreate(void **stream, unsigned flags) {
  FAIL_IF_ORDERED;
  fake().streamFlags = flags;
  *stream = fakeHandle(0x5000 + 0x10 * uintptr_t(fake().streamsMade++));
  return kSuccess;
}

FAKE cuStreamQuery(void *stream) {
  FAIL_IF_ORDERED;
  FAIL_IF_DESTROYED(stream);
  return kSuccess;
}

FAKE cuStreamWaitEvent(void *stream, void *, unsigned) {
  FAIL_IF_ORDERED;
  FAIL_IF_DESTROYED(stream);
  ++fake().calls[__func__];
  return kSuccess;
}

FAKE cuStreamDestroy_v2(void *stream) {
  FAIL_IF_DESTROYED(stream);
  fake().destroyedStreams.insert(stream);
  return kSuccess;
}

FAKE cuStreamSynchronize(void *stream) {
  FAIL_IF_ORDERED;
  FAIL_IF_DESTROYED(stream);
  doCopies();
  return kSuccess;
}

FAKE cuEventCreate(void **event, unsigned) {
  FAIL_IF_ORDERED;
  *event = fakeHandle(0x6000 + 0x10 * uintptr_t(fake().eventsMade++));
  return kSuccess;
}

FAKE cuEventDestroy_v2(void *) { return kSuccess; }
FAKE cuEventRecord(void *event, void *stream) {
  FAIL_IF_DESTROYED(stream);
  fake().copiesBefore[event] = fake().copies.size();
  return kSuccess;
}
FAKE cuEventQuery(void *) {
  FAIL_IF_ORDERED;
  return kSuccess;
}
FAKE cuEventSynchronize(void *event) {
  ++fake().calls[__func__];
  doCopies(fake().copiesBefore[event]);
  return kSuccess;
}

FAKE cuEventElapsedTime(float *milliseconds, void *, void *) {
  FAIL_IF_ORDERED;
  *milliseconds = 1.5f;
  return kSuccess;
}

// For tests in Python, which cannot reach the state.
FAKE fakeFailSynchronize(int result) {
  fake().failures["cuStreamSynchronize"] = result;
  return kSuccess;
}

/// From now on, copies of page-locked memory are deferred.
FAKE fakeDeferCopies() {
  fake().defersCopies = true;
  return kSuccess;
}

/// Number of uses of destroyed objects and of frees during use.
FAKE fakeMisuses() { return static_cast<int>(fake().misuses.size()); }
FAKE fakeFreed() { return fake().freed; }
FAKE fakeStreamsAlive() {
  return fake().streamsMade - static_cast<int>(fake().destroyedStreams.size());
}
FAKE fakeGraphsAlive() { return fake().graphsAlive; }
FAKE fakeModulesAlive() {
  return fake().modulesLoaded - fake().modulesUnloaded;
}

/// Makes a context of another library current; -1 removes it.
FAKE fakeEnterContext(int device) {
  if (device < 0)
    fake().contextStack.pop_back();
  else
    fake().contextStack.push_back(fakeOtherContext(device));
  return static_cast<int>(fake().contextStack.size());
}

static int numberOf(void *handle) {
  return static_cast<int>(reinterpret_cast<uintptr_t>(handle));
}
FAKE fakeLastStream() { return numberOf(fake().launches.back().stream); }
FAKE fakeLastContext() { return numberOf(fake().launches.back().context); }

/// Returns the address of the memory that the driver knows, on device 1.
FAKE fakeMemory(uint64_t *address) {
  *address = reinterpret_cast<uint64_t>(fake().memory);
  return kSuccess;
}

// NVTX, in one library with the driver. The number of finished ranges is -1
// while one is open.
static int openRanges = 0, ranges = 0;
FAKE nvtxRangePushA(const char *) {
  ++ranges;
  return openRanges++;
}
FAKE nvtxRangePop() { return --openRanges; }
FAKE fakeRanges() { return openRanges ? -1 : ranges; }
