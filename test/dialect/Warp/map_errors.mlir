// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// The type.
// expected-error@+1 {{holds 1 to 64 maps, got 0}}
tile.func private @none(!warp.map_memory<0>)

// -----

// C1: a stride for each size but the last.
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @make_c1_strides(%p: !tile.ptr<f32>, %n: i64, %s: !warp.shared<128xi8, #bytes>) {
  %m = warp.acquire_map_memory : !warp.map_memory<2>
  // expected-error@+1 {{needs one to five sizes, one stride less and one box extent per size, got 2, 2 and 2}}
  %map = warp.make_tensor_map %p, [%n, %n], [%n, %n] in %m at 0 through %s
      {box = array<i64: 4, 8>, element = f32, padding = 0 : i32, swizzle = 32 : i32}
      : !tile.ptr<f32>, !warp.map_memory<2>, !warp.shared<128xi8, #bytes>
  tile.return
}

// -----

// C1: a box extent for each size.
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @make_c1_box(%p: !tile.ptr<f32>, %n: i64, %s: !warp.shared<128xi8, #bytes>) {
  %m = warp.acquire_map_memory : !warp.map_memory<2>
  // expected-error@+1 {{one stride less and one box extent per size, got 2, 1 and 1}}
  %map = warp.make_tensor_map %p, [%n, %n], [%n] in %m at 0 through %s
      {box = array<i64: 8>, element = f32, padding = 0 : i32, swizzle = 32 : i32}
      : !tile.ptr<f32>, !warp.map_memory<2>, !warp.shared<128xi8, #bytes>
  tile.return
}

// -----

// C2: a piece of the memory.
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @make_c2_index(%p: !tile.ptr<f32>, %n: i64, %s: !warp.shared<128xi8, #bytes>) {
  %m = warp.acquire_map_memory : !warp.map_memory<2>
  // expected-error@+1 {{has index 2 in memory for 2 maps}}
  %map = warp.make_tensor_map %p, [%n, %n], [%n] in %m at 2 through %s
      {box = array<i64: 4, 8>, element = f32, padding = 0 : i32, swizzle = 32 : i32}
      : !tile.ptr<f32>, !warp.map_memory<2>, !warp.shared<128xi8, #bytes>
  tile.return
}

// -----

// C2: the role's own memory.
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @make_c2_role(%p: !tile.ptr<f32>, %n: i64, %s: !warp.shared<128xi8, #bytes>, %m: !warp.map_memory<2>) {
  // expected-error@+1 {{needs memory that the same role has acquired}}
  %map = warp.make_tensor_map %p, [%n, %n], [%n] in %m at 0 through %s
      {box = array<i64: 4, 8>, element = f32, padding = 0 : i32, swizzle = 32 : i32}
      : !tile.ptr<f32>, !warp.map_memory<2>, !warp.shared<128xi8, #bytes>
  tile.return
}

// -----

// C3: a row of bytes.
#words = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
tile.func @make_c3(%p: !tile.ptr<f32>, %n: i64, %s: !warp.shared<32xf32, #words>) {
  %m = warp.acquire_map_memory : !warp.map_memory<2>
  // expected-error@+1 {{needs a one-dimensional staging tile of bytes, got '!warp.shared<32xf32}}
  %map = warp.make_tensor_map %p, [%n, %n], [%n] in %m at 0 through %s
      {box = array<i64: 4, 8>, element = f32, padding = 0 : i32, swizzle = 32 : i32}
      : !tile.ptr<f32>, !warp.map_memory<2>, !warp.shared<32xf32, #words>
  tile.return
}

// -----

// C4: a swizzle that there is.
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @make_c4(%p: !tile.ptr<f32>, %n: i64, %s: !warp.shared<128xi8, #bytes>) {
  %m = warp.acquire_map_memory : !warp.map_memory<2>
  // expected-error@+1 {{swizzles over 0, 32, 64 or 128 bytes, got 48}}
  %map = warp.make_tensor_map %p, [%n, %n], [%n] in %m at 0 through %s
      {box = array<i64: 4, 8>, element = f32, padding = 0 : i32, swizzle = 48 : i32}
      : !tile.ptr<f32>, !warp.map_memory<2>, !warp.shared<128xi8, #bytes>
  tile.return
}

// -----

// C1: the role's own memory.
tile.func @release_c1(%m: !warp.map_memory<2>) {
  // expected-error@+1 {{needs memory that the same role has acquired}}
  warp.release_map_memory %m : !warp.map_memory<2>
  tile.return
}

// -----

// C1: copies that are counted.
#tile = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]}>
!ring = !warp.ring<2 x {!warp.shared<4x8xf32, #tile>}, async_groups>
tile.func @drain_c1(%ring: !ring) {
  // expected-error@+1 {{needs a ring of transactions that belongs to one CTA, got}}
  warp.ring.drain %ring : !ring
  tile.return
}
