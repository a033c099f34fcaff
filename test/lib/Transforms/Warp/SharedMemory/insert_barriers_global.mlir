// RUN: tilewright-opt %s -warp-allocate-shared -warp-insert-barriers | FileCheck %s

// Accesses to global memory by different threads of a program.

#l = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]}>
#copies = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0]]}>

!ptrs = tensor<64x!tile.ptr<f32>, #l>
!tile = tensor<64xf32, #l>

// Another thread reads the write of one thread.
// CHECK-LABEL: @written(
tile.func @written(%p: !ptrs, %i: tensor<64xi32, #l>, %x: !tile) {
  // CHECK: tile.store
  // CHECK-NEXT: tile.addptr
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: tile.load
  tile.store %p, %x : !ptrs
  %q = tile.addptr %p, %i : !ptrs, tensor<64xi32, #l>
  %y = tile.load %q : !ptrs
  tile.return
}

// A thread writes an element that another one reads; two threads may write one address.
// CHECK-LABEL: @read_then_written(
tile.func @read_then_written(%a: !tile.ptr<f32>, %i: tensor<64xi32, #l>, %j: tensor<64xi32, #l>) {
  // CHECK: tile.load
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: tile.store
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: tile.store
  %s = tile.splat %a : !tile.ptr<f32> -> !ptrs
  %p = tile.addptr %s, %i : !ptrs, tensor<64xi32, #l>
  %q = tile.addptr %s, %j : !ptrs, tensor<64xi32, #l>
  %x = tile.load %p : !ptrs
  tile.store %q, %x : !ptrs
  tile.store %p, %x : !ptrs
  tile.return
}

// Each thread reads and writes its own elements, and other arrays.
// CHECK-LABEL: @own(
// CHECK-NOT: warp.barrier
// CHECK: tile.return
tile.func @own(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>) {
  %i = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #l>
  %s = tile.splat %a : !tile.ptr<f32> -> !ptrs
  %t = tile.splat %b : !tile.ptr<f32> -> !ptrs
  %p = tile.addptr %s, %i : !ptrs, tensor<64xi32, #l>
  %q = tile.addptr %t, %i : !ptrs, tensor<64xi32, #l>
  %x = tile.load %p : !ptrs
  tile.store %p, %x : !ptrs
  tile.store %q, %x : !ptrs
  %y = tile.load %p : !ptrs
  tile.return
}

// Even and odd elements are disjoint in any layout. Elements at a distance of two
// are not.
// CHECK-LABEL: @between(
tile.func @between(%a: !tile.ptr<f32>, %n: i32, %x: tensor<32xf32, #copies>) {
  // CHECK: tile.load
  // CHECK-NEXT: tile.store
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: tile.store
  %two = arith.constant 2 : i32
  %six = arith.constant dense<6> : tensor<32xi32, #copies>
  %one = arith.constant dense<1> : tensor<32xi32, #copies>
  %twos = arith.constant dense<2> : tensor<32xi32, #copies>
  %i = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #copies>
  %j = arith.muli %i, %twos : tensor<32xi32, #copies>
  %k = arith.muli %n, %two : i32
  %ks = tile.splat %k : i32 -> tensor<32xi32, #copies>
  %jk = arith.addi %j, %ks : tensor<32xi32, #copies>
  %s = tile.splat %a : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #copies>
  %even = tile.addptr %s, %jk : tensor<32x!tile.ptr<f32>, #copies>, tensor<32xi32, #copies>
  %e = tile.addptr %s, %j : tensor<32x!tile.ptr<f32>, #copies>, tensor<32xi32, #copies>
  %odd = tile.addptr %e, %one : tensor<32x!tile.ptr<f32>, #copies>, tensor<32xi32, #copies>
  %next = tile.addptr %e, %six : tensor<32x!tile.ptr<f32>, #copies>, tensor<32xi32, #copies>
  %y = tile.load %even : tensor<32x!tile.ptr<f32>, #copies>
  tile.store %odd, %y : tensor<32x!tile.ptr<f32>, #copies>
  tile.store %next, %x : tensor<32x!tile.ptr<f32>, #copies>
  tile.return
}

