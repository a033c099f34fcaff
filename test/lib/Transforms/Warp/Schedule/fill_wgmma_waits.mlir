// RUN: tilewright-opt %s -warp-fill-wgmma-waits | FileCheck %s

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]}>
#columns = #warp.linear<{register = [[1, 0], [2, 0], [4, 0], [32, 0]], lane = [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
!left = !warp.shared<64x64xbf16, #a>
!right = !warp.shared<64x32xbf16, #b>
!sums = tensor<64x32xf32, #c>
!half = tensor<64x32xbf16, #c>
!wide = tensor<64x32xbf16, #rows>
!places = tensor<64x32x!tile.ptr<bf16>, #rows>
!ring = !warp.ring<2 x {!left}, async_groups>

// What the product reads is stored from its memory, under it; what was loaded before gets its layout there, too.
// CHECK-LABEL: @under
// CHECK-SAME: %[[H:[^:]*]]: tensor<64x32xbf16, #{{[^>]*}}>, %[[P:[^:]*]]: {{.*}}, %[[V:[^:]*]]: tensor<64x32xbf16,
// CHECK: %[[M:.*]] = warp.alloc %[[H]]
// CHECK-NEXT: %[[S:.*]] = warp.wgmma
// CHECK-NEXT: %[[R:.*]] = warp.local_load %[[M]]
// CHECK-NEXT: tile.store %[[P]], %[[R]]
// CHECK-NEXT: warp.convert_layout %[[V]]
// CHECK-NEXT: warp.wgmma_wait %[[S]]
tile.func @under(%h: !half, %p: !places, %v: !wide, %w: !left, %zero: !sums) -> (!sums, !half) attributes {warp.num_warps = 4 : i32} {
  %m = warp.alloc %h : (!half) -> !right
  %r = warp.convert_layout %h : !half -> !wide
  tile.store %p, %r : !places
  %s = warp.wgmma %w, %m, %zero : !left, !right, !sums
  %t = warp.wgmma_wait %s {pendings = 0 : i32} : !sums
  %u = warp.convert_layout %v : !wide -> !half
  tile.return %t, %u : !sums, !half
}

// Read back column by column it would be read two bytes at a time.
// CHECK-LABEL: @narrow
// CHECK-NOT: warp.local_load
// CHECK: warp.convert_layout
tile.func @narrow(%h: !half, %p: tensor<64x32x!tile.ptr<bf16>, #columns>, %w: !left, %zero: !sums) -> !sums attributes {warp.num_warps = 4 : i32} {
  %m = warp.alloc %h : (!half) -> !right
  %r = warp.convert_layout %h : !half -> tensor<64x32xbf16, #columns>
  tile.store %p, %r : tensor<64x32x!tile.ptr<bf16>, #columns>
  %s = warp.wgmma %w, %m, %zero : !left, !right, !sums
  %t = warp.wgmma_wait %s {pendings = 0 : i32} : !sums
  tile.return %t : !sums
}

// What is loaded behind it may be what it stores; another array is not.
// CHECK-LABEL: @order
// CHECK-SAME: %{{[^:]*}}: !tile.ptr<bf16>, %{{[^:]*}}: !tile.ptr<bf16>, %[[V:[^:]*]]:
// CHECK: tile.store %{{.*}}, %[[V]]
// CHECK: %[[X:.*]] = tile.load
// CHECK: warp.wgmma
// CHECK-NEXT: tile.splat
// CHECK-NEXT: tile.store %{{.*}}, %[[X]]
// CHECK-NEXT: warp.wgmma_wait
tile.func @order(%p: !tile.ptr<bf16>, %q: !tile.ptr<bf16>, %v: !wide, %w: !left, %m: !right, %zero: !sums) -> !sums attributes {warp.num_warps = 4 : i32} {
  %0 = tile.splat %p : !tile.ptr<bf16> -> !places
  %1 = tile.splat %q : !tile.ptr<bf16> -> !places
  tile.store %0, %v : !places
  %x = tile.load %0 : !places
  tile.store %1, %x : !places
  %s = warp.wgmma %w, %m, %zero : !left, !right, !sums
  %t = warp.wgmma_wait %s {pendings = 0 : i32} : !sums
  tile.return %t : !sums
}

