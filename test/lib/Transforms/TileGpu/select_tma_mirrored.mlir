// RUN: tilewright-opt %s -remark-format=emitRemark -remarks-filter-missed=.* -split-input-file -verify-diagnostics \
// RUN:   -tile-gpu-select-tma='num-warps=4 compute-capability=90 arch-specific=true' | FileCheck %s

// A tile and its mirror image, which are different tiles if their coordinates
// differ.
// CHECK-LABEL: @mirrored
// CHECK-COUNT-2: tile.descriptor_store
tile.func @mirrored(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
    %n: i32 {tile.divisibility = 16 : i32}, %i: i32, %j: i32, %o: i32) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c64 = arith.constant 64 : i32
  %x = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %t = tile.transpose %h {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
  %im = arith.muli %i, %c64 : i32
  %jm = arith.muli %j, %c64 : i32
  tile.descriptor_store %e[%im, %jm], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  %if = arith.cmpi slt, %i, %j : i32
  scf.if %if {
    tile.descriptor_store %e[%jm, %im], %t : !tile.desc<64x64xf16>, tensor<64x64xf16>
  }
  tile.return
}

// -----

// The tile number is a sum, and the coordinates of the store follow from its
// parts.
// CHECK-LABEL: @in_groups
// CHECK-COUNT-2: tile.descriptor_store
tile.func @in_groups(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
    %n: i32 {tile.divisibility = 16 : i32}, %i: i32, %j: i32, %o: i32) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c64 = arith.constant 64 : i32
  %x = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %t = tile.transpose %h {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
  %p = arith.muli %o, %c8 : i32
  %q = arith.addi %p, %i : i32
  %c512 = arith.constant 512 : i32
  %pm = arith.muli %o, %c512 : i32
  %qm = arith.muli %i, %c64 : i32
  %im = arith.addi %pm, %qm : i32
  %jm = arith.muli %j, %c64 : i32
  tile.descriptor_store %e[%im, %jm], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  %if = arith.cmpi ne, %j, %q : i32
  scf.if %if {
    tile.descriptor_store %e[%jm, %im], %t : !tile.desc<64x64xf16>, tensor<64x64xf16>
  }
  tile.return
}

// -----

// The branch for unequal coordinates.
// CHECK-LABEL: @other_branch
// CHECK-COUNT-2: tile.descriptor_store
tile.func @other_branch(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
    %n: i32 {tile.divisibility = 16 : i32}, %i: i32, %j: i32, %o: i32) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c64 = arith.constant 64 : i32
  %x = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %t = tile.transpose %h {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
  %im = arith.muli %i, %c64 : i32
  %jm = arith.muli %j, %c64 : i32
  tile.descriptor_store %e[%im, %jm], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  %if = arith.cmpi eq, %i, %j : i32
  scf.if %if {
  } else {
    tile.descriptor_store %e[%jm, %im], %t : !tile.desc<64x64xf16>, tensor<64x64xf16>
  }
  tile.return
}

// -----

// The coordinates may be equal.
// CHECK-LABEL: @maybe_equal
// CHECK-NOT: tile.descriptor_store
tile.func @maybe_equal(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
    %n: i32 {tile.divisibility = 16 : i32}, %i: i32, %j: i32, %o: i32) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c64 = arith.constant 64 : i32
  %x = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %t = tile.transpose %h {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
  %im = arith.muli %i, %c64 : i32
  %jm = arith.muli %j, %c64 : i32
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the kernel may touch the array elsewhere}}
  tile.descriptor_store %e[%im, %jm], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  %if = arith.cmpi sle, %i, %j : i32
  scf.if %if {
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the kernel may touch the array elsewhere}}
    tile.descriptor_store %e[%jm, %im], %t : !tile.desc<64x64xf16>, tensor<64x64xf16>
  }
  tile.return
}

// -----

