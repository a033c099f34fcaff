// RUN: tilewright-opt %s --convert-warp-to-llvm=compute-capability=80 --split-input-file | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: tilewright-opt %s --convert-warp-to-llvm=compute-capability=90 --split-input-file | FileCheck %s --check-prefixes=CHECK,SM90

#l = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// The result is unused: no shared memory.
// CHECK-NOT: @__tilewright_shared
// CHECK-LABEL: llvm.func @kinds
tile.func @kinds(%p: !tile.ptr<i32>, %v: i32, %m: i1) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>, #l>
  %vs = tile.splat %v : i32 -> tensor<32xi32, #l>
  %ms = tile.splat %m : i1 -> tensor<32xi1, #l>
  // CHECK: llvm.inline_asm has_side_effects "@$1 atom.global.gpu.relaxed.add.u32 $0, [$2], $3;", "=r,b,l,r" %arg2
  %0 = tile.atomic_rmw add relaxed gpu %ps, %vs, %ms : tensor<32x!tile.ptr<i32>, #l>
  // CHECK: "atom.global.sys.acq_rel.min.s32 $0, [$1], $2;"
  %1 = tile.atomic_rmw min acq_rel sys %ps, %vs : tensor<32x!tile.ptr<i32>, #l>
  // CHECK: "atom.global.cta.release.max.u32 $0, [$1], $2;"
  %2 = tile.atomic_rmw umax release cta %ps, %vs : tensor<32x!tile.ptr<i32>, #l>
  // CHECK: "atom.global.gpu.acquire.exch.b32 $0, [$1], $2;"
  %3 = tile.atomic_rmw xchg acquire gpu %ps, %vs : tensor<32x!tile.ptr<i32>, #l>
  // CHECK: "atom.global.gpu.relaxed.xor.b32 $0, [$1], $2;"
  %4 = tile.atomic_rmw xor relaxed gpu %ps, %vs : tensor<32x!tile.ptr<i32>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// A float maximum is an integer one: of signed integers for values that are not
// negative, an unsigned minimum for negative ones.
// CHECK-LABEL: llvm.func @float_max
tile.func @float_max(%p: !tile.ptr<f32>, %v: f32) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #l>
  %vs = tile.splat %v : f32 -> tensor<32xf32, #l>
  // CHECK: %[[NEGATIVE:.*]] = llvm.icmp "slt"
  // CHECK: %[[OTHER:.*]] = llvm.xor %[[NEGATIVE]]
  // CHECK: "@$1 atom.global.gpu.relaxed.max.s32 $0, [$2], $3;", "=r,b,l,r,0" %[[OTHER]]
  // CHECK: "@$1 atom.global.gpu.relaxed.min.u32 $0, [$2], $3;", "=r,b,l,r,0" %[[NEGATIVE]]
  %0 = tile.atomic_rmw fmax relaxed gpu %ps, %vs : tensor<32x!tile.ptr<f32>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []}>

// Neighbouring 16-bit floats are paired; before sm_90 bf16 needs a loop for
// each.
// CHECK-LABEL: llvm.func @f16
tile.func @f16(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %v: bf16) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #l>
  %ps = tile.splat %p : !tile.ptr<bf16> -> tensor<64x!tile.ptr<bf16>, #l>
  %pp = tile.addptr %ps, %r : tensor<64x!tile.ptr<bf16>, #l>, tensor<64xi32, #l>
  %vs = tile.splat %v : bf16 -> tensor<64xbf16, #l>
  // SM80-COUNT-2: atom.global.gpu.relaxed.cas.b16
  // SM90: atom.global.gpu.relaxed.add.noftz.bf16x2
  // SM90-NOT: atom
  %0 = tile.atomic_rmw fadd relaxed gpu %pp, %vs : tensor<64x!tile.ptr<bf16>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []}>

