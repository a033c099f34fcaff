// RUN: tilewright-opt %s -remark-format=emitRemark -remarks-filter-missed=.* -split-input-file -verify-diagnostics \
// RUN:   -tile-gpu-select-tma='num-warps=4 compute-capability=90 arch-specific=true' | FileCheck %s
// RUN: tilewright-opt %s -split-input-file \
// RUN:   -tile-gpu-select-tma='num-warps=4 compute-capability=90' | FileCheck %s --check-prefix=OTHER

// TMA loads the operands of a dot from aligned arrays, but not what is stored.

// CHECK-LABEL: @served
// CHECK: tile.descriptor_load
// CHECK: tile.descriptor_load
// CHECK-NOT: tile.load
// CHECK: tile.store
// OTHER-LABEL: @served
// OTHER-NOT: tile.descriptor_
tile.func @served(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32},
                  %i: i32 {tile.divisibility = 8 : i32}) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %y = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the kernel may touch the array elsewhere}}
  tile.descriptor_store %d[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.return
}

// -----

// A store to a separate array uses TMA, too.

// CHECK-LABEL: @stored
// CHECK: tile.descriptor_load
// CHECK: tile.descriptor_store
// OTHER-LABEL: @stored
// OTHER-NOT: tile.descriptor_
tile.func @stored(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %n: i32 {tile.divisibility = 16 : i32}, %i: i32 {tile.divisibility = 8 : i32}) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  tile.descriptor_store %e[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.return
}

// -----

// The address is not aligned.
// CHECK-LABEL: @address
// CHECK-NOT: tile.descriptor_load
tile.func @address(%a: !tile.ptr<f16> {tile.divisibility = 8 : i32}, %n: i32 {tile.divisibility = 16 : i32},
                  %i: i32 {tile.divisibility = 8 : i32}, %flag: !tile.ptr<i32>) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the array is not known to start at a multiple of 16 bytes}}
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  tile.descriptor_store %d[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.return
}

// -----

// The rows are not aligned.
// CHECK-LABEL: @stride
// CHECK-NOT: tile.descriptor_load
tile.func @stride(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 4 : i32},
                  %i: i32 {tile.divisibility = 8 : i32}, %flag: !tile.ptr<i32>) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  // expected-remark@+1 {{not copied by the tensor memory accelerator: a stride of the array is not known to be a multiple of 16 bytes}}
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  tile.descriptor_store %d[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.return
}

// -----

// The size is known only at run time.
// CHECK-LABEL: @unknown
// CHECK-NOT: tile.descriptor_load
tile.func @unknown(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32},
                  %i: i32 {tile.divisibility = 8 : i32}, %flag: !tile.ptr<i32>) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %more = tile.load %flag : !tile.ptr<i32>
  %m64 = arith.extsi %more : i32 to i64
  %d = tile.make_descriptor %a, [%m64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the descriptor depends on more than the kernel's arguments}}
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  tile.descriptor_store %d[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.return
}

// -----

// A load that the producer can not issue does not prevent the others.
// CHECK-LABEL: @others
// CHECK: tile.descriptor_load
// CHECK: tile.load {{.*}} : tensor<64x64x!tile.ptr<f16>>
tile.func @others(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32},
                  %i: i32 {tile.divisibility = 8 : i32}, %index: !tile.ptr<i32>, %dest: !tile.ptr<f32>) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  // expected-remark@+1 {{not copied by the tensor memory accelerator: the address of a load depends on memory that the kernel may write}}
  %row = tile.load %index : !tile.ptr<i32>
  %y = tile.descriptor_load %d[%row, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %o = tile.splat %dest : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %o, %z : tensor<64x64x!tile.ptr<f32>>
  tile.store %index, %i : !tile.ptr<i32>
  tile.return
}

// -----

// Not an operand of a dot.
// CHECK-LABEL: @copy
// CHECK-NOT: tile.descriptor_load
tile.func @copy(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i64 {tile.divisibility = 16 : i32}, %i: i32 {tile.divisibility = 8 : i32}) attributes {tile.kernel} {
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  // expected-remark@+1 {{it is not an operand of a dot that wgmma computes}}
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  tile.descriptor_store %d[%i, %i], %x : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.return
}

// -----

// The hardware takes only coordinates in a row that are multiples of 16 bytes.

// CHECK-LABEL: @coordinate
// CHECK-NOT: tile.descriptor_load
// OTHER-LABEL: @coordinate
tile.func @coordinate(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32},
                 %i: i32 {tile.divisibility = 4 : i32}, %o: !tile.ptr<f32>) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  // expected-remark@+1 {{not copied by the tensor memory accelerator: its offset in a row is not known to be a multiple of 16 bytes}}
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %p = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %p, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// TMA combines f16 sums, but not maxima of floats.

// CHECK-LABEL: @reduced
// CHECK: tile.descriptor_store {{.*}} reduce fadd
// CHECK: tile.atomic_rmw fmax relaxed gpu
// OTHER-LABEL: @reduced
// OTHER: tile.atomic_rmw fadd relaxed gpu
// OTHER: tile.atomic_rmw fmax relaxed gpu
tile.func @reduced(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                   %m: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                   %n: i32 {tile.divisibility = 16 : i32}, %i: i32 {tile.divisibility = 8 : i32}) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %f = tile.make_descriptor %m, [%n64, %n64], [%n64] : !tile.desc<64x64xf32>, !tile.ptr<f32>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  tile.descriptor_store %e[%i, %i], %h reduce fadd : !tile.desc<64x64xf16>, tensor<64x64xf16>
  // expected-remark@+1 {{not copied by the tensor memory accelerator: it does not support this reduction of these elements}}
  tile.descriptor_store %f[%i, %i], %z reduce fmax : !tile.desc<64x64xf32>, tensor<64x64xf32>
  tile.return
}
