// RUN: tilewright-opt %s -warp-pin-accumulators | FileCheck %s

// 64 x 64 accumulators of one warpgroup, 32 registers a thread.
#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#n = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8], [0, 16], [0, 32]]}>
#s = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
!left = !warp.shared<64x16xf16, #a>
!right = !warp.shared<16x64xf16, #b>
!tile = tensor<64x64xf32, #c>
!narrow = tensor<64x16xf32, #n>

// CHECK: #[[C:.*]] = #warp.linear<{register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32]]

// The first wgmma starts from zeros, and the result is used.
// CHECK-LABEL: @loop
// CHECK: warp.acc_decl [32]
// CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #warp.pinned<0, #[[C]]>>
// CHECK: %[[F:.*]] = warp.wgmma %{{.*}}, %{{.*}}, %[[Z]]
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[I:.*]] = %[[F]]) -> (tensor<64x64xf32, #warp.pinned<0, #[[C]]>>)
// CHECK-NEXT: %[[S:.*]] = warp.wgmma %{{.*}}, %{{.*}}, %[[I]]
// CHECK-NEXT: %[[W:.*]] = warp.wgmma_wait %[[S]] {pendings = 1 : i32} : tensor<64x64xf32, #warp.pinned<0, #[[C]]>>
// CHECK-NEXT: scf.yield %[[W]]
// CHECK: %[[E:.*]] = warp.wgmma_wait %[[R]] {pendings = 0 : i32}
// CHECK-NEXT: %[[T:.*]] = warp.acc_load %[[E]] : tensor<64x64xf32, #warp.pinned<0, #[[C]]>> -> tensor<64x64xf32, #[[C]]>
// CHECK-NEXT: tile.return %[[T]]
tile.func @loop(%a: !left, %b: !right, %n: i32) -> !tile attributes {warp.num_warps = 4 : i32} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !tile
  %first = warp.wgmma %a, %b, %zero : !left, !right, !tile
  %r = scf.for %i = %0 to %n step %1 iter_args(%acc = %first) -> (!tile) : i32 {
    %s = warp.wgmma %a, %b, %acc : !left, !right, !tile
    %w = warp.wgmma_wait %s {pendings = 1 : i32} : !tile
    scf.yield %w : !tile
  }
  %e = warp.wgmma_wait %r {pendings = 0 : i32} : !tile
  tile.return %e : !tile
}

// Both regions of a branch, one with zeros, which are stored.
// CHECK-LABEL: @branch
// CHECK: warp.acc_decl [32]
// CHECK: %[[R:.*]] = scf.if %{{.*}} -> (tensor<64x64xf32, #warp.pinned<0, #[[C]]>>)
// CHECK: scf.if %{{.*}} -> (tensor<64x64xf32, #warp.pinned<0, #[[C]]>>)
// CHECK: scf.for
// CHECK: } else {
// CHECK-NEXT: warp.wgmma_wait
// CHECK: } else {
// CHECK-NEXT: %[[Z:.*]] = warp.acc_store %{{.*}} : tensor<64x64xf32, #[[C]]> -> tensor<64x64xf32, #warp.pinned<0, #[[C]]>>
// CHECK-NEXT: scf.yield %[[Z]]
// CHECK: warp.acc_load %[[R]]
tile.func @branch(%a: !left, %b: !right, %n: i32) -> !tile attributes {warp.num_warps = 4 : i32} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !tile
  %any = arith.cmpi sgt, %n, %0 : i32
  %more = arith.cmpi sgt, %n, %1 : i32
  %sum = scf.if %any -> (!tile) {
    %first = warp.wgmma %a, %b, %zero : !left, !right, !tile
    %all = scf.if %more -> (!tile) {
      %r = scf.for %i = %1 to %n step %1 iter_args(%acc = %first) -> (!tile) : i32 {
        %s = warp.wgmma %a, %b, %acc : !left, !right, !tile
        scf.yield %s : !tile
      }
      %e = warp.wgmma_wait %r {pendings = 0 : i32} : !tile
      scf.yield %e : !tile
    } else {
      %e = warp.wgmma_wait %first {pendings = 0 : i32} : !tile
      scf.yield %e : !tile
    }
    scf.yield %all : !tile
  } else {
    scf.yield %zero : !tile
  }
  tile.return %sum : !tile
}

// Two chains would be copied.
// CHECK-LABEL: @two
// CHECK-NOT: warp.acc_decl
// CHECK: tile.return
tile.func @two(%a: !left, %b: !right, %u: !tile, %v: !tile, %n: i32) -> (!tile, !tile) attributes {warp.num_warps = 4 : i32} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %0 to %n step %1 iter_args(%x = %u, %y = %v) -> (!tile, !tile) : i32 {
    %s = warp.wgmma %a, %b, %x : !left, !right, !tile
    %t = warp.wgmma %a, %b, %y : !left, !right, !tile
    %w:2 = warp.wgmma_wait %s, %t {pendings = 0 : i32} : !tile, !tile
    scf.yield %w#0, %w#1 : !tile, !tile
  }
  tile.return %r#0, %r#1 : !tile, !tile
}