// If several threads load an element, one of them may write it before another one
// has loaded it. Two stores are by the same thread.
// CHECK-LABEL: @copies(
tile.func @copies(%p: tensor<32x!tile.ptr<f32>, #copies>, %s: !tile.ptr<f32>, %x: f32) {
  // CHECK: tile.load
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: tile.store
  // CHECK-NEXT: tile.store
  // CHECK-NEXT: tile.store
  // CHECK-NEXT: tile.store
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: tile.load
  %y = tile.load %p : tensor<32x!tile.ptr<f32>, #copies>
  tile.store %p, %y : tensor<32x!tile.ptr<f32>, #copies>
  tile.store %p, %y : tensor<32x!tile.ptr<f32>, #copies>
  tile.store %s, %x : !tile.ptr<f32>
  tile.store %s, %x : !tile.ptr<f32>
  %z = tile.load %s : !tile.ptr<f32>
  %sum = "tile.reduce"(%y) <{axis = 0 : i32}> ({
  ^bb0(%c: f32, %d: f32):
    %e = arith.addf %c, %d : f32
    tile.yield %e : f32
  }) : (tensor<32xf32, #copies>) -> f32
  tile.store %s, %sum : !tile.ptr<f32>
  %t = tile.splat %z : f32 -> tensor<32xf32, #copies>
  tile.store %p, %t : tensor<32x!tile.ptr<f32>, #copies>
  tile.return
}

// A tile is loaded only to be stored again element by element. Threads with copies
// that do not store do not use their loads, in this iteration or the next.
// CHECK-LABEL: @only_stored(
// CHECK-NOT: warp.barrier
// CHECK: tile.return
tile.func @only_stored(%p: tensor<32x!tile.ptr<f32>, #copies>) {
  %y = tile.load %p : tensor<32x!tile.ptr<f32>, #copies>
  %d = arith.addf %y, %y : tensor<32xf32, #copies>
  tile.store %p, %d : tensor<32x!tile.ptr<f32>, #copies>
  %z = tile.load %p : tensor<32x!tile.ptr<f32>, #copies>
  %e = arith.mulf %z, %z : tensor<32xf32, #copies>
  tile.store %p, %e : tensor<32x!tile.ptr<f32>, #copies>
  tile.return
}

// Both both_halves of rows of 64 are swapped in place. The rows of the next iteration
// come after both both_halves, or overlap.
// CHECK-LABEL: @both_halves(
// CHECK: scf.for
// CHECK-NOT: warp.barrier
// CHECK: scf.for
// CHECK: warp.barrier
// CHECK-NEXT: tile.load
// CHECK-NOT: warp.barrier
// CHECK: tile.return
tile.func @both_halves(%a: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c48 = arith.constant 48 : i32
  %c64 = arith.constant 64 : i32
  %half = arith.constant dense<32> : tensor<32xi32, #copies>
  %r = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #copies>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %o = arith.muli %i, %c64 : i32
    %b = tile.addptr %a, %o : !tile.ptr<f32>, i32
    %s = tile.splat %b : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #copies>
    %p = tile.addptr %s, %r : tensor<32x!tile.ptr<f32>, #copies>, tensor<32xi32, #copies>
    %q = tile.addptr %p, %half : tensor<32x!tile.ptr<f32>, #copies>, tensor<32xi32, #copies>
    %x = tile.load %p : tensor<32x!tile.ptr<f32>, #copies>
    %y = tile.load %q : tensor<32x!tile.ptr<f32>, #copies>
    %u = arith.addf %x, %y : tensor<32xf32, #copies>
    %v = arith.subf %x, %y : tensor<32xf32, #copies>
    tile.store %p, %u : tensor<32x!tile.ptr<f32>, #copies>
    tile.store %q, %v : tensor<32x!tile.ptr<f32>, #copies>
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    %o = arith.muli %i, %c48 : i32
    %b = tile.addptr %a, %o : !tile.ptr<f32>, i32
    %s = tile.splat %b : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #copies>
    %p = tile.addptr %s, %r : tensor<32x!tile.ptr<f32>, #copies>, tensor<32xi32, #copies>
    %q = tile.addptr %p, %half : tensor<32x!tile.ptr<f32>, #copies>, tensor<32xi32, #copies>
    %x = tile.load %p : tensor<32x!tile.ptr<f32>, #copies>
    %y = tile.load %q : tensor<32x!tile.ptr<f32>, #copies>
    %u = arith.addf %x, %y : tensor<32xf32, #copies>
    %v = arith.subf %x, %y : tensor<32xf32, #copies>
    tile.store %p, %u : tensor<32x!tile.ptr<f32>, #copies>
    tile.store %q, %v : tensor<32x!tile.ptr<f32>, #copies>
  }
  tile.return
}

