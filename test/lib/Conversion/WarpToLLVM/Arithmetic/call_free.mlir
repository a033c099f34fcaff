// RUN: tilewright-opt %s --convert-warp-to-llvm="compute-capability=90 arch-specific=true" --split-input-file | FileCheck %s

// Without wgmma LLVM lowers roots and divisions, with calls.
// CHECK-LABEL: llvm.func @plain
tile.func @plain(%x: f32, %i: i64, %j: i64, %p: !tile.ptr<f32>, %q: !tile.ptr<i64>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: llvm.intr.sqrt(%arg0)
  %0 = math.sqrt %x : f32
  tile.store %p, %0 : !tile.ptr<f32>
  // CHECK: llvm.sdiv %arg1, %arg2 : i64
  %1 = arith.divsi %i, %j : i64
  tile.store %q, %1 : !tile.ptr<i64>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>

// With wgmma they are expanded inline. Signs are removed and restored; constant divisors and other types stay with
// LLVM.
// CHECK-LABEL: llvm.func @with_wgmma
// CHECK-DAG: llvm.inline_asm {{.*}}rsqrt.approx.ftz.f64{{.*}}selp.f32 $0
// CHECK-DAG: llvm.intr.sqrt({{.*}}) : (f64) -> f64
// CHECK-DAG: %[[SX:.*]] = llvm.ashr %[[I:arg[0-9]+]], %{{.*}} : i64
// CHECK-DAG: %[[SY:.*]] = llvm.ashr %[[J:arg[0-9]+]], %{{.*}} : i64
// CHECK-DAG: llvm.xor %[[SX]], %[[SY]]
// CHECK-DAG: llvm.inline_asm {{.*}}div.u32{{.*}}rcp.approx.ftz.f64{{.*}}mov.b64 $0, q
// CHECK-DAG: llvm.srem %[[I]], %{{.*}} : i64
// CHECK-DAG: llvm.udiv {{.*}} : i32
tile.func @with_wgmma(%x: f32, %y: f64, %i: i64, %j: i64, %k: i32, %p: !tile.ptr<f32>, %d: !tile.ptr<f64>, %q: !tile.ptr<i64>, %r: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %cs = tile.splat %p : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  %c = tile.load %cs : tensor<64x16x!tile.ptr<f32>, #c>
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<64x32xf16, #a>
  %b = warp.alloc {warp.shared_offset = 4096 : i32} : !warp.shared<32x16xf16, #b>
  %s = warp.wgmma %a, %b, %c : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf32, #c>
  %t = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  tile.store %cs, %t : tensor<64x16x!tile.ptr<f32>, #c>
  %0 = math.sqrt %x : f32
  tile.store %p, %0 : !tile.ptr<f32>
  %1 = math.sqrt %y : f64
  tile.store %d, %1 : !tile.ptr<f64>
  %2 = arith.divsi %i, %j : i64
  tile.store %q, %2 : !tile.ptr<i64>
  %ten = arith.constant 10 : i64
  %3 = arith.remsi %i, %ten : i64
  tile.store %q, %3 : !tile.ptr<i64>
  %4 = arith.divui %k, %k : i32
  tile.store %r, %4 : !tile.ptr<i32>
  tile.return
}
