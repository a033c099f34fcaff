#include "runtime/cuda/Graph.h"

#include "runtime/cuda/Context.h"

namespace tilewright::runtime::cuda {

Status beginCapture(const Driver &driver, int ordinal, StreamHandle stream) {
  if (!driver.graphInstantiate)
    return Status(StatusCode::Unsupported,
                  "CUDA driver too old: have " +
                      formatDriverVersion(driver.version()) +
                      ", need 11.4 for graphs");
  if (!stream)
    return Status(StatusCode::InvalidArgument,
                  "the default stream cannot be captured; pass another stream");
  Result<ContextScope> scope = ContextScope::enter(driver, ordinal);
  if (!scope.ok())
    return scope.status();
  return driver.check(driver.captureBegin(stream, CaptureMode::Relaxed),
                      "cuStreamBeginCapture");
}

Result<GraphExecHandle> endCapture(const Driver &driver, int ordinal,
                                   StreamHandle stream) {
  Result<ContextScope> scope = ContextScope::enter(driver, ordinal);
  if (!scope.ok())
    return scope.status();
  GraphHandle graph = nullptr;
  if (Status s =
          driver.check(driver.captureEnd(stream, &graph), "cuStreamEndCapture");
      !s.ok())
    return s;
  GraphExecHandle ready = nullptr;
  Status s = driver.check(driver.graphInstantiate(&ready, graph, 0),
                          "cuGraphInstantiate");
  (void)driver.graphDestroy(graph);
  if (!s.ok())
    return s;
  return ready;
}

Status launchGraph(const Driver &driver, int ordinal, GraphExecHandle graph,
                   StreamHandle stream) {
  Result<ContextScope> scope = ContextScope::enter(driver, ordinal);
  if (!scope.ok())
    return scope.status();
  return driver.check(driver.graphLaunch(graph, stream), "cuGraphLaunch");
}

Status destroyGraph(const Driver &driver, int ordinal, GraphExecHandle graph) {
  if (!graph)
    return Status::success();
  Result<ContextScope> scope = ContextScope::enter(driver, ordinal);
  if (!scope.ok())
    return scope.status();
  return driver.check(driver.graphExecDestroy(graph), "cuGraphExecDestroy");
}

bool isCaptured(const Driver &driver, StreamHandle stream) {
  int isCapturing = 0;
  return stream && driver.streamIsCapturing(stream, &isCapturing) == kSuccess &&
         isCapturing;
}

Status refuseCapture(const Driver &driver, int ordinal, StreamHandle stream,
                     const char *what) {
  // The default stream is never captured, and a query for it fails while
  // another stream is captured.
  if (!stream)
    return Status::success();
  Result<ContextScope> scope = ContextScope::enter(driver, ordinal);
  if (!scope.ok())
    return scope.status();
  int status = 0;
  if (Status s = driver.check(driver.streamIsCapturing(stream, &status),
                              "cuStreamIsCapturing");
      !s.ok())
    return s;
  if (status == 0)
    return Status::success();
  return Status(StatusCode::InvalidArgument,
                std::string(what) +
                    " on a stream while a graph is captured on it; do it "
                    "before the capture");
}

} // namespace tilewright::runtime::cuda