// Tiles that advance without overlap from iteration to iteration.
// CHECK-LABEL: @stream(
// CHECK-NOT: warp.barrier
// CHECK: tile.return
tile.func @stream(%a: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #l>
  scf.for %i = %c0 to %n step %c64 : i32 {
    %b = tile.addptr %a, %i : !tile.ptr<f32>, i32
    %s = tile.splat %b : !tile.ptr<f32> -> !ptrs
    %p = tile.addptr %s, %r : !ptrs, tensor<64xi32, #l>
    %x = tile.load %p : !ptrs
    tile.store %p, %x : !ptrs
  }
  tile.return
}

// Tiles that overlap those of the previous iteration, and tiles that may overlap.
// CHECK-LABEL: @windows(
// CHECK: scf.for
// CHECK: warp.barrier
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.store
// CHECK: scf.for
// CHECK: warp.barrier
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.store
tile.func @windows(%a: !tile.ptr<f32>, %n: i32, %hop: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c48 = arith.constant 48 : i32
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #l>
  scf.for %i = %c0 to %n step %c48 : i32 {
    %b = tile.addptr %a, %i : !tile.ptr<f32>, i32
    %s = tile.splat %b : !tile.ptr<f32> -> !ptrs
    %p = tile.addptr %s, %r : !ptrs, tensor<64xi32, #l>
    %x = tile.load %p : !ptrs
    tile.store %p, %x : !ptrs
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    %o = arith.muli %i, %hop : i32
    %b = tile.addptr %a, %o : !tile.ptr<f32>, i32
    %s = tile.splat %b : !tile.ptr<f32> -> !ptrs
    %p = tile.addptr %s, %r : !ptrs, tensor<64xi32, #l>
    %x = tile.load %p : !ptrs
    tile.store %p, %x : !ptrs
  }
  tile.return
}