// The coordinates are equal.
// CHECK-LABEL: @equal
// CHECK-NOT: tile.descriptor_store
tile.func @equal(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
    %n: i32 {tile.divisibility = 16 : i32}, %i: i32, %j: i32, %o: i32) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c64 = arith.constant 64 : i32
  %x = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %t = tile.transpose %h {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
  %im = arith.muli %i, %c64 : i32
  %jm = arith.muli %j, %c64 : i32
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the kernel may touch the array elsewhere}}
  tile.descriptor_store %e[%im, %jm], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  %if = arith.cmpi slt, %i, %j : i32
  scf.if %if {
  } else {
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the kernel may touch the array elsewhere}}
    tile.descriptor_store %e[%jm, %im], %t : !tile.desc<64x64xf16>, tensor<64x64xf16>
  }
  tile.return
}

// -----

// Other numbers than the coordinates differ.
// CHECK-LABEL: @other_numbers
// CHECK-NOT: tile.descriptor_store
tile.func @other_numbers(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
    %n: i32 {tile.divisibility = 16 : i32}, %i: i32, %j: i32, %o: i32) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c64 = arith.constant 64 : i32
  %x = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %t = tile.transpose %h {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
  %im = arith.muli %i, %c64 : i32
  %jm = arith.muli %j, %c64 : i32
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the kernel may touch the array elsewhere}}
  tile.descriptor_store %e[%im, %jm], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  %if = arith.cmpi slt, %i, %o : i32
  scf.if %if {
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the kernel may touch the array elsewhere}}
    tile.descriptor_store %e[%jm, %im], %t : !tile.desc<64x64xf16>, tensor<64x64xf16>
  }
  tile.return
}

// -----

// Multiples of 32 need not be 64 apart.
// CHECK-LABEL: @too_near
// CHECK-NOT: tile.descriptor_store
tile.func @too_near(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
    %n: i32 {tile.divisibility = 16 : i32}, %i: i32, %j: i32, %o: i32) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c64 = arith.constant 64 : i32
  %x = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %t = tile.transpose %h {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
  %c32 = arith.constant 32 : i32
  %im = arith.muli %i, %c32 : i32
  %jm = arith.muli %j, %c32 : i32
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the kernel may touch the array elsewhere}}
  tile.descriptor_store %e[%im, %jm], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  %if = arith.cmpi slt, %i, %j : i32
  scf.if %if {
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the kernel may touch the array elsewhere}}
    tile.descriptor_store %e[%jm, %im], %t : !tile.desc<64x64xf16>, tensor<64x64xf16>
  }
  tile.return
}

// -----

// The next tile minus eight rows and columns.
// CHECK-LABEL: @eight_less
// CHECK-NOT: tile.descriptor_store
tile.func @eight_less(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
    %n: i32 {tile.divisibility = 16 : i32}, %i: i32, %j: i32, %o: i32) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c64 = arith.constant 64 : i32
  %x = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %t = tile.transpose %h {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
  %im = arith.muli %i, %c64 : i32
  %jm = arith.muli %j, %c64 : i32
  %in = arith.addi %im, %c8 : i32
  %jn = arith.addi %jm, %c8 : i32
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the kernel may touch the array elsewhere}}
  tile.descriptor_store %e[%im, %jm], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  %if = arith.cmpi slt, %i, %j : i32
  scf.if %if {
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the kernel may touch the array elsewhere}}
    tile.descriptor_store %e[%jn, %in], %t : !tile.desc<64x64xf16>, tensor<64x64xf16>
  }
  tile.return
}

// -----

// An element that one iteration stores, another may store elsewhere in the
// tile.
// CHECK-LABEL: @in_loop
// CHECK-NOT: tile.descriptor_store
tile.func @in_loop(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
    %n: i32 {tile.divisibility = 16 : i32}, %i: i32, %j: i32, %o: i32) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c64 = arith.constant 64 : i32
  %x = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %t = tile.transpose %h {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
  scf.for %k = %c0 to %n step %c1 : i32 {
  %im = arith.muli %k, %c64 : i32
  %jm = arith.muli %j, %c64 : i32
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the kernel may touch the array elsewhere}}
  tile.descriptor_store %e[%im, %jm], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  %if = arith.cmpi slt, %k, %j : i32
  scf.if %if {
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the kernel may touch the array elsewhere}}
    tile.descriptor_store %e[%jm, %im], %t : !tile.desc<64x64xf16>, tensor<64x64xf16>
  }
  }
  tile.return
}
