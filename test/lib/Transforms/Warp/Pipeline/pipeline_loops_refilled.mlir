// RUN: tilewright-opt %s -warp-pipeline-loops="num-stages=2 limit=2500" -canonicalize | FileCheck %s
// RUN: tilewright-opt %s -warp-pipeline-loops="num-stages=2 limit=3500" | FileCheck %s --check-prefix=ROOM

#a = #warp.linear<{register = [[8, 0], [0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]}>
#b = #warp.linear<{register = [[4, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]]}>
#c = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#m = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]}>
!left = tensor<16x8xf32, #a>
!right = tensor<8x8xf32, #b>
!accs = tensor<16x8xf32, #c>
!ptrs = tensor<8x8x!tile.ptr<f32>, #b>
!memory = !warp.shared<8x8xf32, #m>

// Two slots of both tiles leave no memory for a second CTA. So each mma's tile has one slot, which is refilled for the
// next iteration after the mma.
// CHECK-LABEL: @two
// CHECK: %[[K:.*]] = warp.ring : !warp.ring<1 x
// CHECK: %[[V:.*]] = warp.ring : !warp.ring<1 x
// CHECK: warp.ring.acquire %[[K]]
// CHECK: warp.async_copy
// CHECK: warp.ring.commit
// CHECK: warp.ring.acquire %[[V]]
// CHECK: warp.async_copy
// CHECK: warp.ring.commit
// CHECK: scf.for {{.*}} iter_args(%{{[^ ]*}} = %{{[^ ]*}}, %[[LEFT:[^ ]*]] =
// CHECK-DAG: %[[MORE:.*]] = arith.cmpi ugt, %[[LEFT]], %c1
// CHECK: %[[SK:.*]], %[[TK:.*]] = warp.ring.wait %[[K]][%c0{{.*}}] pending 1
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: %[[RK:.*]] = warp.local_load %[[TK]]
// CHECK-NEXT: %[[S:.*]] = warp.mma %{{.*}}, %[[RK]]
// CHECK-NEXT: warp.ring.release %[[SK]]
// CHECK-NEXT: warp.barrier
// CHECK: warp.ring.acquire %[[K]]
// CHECK-NEXT: warp.async_copy {{.*}} if %[[MORE]]
// CHECK-NEXT: warp.ring.commit
// CHECK-NEXT: arith.mulf %{{.*}}, %[[S]] :
// CHECK-NEXT: %[[SV:.*]], %[[TV:.*]] = warp.ring.wait %[[V]][%c0{{.*}}] pending 1
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: %[[RV:.*]] = warp.local_load %[[TV]]
// CHECK-NEXT: warp.mma %{{.*}}, %[[RV]]
// CHECK-NEXT: warp.ring.release %[[SV]]
// CHECK-NEXT: warp.barrier
// CHECK: warp.ring.acquire %[[V]]
// CHECK-NEXT: warp.async_copy {{.*}} if %[[MORE]]
// CHECK-NEXT: warp.ring.commit

// If two CTAs with two slots each fit, all tiles share one ring.
// ROOM-LABEL: @two
// ROOM: warp.ring : !warp.ring<2 x
// ROOM-NOT: warp.ring :
// ROOM-LABEL: @one_acc
tile.func @two(%p: !ptrs, %q: !ptrs, %a: !left, %zero: !accs, %n: i32) -> !accs attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!accs) : i32 {
    %k = tile.load %p : !ptrs
    %mk = warp.alloc %k : (!right) -> !memory
    %rk = warp.local_load %mk : !memory -> !right
    %v = tile.load %q : !ptrs
    %mv = warp.alloc %v : (!right) -> !memory
    %rv = warp.local_load %mv : !memory -> !right
    %s = warp.mma %a, %rk, %zero : !left, !right, !accs
    %scaled = arith.mulf %acc, %s : !accs
    %t = warp.mma %a, %rv, %scaled : !left, !right, !accs
    scf.yield %t : !accs
  }
  tile.return %r : !accs
}

// Both are operands of one accumulator: nothing would be computed while one slot is refilled.
// CHECK-LABEL: @one_acc
// CHECK: warp.ring : !warp.ring<2 x
// CHECK-NOT: warp.ring :
tile.func @one_acc(%p: !ptrs, %q: !ptrs, %a: !left, %zero: !accs, %n: i32) -> !accs attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!accs) : i32 {
    %k = tile.load %p : !ptrs
    %mk = warp.alloc %k : (!right) -> !memory
    %rk = warp.local_load %mk : !memory -> !right
    %v = tile.load %q : !ptrs
    %mv = warp.alloc %v : (!right) -> !memory
    %rv = warp.local_load %mv : !memory -> !right
    %s = warp.mma %a, %rk, %acc : !left, !right, !accs
    %t = warp.mma %a, %rv, %s : !left, !right, !accs
    scf.yield %t : !accs
  }
  tile.return %r : !accs
}

// The page of both tiles is forwarded to its iteration, which scales with it.
// CHECK-LABEL: @paged
// CHECK: scf.for {{.*}} iter_args({{.*}}, %[[LOADED:[^ ,]*]] = %{{[^,]*}}, %[[OWN:[^ ]*]] = %{{[^,)]*}})
// CHECK-NOT: tile.load
// CHECK: warp.mma
// CHECK: %[[SCALE:.*]] = arith.sitofp %[[OWN]]
// CHECK: tile.splat %[[SCALE]]
// CHECK: warp.mma
// CHECK: %[[NEXT:.*]] = tile.load
// CHECK-NOT: tile.load
// CHECK: scf.yield {{.*}}, %[[NEXT]], %[[LOADED]] :
tile.func @paged(%p: !ptrs, %q: !ptrs, %list: !tile.ptr<i32>, %a: !left, %zero: !accs, %n: i32) -> !accs attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!accs) : i32 {
    %there = tile.addptr %list, %i : !tile.ptr<i32>, i32
    %page = tile.load %there : !tile.ptr<i32>
    %at = tile.splat %page : i32 -> tensor<8x8xi32, #b>
    %pk = tile.addptr %p, %at : !ptrs, tensor<8x8xi32, #b>
    %k = tile.load %pk : !ptrs
    %mk = warp.alloc %k : (!right) -> !memory
    %rk = warp.local_load %mk : !memory -> !right
    %pv = tile.addptr %q, %at : !ptrs, tensor<8x8xi32, #b>
    %v = tile.load %pv : !ptrs
    %mv = warp.alloc %v : (!right) -> !memory
    %rv = warp.local_load %mv : !memory -> !right
    %s = warp.mma %a, %rk, %zero : !left, !right, !accs
    %f = arith.sitofp %page : i32 to f32
    %by = tile.splat %f : f32 -> !accs
    %scaled = arith.mulf %by, %s : !accs
    %t = warp.mma %a, %rv, %scaled : !left, !right, !accs
    scf.yield %t : !accs
  }
  tile.return %r : !accs
}