// One fence orders all elements of a thread; none follows the last atomic of
// the program.
// CHECK-LABEL: llvm.func @ordered
tile.func @ordered(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %f: f32, %x: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #l>
  %v = tile.splat %f : f32 -> tensor<256xf32, #l>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #l>
  %pp = tile.addptr %ps, %r : tensor<256x!tile.ptr<f32>, #l>, tensor<256xi32, #l>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>, #l>
  %xp = tile.addptr %xs, %r : tensor<256x!tile.ptr<i32>, #l>, tensor<256xi32, #l>
  // CHECK: inline_asm {{.*}} "fence.acq_rel.gpu;"
  // SM80-COUNT-8: atom.global.gpu.relaxed.add.f32
  // SM90-COUNT-2: red.global.gpu.relaxed.add.v4.f32
  // CHECK-NOT: global
  // CHECK: "fence.acq_rel.gpu;"
  // CHECK-NOT: fence
  %0 = tile.atomic_rmw fadd acq_rel gpu %pp, %v : tensor<256x!tile.ptr<f32>, #l>
  // CHECK-COUNT-8: atom.global.sys.relaxed.exch.b32
  // CHECK: "fence.acq_rel.sys;"
  %1 = tile.atomic_rmw xchg acquire sys %xp, %r : tensor<256x!tile.ptr<i32>, #l>
  // CHECK: "fence.acq_rel.cta;"
  // CHECK-COUNT-8: atom.global.cta.relaxed.min.s32
  // CHECK-NOT: asm
  // CHECK: llvm.return
  %2 = tile.atomic_rmw min acq_rel cta %xp, %1 : tensor<256x!tile.ptr<i32>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []}>

// On Hopper one instruction adds to 16 bytes if the result is unused; with rows
// at odd offsets it adds to one element.
// CHECK-LABEL: llvm.func @neighbours
tile.func @neighbours(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %odd: !tile.ptr<f32>, %out: !tile.ptr<f32>, %one: f16, %two: f32) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #l>
  %h = tile.splat %one : f16 -> tensor<256xf16, #l>
  %f = tile.splat %two : f32 -> tensor<256xf32, #l>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>, #l>
  %pp = tile.addptr %ps, %r : tensor<256x!tile.ptr<f16>, #l>, tensor<256xi32, #l>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #l>
  %qp = tile.addptr %qs, %r : tensor<256x!tile.ptr<f32>, #l>, tensor<256xi32, #l>
  %os = tile.splat %odd : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #l>
  %op = tile.addptr %os, %r : tensor<256x!tile.ptr<f32>, #l>, tensor<256xi32, #l>
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #l>
  %outp = tile.addptr %outs, %r : tensor<256x!tile.ptr<f32>, #l>, tensor<256xi32, #l>
  // SM80-COUNT-4: atom.global.gpu.relaxed.add.noftz.f16x2 $0, [$1], $2;
  // SM90: red.global.gpu.relaxed.add.noftz.v4.f16x2 [$0], {$1, $2, $3, $4};
  // SM90-NOT: red.{{.*}}f16
  %0 = tile.atomic_rmw fadd relaxed gpu %pp, %h : tensor<256x!tile.ptr<f16>, #l>
  // SM80-COUNT-8: atom.global.gpu.relaxed.add.f32 $0, [$1], $2;
  // SM90-COUNT-2: red.global.gpu.relaxed.add.v4.f32 [$0], {$1, $2, $3, $4};
  // SM90-NOT: red.{{.*}}v4
  %1 = tile.atomic_rmw fadd relaxed gpu %qp, %f : tensor<256x!tile.ptr<f32>, #l>
  // CHECK-COUNT-8: atom.global.gpu.relaxed.add.f32 $0, [$1], $2;
  %2 = tile.atomic_rmw fadd relaxed gpu %op, %f : tensor<256x!tile.ptr<f32>, #l>
  // CHECK-NOT: red
  // CHECK-COUNT-8: atom.global.gpu.relaxed.add.f32
  %3 = tile.atomic_rmw fadd relaxed gpu %qp, %f : tensor<256x!tile.ptr<f32>, #l>
  tile.store %outp, %3 : tensor<256x!tile.ptr<f32>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []}>