// The registers of a sum are stored before the next product adds to it.
// CHECK-LABEL: @sum
// CHECK: tile.store
// CHECK: warp.wgmma
tile.func @sum(%p: tensor<64x32x!tile.ptr<f32>, #c>, %w: !left, %m: !right, %sum: !sums) -> !sums attributes {warp.num_warps = 4 : i32} {
  tile.store %p, %sum : tensor<64x32x!tile.ptr<f32>, #c>
  %s = warp.wgmma %w, %m, %sum : !left, !right, !sums
  %t = warp.wgmma_wait %s {pendings = 0 : i32} : !sums
  tile.return %t : !sums
}

// A product that adds to the sum of another one needs no wait; one that threads use does.
// CHECK-LABEL: @chain
// CHECK: %[[S:.*]] = warp.wgmma
// CHECK-NEXT: %[[T:.*]] = warp.wgmma %{{.*}}, %{{.*}}, %[[S]]
// CHECK-NEXT: %[[U:.*]] = warp.wgmma_wait %[[T]]
// CHECK-NEXT: arith.addf %[[U]], %[[U]]
// CHECK-NEXT: warp.wgmma
tile.func @chain(%w: !left, %m: !right, %zero: !sums) -> !sums attributes {warp.num_warps = 4 : i32} {
  %s = warp.wgmma %w, %m, %zero : !left, !right, !sums
  %0 = warp.wgmma_wait %s {pendings = 0 : i32} : !sums
  %t = warp.wgmma %w, %m, %0 : !left, !right, !sums
  %1 = warp.wgmma_wait %t {pendings = 0 : i32} : !sums
  %2 = arith.addf %1, %1 : !sums
  %u = warp.wgmma %w, %m, %2 : !left, !right, !sums
  %3 = warp.wgmma_wait %u {pendings = 0 : i32} : !sums
  tile.return %3 : !sums
}

// A slot that is given back has been read.
// CHECK-LABEL: @given_back
// CHECK: warp.wgmma
// CHECK-NEXT: warp.wgmma_wait
// CHECK-NEXT: warp.wgmma
// CHECK-NEXT: warp.ring.release
// CHECK-NEXT: warp.wgmma_wait
tile.func @given_back(%w: !left, %m: !right, %zero: !sums, %i: i32) -> !sums attributes {warp.num_warps = 4 : i32} {
  %ring = warp.ring : !ring
  %slot, %a = warp.ring.wait %ring[%i] pending 0 : !ring
  %s = warp.wgmma %a, %m, %zero : !left, !right, !sums
  %0 = warp.wgmma_wait %s {pendings = 0 : i32} : !sums
  %t = warp.wgmma %w, %m, %0 : !left, !right, !sums
  warp.ring.release %slot
  %1 = warp.wgmma_wait %t {pendings = 0 : i32} : !sums
  tile.return %1 : !sums
}

// Copies are waited for behind the operand that threads store, whose barrier serves both.
// CHECK-LABEL: @copies
// CHECK: warp.alloc
// CHECK-NEXT: warp.ring.wait
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: warp.wgmma
tile.func @copies(%h: !half, %zero: !sums, %i: i32) -> !sums attributes {warp.num_warps = 4 : i32} {
  %ring = warp.ring : !ring
  %slot, %w = warp.ring.wait %ring[%i] pending 0 : !ring
  warp.barrier
  %m = warp.alloc %h : (!half) -> !right
  %s = warp.wgmma %w, %m, %zero : !left, !right, !sums
  %t = warp.wgmma_wait %s {pendings = 0 : i32} : !sums
  warp.ring.release %slot
  tile.return %t : !sums
}
