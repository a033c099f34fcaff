// RUN: tilewright-opt %s -split-input-file -warp-make-persistent | FileCheck %s
// RUN: tilewright-opt %s -split-input-file -warp-make-persistent -o /dev/null \
// RUN:   -remark-format=emitRemark -remarks-filter=.* -verify-diagnostics

// CHECK-LABEL: @dot
// CHECK-SAME: %[[GX:[a-z0-9]+]]: i32, %[[GY:[a-z0-9]+]]: i32, %[[GZ:[a-z0-9]+]]: i32
// CHECK-SAME: warp.persistent
// CHECK-NEXT: %[[MINE:.*]] = tile.program_id x
// CHECK-NEXT: %[[RUNNING:.*]] = tile.num_programs x
// CHECK-NEXT: %[[GXY:.*]] = arith.muli %[[GX]], %[[GY]]
// CHECK-NEXT: %[[ALL:.*]] = arith.muli %[[GXY]], %[[GZ]]
// CHECK-NEXT: scf.for %[[P:[a-z0-9]+]] = %[[MINE]] to %[[ALL]] step %[[RUNNING]]
// CHECK-NEXT: %[[X:.*]] = arith.remui %[[P]], %[[GX]]
// CHECK: %[[Y:.*]] = arith.remui %{{.*}}, %[[GY]]
// CHECK: tile.descriptor_load %{{.*}}[%[[X]], %[[Y]]]
// CHECK: tile.descriptor_store %{{.*}}[%[[GY]], %{{.*}}]
// CHECK: } {tile.num_stages = 1 : i32}
// CHECK-NEXT: tile.return
// expected-remark@+1 {{persistent: as many CTAs as fit}}
tile.func @dot(%a: !tile.ptr<f16>, %n: i64) attributes {tile.kernel} {
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %x = tile.program_id x
  %y = tile.program_id y
  %ny = tile.num_programs y
  %t = tile.descriptor_load %d[%x, %y] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  tile.descriptor_store %d[%ny, %x], %t : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.return
}

// -----

// No loads from descriptors.
// CHECK-LABEL: @plain
// CHECK-NOT: scf.for
tile.func @plain(%a: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.program_id x
  tile.store %a, %x : !tile.ptr<i32>
  tile.return
}

// -----

// Programs may wait for each other.
// CHECK-LABEL: @atomic
// CHECK-NOT: warp.persistent
// expected-remark@+1 {{one program per CTA: its programs may wait for each other}}
tile.func @atomic(%a: !tile.ptr<f16>, %n: i64, %f: !tile.ptr<i32>) attributes {tile.kernel} {
  %d = tile.make_descriptor %a, [%n], [] : !tile.desc<64xf16>, !tile.ptr<f16>
  %x = tile.program_id x
  %t = tile.descriptor_load %d[%x] : !tile.desc<64xf16> -> tensor<64xf16>
  %o = tile.atomic_rmw add relaxed gpu %f, %x : !tile.ptr<i32>
  tile.return
}

// -----

// Programs of unequal length.
// CHECK-LABEL: @uneven
// CHECK-NOT: warp.persistent
// expected-remark@+1 {{one program per CTA: its programs may take unequal time}}
tile.func @uneven(%a: !tile.ptr<f16>, %n: i64) attributes {tile.kernel} {
  %d = tile.make_descriptor %a, [%n], [] : !tile.desc<64xf16>, !tile.ptr<f16>
  %x = tile.program_id x
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %end = arith.addi %x, %c1 : i32
  scf.for %i = %c0 to %end step %c1 : i32 {
    %t = tile.descriptor_load %d[%i] : !tile.desc<64xf16> -> tensor<64xf16>
  }
  tile.return
}

// -----

// A program computes all or nothing.
// CHECK-LABEL: @empty
// CHECK-SAME: warp.persistent
// expected-remark@+1 {{persistent: as many CTAs as fit}}
tile.func @empty(%a: !tile.ptr<f16>, %n: i64, %k: i32) attributes {tile.kernel} {
  %d = tile.make_descriptor %a, [%n], [] : !tile.desc<64xf16>, !tile.ptr<f16>
  %x = tile.program_id x
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %some = arith.cmpi slt, %x, %k : i32
  %end = arith.select %some, %k, %c0 : i32
  scf.for %i = %c0 to %end step %c1 : i32 {
    %t = tile.descriptor_load %d[%i] : !tile.desc<64xf16> -> tensor<64xf16>
  }
  tile.return
}

// -----

// CHECK-LABEL: @less
// CHECK-NOT: warp.persistent
// expected-remark@+1 {{one program per CTA: its programs may take unequal time}}
tile.func @less(%a: !tile.ptr<f16>, %n: i64, %k: i32) attributes {tile.kernel} {
  %d = tile.make_descriptor %a, [%n], [] : !tile.desc<64xf16>, !tile.ptr<f16>
  %x = tile.program_id x
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %some = arith.cmpi slt, %x, %k : i32
  %end = arith.select %some, %k, %c1 : i32
  scf.for %i = %c0 to %end step %c1 : i32 {
    %t = tile.descriptor_load %d[%i] : !tile.desc<64xf16> -> tensor<64xf16>
  }
  tile.return
}

