// RUN: tilewright-opt %s -convert-warp-to-llvm -canonicalize -cse | FileCheck %s
// RUN: tilewright-opt %s -convert-warp-to-llvm='compute-capability=90' -canonicalize -cse | FileCheck %s --check-prefix=SM90

#pairs = #warp.linear<{register = [[1], [64]], lane = [[2], [4], [8], [16], [32]]}>
#permuted = #warp.linear<{register = [[64], [1]], lane = [[2], [4], [8], [16], [32]]}>
#swapped = #warp.linear<{register = [[2], [64]], lane = [[1], [4], [8], [16], [32]]}>
#rotated = #warp.linear<{register = [[1], [64]], lane = [[4], [8], [16], [32], [2]]}>

// A permutation of registers needs no code.
// CHECK-LABEL: @registers
tile.func @registers(%p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK-DAG: %[[X0:.*]] = llvm.load
  // CHECK-NOT: shfl
  // CHECK-NOT: barrier
  // CHECK-NOT: llvm.select
  // CHECK: llvm.return
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #pairs>
  %x = tile.load %q : tensor<128x!tile.ptr<f32>, #pairs>
  %y = warp.convert_layout %x : tensor<128xf32, #pairs> -> tensor<128xf32, #permuted>
  %r = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #permuted>
  tile.store %r, %y : tensor<128x!tile.ptr<f32>, #permuted>
  tile.return
}

// A register bit and a lane bit are swapped: of four registers two stay.
// CHECK-LABEL: @swap
tile.func @swap(%p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: %[[LANE:.*]] = llvm.and
  // CHECK: %[[BIT:.*]] = llvm.and %[[LANE]], %{{.*}}
  // CHECK: %[[ODD:.*]] = llvm.icmp "ne" %[[BIT]]
  // CHECK-COUNT-2: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl
  // CHECK-NOT: barrier
  // CHECK: llvm.return
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #pairs>
  %x = tile.load %q : tensor<128x!tile.ptr<f32>, #pairs>
  %y = warp.convert_layout %x : tensor<128xf32, #pairs> -> tensor<128xf32, #swapped>
  %r = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #swapped>
  tile.store %r, %y : tensor<128x!tile.ptr<f32>, #swapped>
  tile.return
}

// Four bytes share one shuffle; a pointer takes two.
// CHECK-LABEL: @widths
tile.func @widths(%p: !tile.ptr<i8>, %o: !tile.ptr<!tile.ptr<i8>>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: nvvm.shfl.sync idx
  // CHECK-NOT: nvvm.shfl
  // CHECK: llvm.store {{.*}} : {{.*}}, !llvm.ptr<1>
  %q = tile.splat %p : !tile.ptr<i8> -> tensor<128x!tile.ptr<i8>, #pairs>
  %x = tile.load %q : tensor<128x!tile.ptr<i8>, #pairs>
  %y = warp.convert_layout %x : tensor<128xi8, #pairs> -> tensor<128xi8, #rotated>
  %r = tile.splat %p : !tile.ptr<i8> -> tensor<128x!tile.ptr<i8>, #rotated>
  tile.store %r, %y : tensor<128x!tile.ptr<i8>, #rotated>
  // CHECK: llvm.ptrtoint
  // CHECK-COUNT-8: nvvm.shfl.sync idx
  // CHECK-NOT: nvvm.shfl
  // CHECK: llvm.return
  %i = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #pairs>
  %s = tile.addptr %q, %i : tensor<128x!tile.ptr<i8>, #pairs>, tensor<128xi32, #pairs>
  %t = warp.convert_layout %s : tensor<128x!tile.ptr<i8>, #pairs> -> tensor<128x!tile.ptr<i8>, #rotated>
  %u = tile.splat %o : !tile.ptr<!tile.ptr<i8>> -> tensor<128x!tile.ptr<!tile.ptr<i8>>, #rotated>
  tile.store %u, %t : tensor<128x!tile.ptr<!tile.ptr<i8>>, #rotated>
  tile.return
}

#rows = #warp.linear<{register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [0, 0]]}>
#columns = #warp.linear<{register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 0]]}>

