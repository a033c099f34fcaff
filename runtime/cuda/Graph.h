// Work of a stream, recorded once and launched as a whole.
#ifndef TILEWRIGHT_RUNTIME_CUDA_GRAPH_H
#define TILEWRIGHT_RUNTIME_CUDA_GRAPH_H

#include "runtime/cuda/CudaDriver.h"

namespace tilewright::runtime::cuda {

/// From here on, work queued on `stream`, which is not the default one, is
/// recorded instead of run.
Status beginCapture(const Driver &driver, int ordinal, StreamHandle stream);

/// Ends the capture and returns the recorded graph, ready for launches. Destroy
/// it with `destroyGraph`.
Result<GraphExecHandle> endCapture(const Driver &driver, int ordinal,
                                   StreamHandle stream);

Status launchGraph(const Driver &driver, int ordinal, GraphExecHandle graph,
                   StreamHandle stream);
Status destroyGraph(const Driver &driver, int ordinal, GraphExecHandle graph);

/// Whether work on `stream` is recorded in a graph. Never queries the default
/// stream: that fails while another one is captured.
bool isCaptured(const Driver &driver, StreamHandle stream);

/// Fails while `stream` is captured: "... while a graph is captured".
Status refuseCapture(const Driver &driver, int ordinal, StreamHandle stream,
                     const char *what);

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_GRAPH_H
