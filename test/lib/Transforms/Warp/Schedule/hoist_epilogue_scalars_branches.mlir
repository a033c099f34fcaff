// RUN: tilewright-opt %s -warp-hoist-epilogue-scalars | FileCheck %s

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
!acc = tensor<64x16xf32, #c>
!a = !warp.shared<64x16xf16, #a>
!b = !warp.shared<16x16xf16, #b>
!ring = !warp.ring<3 x {!a, !b}, transactions>

// The division of a tile's row, which is used only after the loop, is computed after the first wgmma.
// CHECK-LABEL: @row
// CHECK: scf.for
// CHECK-NOT: arith.divsi
// CHECK: %[[R:.*]]:2 = scf.if
// CHECK-NOT: arith.divsi
// CHECK: warp.wgmma
// CHECK: arith.divsi
// CHECK: scf.for
// CHECK: } else {
// CHECK: warp.unlikely
// CHECK: arith.divsi
// CHECK: }
// CHECK-NOT: arith.divsi
// CHECK: tile.addptr %{{.*}}, %[[R]]#1
tile.func @row(%p: !tile.ptr<f32>, %n: i32, %y: i32, %tiles: i32) attributes {warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ring = warp.ring : !ring
  scf.for %tile = %c0 to %tiles step %c1 : i32 {
    %row = arith.divsi %tile, %y : i32
    %any = arith.cmpi slt, %c0, %n : i32
    %r = scf.if %any -> !acc {
      %slot, %a, %b = warp.ring.wait %ring : !ring
      %first = warp.wgmma %a, %b, %zero : !a, !b, !acc
      %more = arith.cmpi slt, %c1, %n : i32
      %u = scf.if %more -> !acc {
        %s:2 = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %first, %held = %slot) -> (!acc, !warp.slot) : i32 {
          %next, %e, %f = warp.ring.wait %ring : !ring
          %t = warp.wgmma %e, %f, %acc : !a, !b, !acc
          %d = warp.wgmma_wait %t {pendings = 1 : i32} : !acc
          warp.ring.release %held
          scf.yield %d, %next : !acc, !warp.slot
        }
        %d = warp.wgmma_wait %s#0 {pendings = 0 : i32} : !acc
        warp.ring.release %s#1
        scf.yield %d : !acc
      } else {
        %d = warp.wgmma_wait %first {pendings = 0 : i32} : !acc
        warp.ring.release %slot
        scf.yield %d : !acc
      }
      scf.yield %u : !acc
    } else {
      warp.unlikely
      scf.yield %zero : !acc
    }
    %to = tile.addptr %p, %row : !tile.ptr<f32>, i32
    %ptrs = tile.splat %to : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
    tile.store %ptrs, %r : tensor<64x16x!tile.ptr<f32>, #c>
  }
  tile.return
}
