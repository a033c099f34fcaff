// Kernels that overlap with the previous and next ones on their stream.

include "dialect/Tile/TileBase.td"

/// Keeps its position among all memory accesses.
class Tile_LaunchOp<string mnemonic> : Tile_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]> {
  let assemblyFormat = "attr-dict";
}

def Tile_LaunchWaitOp : Tile_LaunchOp<"launch_wait"> {
  let summary = "waits for the previous kernels on the stream";
  let description = [{
    Waits until they have ended and their writes are visible. On CPUs, and on
    GPUs without programmatic dependent launches, a kernel starts only then, and
    the op does nothing.

    ```mlir
    tile.launch_wait
    ```
  }];
}

def Tile_LaunchDependentsOp : Tile_LaunchOp<"launch_dependents"> {
  let summary = "lets the next kernel on the stream start";
  let description = [{
    If launched to do so, the next kernel may start once each program of this
    kernel has executed the op or ended. Its own `tile.launch_wait` waits for
    the end of this kernel. The op is a hint: it does not make writes of this
    kernel visible.

    ```mlir
    tile.launch_dependents
    ```
  }];
}