// Both are live at the same time.
// CHECK-LABEL: @swapped
// CHECK-NOT: warp.acc_decl
// CHECK: tile.return
tile.func @swapped(%a: !left, %b: !right, %u: !tile, %v: !tile, %n: i32) -> (!tile, !tile) attributes {warp.num_warps = 4 : i32} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %0 to %n step %1 iter_args(%x = %u, %y = %v) -> (!tile, !tile) : i32 {
    %s = warp.wgmma %a, %b, %x : !left, !right, !tile
    %w = warp.wgmma_wait %s {pendings = 0 : i32} : !tile
    scf.yield %y, %w : !tile, !tile
  }
  tile.return %r#0, %r#1 : !tile, !tile
}

// The initial accumulator is used after the loop, when the registers hold
// others.
// CHECK-LABEL: @later
// CHECK-NOT: warp.acc_decl
// CHECK: tile.return
tile.func @later(%a: !left, %b: !right, %u: !tile, %n: i32) -> (!tile, !tile) attributes {warp.num_warps = 4 : i32} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %f = warp.wgmma %a, %b, %u : !left, !right, !tile
  %g = warp.wgmma_wait %f {pendings = 0 : i32} : !tile
  %r = scf.for %i = %0 to %n step %1 iter_args(%x = %g) -> (!tile) : i32 {
    %s = warp.wgmma %a, %b, %x : !left, !right, !tile
    %w = warp.wgmma_wait %s {pendings = 0 : i32} : !tile
    scf.yield %w : !tile
  }
  %t = warp.wgmma %a, %b, %g : !left, !right, !tile
  %e = warp.wgmma_wait %t {pendings = 0 : i32} : !tile
  tile.return %r, %e : !tile, !tile
}

// The operands of the branch would be overwritten in a surrounding loop.
// CHECK-LABEL: @again
// CHECK-NOT: warp.acc_decl
// CHECK: tile.return
tile.func @again(%a: !left, %b: !right, %u: !tile, %n: i32) -> !tile attributes {warp.num_warps = 4 : i32} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %f = warp.wgmma %a, %b, %u : !left, !right, !tile
  scf.for %j = %0 to %n step %1 : i32 {
    %r = scf.for %i = %0 to %n step %1 iter_args(%x = %f) -> (!tile) : i32 {
      %s = warp.wgmma %a, %b, %x : !left, !right, !tile
      scf.yield %s : !tile
    }
    %w = warp.wgmma_wait %r {pendings = 0 : i32} : !tile
  }
  %g = warp.wgmma_wait %f {pendings = 0 : i32} : !tile
  tile.return %g : !tile
}

// The loop-carried accumulator is scaled in its registers; other wgmmas do not
// count.
// CHECK-LABEL: @scaled
// CHECK-SAME: %[[F:arg[0-9]]]: tensor<64x64xf32
// CHECK: warp.acc_decl [32]
// CHECK: %[[U:.*]] = warp.acc_store
// CHECK: scf.for {{.*}} iter_args(%[[I:.*]] = %[[U]])
// CHECK: %[[P:.*]] = warp.wgmma {{.*}} tensor<64x64xf32, #[[C]]>
// CHECK: warp.wgmma_wait %[[P]]
// CHECK: %[[Y:.*]] = warp.scale %[[I]], %[[F]]
// CHECK: %[[S:.*]] = warp.wgmma %{{.*}}, %{{.*}}, %[[Y]]
// CHECK: %[[W:.*]] = warp.wgmma_wait %[[S]]
// CHECK: %[[N:.*]] = warp.scale %[[W]], %
// CHECK: scf.yield %[[N]]
tile.func @scaled(%f: !tile, %a: !left, %b: !right, %u: !tile, %n: i32) -> !tile attributes {warp.num_warps = 4 : i32} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !tile
  %r = scf.for %i = %0 to %n step %1 iter_args(%x = %u) -> (!tile) : i32 {
    %p = warp.wgmma %a, %b, %zero : !left, !right, !tile
    %q = warp.wgmma_wait %p {pendings = 0 : i32} : !tile
    %g = math.exp2 %q : !tile
    %y = arith.mulf %x, %f : !tile
    %s = warp.wgmma %a, %b, %y : !left, !right, !tile
    %w = warp.wgmma_wait %s {pendings = 0 : i32} : !tile
    %z = arith.mulf %g, %w : !tile
    scf.yield %z : !tile
  }
  tile.return %r : !tile
}

