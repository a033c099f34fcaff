// RUN: tilewright-opt %s -remark-format=emitRemark -remarks-filter-missed=.* -split-input-file -verify-diagnostics \
// RUN:   -tile-gpu-select-tma='num-warps=4 compute-capability=90 arch-specific=true' | FileCheck %s
// RUN: tilewright-opt %s -split-input-file -tile-gpu-select-tma='num-warps=4 compute-capability=90 arch-specific=true makes-maps=false' \
// RUN:   | FileCheck %s --check-prefix=OLD --implicit-check-not=tile.descriptor_load

// The assembler is too old for tensor maps that the device makes.
// OLD-LABEL: @loaded

// The device makes the tensor map of a loaded descriptor if a loop makes it
// worth the time and the descriptor promises alignment.

// CHECK-LABEL: @loaded
// CHECK: scf.for
// CHECK: tile.descriptor_load
tile.func @loaded(%table: !tile.ptr<i64>, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %sizes: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %n = tile.load %sizes : !tile.ptr<i32>
  %n64 = arith.extsi %n : i32 to i64
  %address = tile.load %table : !tile.ptr<i64>
  %a = tile.int_to_ptr %address : i64 -> !tile.ptr<f16>
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] {aligned} : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %sum = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %x = tile.descriptor_load %d[%k, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %z = tile.dot %x, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %p, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// The descriptor promises nothing.
// CHECK-LABEL: @promises_nothing
// CHECK-NOT: tile.descriptor_load
tile.func @promises_nothing(%table: !tile.ptr<i64>, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %sizes: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %n = tile.load %sizes : !tile.ptr<i32>
  %n64 = arith.extsi %n : i32 to i64
  %address = tile.load %table : !tile.ptr<i64>
  %a = tile.int_to_ptr %address : i64 -> !tile.ptr<f16>
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %sum = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    // expected-remark@+1 {{the descriptor depends on more than the kernel's arguments}}
    %x = tile.descriptor_load %d[%k, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %z = tile.dot %x, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %p, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// A map for each block costs more than it saves.
// CHECK-LABEL: @each_block
// CHECK-NOT: tile.descriptor_load
tile.func @each_block(%table: !tile.ptr<i64>, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %sizes: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %n = tile.load %sizes : !tile.ptr<i32>
  %n64 = arith.extsi %n : i32 to i64
  %address = tile.load %table : !tile.ptr<i64>
  %a = tile.int_to_ptr %address : i64 -> !tile.ptr<f16>
  %sum = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %d = tile.make_descriptor %a, [%n64, %n64], [%n64] {aligned} : !tile.desc<64x64xf16>, !tile.ptr<f16>
    // expected-remark@+1 {{and is made again for each block}}
    %x = tile.descriptor_load %d[%k, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %z = tile.dot %x, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %p, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// Specialisation would have shown the alignment of values computed from
// arguments.
// CHECK-LABEL: @computed
// CHECK-NOT: tile.descriptor_load
tile.func @computed(%b: !tile.ptr<f16>, %n: i32 {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %n64 = arith.extsi %n : i32 to i64
  %pid = tile.program_id x
  %a = tile.addptr %b, %pid : !tile.ptr<f16>, i32
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] {aligned} : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %sum = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    // expected-remark@+1 {{the array is not known to start at a multiple of 16 bytes}}
    %x = tile.descriptor_load %d[%k, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %z = tile.dot %x, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %p, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// Addresses from one table may be those of one array.
// CHECK-LABEL: @one_table
// CHECK-NOT: tile.descriptor_load
tile.func @one_table(%table: !tile.ptr<i64>, %sizes: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %n = tile.load %sizes : !tile.ptr<i32>
  %n64 = arith.extsi %n : i32 to i64
  %address = tile.load %table : !tile.ptr<i64>
  %a = tile.int_to_ptr %address : i64 -> !tile.ptr<f16>
  %next = tile.addptr %table, %c1 : !tile.ptr<i64>, i32
  %other = tile.load %next : !tile.ptr<i64>
  %c = tile.int_to_ptr %other : i64 -> !tile.ptr<f32>
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] {aligned} : !tile.desc<64x64xf16>, !tile.ptr<f16>
  scf.for %k = %c0 to %n step %c64 : i32 {
    %x = tile.descriptor_load %d[%k, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    // expected-remark@+1 {{it may write memory that is loaded later}}
    tile.store %p, %z : tensor<64x64x!tile.ptr<f32>>
  }
  tile.return
}

// -----

// Addresses from two tables are assumed to be of two arrays.
// CHECK-LABEL: @two_tables
// CHECK: tile.descriptor_load
tile.func @two_tables(%table: !tile.ptr<i64>, %others: !tile.ptr<i64>, %sizes: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %n = tile.load %sizes : !tile.ptr<i32>
  %n64 = arith.extsi %n : i32 to i64
  %address = tile.load %table : !tile.ptr<i64>
  %a = tile.int_to_ptr %address : i64 -> !tile.ptr<f16>
  %other = tile.load %others : !tile.ptr<i64>
  %c = tile.int_to_ptr %other : i64 -> !tile.ptr<f32>
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] {aligned} : !tile.desc<64x64xf16>, !tile.ptr<f16>
  scf.for %k = %c0 to %n step %c64 : i32 {
    %x = tile.descriptor_load %d[%k, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    tile.store %p, %z : tensor<64x64x!tile.ptr<f32>>
  }
  tile.return
}