// Across warps: stored as vectors, by one of two warps with copies, a barrier,
// loaded as transposed matrices.
// CHECK-LABEL: @transpose
tile.func @transpose(%p: !tile.ptr<f16>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  // CHECK: %[[SHARED:.*]] = llvm.mlir.addressof @__tilewright_shared
  // CHECK: %[[BASE:.*]] = llvm.getelementptr %[[SHARED]][256]
  // CHECK: %[[OWNER:.*]] = llvm.icmp "eq"
  // CHECK-COUNT-2: "@$0 st.shared.v4.b32 [$1], {$2, $3, $4, $5};", "b,r,r,r,r,r" %[[OWNER]]
  // CHECK-NOT: st.shared
  // CHECK: nvvm.barrier0
  // CHECK-COUNT-2: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>, num = 4
  // CHECK-NOT: nvvm.ldmatrix
  // CHECK-NOT: llvm.load
  // CHECK-NOT: barrier
  // CHECK: llvm.return
  %q = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>, #rows>
  %x = tile.load %q : tensor<32x32x!tile.ptr<f16>, #rows>
  %y = warp.convert_layout %x {warp.shared_offset = 256 : i32} : tensor<32x32xf16, #rows> -> tensor<32x32xf16, #columns>
  %r = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>, #columns>
  tile.store %r, %y : tensor<32x32x!tile.ptr<f16>, #columns>
  tile.return
}

#acc = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]]}>
#operand = #warp.linear<{register = [[1, 0], [8, 0], [0, 8], [16, 0], [0, 16]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0]]}>

// An accumulator becomes an operand along the other dimension: matrices for store and load.
// CHECK-LABEL: @sums_to_operand
// SM90-LABEL: @sums_to_operand
tile.func @sums_to_operand(%p: !tile.ptr<bf16>) attributes {tile.kernel, warp.num_warps = 2 : i32} {
  // Without `stmatrix`, words of two.
  // CHECK-NOT: nvvm.stmatrix
  // CHECK-COUNT-8: llvm.store {{.*}} : i32, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK-COUNT-4: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>, num = 4
  // CHECK-NOT: nvvm.ldmatrix
  // CHECK-NOT: barrier
  // CHECK: llvm.return
  // SM90-NOT: llvm.store {{.*}}!llvm.ptr<3>
  // SM90-COUNT-2: nvvm.stmatrix {{.*}}layout = #nvvm.mma_layout<row>
  // SM90-NOT: nvvm.stmatrix
  // SM90: nvvm.barrier0
  // SM90-COUNT-4: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>, num = 4
  // SM90: llvm.return
  %q = tile.splat %p : !tile.ptr<bf16> -> tensor<32x32x!tile.ptr<bf16>, #acc>
  %x = tile.load %q : tensor<32x32x!tile.ptr<bf16>, #acc>
  %y = warp.convert_layout %x {warp.shared_offset = 0 : i32} : tensor<32x32xbf16, #acc> -> tensor<32x32xbf16, #operand>
  %r = tile.splat %p : !tile.ptr<bf16> -> tensor<32x32x!tile.ptr<bf16>, #operand>
  tile.store %r, %y : tensor<32x32x!tile.ptr<bf16>, #operand>
  tile.return
}

#near = #warp.linear<{register = [[0, 1], [0, 2], [0, 128], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [[64, 0]]}>
#far = #warp.linear<{register = [[0, 1], [0, 2], [0, 128], [64, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [[1, 0]]}>

// 128 kB in four rounds: a barrier in each, and one between rounds.
// CHECK-LABEL: @rounds
tile.func @rounds(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 2 : i32} {
  // CHECK-COUNT-7: nvvm.barrier0
  // CHECK-NOT: nvvm.barrier0
  // CHECK: llvm.return
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<128x256x!tile.ptr<f32>, #near>
  %t = tile.load %q : tensor<128x256x!tile.ptr<f32>, #near>
  %y = warp.convert_layout %t {warp.shared_offset = 0 : i32} : tensor<128x256xf32, #near> -> tensor<128x256xf32, #far>
  %r = tile.splat %p : !tile.ptr<f32> -> tensor<128x256x!tile.ptr<f32>, #far>
  tile.store %r, %y : tensor<128x256x!tile.ptr<f32>, #far>
  tile.return
}

#spread = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]]}>
#copies = #warp.linear<{register = [[8], [16]], lane = [[1], [2], [4], [0], [0]]}>

// Lanes hold disjoint parts and all need them: one shuffle per register and no selects.
// CHECK-LABEL: @handed_out
tile.func @handed_out(%p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK-COUNT-4: nvvm.shfl.sync idx
  // CHECK-NOT: nvvm.shfl
  // CHECK-NOT: llvm.select
  // CHECK: llvm.return
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #spread>
  %x = tile.load %q : tensor<32x!tile.ptr<f32>, #spread>
  %y = warp.convert_layout %x : tensor<32xf32, #spread> -> tensor<32xf32, #copies>
  %r = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #copies>
  tile.store %r, %y : tensor<32x!tile.ptr<f32>, #copies>
  tile.return
}
