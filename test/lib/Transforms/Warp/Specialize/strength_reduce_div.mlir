// RUN: tilewright-opt %s -warp-strength-reduce-div | FileCheck %s
// RUN: tilewright-opt %s -warp-strength-reduce-div -warp-allocate-shared -warp-to-llvm-pipeline='compute-capability=90 arch-specific=true' \
// RUN:   | tilewright-test-ptx --arch=sm_90a | FileCheck %s --check-prefix=PTX

#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
!a = !warp.shared<8x8xf32, #a>
!ring = !warp.ring<3 x {!a}, transactions>

// Divisors that are powers of two become shifts; a smaller dividend has quotient zero. Quotient and remainder of the
// same operands share the branch. Divisions in a loop within a program, and those by constants, do not change.

// CHECK-LABEL: @coords
// CHECK-SAME: (%[[MAP:.*]]: !warp.tensor_map, %[[N:[a-z0-9]*]]: i32, %[[EXTENT:[a-z0-9]*]]: i32
// CHECK: }, {
// CHECK: scf.for %[[TILE:[a-z0-9]*]] =
// CHECK: %[[LESS:.*]] = arith.cmpi ult, %[[TILE]], %[[EXTENT]]
// CHECK: %[[LOWER:.*]] = arith.subi %[[EXTENT]], %c1_i32
// CHECK: %[[OTHERS:.*]] = arith.andi %[[EXTENT]], %[[LOWER]]
// CHECK: %[[POWER:.*]] = arith.cmpi eq, %[[OTHERS]], %c0_i32
// CHECK: %[[SHORT:.*]] = arith.ori %[[LESS]], %[[POWER]]
// CHECK: %[[ROW:.*]] = scf.if %[[SHORT]] -> (i32) {
// CHECK: %[[ZEROS:.*]] = math.ctlz %[[EXTENT]]
// CHECK: %[[BIT:.*]] = arith.subi %c31_i32{{.*}}, %[[ZEROS]]
// CHECK: %[[BY:.*]] = arith.andi %[[BIT]], %c31_i32
// CHECK: %[[SHIFTED:.*]] = arith.shrui %[[TILE]], %[[BY]]
// CHECK: %[[QUOTIENT:.*]] = arith.select %[[LESS]], %c0_i32{{.*}}, %[[SHIFTED]]
// CHECK: scf.yield %[[QUOTIENT]]
// CHECK: } else {
// CHECK: %[[LONG:.*]] = arith.divui %[[TILE]], %[[EXTENT]]
// CHECK: scf.yield %[[LONG]]
// CHECK: }
// CHECK: %[[WHOLE:.*]] = arith.muli %[[ROW]], %[[EXTENT]]
// CHECK: %[[REST:.*]] = arith.subi %[[TILE]], %[[WHOLE]]
// CHECK-NOT: arith.divui
// CHECK: %[[SIGNS:.*]] = arith.ori %[[REST]], %[[EXTENT]]
// CHECK: %[[NONE:.*]] = arith.cmpi sge, %[[SIGNS]], %{{.*}}
// CHECK: %[[SHORT:.*]] = arith.andi %{{.*}}, %[[NONE]]
// CHECK: scf.if %[[SHORT]]
// CHECK: arith.divsi %[[REST]], %[[EXTENT]]
// CHECK: arith.divsi %{{.*}}, %c8_i32
// CHECK: scf.for %[[K:[a-z0-9]*]] =
// CHECK-NEXT: arith.remui %[[K]], %[[EXTENT]]

// PTX-LABEL: .visible .entry coords(
// PTX: clz.b32
// PTX: shr.u32
// PTX: div.u32
// PTX: div.s32
tile.func @coords(%map: !warp.tensor_map, %n: i32, %extent: i32)
    attributes {tile.kernel, warp.num_warps = 4 : i32, warp.block_warps = 5 : i32} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 8 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %slot, %x = warp.ring.wait %ring : !ring
    warp.ring.release %slot
  }, {
    %first = tile.program_id x
    %step = tile.num_programs x
    scf.for %tile = %first to %n step %step : i32 {
      %column = arith.remui %tile, %extent : i32
      %row = arith.divui %tile, %extent : i32
      %part = arith.divsi %column, %extent : i32
      %eighth = arith.divsi %part, %unit : i32
      %sum = arith.addi %row, %eighth : i32
      scf.for %k = %zero to %n step %unit : i32 {
        %in = arith.remui %k, %extent : i32
        %slot, %x = warp.ring.acquire %ring : !ring
        warp.tma_load %map[%sum, %in], %x : !warp.tensor_map, !a
        warp.ring.commit %slot
      }
    }
  }
  tile.return
}

// A loop over copies is no loop over programs. Divisions of the role itself are reduced.

// CHECK-LABEL: @program
// CHECK: }, {
// CHECK: scf.if
// CHECK: arith.divui
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: arith.remui
tile.func @program(%map: !warp.tensor_map, %n: i32, %extent: i32)
    attributes {tile.kernel, warp.num_warps = 4 : i32, warp.block_warps = 5 : i32} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 8 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %slot, %x = warp.ring.wait %ring : !ring
    warp.ring.release %slot
  }, {
    %first = tile.program_id x
    %row = arith.divui %first, %extent : i32
    scf.for %k = %zero to %n step %unit : i32 {
      %in = arith.remui %k, %extent : i32
      %slot, %x = warp.ring.acquire %ring : !ring
      warp.tma_load %map[%row, %in], %x : !warp.tensor_map, !a
      warp.ring.commit %slot
    }
  }
  tile.return
}