// Rows and columns of tiles, each indexed by a loop counter. The next tile of the
// same row in the same iteration may be the first one of the next row.
#m = #warp.linear<{register = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warp = [[4, 0]]}>
#row = #warp.linear<{register = [], lane = [[0], [0], [0], [1], [2]], warp = [[4]]}>
#column = #warp.linear<{register = [], lane = [[1], [2], [4], [0], [0]], warp = [[0]]}>
#rows = #warp.linear<{register = [], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0]]}>
#columns = #warp.linear<{register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 0], [0, 0]], warp = [[0, 0]]}>
!indices = tensor<8x8xi32, #m>
!square = tensor<8x8x!tile.ptr<f32>, #m>
// CHECK-LABEL: @tiles(
// CHECK: scf.for
// CHECK-NOT: warp.barrier
// CHECK: scf.for
// CHECK-NOT: warp.barrier
// CHECK: } {once}
// CHECK: scf.for
// CHECK: warp.barrier
// CHECK-NEXT: tile.store
// CHECK: %[[NEAR:.*]] = arith.cmpi slt, %{{.*}}, %c16_i64
// CHECK-NEXT: scf.if %[[NEAR]] {
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: }
// CHECK-NEXT: tile.store
tile.func @tiles(%a: !tile.ptr<f32>, %n: i32, %stride: i32, %x: tensor<8x8xf32, #m>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %r0 = tile.range {start = 0 : i32, end = 8 : i32} : tensor<8xi32, #row>
  %r1 = tile.expand_dims %r0 {axis = 1 : i32} : tensor<8xi32, #row> -> tensor<8x1xi32, #rows>
  %r2 = tile.broadcast %r1 : tensor<8x1xi32, #rows> -> !indices
  %c2 = tile.range {start = 0 : i32, end = 8 : i32} : tensor<8xi32, #column>
  %c3 = tile.expand_dims %c2 {axis = 0 : i32} : tensor<8xi32, #column> -> tensor<1x8xi32, #columns>
  %c4 = tile.broadcast %c3 : tensor<1x8xi32, #columns> -> !indices
  %strides = tile.splat %stride : i32 -> !indices
  %s = tile.splat %a : !tile.ptr<f32> -> !square
  %lines = arith.muli %r2, %strides : !indices
  %inside = arith.addi %lines, %c4 : !indices
  scf.for %i = %c0 to %n step %c8 : i32 {
    %down = arith.muli %i, %stride : i32
    scf.for %j = %c0 to %n step %c8 : i32 {
      %corner = arith.addi %down, %j : i32
      %corners = tile.splat %corner : i32 -> !indices
      %at = arith.addi %inside, %corners : !indices
      %p = tile.addptr %s, %at : !square, !indices
      tile.store %p, %x : !square
    }
  } {once}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %corners = tile.splat %i : i32 -> !indices
    %at = arith.addi %inside, %corners : !indices
    %p = tile.addptr %s, %at : !square, !indices
    %eights = tile.splat %c8 : i32 -> !indices
    %q = tile.addptr %p, %eights : !square, !indices
    tile.store %p, %x : !square
    tile.store %q, %x : !square
  }
  tile.return
}

// Loop-carried pointers stay in their arrays. Loaded pointers may point anywhere.
// CHECK-LABEL: @carried(
// CHECK: scf.for
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.store
// CHECK: tile.load
// CHECK: warp.barrier
// CHECK-NEXT: tile.load
tile.func @carried(%p: !ptrs, %q: !ptrs, %table: !tile.ptr<!tile.ptr<f32>>, %i: tensor<64xi32, #l>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %end = scf.for %k = %c0 to %n step %c1 iter_args(%from = %p) -> (!ptrs) : i32 {
    %x = tile.load %from : !ptrs
    tile.store %q, %x : !ptrs
    %next = tile.addptr %from, %i : !ptrs, tensor<64xi32, #l>
    scf.yield %next : !ptrs
  }
  %other = tile.load %table : !tile.ptr<!tile.ptr<f32>>
  %y = tile.load %other : !tile.ptr<f32>
  tile.return
}

// Additions commute, exchanges do not.
// CHECK-LABEL: @atomic(
// CHECK: tile.atomic_rmw add
// CHECK-NEXT: tile.atomic_rmw add
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: tile.atomic_rmw xchg
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: tile.atomic_rmw xchg
tile.func @atomic(%p: tensor<64x!tile.ptr<i32>, #l>, %i: tensor<64xi32, #l>) {
  %q = tile.addptr %p, %i : tensor<64x!tile.ptr<i32>, #l>, tensor<64xi32, #l>
  %0 = tile.atomic_rmw add relaxed gpu %p, %i : tensor<64x!tile.ptr<i32>, #l>
  %1 = tile.atomic_rmw add relaxed gpu %q, %i : tensor<64x!tile.ptr<i32>, #l>
  %2 = tile.atomic_rmw xchg relaxed gpu %p, %i : tensor<64x!tile.ptr<i32>, #l>
  %3 = tile.atomic_rmw xchg relaxed gpu %q, %i : tensor<64x!tile.ptr<i32>, #l>
  tile.return
}

// The programs of a persistent CTA do not wait for each other.
// CHECK-LABEL: @programs(
// CHECK-NOT: warp.barrier
// CHECK: tile.return
tile.func @programs(%p: !ptrs, %x: !tile, %n: i32) attributes {warp.persistent} {
  %first = tile.program_id x
  %step = tile.num_programs x
  scf.for %k = %first to %n step %step : i32 {
    %o = arith.divsi %k, %n : i32
    %s = tile.splat %o : i32 -> tensor<64xi32, #l>
    %q = tile.addptr %p, %s : !ptrs, tensor<64xi32, #l>
    tile.store %q, %x : !ptrs
  }
  tile.return
}