// -----

// Programs without work are scattered over the grid.
// CHECK-LABEL: @triangle
// CHECK-NOT: warp.persistent
// expected-remark@+1 {{one program per CTA: its programs may take unequal time}}
tile.func @triangle(%a: !tile.ptr<f16>, %n: i64, %k: i32) attributes {tile.kernel} {
  %d = tile.make_descriptor %a, [%n], [] : !tile.desc<64xf16>, !tile.ptr<f16>
  %x = tile.program_id x
  %y = tile.program_id y
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %below = arith.cmpi slt, %x, %y : i32
  %end = arith.select %below, %k, %c0 : i32
  scf.for %i = %c0 to %end step %c1 : i32 {
    %t = tile.descriptor_load %d[%i] : !tile.desc<64xf16> -> tensor<64xf16>
  }
  tile.return
}

// -----

// So do programs that skip a branch with dots.
// CHECK-LABEL: @branch
// CHECK-NOT: warp.persistent
#acc = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#rows = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]}>
// expected-remark@+1 {{one program per CTA: its programs may take unequal time}}
tile.func @branch(%a: !tile.ptr<f16>, %n: i64, %in: i1) attributes {tile.kernel} {
  %s = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %x = tile.program_id x
  %y = tile.program_id y
  %below = arith.cmpi slt, %x, %y : i32
  %runs = arith.andi %below, %in : i1
  scf.if %runs {
    %t = tile.descriptor_load %d[%x, %y] : !tile.desc<64x64xf16> -> tensor<64x64xf16, #acc>
    %m = warp.alloc %t : (tensor<64x64xf16, #acc>) -> !warp.shared<64x64xf16, #rows>
    %z = warp.wgmma %m, %m, %s : !warp.shared<64x64xf16, #rows>, !warp.shared<64x64xf16, #rows>, tensor<64x64xf32, #acc>
    %w = warp.wgmma_wait %z {pendings = 0 : i32} : tensor<64x64xf32, #acc>
  }
  tile.return
}

// -----

// Work that a table gives is not scattered by position.
// CHECK-LABEL: @table
// CHECK-SAME: warp.persistent
// expected-remark@+1 {{persistent: as many CTAs as fit}}
tile.func @table(%a: !tile.ptr<f16>, %n: i64, %k: i32, %sizes: !tile.ptr<i32>) attributes {tile.kernel} {
  %d = tile.make_descriptor %a, [%n], [] : !tile.desc<64xf16>, !tile.ptr<f16>
  %x = tile.program_id x
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %at = tile.addptr %sizes, %x : !tile.ptr<i32>, i32
  %size = tile.load %at : !tile.ptr<i32>
  %some = arith.cmpi slt, %x, %size : i32
  %end = arith.select %some, %k, %c0 : i32
  scf.for %i = %c0 to %end step %c1 : i32 {
    %t = tile.descriptor_load %d[%i] : !tile.desc<64xf16> -> tensor<64xf16>
  }
  tile.return
}

// -----

// Only the end of the grid is skipped.
// CHECK-LABEL: @end_of_grid
// CHECK-SAME: warp.persistent
#acc = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#rows = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]}>
// expected-remark@+1 {{persistent: as many CTAs as fit}}
tile.func @end_of_grid(%a: !tile.ptr<f16>, %n: i64, %k: i32) attributes {tile.kernel} {
  %s = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %x = tile.program_id x
  %runs = arith.cmpi slt, %x, %k : i32
  scf.if %runs {
    %t = tile.descriptor_load %d[%x, %x] : !tile.desc<64x64xf16> -> tensor<64x64xf16, #acc>
    %m = warp.alloc %t : (tensor<64x64xf16, #acc>) -> !warp.shared<64x64xf16, #rows>
    %z = warp.wgmma %m, %m, %s : !warp.shared<64x64xf16, #rows>, !warp.shared<64x64xf16, #rows>, tensor<64x64xf32, #acc>
    %w = warp.wgmma_wait %z {pendings = 0 : i32} : tensor<64x64xf32, #acc>
  }
  tile.return
}

// -----

// CTAs of one SM overlap the computation between dots better.
// CHECK-LABEL: @chained
// CHECK-NOT: warp.persistent
#acc = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#rows = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]}>
// expected-remark@+1 {{one program per CTA: threads compute operands of its dots}}
tile.func @chained(%a: !tile.ptr<f16>, %n: i64) attributes {tile.kernel} {
  %p = arith.constant dense<1.0> : tensor<64x64xf16, #acc>
  %s = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %x = tile.program_id x
  %t = tile.descriptor_load %d[%x, %x] : !tile.desc<64x64xf16> -> tensor<64x64xf16, #acc>
  %m = warp.alloc %t : (tensor<64x64xf16, #acc>) -> !warp.shared<64x64xf16, #rows>
  %z = warp.wgmma %p, %m, %s : tensor<64x64xf16, #acc>, !warp.shared<64x64xf16, #rows>, tensor<64x64xf32, #acc>
  %w = warp.wgmma_wait %z {pendings = 0 : i32} : tensor<64x64xf32, #acc>
  tile.return
}
