// RUN: tilewright-test-opt %s -pass-pipeline='builtin.module(tile.func(test-producer-slice))' -verify-diagnostics -o /dev/null

// The producer executes the loop, the load and the scalars of its coordinates. Dots and stores stay with the consumers.
tile.func @coordinates(%a: !tile.ptr<f16>, %out: !tile.ptr<f32>, %n: i64, %k: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-remark@below {{executed by the producer}}
  %pid = tile.program_id x
  // expected-remark@below {{executed by the producer}}
  %row = arith.muli %pid, %c64 : i32
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  // expected-remark@below {{executed by the producer}}
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %unused = arith.addi %i, %row : i32
    // expected-remark@below {{executed by the producer}}
    %x = tile.descriptor_load %d[%row, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %x, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %o, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// A scalar from memory that the kernel does not write is loaded by the producer too.
tile.func @table(%a: !tile.ptr<f16>, %table: !tile.ptr<i32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  // expected-remark@below {{executed by the producer}}
  %row = tile.load %table : !tile.ptr<i32>
  // expected-remark@below {{executed by the producer}}
  %x = tile.descriptor_load %d[%row, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  tile.return
}

// The result of an atomic operation comes from the consumers.
tile.func @counter(%a: !tile.ptr<f16>, %count: !tile.ptr<i32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  // expected-remark@below {{forwarded by the consumers}}
  %row = tile.atomic_rmw add acq_rel gpu %count, %c1 : !tile.ptr<i32>
  // expected-remark@below {{executed by the producer}}
  %x = tile.descriptor_load %d[%row, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  tile.return
}

// The kernel writes the table.
tile.func @written_table(%a: !tile.ptr<f16>, %table: !tile.ptr<i32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  // expected-remark@below {{the address of a load depends on memory that the kernel may write}}
  %row = tile.load %table : !tile.ptr<i32>
  %x = tile.descriptor_load %d[%row, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  tile.store %table, %c0 : !tile.ptr<i32>
  tile.return
}

// A store to the loaded array comes before the load.
tile.func @written_array(%a: !tile.ptr<f16>, %h: f16, %n: i64) {
  %c0 = arith.constant 0 : i32
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  // expected-remark@below {{it may write memory that is loaded later}}
  tile.store %a, %h : !tile.ptr<f16>
  %x = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  tile.return
}
