// RUN: tilewright-opt %s -warp-fill-wgmma-waits | FileCheck %s

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]}>
#columns = #warp.linear<{register = [[1, 0], [2, 0], [4, 0], [32, 0]], lane = [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
!left = !warp.shared<64x64xbf16, #a>
!right = !warp.shared<64x32xbf16, #b>
!accs = tensor<64x32xf32, #c>
!half = tensor<64x32xbf16, #c>
!wide = tensor<64x32xbf16, #rows>
!ptrs = tensor<64x32x!tile.ptr<bf16>, #rows>
!ring = !warp.ring<2 x {!left}, async_groups>

// The operand is stored to global memory from its shared memory, after the wgmma starts. A tile loaded before is
// converted there too.
// CHECK-LABEL: @under
// CHECK-SAME: %[[H:[^:]*]]: tensor<64x32xbf16, #{{[^>]*}}>, %[[P:[^:]*]]: {{.*}}, %[[V:[^:]*]]: tensor<64x32xbf16,
// CHECK: %[[M:.*]] = warp.alloc %[[H]]
// CHECK-NEXT: %[[S:.*]] = warp.wgmma
// CHECK-NEXT: %[[R:.*]] = warp.local_load %[[M]]
// CHECK-NEXT: tile.store %[[P]], %[[R]]
// CHECK-NEXT: warp.convert_layout %[[V]]
// CHECK-NEXT: warp.wgmma_wait %[[S]]
tile.func @under(%h: !half, %p: !ptrs, %v: !wide, %w: !left, %zero: !accs) -> (!accs, !half) attributes {warp.num_warps = 4 : i32} {
  %m = warp.alloc %h : (!half) -> !right
  %r = warp.convert_layout %h : !half -> !wide
  tile.store %p, %r : !ptrs
  %s = warp.wgmma %w, %m, %zero : !left, !right, !accs
  %t = warp.wgmma_wait %s {pendings = 0 : i32} : !accs
  %u = warp.convert_layout %v : !wide -> !half
  tile.return %t, %u : !accs, !half
}

// By columns it would be read back two bytes at a time.
// CHECK-LABEL: @narrow
// CHECK-NOT: warp.local_load
// CHECK: warp.convert_layout
tile.func @narrow(%h: !half, %p: tensor<64x32x!tile.ptr<bf16>, #columns>, %w: !left, %zero: !accs) -> !accs attributes {warp.num_warps = 4 : i32} {
  %m = warp.alloc %h : (!half) -> !right
  %r = warp.convert_layout %h : !half -> tensor<64x32xbf16, #columns>
  tile.store %p, %r : tensor<64x32x!tile.ptr<bf16>, #columns>
  %s = warp.wgmma %w, %m, %zero : !left, !right, !accs
  %t = warp.wgmma_wait %s {pendings = 0 : i32} : !accs
  tile.return %t : !accs
}

// A load after a store may read the stored data; a store to another array does not conflict.
// CHECK-LABEL: @order
// CHECK-SAME: %{{[^:]*}}: !tile.ptr<bf16>, %{{[^:]*}}: !tile.ptr<bf16>, %[[V:[^:]*]]:
// CHECK: tile.store %{{.*}}, %[[V]]
// CHECK: %[[X:.*]] = tile.load
// CHECK: warp.wgmma
// CHECK-NEXT: tile.splat
// CHECK-NEXT: tile.store %{{.*}}, %[[X]]
// CHECK-NEXT: warp.wgmma_wait
tile.func @order(%p: !tile.ptr<bf16>, %q: !tile.ptr<bf16>, %v: !wide, %w: !left, %m: !right, %zero: !accs) -> !accs attributes {warp.num_warps = 4 : i32} {
  %0 = tile.splat %p : !tile.ptr<bf16> -> !ptrs
  %1 = tile.splat %q : !tile.ptr<bf16> -> !ptrs
  tile.store %0, %v : !ptrs
  %x = tile.load %0 : !ptrs
  tile.store %1, %x : !ptrs
  %s = warp.wgmma %w, %m, %zero : !left, !right, !accs
  %t = warp.wgmma_wait %s {pendings = 0 : i32} : !accs
  tile.return %t : !accs
}

