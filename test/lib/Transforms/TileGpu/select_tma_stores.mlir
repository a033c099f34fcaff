// RUN: tilewright-opt %s -remark-format=emitRemark -remarks-filter-missed=.* -split-input-file -verify-diagnostics \
// RUN:   -tile-gpu-select-tma='num-warps=4 compute-capability=90 arch-specific=true' | FileCheck %s

// The two halves of a tile are stored next to each other.
// CHECK-LABEL: @adjacent_parts
// CHECK-COUNT-2: tile.descriptor_store
tile.func @adjacent_parts(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %n: i32 {tile.divisibility = 16 : i32}, %i: i32 {tile.divisibility = 8 : i32}, %full: i1) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %c64 = arith.constant 64 : i32
  %j = arith.addi %i, %c64 : i32
  tile.descriptor_store %e[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.descriptor_store %e[%i, %j], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.return
}

// -----

// Parts of different widths use separate descriptors.
// CHECK-LABEL: @parts
// CHECK-COUNT-2: tile.descriptor_store
tile.func @parts(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %n: i32 {tile.divisibility = 16 : i32}, %i: i32 {tile.divisibility = 8 : i32}) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %m64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %f = tile.make_descriptor %c, [%m64, %m64], [%m64] : !tile.desc<64x32xf16>, !tile.ptr<f16>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %y = arith.constant dense<0.0> : tensor<64x32xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %s = arith.constant 64 : i32
  %j = arith.addi %i, %s : i32
  tile.descriptor_store %e[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.descriptor_store %f[%i, %j], %y : !tile.desc<64x32xf16>, tensor<64x32xf16>
  tile.return
}

// -----

// The block 32 elements further on overlaps the first one.
// CHECK-LABEL: @into
// CHECK-NOT: tile.descriptor_store
tile.func @into(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %n: i32 {tile.divisibility = 16 : i32}, %i: i32 {tile.divisibility = 8 : i32}) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %m64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %f = tile.make_descriptor %c, [%m64, %m64], [%m64] : !tile.desc<64x32xf16>, !tile.ptr<f16>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %y = arith.constant dense<0.0> : tensor<64x32xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %s = arith.constant 32 : i32
  %j = arith.addi %i, %s : i32
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the kernel may touch the array elsewhere}}
  tile.descriptor_store %e[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the kernel may touch the array elsewhere}}
  tile.descriptor_store %f[%i, %j], %y : !tile.desc<64x32xf16>, tensor<64x32xf16>
  tile.return
}

// -----

// Blocks of 32 columns end where the others begin.
// CHECK-LABEL: @before
// CHECK-COUNT-2: tile.descriptor_store
tile.func @before(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %n: i32 {tile.divisibility = 16 : i32}, %i: i32 {tile.divisibility = 8 : i32}) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %m64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %f = tile.make_descriptor %c, [%m64, %m64], [%m64] : !tile.desc<64x32xf16>, !tile.ptr<f16>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %y = arith.constant dense<0.0> : tensor<64x32xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %s = arith.constant -32 : i32
  %j = arith.addi %i, %s : i32
  tile.descriptor_store %e[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.descriptor_store %f[%i, %j], %y : !tile.desc<64x32xf16>, tensor<64x32xf16>
  tile.return
}

// -----

// The second store may overlap the first, which may complete later.
// CHECK-LABEL: @overlap
// CHECK-NOT: tile.descriptor_store
tile.func @overlap(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %n: i32 {tile.divisibility = 16 : i32}, %i: i32 {tile.divisibility = 8 : i32}, %full: i1) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %c32 = arith.constant 32 : i32
  %j = arith.addi %i, %c32 : i32
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the kernel may touch the array elsewhere}}
  tile.descriptor_store %e[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the kernel may touch the array elsewhere}}
  tile.descriptor_store %e[%i, %j], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.return
}

// -----

