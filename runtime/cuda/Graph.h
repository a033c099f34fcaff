// Work of a stream recorded once and launched as a whole.
#ifndef TILEWRIGHT_RUNTIME_CUDA_GRAPH_H
#define TILEWRIGHT_RUNTIME_CUDA_GRAPH_H

#include "runtime/cuda/CudaDriver.h"

namespace tilewright::runtime::cuda {

/// From here on what is queued on `stream`, which is not the default one, is
/// recorded and not run.
Status beginCapture(const Driver &driver, int ordinal, StreamHandle stream);

/// Ends the capture; what was recorded is ready to be launched. Destroy it with
/// `destroyGraph`.
Result<GraphExecHandle> endCapture(const Driver &driver, int ordinal,
                                   StreamHandle stream);

Status launchGraph(const Driver &driver, int ordinal, GraphExecHandle graph,
                   StreamHandle stream);
Status destroyGraph(const Driver &driver, int ordinal, GraphExecHandle graph);

/// Whether work on `stream` is recorded in a graph. The default stream is never
/// asked: that is an error while another one is captured.
bool isCaptured(const Driver &driver, StreamHandle stream);

/// Fails while `stream` is captured: "... while a graph is captured".
Status refuseCapture(const Driver &driver, int ordinal, StreamHandle stream,
                     const char *what);

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_GRAPH_H