// The loop also computes with them.
// CHECK-LABEL: @squared
// CHECK-NOT: warp.acc_decl
// CHECK: tile.return
tile.func @squared(%a: !left, %b: !right, %u: !tile, %n: i32) -> !tile attributes {warp.num_warps = 4 : i32} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %r = scf.for %i = %0 to %n step %1 iter_args(%x = %u) -> (!tile) : i32 {
    %y = arith.mulf %x, %x : !tile
    %s = warp.wgmma %a, %b, %y : !left, !right, !tile
    %w = warp.wgmma_wait %s {pendings = 0 : i32} : !tile
    scf.yield %w : !tile
  }
  tile.return %r : !tile
}

// Scaled accumulators continue, but the unscaled ones are used once more.
// CHECK-LABEL: @twice
// CHECK-NOT: warp.acc_decl
// CHECK: tile.return
tile.func @twice(%f: !tile, %a: !left, %b: !right, %u: !tile, %n: i32) -> !tile attributes {warp.num_warps = 4 : i32} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %r = scf.for %i = %0 to %n step %1 iter_args(%x = %u) -> (!tile) : i32 {
    %s = warp.wgmma %a, %b, %x : !left, !right, !tile
    %w = warp.wgmma_wait %s {pendings = 0 : i32} : !tile
    %y = arith.mulf %w, %f : !tile
    %z = arith.addf %y, %w : !tile
    %t = arith.mulf %w, %z : !tile
    scf.yield %t : !tile
  }
  tile.return %r : !tile
}

// Too few registers to pay off.
// CHECK-LABEL: @narrow
// CHECK-NOT: warp.acc_decl
// CHECK: tile.return
tile.func @narrow(%a: !left, %b: !warp.shared<16x16xf16, #s>, %u: !narrow, %n: i32) -> !narrow attributes {warp.num_warps = 4 : i32} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %r = scf.for %i = %0 to %n step %1 iter_args(%x = %u) -> (!narrow) : i32 {
    %s = warp.wgmma %a, %b, %x : !left, !warp.shared<16x16xf16, #s>, !narrow
    %w = warp.wgmma_wait %s {pendings = 0 : i32} : !narrow
    scf.yield %w : !narrow
  }
  tile.return %r : !narrow
}

// The outer loop adds the result to another accumulator.
// CHECK-LABEL: @exact
// CHECK-NOT: warp.acc_decl
// CHECK: tile.return
tile.func @exact(%a: !left, %b: !right, %u: !tile, %n: i32) -> !tile attributes {warp.num_warps = 4 : i32} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !tile
  %sum = scf.for %j = %0 to %n step %1 iter_args(%y = %u) -> (!tile) : i32 {
    %r = scf.for %i = %0 to %n step %1 iter_args(%x = %zero) -> (!tile) : i32 {
      %s = warp.wgmma %a, %b, %x : !left, !right, !tile
      %w = warp.wgmma_wait %s {pendings = 0 : i32} : !tile
      scf.yield %w : !tile
    }
    %z = arith.addf %y, %r : !tile
    scf.yield %z : !tile
  }
  tile.return %sum : !tile
}

// Zeros next to another accumulator are stored: the instructions read both.
// CHECK-LABEL: @one_zero
// CHECK: %[[Z:.*]] = warp.acc_store %{{.*}} : tensor<64x64xf32, #[[C]]> -> tensor<64x64xf32, #warp.pinned<0, #[[C]]>>
// CHECK-NEXT: warp.wgmma %{{.*}}, [%{{.*}}, %{{.*}}], [%[[Z]], %{{.*}}]
tile.func @one_zero(%a: !left, %b: !right, %d: !warp.shared<16x16xf16, #s>, %v: !narrow, %n: i32) -> (!tile, !narrow) attributes {warp.num_warps = 4 : i32} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !tile
  %first:2 = warp.wgmma %a, [%b, %d], [%zero, %v] : !left, [!right, !warp.shared<16x16xf16, #s>], [!tile, !narrow]
  %r:2 = scf.for %i = %0 to %n step %1 iter_args(%acc = %first#0, %other = %first#1) -> (!tile, !narrow) : i32 {
    %s:2 = warp.wgmma %a, [%b, %d], [%acc, %other] : !left, [!right, !warp.shared<16x16xf16, #s>], [!tile, !narrow]
    scf.yield %s#0, %s#1 : !tile, !narrow
  }
  %e:2 = warp.wgmma_wait %r#0, %r#1 {pendings = 0 : i32} : !tile, !narrow
  tile.return %e#0, %e#1 : !tile, !narrow
}