// The result of an atomic operation shows whether another one came before it. One
// thread runs both operations on a scalar address.
// CHECK-LABEL: @found(
// CHECK: tile.atomic_rmw add
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: tile.atomic_rmw add
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: tile.atomic_rmw add
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.atomic_rmw max
// CHECK-NEXT: tile.atomic_rmw xchg
tile.func @found(%p: tensor<64x!tile.ptr<i32>, #l>, %i: tensor<64xi32, #l>, %a: !tile.ptr<i32>, %b: !tile.ptr<i32>, %n: i32, %out: !tile.ptr<i32>) {
  %q = tile.addptr %p, %i : tensor<64x!tile.ptr<i32>, #l>, tensor<64xi32, #l>
  %0 = tile.atomic_rmw add relaxed gpu %p, %i : tensor<64x!tile.ptr<i32>, #l>
  %1 = tile.atomic_rmw add relaxed gpu %q, %i : tensor<64x!tile.ptr<i32>, #l>
  %2 = tile.atomic_rmw add relaxed gpu %p, %1 : tensor<64x!tile.ptr<i32>, #l>
  tile.store %a, %n : !tile.ptr<i32>
  %3 = tile.atomic_rmw max relaxed gpu %b, %n : !tile.ptr<i32>
  %4 = tile.atomic_rmw xchg relaxed gpu %a, %3 : !tile.ptr<i32>
  tile.return
}

// Elements of an atomic operation may share an address, unless all are distinct.
// CHECK-LABEL: @shared_addresses(
// CHECK: tile.atomic_rmw
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: tile.load
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: tile.atomic_rmw max
// CHECK-NOT: warp.barrier
// CHECK: tile.load
tile.func @shared_addresses(%a: !tile.ptr<i32>, %b: !tile.ptr<i32>, %i: tensor<64xi32, #l>) {
  %s = tile.splat %a : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>, #l>
  %p = tile.addptr %s, %i : tensor<64x!tile.ptr<i32>, #l>, tensor<64xi32, #l>
  %0 = tile.atomic_rmw add relaxed gpu %p, %i : tensor<64x!tile.ptr<i32>, #l>
  %x = tile.load %p : tensor<64x!tile.ptr<i32>, #l>
  %1 = tile.atomic_rmw max relaxed gpu %p, %i : tensor<64x!tile.ptr<i32>, #l>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #l>
  %t = tile.splat %b : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>, #l>
  %q = tile.addptr %t, %r : tensor<64x!tile.ptr<i32>, #l>, tensor<64xi32, #l>
  %2 = tile.atomic_rmw add relaxed gpu %q, %x : tensor<64x!tile.ptr<i32>, #l>
  %y = tile.load %q : tensor<64x!tile.ptr<i32>, #l>
  tile.return
}

// An element of the row is loaded before a loop writes the row: one barrier before
// the loop.
// CHECK-LABEL: @row(
// CHECK: tile.load
// CHECK: warp.barrier
// CHECK-NEXT: scf.for
// CHECK-NOT: warp.barrier
// CHECK: tile.store
// CHECK-NEXT: }
// CHECK: warp.barrier
// CHECK-NEXT: tile.store
tile.func @row(%a: !tile.ptr<f32>, %y: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #l>
  %at = tile.addptr %a, %y : !tile.ptr<f32>, i32
  %v = tile.load %at : !tile.ptr<f32>
  scf.for %i = %c0 to %n step %c64 : i32 {
    %b = tile.addptr %a, %i : !tile.ptr<f32>, i32
    %s = tile.splat %b : !tile.ptr<f32> -> !ptrs
    %p = tile.addptr %s, %r : !ptrs, tensor<64xi32, #l>
    %x = tile.load %p : !ptrs
    tile.store %p, %x : !ptrs
  }
  tile.store %at, %v : !tile.ptr<f32>
  tile.return
}
