// RUN: tilewright-opt %s -split-input-file -verify-diagnostics -tile-gpu-check-explicit='compute-capability=90 arch-specific=true'

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @running(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  warp.specialize warps [4] {
    %zeros = arith.constant dense<0.0> : tensor<64x8xf32>
    %a = warp.alloc : !warp.shared<64x8xf32>
    %b = warp.alloc : !warp.shared<8x8xf32, #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [4, 4]]}>>
    // expected-note@+1 {{the accumulator comes from here}}
    %s = warp.wgmma %a, %b, %zeros : !warp.shared<64x8xf32>, !warp.shared<8x8xf32, #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [4, 4]]}>>, tensor<64x8xf32>
    // expected-error@+1 {{uses an accumulator whose wgmma may still be in flight; pass it through a wait with no pending wgmma first}}
    %h = arith.addf %s, %s : tensor<64x8xf32>
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @pending(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  warp.specialize warps [4] {
    %zeros = arith.constant dense<0.0> : tensor<64x8xf32>
    %a = warp.alloc : !warp.shared<64x8xf32>
    %b = warp.alloc : !warp.shared<8x8xf32, #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [4, 4]]}>>
    %s = warp.wgmma %a, %b, %zeros : !warp.shared<64x8xf32>, !warp.shared<8x8xf32, #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [4, 4]]}>>, tensor<64x8xf32>
    // expected-note@+1 {{the accumulator comes from here}}
    %w = warp.wgmma_wait %s {pendings = 1 : i32} : tensor<64x8xf32>
    // expected-error@+1 {{uses an accumulator whose wgmma may still be in flight; pass it through a wait with no pending wgmma first}}
    %h = arith.addf %w, %w : tensor<64x8xf32>
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @carried(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  warp.specialize warps [4] {
    %zeros = arith.constant dense<0.0> : tensor<64x8xf32>
    %a = warp.alloc : !warp.shared<64x8xf32>
    %b = warp.alloc : !warp.shared<8x8xf32, #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [4, 4]]}>>
    %lots = arith.constant 8 : i32
    // expected-note@+1 {{the accumulator comes from here}}
    %sum = scf.for %i = %n to %lots step %n iter_args(%acc = %zeros) -> tensor<64x8xf32> : i32 {
      %s = warp.wgmma %a, %b, %acc : !warp.shared<64x8xf32>, !warp.shared<8x8xf32, #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [4, 4]]}>>, tensor<64x8xf32>
      scf.yield %s : tensor<64x8xf32>
    }
    // expected-error@+1 {{uses an accumulator whose wgmma may still be in flight; pass it through a wait with no pending wgmma first}}
    %h = arith.addf %sum, %sum : tensor<64x8xf32>
  }
  tile.return
}
