// RUN: tilewright-opt %s -remark-format=emitRemark -remarks-filter-missed=.* -split-input-file -verify-diagnostics \
// RUN:   -tile-gpu-select-tma='num-warps=4 compute-capability=90 arch-specific=true' | FileCheck %s

// Halves of a tile are stored side by side.
// CHECK-LABEL: @halves
// CHECK-COUNT-2: tile.descriptor_store
tile.func @halves(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
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

// Parts of other widths through descriptors of their own.
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

// What is 32 elements further on is part of the first block.
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

// The second may reach into what the first stores, which may come later.
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

// The last of several results has to stay.
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
    // expected-remark@+1 {{not copied by the tensor memory accelerator: a loop stores to the same place again}}
    tile.descriptor_store %e[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  }
  tile.return
}

// -----

// One product of several, whose block has a side of 1 in front.
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

// Whole pieces of 16 bytes are written: of rows of any length, threads store the last.
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

// Of rows whose length comes from memory the kernel asks.
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