// A program stores a whole tile or, by threads, a part of one.
// CHECK-LABEL: @branches
// CHECK: tile.descriptor_store
// CHECK: tile.store
tile.func @branches(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %n: i32 {tile.divisibility = 16 : i32}, %i: i32 {tile.divisibility = 8 : i32}, %full: i1) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  scf.if %full {
    tile.descriptor_store %e[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  } else {
    %q = tile.splat %c : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    tile.store %q, %h : tensor<64x64x!tile.ptr<f16>>
  }
  tile.return
}

// -----

// In a loop both may run.
// CHECK-LABEL: @branches_in_loop
// CHECK-NOT: tile.descriptor_store
tile.func @branches_in_loop(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %n: i32 {tile.divisibility = 16 : i32}, %i: i32 {tile.divisibility = 8 : i32}, %full: i1) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  scf.for %k = %i to %n step %n : i32 {
  scf.if %full {
    // expected-remark@+1 {{not copied by the tensor memory accelerator: the kernel may touch the array elsewhere}}
    tile.descriptor_store %e[%k, %k], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  } else {
    %q = tile.splat %c : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    tile.store %q, %h : tensor<64x64x!tile.ptr<f16>>
  }
  }
  tile.return
}

// -----

// The last of several results must stay.
// CHECK-LABEL: @again
// CHECK-NOT: tile.descriptor_store
tile.func @again(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %n: i32 {tile.divisibility = 16 : i32}, %i: i32 {tile.divisibility = 8 : i32}, %full: i1) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  scf.for %k = %i to %n step %n : i32 {
    // expected-remark@+1 {{not copied by the tensor memory accelerator: a loop stores to the same block again}}
    tile.descriptor_store %e[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  }
  tile.return
}

// -----

// One dot of a batch, whose block has a leading dimension of size 1.
// CHECK-LABEL: @batch
// CHECK: tile.descriptor_store
tile.func @batch(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %n: i32 {tile.divisibility = 16 : i32}, %i: i32 {tile.divisibility = 8 : i32}, %full: i1) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %f = tile.make_descriptor %c, [%n64, %n64, %n64], [%n64, %n64] : !tile.desc<1x64x64xf16>, !tile.ptr<f16>
  %w = tile.expand_dims %h {axis = 0 : i32} : tensor<64x64xf16> -> tensor<1x64x64xf16>
  tile.descriptor_store %f[%i, %i, %i], %w : !tile.desc<1x64x64xf16>, tensor<1x64x64xf16>
  tile.return
}

// -----

// TMA writes whole pieces of 16 bytes. If the row length is unknown, threads store the last one.
// CHECK-LABEL: @row_ends
// CHECK-COUNT-1: tile.descriptor_store
// CHECK-NOT: tile.descriptor_store
tile.func @row_ends(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                    %o: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                    %n: i32 {tile.divisibility = 16 : i32}, %m: i32, %i: i32 {tile.divisibility = 8 : i32}) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %m64 = arith.extsi %m : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %m64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %f = tile.make_descriptor %o, [%m64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  // expected-remark @+1 {{the bytes of a row are not known to be a multiple of 16}}
  tile.descriptor_store %e[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.descriptor_store %f[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.return
}

// -----

// If the row length comes from memory, the kernel tests it.
// CHECK-LABEL: @loaded_row_ends
// CHECK: %[[N:.*]] = tile.load
// CHECK: %[[N64:.*]] = arith.extsi %[[N]]
// CHECK: scf.for
// CHECK: %[[SEVEN:.*]] = arith.constant 7 : i64
// CHECK: %[[REST:.*]] = arith.andi %[[N64]], %[[SEVEN]]
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]]
// CHECK: scf.if %[[WHOLE]] {
// CHECK-NEXT: tile.descriptor_store
// CHECK-NEXT: } else {
// CHECK: tile.store
tile.func @loaded_row_ends(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                           %c: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %s: !tile.ptr<i32>,
                           %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %m = tile.load %s : !tile.ptr<i32>
  %m64 = arith.extsi %m : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %m64], [%n64] {aligned} : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  scf.for %i = %c0 to %n step %c64 : i32 {
    %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
    tile.descriptor_store %e[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  }
  tile.return
}
