// Passes that count registers and memory traffic.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_REGISTERS_REGISTERSPASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_REGISTERS_REGISTERSPASSES

include "mlir/Pass/PassBase.td"

def CheckRegisters : Pass<"warp-check-registers", "::mlir::ModuleOp"> {
  let summary = "find loops whose tiles do not fit the registers of a thread";
  let description = [{
    Changes nothing. The tiles of floats that a loop carries are in registers all
    through it. Where those of one loop alone take more registers than a thread of
    its role has, the code spills them in each iteration, and the assembler takes
    seconds to find out how. A remark says so, or an error with `refuse`, which is
    for those who have other configurations to try. What no assembler takes, an
    instruction of more sums than a thread has registers, is an error always.

    Input and output: kernels whose tiles have layouts.

    ```mlir
    // 4 warps: 512 registers of a thread.
    scf.for ... iter_args(%acc = %zero) -> tensor<256x256xf32, #l>
    ```

    Refused: such products, and such loops where it is asked for.
  }];
  let options = [Option<"most", "most", "int64_t", "0",
                        "registers of a thread at most; 0: what the GPU has">,
                 Option<"refuse", "refuse", "bool", "false",
                        "fail instead of a remark">];
}

def ReportTraffic : Pass<"warp-report-traffic", "::mlir::ModuleOp"> {
  let summary = "say how wide accesses are and what conversions of layouts cost";
  let description = [{
    Changes nothing. Remarks say of each load and store of a tile how many bytes
    a thread moves at once, and which would be possible if more were known of the
    addresses; of each `warp.convert_layout` that moves data between threads how
    it does; and of each loop how much an iteration computes and loads. Does nothing where nobody listens to remarks.

    Input and output: kernels whose tiles have layouts.

    ```mlir
    %x = tile.load %p : tensor<128x!tile.ptr<f16>, #l>  // loads 8 bytes at a time
    ```

    Refused: nothing.
  }];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_REGISTERS_REGISTERSPASSES
