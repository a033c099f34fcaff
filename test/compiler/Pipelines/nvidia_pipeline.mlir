// The stages of the pipeline, and its result for a kernel with a dot: ops of NVVM and LLVM alone.

// RUN: tilewright-opt %s -dump-pass-pipeline -o /dev/null -nvidia-pipeline='compute-capability=80 check' 2>&1 | FileCheck %s --check-prefix=AMPERE
// RUN: tilewright-opt %s -dump-pass-pipeline -o /dev/null -nvidia-pipeline='compute-capability=90 arch-specific check' 2>&1 | FileCheck %s --check-prefix=HOPPER
// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile-pipeline,nvidia-pipeline{compute-capability=80 check})' \
// RUN:   | FileCheck %s --check-prefixes=CODE,MMA --implicit-check-not='{{(^ *|= |[!#"])(tile|warp|arith|math|scf|cf|func|builtin)[.]}}'
// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile-pipeline,nvidia-pipeline{compute-capability=90 arch-specific check})' \
// RUN:   | FileCheck %s --check-prefixes=CODE,WGMMA --implicit-check-not='{{(^ *|= |[!#"])(tile|warp|arith|math|scf|cf|func|builtin)[.]}}'

// AMPERE: builtin.module(
// AMPERE-NEXT: {{^  }}tile-gpu-check-explicit{{[{,]|$}}
// AMPERE-NEXT: {{^  }}tile-narrow-loads{{[{,]|$}}
// AMPERE-NEXT: {{^  }}tile-speculate-loads{{[{,]|$}}
// AMPERE-NEXT: {{^  }}tile-gpu-slice-stores{{[{,]|$}}
// AMPERE-NEXT: {{^  }}tile-gpu-split-blocks{{[{,]|$}}
// AMPERE-NEXT: {{^  }}tile-gpu-select-tma{{[{,]|$}}
// AMPERE-NEXT: {{^  }}canonicalize{{[{,]|$}}
// AMPERE-NEXT: {{^  }}cse{{[{,]|$}}
// AMPERE-NEXT: {{^  }}tile-hoist-invariants{{[{,]|$}}
// AMPERE-NEXT: {{^  }}convert-tile-to-warp{{[{,]|$}}
// AMPERE-NEXT: {{^  }}canonicalize{{[{,]|$}}
// AMPERE-NEXT: {{^  }}cse{{[{,]|$}}
// AMPERE-NEXT: {{^  }}tile-hoist-invariants{{[{,]|$}}
// AMPERE-NEXT: {{^  }}warp-report-traffic{{[{,]|$}}
// AMPERE-NEXT: {{^  }}warp-pipeline-loops{{[{,]|$}}
// AMPERE-NEXT: {{^  }}warp-relax-spins{{[{,]|$}}
// AMPERE-NEXT: {{^  }}warp-prefetch-loads{{[{,]|$}}
// AMPERE-NEXT: {{^  }}canonicalize{{[{,]|$}}
// AMPERE-NEXT: {{^  }}cse{{[{,]|$}}
// AMPERE-NEXT: {{^  }}warp-hoist-loads{{[{,]|$}}
// AMPERE-NEXT: {{^  }}warp-sink-conversions{{[{,]|$}}
// AMPERE-NEXT: {{^  }}warp-allocate-shared{{[{,]|$}}
// AMPERE-NEXT: {{^  }}warp-check-registers{{[{,]|$}}
// AMPERE-NEXT: {{^  }}warp-insert-barriers{{[{,]|$}}
// AMPERE-NEXT: {{^  }}warp-check-barriers{{[{,]|$}}
// AMPERE-NEXT: {{^  }}warp-check-rings{{[{,]|$}}
// AMPERE-NEXT: {{^  }}tile-guard-divisions{{[{,]|$}}
// AMPERE-NEXT: {{^  }}convert-warp-to-llvm{{[{,]|$}}
// AMPERE-NEXT: {{^  }}reconcile-unrealized-casts{{[{,]|$}}
// AMPERE-NEXT: {{^  }}nvidia-check-legality{{[{,]|$}}
// AMPERE-NEXT: {{^  }}nvidia-attach-lines{{[{,]|$}}
// AMPERE-NEXT: )