// The registers of an accumulator are stored before the next wgmma adds to it.
// CHECK-LABEL: @stored_acc
// CHECK: tile.store
// CHECK: warp.wgmma
tile.func @stored_acc(%p: tensor<64x32x!tile.ptr<f32>, #c>, %w: !left, %m: !right, %acc: !accs) -> !accs attributes {warp.num_warps = 4 : i32} {
  tile.store %p, %acc : tensor<64x32x!tile.ptr<f32>, #c>
  %s = warp.wgmma %w, %m, %acc : !left, !right, !accs
  %t = warp.wgmma_wait %s {pendings = 0 : i32} : !accs
  tile.return %t : !accs
}

// A wgmma that continues the accumulator of another one needs no wait; a use by threads does.
// CHECK-LABEL: @chain
// CHECK: %[[S:.*]] = warp.wgmma
// CHECK-NEXT: %[[T:.*]] = warp.wgmma %{{.*}}, %{{.*}}, %[[S]]
// CHECK-NEXT: %[[U:.*]] = warp.wgmma_wait %[[T]]
// CHECK-NEXT: arith.addf %[[U]], %[[U]]
// CHECK-NEXT: warp.wgmma
tile.func @chain(%w: !left, %m: !right, %zero: !accs) -> !accs attributes {warp.num_warps = 4 : i32} {
  %s = warp.wgmma %w, %m, %zero : !left, !right, !accs
  %0 = warp.wgmma_wait %s {pendings = 0 : i32} : !accs
  %t = warp.wgmma %w, %m, %0 : !left, !right, !accs
  %1 = warp.wgmma_wait %t {pendings = 0 : i32} : !accs
  %2 = arith.addf %1, %1 : !accs
  %u = warp.wgmma %w, %m, %2 : !left, !right, !accs
  %3 = warp.wgmma_wait %u {pendings = 0 : i32} : !accs
  tile.return %3 : !accs
}

// Released slots have been read.
// CHECK-LABEL: @given_back
// CHECK: warp.wgmma
// CHECK-NEXT: warp.wgmma_wait
// CHECK-NEXT: warp.wgmma
// CHECK-NEXT: warp.ring.release
// CHECK-NEXT: warp.wgmma_wait
tile.func @given_back(%w: !left, %m: !right, %zero: !accs, %i: i32) -> !accs attributes {warp.num_warps = 4 : i32} {
  %ring = warp.ring : !ring
  %slot, %a = warp.ring.wait %ring[%i] pending 0 : !ring
  %s = warp.wgmma %a, %m, %zero : !left, !right, !accs
  %0 = warp.wgmma_wait %s {pendings = 0 : i32} : !accs
  %t = warp.wgmma %w, %m, %0 : !left, !right, !accs
  warp.ring.release %slot
  %1 = warp.wgmma_wait %t {pendings = 0 : i32} : !accs
  tile.return %1 : !accs
}

// The wait for copies follows the stores of the operand: one barrier serves both.
// CHECK-LABEL: @copies
// CHECK: warp.alloc
// CHECK-NEXT: warp.ring.wait
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: warp.wgmma
tile.func @copies(%h: !half, %zero: !accs, %i: i32) -> !accs attributes {warp.num_warps = 4 : i32} {
  %ring = warp.ring : !ring
  %slot, %w = warp.ring.wait %ring[%i] pending 0 : !ring
  warp.barrier
  %m = warp.alloc %h : (!half) -> !right
  %s = warp.wgmma %w, %m, %zero : !left, !right, !accs
  %t = warp.wgmma_wait %s {pendings = 0 : i32} : !accs
  warp.ring.release %slot
  tile.return %t : !accs
}
