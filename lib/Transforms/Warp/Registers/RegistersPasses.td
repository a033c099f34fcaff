// Passes that count registers and memory traffic.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_REGISTERS_REGISTERSPASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_REGISTERS_REGISTERSPASSES

include "mlir/Pass/PassBase.td"

def CheckRegisters : Pass<"warp-check-registers", "::mlir::ModuleOp"> {
  let summary = "find loops whose tiles do not fit the registers of a thread";
  let description = [{
    Changes nothing. The float tiles that a loop carries stay in registers
    throughout the loop. If they take more registers than a thread of the role has,
    the code spills in each iteration, and the assembler takes seconds. A remark
    says so, or an error with `refuse`, for callers that try other configurations.
    A wgmma with more accumulators than a thread has registers is always an error,
    because no assembler accepts it.

    Input and output: kernels whose tiles have layouts.

    ```mlir
    // 4 warps: 512 registers per thread.
    scf.for ... iter_args(%acc = %zero) -> tensor<256x256xf32, #l>
    ```

    Refused: such wgmmas; such loops with `refuse`.
  }];
  let options = [Option<"most", "most", "int64_t", "0",
                        "registers per thread at most; 0: the limit of the GPU">,
                 Option<"refuse", "refuse", "bool", "false",
                        "emit an error instead of a remark">];
}

def ReportTraffic : Pass<"warp-report-traffic", "::mlir::ModuleOp"> {
  let summary = "report access widths and the cost of layout conversions";
  let description = [{
    Changes nothing, and does nothing without a remark listener. Remarks report:
    1. for each load and store of a tile, the bytes that a thread accesses at once,
       and the bytes that more knowledge of the addresses would allow;
    2. for each `warp.convert_layout` that moves data between threads, the method;
    3. for each loop, the operations and the loaded bytes of an iteration.

    Input and output: kernels whose tiles have layouts.

    ```mlir
    %x = tile.load %p : tensor<128x!tile.ptr<f16>, #l>  // loads 8 bytes at a time
    ```

    Refused: nothing.
  }];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_REGISTERS_REGISTERSPASSES