// HOPPER: builtin.module(
// HOPPER-NEXT: {{^  }}tile-gpu-check-explicit{{[{,]|$}}
// HOPPER-NEXT: {{^  }}tile-drop-wraparound{{[{,]|$}}
// HOPPER-NEXT: {{^  }}tile-narrow-loads{{[{,]|$}}
// HOPPER-NEXT: {{^  }}tile-speculate-loads{{[{,]|$}}
// HOPPER-NEXT: {{^  }}tile-gpu-slice-stores{{[{,]|$}}
// HOPPER-NEXT: {{^  }}tile-gpu-split-blocks{{[{,]|$}}
// HOPPER-NEXT: {{^  }}tile-gpu-form-descriptors{{[{,]|$}}
// HOPPER-NEXT: {{^  }}tile-gpu-select-tma{{[{,]|$}}
// HOPPER-NEXT: {{^  }}canonicalize{{[{,]|$}}
// HOPPER-NEXT: {{^  }}cse{{[{,]|$}}
// HOPPER-NEXT: {{^  }}tile-hoist-invariants{{[{,]|$}}
// HOPPER-NEXT: {{^  }}convert-tile-to-warp{{[{,]|$}}
// HOPPER-NEXT: {{^  }}canonicalize{{[{,]|$}}
// HOPPER-NEXT: {{^  }}cse{{[{,]|$}}
// HOPPER-NEXT: {{^  }}tile-hoist-invariants{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-make-persistent{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-stage-stores{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-specialize{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-drop-carried{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-report-traffic{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-pipeline-chained-dots{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-interleave-dots{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-bind-tensor-maps{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-pipeline-loops{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-defer-wgmma-waits{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-merge-wgmma-waits{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-hoist-epilogue-scalars{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-relax-spins{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-prefetch-loads{{[{,]|$}}
// HOPPER-NEXT: {{^  }}canonicalize{{[{,]|$}}
// HOPPER-NEXT: {{^  }}cse{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-hoist-loads{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-sink-conversions{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-prefetch-tile-coords{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-fill-wgmma-waits{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-allocate-shared{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-throttle-producer{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-check-registers{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-insert-barriers{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-insert-proxy-fences{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-check-barriers{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-check-rings{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-merge-wgmma{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-strength-reduce-div{{[{,]|$}}
// HOPPER-NEXT: {{^  }}tile-guard-divisions{{[{,]|$}}
// HOPPER-NEXT: {{^  }}warp-pin-accumulators{{[{,]|$}}
// HOPPER-NEXT: {{^  }}convert-warp-to-llvm{{[{,]|$}}
// HOPPER-NEXT: {{^  }}reconcile-unrealized-casts{{[{,]|$}}
// HOPPER-NEXT: {{^  }}nvidia-check-legality{{[{,]|$}}
// HOPPER-NEXT: {{^  }}nvidia-attach-lines{{[{,]|$}}
// HOPPER-NEXT: )

// CODE: llvm.func @matmul({{.*}}nvvm.kernel
// MMA: cp.async.cg.shared.global
// MMA: mma.sync.aligned.m16n8k16
// WGMMA: wgmma.mma_async
// WGMMA: cp.async.bulk.tensor.2d
// CODE: llvm.return
tile.func @matmul(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i64 {tile.divisibility = 16 : i32}, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pid = tile.program_id x
  %row = arith.muli %pid, %c64 : i32
  %da = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %db = tile.make_descriptor %b, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %x = tile.descriptor_load %da[%row, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %db[%i, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r1 = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols = tile.broadcast %r1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %ps = tile.addptr %p, %cols : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %ps, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
