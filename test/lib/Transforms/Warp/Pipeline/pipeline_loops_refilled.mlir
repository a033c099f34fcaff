// RUN: tilewright-opt %s -warp-pipeline-loops="num-stages=2 limit=2500" -canonicalize | FileCheck %s
// RUN: tilewright-opt %s -warp-pipeline-loops="num-stages=2 limit=3500" | FileCheck %s --check-prefix=ROOM

#a = #warp.linear<{register = [[8, 0], [0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]}>
#b = #warp.linear<{register = [[4, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]]}>
#c = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#m = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]}>
!left = tensor<16x8xf32, #a>
!right = tensor<8x8xf32, #b>
!sums = tensor<16x8xf32, #c>
!places = tensor<8x8x!tile.ptr<f32>, #b>
!memory = !warp.shared<8x8xf32, #m>

// Two slots of both tiles leave no memory for a second program; so each product's tile has one slot, which is filled
// for the next iteration behind the product.
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

// With memory for two programs of two slots each all is one ring.
// ROOM-LABEL: @two
// ROOM: warp.ring : !warp.ring<2 x
// ROOM-NOT: warp.ring :
// ROOM-LABEL: @sum
tile.func @two(%p: !places, %q: !places, %a: !left, %zero: !sums, %n: i32) -> !sums attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
    %k = tile.load %p : !places
    %mk = warp.alloc %k : (!right) -> !memory
    %rk = warp.local_load %mk : !memory -> !right
    %v = tile.load %q : !places
    %mv = warp.alloc %v : (!right) -> !memory
    %rv = warp.local_load %mv : !memory -> !right
    %s = warp.mma %a, %rk, %zero : !left, !right, !sums
    %scaled = arith.mulf %acc, %s : !sums
    %t = warp.mma %a, %rv, %scaled : !left, !right, !sums
    scf.yield %t : !sums
  }
  tile.return %r : !sums
}

// Both are operands of one sum: filled in turn nothing would be computed meanwhile.
// CHECK-LABEL: @sum
// CHECK: warp.ring : !warp.ring<2 x
// CHECK-NOT: warp.ring :
tile.func @sum(%p: !places, %q: !places, %a: !left, %zero: !sums, %n: i32) -> !sums attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
    %k = tile.load %p : !places
    %mk = warp.alloc %k : (!right) -> !memory
    %rk = warp.local_load %mk : !memory -> !right
    %v = tile.load %q : !places
    %mv = warp.alloc %v : (!right) -> !memory
    %rv = warp.local_load %mv : !memory -> !right
    %s = warp.mma %a, %rk, %acc : !left, !right, !sums
    %t = warp.mma %a, %rv, %s : !left, !right, !sums
    scf.yield %t : !sums
  }
  tile.return %r : !sums
}

// The page of both tiles is carried to its iteration, which scales with its number.
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
tile.func @paged(%p: !places, %q: !places, %list: !tile.ptr<i32>, %a: !left, %zero: !sums, %n: i32) -> !sums attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
    %there = tile.addptr %list, %i : !tile.ptr<i32>, i32
    %page = tile.load %there : !tile.ptr<i32>
    %at = tile.splat %page : i32 -> tensor<8x8xi32, #b>
    %pk = tile.addptr %p, %at : !places, tensor<8x8xi32, #b>
    %k = tile.load %pk : !places
    %mk = warp.alloc %k : (!right) -> !memory
    %rk = warp.local_load %mk : !memory -> !right
    %pv = tile.addptr %q, %at : !places, tensor<8x8xi32, #b>
    %v = tile.load %pv : !places
    %mv = warp.alloc %v : (!right) -> !memory
    %rv = warp.local_load %mv : !memory -> !right
    %s = warp.mma %a, %rk, %zero : !left, !right, !sums
    %f = arith.sitofp %page : i32 to f32
    %by = tile.splat %f : f32 -> !sums
    %scaled = arith.mulf %by, %s : !sums
    %t = warp.mma %a, %rv, %scaled : !left, !right, !sums
    scf.yield %t : !sums
  }
  tile.return %r : !sums
}
