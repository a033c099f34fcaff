// RUN: tilewright-test-opt %s -pass-pipeline='builtin.module(tile.func(test-tma-access))' -verify-diagnostics -o /dev/null

// TMA loads operands of wgmma from aligned arrays. It stores blocks of an array that the kernel does not access elsewhere.
tile.func @served(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %n: i64 {tile.divisibility = 16 : i32}, %i: i32 {tile.divisibility = 8 : i32}) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  // expected-remark@below {{copied by TMA}}
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  // expected-remark@below {{stored by TMA, whole rows}}
  tile.descriptor_store %e[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.return
}

// Each obstacle alone.
tile.func @obstacles(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %odd: !tile.ptr<f16> {tile.divisibility = 8 : i32},
                     %n: i64 {tile.divisibility = 16 : i32}, %any: i64, %i: i32 {tile.divisibility = 8 : i32}, %j: i32) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %unaligned = tile.make_descriptor %odd, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %ragged = tile.make_descriptor %a, [%n, %n], [%any] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  // expected-remark@below {{it is not an operand of a dot that wgmma computes}}
  %stored = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  // expected-remark@below {{the kernel may touch the array elsewhere}}
  tile.descriptor_store %d[%i, %i], %stored : !tile.desc<64x64xf16>, tensor<64x64xf16>
  // expected-remark@below {{the array is not known to start at a multiple of 16 bytes}}
  %x = tile.descriptor_load %unaligned[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  // expected-remark@below {{a stride of the array is not known to be a multiple of 16 bytes}}
  %y = tile.descriptor_load %ragged[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %s = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  // expected-remark@below {{its offset in a row is not known to be a multiple of 16 bytes}}
  %v = tile.descriptor_load %d[%i, %j] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %t = tile.dot %v, %v, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %t : tensor<64x64xf32> to tensor<64x64xf16>
  // expected-remark@below {{the array is not known to start at a multiple of 16 bytes}}
  tile.descriptor_store %unaligned[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.return
}

// TMA stores no rows that may end within 16 bytes, and no block that a loop stores again.
tile.func @stores(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %n: i64 {tile.divisibility = 16 : i32}, %any: i64, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %d = tile.make_descriptor %a, [%n, %any], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %b, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  // expected-remark@below {{the bytes of a row are not known to be a multiple of 16}}
  tile.descriptor_store %d[%c0, %c0], %x : !tile.desc<64x64xf16>, tensor<64x64xf16>
  scf.for %i = %c0 to %k step %c1 : i32 {
    // expected-remark@below {{a loop stores to the same block again}}
    tile.descriptor_store %e[%c0, %c0], %x : !tile.desc<64x64xf16>, tensor<64x64xf16>
  }
  tile.return
}

// The kernel checks the length of rows that comes from memory.
tile.func @asked(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %lengths: !tile.ptr<i64>,
                 %n: i64 {tile.divisibility = 16 : i32}, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %length = tile.load %lengths : !tile.ptr<i64>
  %d = tile.make_descriptor %a, [%n, %length], [%n] {aligned} : !tile.desc<64x64xf16>, !tile.ptr<f16>
  scf.for %i = %c0 to %k step %c64 : i32 {
    // expected-remark@below {{stored by TMA, checks rows at run time}}
    tile.descriptor_store %d[%i, %c0], %x : !tile.desc<64x64xf16>, tensor<64x64xf16>
  }
  tile.return
}
