// Kernels that overlap with those before and behind them on their stream.

include "dialect/Tile/TileBase.td"

/// Stays where it is among all accesses to memory.
class Tile_LaunchOp<string mnemonic> : Tile_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]> {
  let assemblyFormat = "attr-dict";
}

def Tile_LaunchWaitOp : Tile_LaunchOp<"launch_wait"> {
  let summary = "waits for the kernels before on the stream";
  let description = [{
    Until they are done and all they wrote is seen. Where a kernel starts only
    then, as on CPUs and on GPUs without programmatic dependent launches, there
    is nothing to wait for.

    ```mlir
    tile.launch_wait
    ```
  }];
}

def Tile_LaunchDependentsOp : Tile_LaunchOp<"launch_dependents"> {
  let summary = "lets the next kernel on the stream start";
  let description = [{
    It may start as soon as each program of this kernel has got here or ended,
    where it was launched to do so; its own `tile.launch_wait` waits for the end
    of this one. A hint, which says nothing of what this kernel has written.

    ```mlir
    tile.launch_dependents
    ```
  }];
}