// There is no maximum instruction for 16-bit floats: a loop for each.
// CHECK-LABEL: llvm.func @half_extrema
tile.func @half_extrema(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %v: f16, %q: !tile.ptr<bf16>, %w: bf16) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #l>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>, #l>
  %pp = tile.addptr %ps, %r : tensor<64x!tile.ptr<f16>, #l>, tensor<64xi32, #l>
  %vs = tile.splat %v : f16 -> tensor<64xf16, #l>
  // CHECK: max.f16 next, $0, ${{[0-9]}}; atom.global.gpu.relaxed.cas.b16
  // CHECK: max.f16 next, $0, ${{[0-9]}}; atom.global.gpu.relaxed.cas.b16
  // CHECK-NOT: max.f16
  %0 = tile.atomic_rmw fmax relaxed gpu %pp, %vs : tensor<64x!tile.ptr<f16>, #l>
  // CHECK: min.bf16 next, $0, ${{[0-9]}}; atom.global.gpu.relaxed.cas.b16
  %1 = tile.atomic_rmw fmin relaxed gpu %q, %w : !tile.ptr<bf16>
  tile.return
}

// -----

// One thread acts for the program: the others' stores come before, and all get
// the value that it read.
// CHECK-LABEL: llvm.func @lock
tile.func @lock(%p: !tile.ptr<i32>, %a: i32, %b: i32, %q: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  // CHECK: nvvm.barrier0
  // CHECK: %[[FIRST:.*]] = llvm.icmp "eq"
  // CHECK: "@$1 atom.global.acq_rel.gpu.cas.b32 $0, [$2], $3, $4;", "=r,b,l,r,r,0" %[[FIRST]]
  // CHECK: "@$0 st.shared.b32 [$1], $2;", "b,r,r" %[[FIRST]]
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<3>
  %old = tile.atomic_cas acq_rel gpu %p, %a, %b {warp.shared_offset = 0 : i32} : !tile.ptr<i32>
  tile.store %q, %old : !tile.ptr<i32>
  tile.return
}

// -----

#l = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// CHECK-LABEL: llvm.func @masked_swap
tile.func @masked_swap(%p: !tile.ptr<i32>, %n: i32) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: %[[MASK:.*]] = llvm.icmp "slt"
  // CHECK: "@$1 atom.global.relaxed.gpu.cas.b32 $0, [$2], $3, $4;", "=r,b,l,r,r,0" %[[MASK]]
  %r = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #l>
  %ns = tile.splat %n : i32 -> tensor<32xi32, #l>
  %m = arith.cmpi slt, %r, %ns : tensor<32xi32, #l>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>, #l>
  %old = tile.atomic_cas relaxed gpu %ps, %ns, %r, %m : tensor<32x!tile.ptr<i32>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [[0], [1]], lane = [[2], [4], [8], [16], [0]], warp = []}>

// Registers and lanes hold copies: two atomics by sixteen lanes, four loads.
// CHECK-LABEL: llvm.func @copies
tile.func @copies(%p: !tile.ptr<f32>, %v: f32, %q: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #l>
  %vs = tile.splat %v : f32 -> tensor<32xf32, #l>
  // CHECK-COUNT-2: atom.global.gpu.relaxed.add.f32
  // CHECK-NOT: atom
  // CHECK: nvvm.barrier0
  // CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3>
  %old = tile.atomic_rmw fadd relaxed gpu %ps, %vs {warp.shared_offset = 0 : i32} : tensor<32x!tile.ptr<f32>, #l>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #l>
  tile.store %qs, %old : tensor<32x!tile.ptr<f32>, #l>
  tile.return
}
