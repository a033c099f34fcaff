// Every option of a user's compilation reaches the passes that it is for.

// RUN: tilewright-opt %s -dump-pass-pipeline -o /dev/null -nvidia-pipeline='compute-capability=90 arch-specific num-warps=8 num-stages=5 cluster-size=2 ping-pong single-wave deterministic check makes-maps=false max-registers=96 fit-registers cut-tf32' 2>&1 | FileCheck %s
// RUN: tilewright-opt %s -dump-pass-pipeline -o /dev/null -tile-to-warp-pipeline='makes-maps=false max-registers=96 fit-registers cut-tf32' 2>&1 | FileCheck %s --check-prefix=WARP
// RUN: tilewright-opt %s -dump-pass-pipeline -o /dev/null -warp-to-llvm-pipeline='compute-capability=90 arch-specific' 2>&1 | FileCheck %s --check-prefix=LLVM

// CHECK: tile-gpu-check-explicit{arch-specific=true compute-capability=90}
// CHECK: tile-gpu-slice-stores{num-warps=8}
// CHECK: warp-order-programs
// CHECK: tile-gpu-form-descriptors{arch-specific=true compute-capability=90 num-stages=5 num-warps=8}
// CHECK: tile-gpu-select-tma{arch-specific=true compute-capability=90 makes-maps=false num-warps=8}
// CHECK: convert-tile-to-warp{arch-specific=true compute-capability=90 cut-tf32=true num-stages=5 num-warps=8}
// CHECK: warp-make-persistent{single-wave=true}
// CHECK: warp-specialize{{{.*}}num-stages=5 ping-pong=true}
// CHECK: warp-form-clusters{size=2}
// CHECK: warp-bind-tensor-maps{check=true}
// CHECK: warp-pipeline-loops{{{.*}}num-stages=5}
// CHECK: warp-prefetch-loads{most=96}
// CHECK: warp-check-registers{most=96 refuse=true}
// CHECK: warp-check-barriers
// CHECK: convert-warp-to-llvm{arch-specific=true compute-capability=90}

// WARP: tile-gpu-select-tma{{{.*}}makes-maps=false
// WARP: convert-tile-to-warp{{{.*}}cut-tf32=true
// WARP: warp-prefetch-loads{most=96}
// WARP: warp-check-registers{most=96 refuse=true}

// LLVM: convert-warp-to-llvm{arch-specific=true compute-capability=90}
