// RUN: tilewright-test-opt %s -pass-pipeline='builtin.module(tile.func(test-integer-ranges))' -verify-diagnostics -o /dev/null

// Masks, shifts and extensions bound the weights that are unpacked from words.
tile.func @unpacked(%words: tensor<64xi32>, %bytes: tensor<64xi8>) {
  %c4 = arith.constant dense<4> : tensor<64xi32>
  %c8 = arith.constant dense<8> : tensor<64xi32>
  %c15 = arith.constant dense<15> : tensor<64xi32>
  // expected-remark@below {{word: [-2147483648, 2147483647]}}
  tile.print "word: ", %words {isSigned = array<i1: true>} : tensor<64xi32>
  %low = arith.andi %words, %c15 : tensor<64xi32>
  // expected-remark@below {{masked: [0, 15]}}
  tile.print "masked: ", %low {isSigned = array<i1: true>} : tensor<64xi32>
  %high = arith.shrui %words, %c4 : tensor<64xi32>
  // expected-remark@below {{shifted: [0, 268435455]}}
  tile.print "shifted: ", %high {isSigned = array<i1: true>} : tensor<64xi32>
  %signed = arith.shrsi %words, %c4 : tensor<64xi32>
  // expected-remark@below {{sign kept: [-134217728, 134217727]}}
  tile.print "sign kept: ", %signed {isSigned = array<i1: true>} : tensor<64xi32>
  %centred = arith.subi %low, %c8 : tensor<64xi32>
  // expected-remark@below {{minus 8: [-8, 7]}}
  tile.print "minus 8: ", %centred {isSigned = array<i1: true>} : tensor<64xi32>
  %narrow = arith.trunci %centred : tensor<64xi32> to tensor<64xi8>
  // expected-remark@below {{narrow: [-8, 7]}}
  tile.print "narrow: ", %narrow {isSigned = array<i1: true>} : tensor<64xi8>
  %wide = arith.extui %bytes : tensor<64xi8> to tensor<64xi32>
  // expected-remark@below {{unsigned byte: [0, 255]}}
  tile.print "unsigned byte: ", %wide {isSigned = array<i1: true>} : tensor<64xi32>
  %wide_signed = arith.extsi %bytes : tensor<64xi8> to tensor<64xi32>
  // expected-remark@below {{signed byte: [-128, 127]}}
  tile.print "signed byte: ", %wide_signed {isSigned = array<i1: true>} : tensor<64xi32>
  tile.return
}

// Results that may wrap around, and shifts by an unknown number, have the range of their type.
tile.func @whole(%bytes: tensor<64xi8>, %by: tensor<64xi8>, %c: i1) {
  %c1 = arith.constant dense<1> : tensor<64xi8>
  %c64 = arith.constant dense<64> : tensor<64xi8>
  %sum = arith.addi %bytes, %c1 : tensor<64xi8>
  // expected-remark@below {{sum: [-128, 127]}}
  tile.print "sum: ", %sum {isSigned = array<i1: true>} : tensor<64xi8>
  %shifted = arith.shrui %bytes, %by : tensor<64xi8>
  // expected-remark@below {{unknown shift: [-128, 127]}}
  tile.print "unknown shift: ", %shifted {isSigned = array<i1: true>} : tensor<64xi8>
  %both = arith.muli %c64, %c64 : tensor<64xi8>
  // expected-remark@below {{times: [-128, 127]}}
  tile.print "times: ", %both {isSigned = array<i1: true>} : tensor<64xi8>
  %chosen = arith.select %c, %c1, %c64 : tensor<64xi8>
  // expected-remark@below {{select: [1, 64]}}
  tile.print "select: ", %chosen {isSigned = array<i1: true>} : tensor<64xi8>
  tile.return
}
