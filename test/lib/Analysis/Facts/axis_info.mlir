// RUN: tilewright-test-opt %s -test-axis-info -verify-diagnostics -o /dev/null

// Ranges, splats and arithmetic on their groups.
tile.func @arithmetic(%round: i32 {tile.divisibility = 16 : i32}, %any: i32) {
  %c1 = arith.constant dense<1> : tensor<128xi32>
  %c4 = arith.constant dense<4> : tensor<128xi32>
  %c3 = arith.constant dense<3> : tensor<128xi32>
  %range = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  // expected-remark@below {{from zero: contiguity = [128], divisibility = [any], constancy = [1], non-negative}}
  tile.print "from zero: ", %range {isSigned = array<i1: true>} : tensor<128xi32>
  // Only groups of 8 fit a whole number of times.
  %odd = tile.range {start = 4 : i32, end = 28 : i32} : tensor<24xi32>
  // expected-remark@below {{24 from 4: contiguity = [8], divisibility = [4], constancy = [1], non-negative}}
  tile.print "24 from 4: ", %odd {isSigned = array<i1: true>} : tensor<24xi32>
  %splat = tile.splat %round : i32 -> tensor<128xi32>
  // expected-remark@below {{splat: contiguity = [1], divisibility = [16], constancy = [128]}}
  tile.print "splat: ", %splat {isSigned = array<i1: true>} : tensor<128xi32>
  %sum = arith.addi %range, %splat : tensor<128xi32>
  // expected-remark@below {{sum: contiguity = [128], divisibility = [16], constancy = [1]}}
  tile.print "sum: ", %sum {isSigned = array<i1: true>} : tensor<128xi32>
  %unknown = tile.splat %any : i32 -> tensor<128xi32>
  %difference = arith.subi %sum, %unknown : tensor<128xi32>
  // expected-remark@below {{difference: contiguity = [128], divisibility = [1], constancy = [1]}}
  tile.print "difference: ", %difference {isSigned = array<i1: true>} : tensor<128xi32>
  // Counts down, which is no contiguity.
  %down = arith.subi %splat, %range : tensor<128xi32>
  // expected-remark@below {{down: contiguity = [1], divisibility = [1], constancy = [1]}}
  tile.print "down: ", %down {isSigned = array<i1: true>} : tensor<128xi32>
  // The first element is divisible; nothing is known about its neighbours.
  %twice = arith.addi %range, %range : tensor<128xi32>
  // expected-remark@below {{twice: contiguity = [1], divisibility = [1], constancy = [1], non-negative}}
  tile.print "twice: ", %twice {isSigned = array<i1: true>} : tensor<128xi32>
  %same = arith.muli %range, %c1 : tensor<128xi32>
  // expected-remark@below {{times one: contiguity = [128], divisibility = [any], constancy = [1], non-negative}}
  tile.print "times one: ", %same {isSigned = array<i1: true>} : tensor<128xi32>
  %times4 = arith.muli %splat, %c4 : tensor<128xi32>
  // expected-remark@below {{times four: contiguity = [1], divisibility = [64], constancy = [128]}}
  tile.print "times four: ", %times4 {isSigned = array<i1: true>} : tensor<128xi32>
  %shifted = arith.shli %splat, %c3 : tensor<128xi32>
  // expected-remark@below {{shifted left: contiguity = [1], divisibility = [128], constancy = [128]}}
  tile.print "shifted left: ", %shifted {isSigned = array<i1: true>} : tensor<128xi32>
  %few = arith.shli %range, %c3 : tensor<128xi32>
  // expected-remark@below {{few bits: contiguity = [1], divisibility = [8], constancy = [1], non-negative}}
  tile.print "few bits: ", %few {isSigned = array<i1: true>} : tensor<128xi32>
  // This many bits, or an unknown number, may reach the sign.
  %c28 = arith.constant dense<28> : tensor<128xi32>
  %many = arith.shli %range, %c28 : tensor<128xi32>
  // expected-remark@below {{many bits: contiguity = [1], divisibility = [268435456], constancy = [1]}}
  tile.print "many bits: ", %many {isSigned = array<i1: true>} : tensor<128xi32>
  %unknown_bits = arith.shli %range, %splat : tensor<128xi32>
  // expected-remark@below {{unknown bits: contiguity = [1], divisibility = [1], constancy = [1]}}
  tile.print "unknown bits: ", %unknown_bits {isSigned = array<i1: true>} : tensor<128xi32>
  %masked = arith.andi %splat, %c4 : tensor<128xi32>
  // expected-remark@below {{and: contiguity = [1], divisibility = [16], constancy = [128], non-negative}}
  tile.print "and: ", %masked {isSigned = array<i1: true>} : tensor<128xi32>
  %least = arith.minsi %range, %splat : tensor<128xi32>
  // expected-remark@below {{least: contiguity = [1], divisibility = [1], constancy = [1]}}
  tile.print "least: ", %least {isSigned = array<i1: true>} : tensor<128xi32>
  tile.return
}

// Quotients repeat and remainders are contiguous, by groups.
tile.func @division(%round: i32 {tile.divisibility = 16 : i32}) {
  %c2 = arith.constant dense<2> : tensor<128xi32>
  %c4 = arith.constant dense<4> : tensor<128xi32>
  %c6 = arith.constant dense<6> : tensor<128xi32>
  %range = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %quotient = arith.divsi %range, %c4 : tensor<128xi32>
  // expected-remark@below {{by 4: contiguity = [1], divisibility = [1], constancy = [4], non-negative}}
  tile.print "by 4: ", %quotient {isSigned = array<i1: true>} : tensor<128xi32>
  %shifted = arith.shrui %range, %c2 : tensor<128xi32>
  // expected-remark@below {{shifted right: contiguity = [1], divisibility = [1], constancy = [4], non-negative}}
  tile.print "shifted right: ", %shifted {isSigned = array<i1: true>} : tensor<128xi32>
  %six = arith.divsi %range, %c6 : tensor<128xi32>
  // expected-remark@below {{by 6: contiguity = [1], divisibility = [1], constancy = [2], non-negative}}
  tile.print "by 6: ", %six {isSigned = array<i1: true>} : tensor<128xi32>
  // -3 / 4 is 0 like 3 / 4: groups are not those of multiples of 4 below zero.
  %splat = tile.splat %round : i32 -> tensor<128xi32>
  %signed = arith.addi %range, %splat : tensor<128xi32>
  %maybe = arith.divsi %signed, %c4 : tensor<128xi32>
  // expected-remark@below {{maybe negative by 4: contiguity = [1], divisibility = [1], constancy = [1]}}
  tile.print "maybe negative by 4: ", %maybe {isSigned = array<i1: true>} : tensor<128xi32>
  %floor = arith.floordivsi %signed, %c4 : tensor<128xi32>
  // expected-remark@below {{rounded down: contiguity = [1], divisibility = [1], constancy = [4]}}
  tile.print "rounded down: ", %floor {isSigned = array<i1: true>} : tensor<128xi32>
  %remainder = arith.remsi %range, %c4 : tensor<128xi32>
  // expected-remark@below {{rest of 4: contiguity = [4], divisibility = [4], constancy = [1], non-negative}}
  tile.print "rest of 4: ", %remainder {isSigned = array<i1: true>} : tensor<128xi32>
  %rounds = arith.remsi %range, %splat : tensor<128xi32>
  // expected-remark@below {{rest of a multiple of 16: contiguity = [16], divisibility = [16], constancy = [1], non-negative}}
  tile.print "rest of a multiple of 16: ", %rounds {isSigned = array<i1: true>} : tensor<128xi32>
  %rows = arith.divsi %range, %splat : tensor<128xi32>
  // expected-remark@below {{by a multiple of 16: contiguity = [1], divisibility = [1], constancy = [16]}}
  tile.print "by a multiple of 16: ", %rows {isSigned = array<i1: true>} : tensor<128xi32>
  // 15 / -16 rounded down is -1, 0 / -16 is 0.
  %down = arith.floordivsi %range, %splat : tensor<128xi32>
  // expected-remark@below {{rounded down by any multiple: contiguity = [1], divisibility = [1], constancy = [1]}}
  tile.print "rounded down by any multiple: ", %down {isSigned = array<i1: true>} : tensor<128xi32>
  %unsure = arith.divsi %signed, %c6 : tensor<128xi32>
  // expected-remark@below {{maybe negative by 6: contiguity = [1], divisibility = [1], constancy = [1]}}
  tile.print "maybe negative by 6: ", %unsure {isSigned = array<i1: true>} : tensor<128xi32>
  tile.return
}

// Comparisons are constant on groups aligned to the same multiples.
tile.func @comparison(%round: i32 {tile.divisibility = 16 : i32}, %any: i32, %flag: i1) {
  %range = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %n = tile.splat %round : i32 -> tensor<128xi32>
  %m = tile.splat %any : i32 -> tensor<128xi32>
  %below = arith.cmpi slt, %range, %n : tensor<128xi32>
  // expected-remark@below {{below: contiguity = [1], divisibility = [1], constancy = [16]}}
  tile.print "below: ", %below {isSigned = array<i1: true>} : tensor<128xi1>
  %above = arith.cmpi sgt, %n, %range : tensor<128xi32>
  // expected-remark@below {{above: contiguity = [1], divisibility = [1], constancy = [16]}}
  tile.print "above: ", %above {isSigned = array<i1: true>} : tensor<128xi1>
  // The element equal to n differs from its right neighbour.
  %upto = arith.cmpi sle, %range, %n : tensor<128xi32>
  // expected-remark@below {{up to: contiguity = [1], divisibility = [1], constancy = [1]}}
  tile.print "up to: ", %upto {isSigned = array<i1: true>} : tensor<128xi1>
  %unknown = arith.cmpi slt, %range, %m : tensor<128xi32>
  // expected-remark@below {{below any: contiguity = [1], divisibility = [1], constancy = [1]}}
  tile.print "below any: ", %unknown {isSigned = array<i1: true>} : tensor<128xi1>
  %repeat = arith.cmpi eq, %m, %n : tensor<128xi32>
  %both = arith.andi %below, %repeat : tensor<128xi1>
  // expected-remark@below {{both: contiguity = [1], divisibility = [1], constancy = [16]}}
  tile.print "both: ", %both {isSigned = array<i1: true>} : tensor<128xi1>
  %shifted = arith.addi %range, %n : tensor<128xi32>
  %chosen = arith.select %below, %range, %shifted : tensor<128xi1>, tensor<128xi32>
  // expected-remark@below {{chosen: contiguity = [16], divisibility = [16], constancy = [1]}}
  tile.print "chosen: ", %chosen {isSigned = array<i1: true>} : tensor<128xi32>
  %scalar = arith.select %flag, %range, %shifted : tensor<128xi32>
  // expected-remark@below {{chosen by one: contiguity = [128], divisibility = [16], constancy = [1]}}
  tile.print "chosen by one: ", %scalar {isSigned = array<i1: true>} : tensor<128xi32>
  %wide = arith.extsi %shifted : tensor<128xi32> to tensor<128xi64>
  // expected-remark@below {{wide: contiguity = [128], divisibility = [16], constancy = [1]}}
  tile.print "wide: ", %wide {isSigned = array<i1: true>} : tensor<128xi64>
  // Wraps around at every multiple of 256, which no aligned group of 16 spans.
  %narrow = arith.trunci %shifted : tensor<128xi32> to tensor<128xi8>
  // expected-remark@below {{narrow: contiguity = [16], divisibility = [16], constancy = [1]}}
  tile.print "narrow: ", %narrow {isSigned = array<i1: true>} : tensor<128xi8>
  // Bytes may have wrapped around, but not within an aligned group.
  %c100 = arith.constant dense<100> : tensor<128xi8>
  %bytes = arith.trunci %range : tensor<128xi32> to tensor<128xi8>
  %sum = arith.addi %bytes, %c100 : tensor<128xi8>
  %back = arith.extsi %sum : tensor<128xi8> to tensor<128xi32>
  // expected-remark@below {{back: contiguity = [4], divisibility = [4], constancy = [1]}}
  tile.print "back: ", %back {isSigned = array<i1: true>} : tensor<128xi32>
  tile.return
}

// Rows of a matrix: contiguous along the last dimension, until transposed.
tile.func @shape(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %stride: i32 {tile.divisibility = 16 : i32}, %n: i32) {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %c = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %r1 = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c1 = tile.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %s = tile.splat %stride : i32 -> tensor<64x1xi32>
  %rows = arith.muli %r1, %s : tensor<64x1xi32>
  %r2 = tile.broadcast %rows : tensor<64x1xi32> -> tensor<64x32xi32>
  %c2 = tile.broadcast %c1 : tensor<1x32xi32> -> tensor<64x32xi32>
  // expected-remark@below {{rows, columns: contiguity = [1, 1], divisibility = [16, 16], constancy = [1, 32]}}
  // expected-remark@below {{rows, columns: contiguity = [1, 32], divisibility = [1, any], constancy = [64, 1], non-negative}}
  tile.print "rows, columns: ", %r2, %c2 {isSigned = array<i1: true, true>} : tensor<64x32xi32>, tensor<64x32xi32>
  %o = arith.addi %r2, %c2 : tensor<64x32xi32>
  %q = tile.splat %p : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
  %ptr = tile.addptr %q, %o : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  // expected-remark@below {{pointers: contiguity = [1, 32], divisibility = [2, 16], constancy = [1, 1]}}
  tile.print "pointers: ", %ptr {isSigned = array<i1: true>} : tensor<64x32x!tile.ptr<f16>>
  // expected-remark@below {{vectors of 1, 8}}
  %x = tile.load %ptr : tensor<64x32x!tile.ptr<f16>>
  // A mask of rows splits no row.
  %bound = tile.splat %n : i32 -> tensor<64x1xi32>
  %inside = arith.cmpi slt, %r1, %bound : tensor<64x1xi32>
  %mask = tile.broadcast %inside : tensor<64x1xi1> -> tensor<64x32xi1>
  // expected-remark@below {{vectors of 1, 8}}
  %y = tile.load %ptr, %mask : tensor<64x32x!tile.ptr<f16>>
  %t = tile.transpose %ptr {order = array<i32: 1, 0>} : tensor<64x32x!tile.ptr<f16>> -> tensor<32x64x!tile.ptr<f16>>
  // expected-remark@below {{vectors of 8, 1}}
  %z = tile.load %t : tensor<32x64x!tile.ptr<f16>>
  %flat = tile.reshape %c : tensor<32xi32> -> tensor<8x4xi32>
  // expected-remark@below {{reshaped: contiguity = [1, 4], divisibility = [1, 4], constancy = [1, 1], non-negative}}
  tile.print "reshaped: ", %flat {isSigned = array<i1: true>} : tensor<8x4xi32>
  tile.return
}

// Contiguity, alignment, mask and 16 bytes limit vectors.
tile.func @access(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32>,
                  %n: i32 {tile.divisibility = 16 : i32}, %any: i32) {
  %range = tile.range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %size = arith.constant 1024 : i32
  %pid = tile.program_id x
  %start = arith.muli %pid, %size : i32
  %starts = tile.splat %start : i32 -> tensor<1024xi32>
  %offsets = arith.addi %starts, %range : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ptr = tile.addptr %ps, %offsets : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %offsets, %ns : tensor<1024xi32>
  // expected-remark@below {{vectors of 4}}
  %x = tile.load %ptr, %mask : tensor<1024x!tile.ptr<f32>>
  %ms = tile.splat %any : i32 -> tensor<1024xi32>
  %ragged = arith.cmpi slt, %offsets, %ms : tensor<1024xi32>
  // expected-remark@below {{vectors of 1}}
  tile.store %ptr, %x, %ragged : tensor<1024x!tile.ptr<f32>>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %unaligned = tile.addptr %qs, %offsets : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  // expected-remark@below {{vectors of 1}}
  tile.store %unaligned, %x : tensor<1024x!tile.ptr<f32>>
  tile.return
}

// Facts of loop-carried values hold in every iteration; the induction variable
// advances by the step.
tile.func @loop(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %any: i32) {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %c32 = arith.constant 32 : i32
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %ptr = tile.addptr %ps, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %last:2 = scf.for %i = %c0 to %n step %c32 iter_args(%all = %ptr, %half = %ptr)
      -> (tensor<64x!tile.ptr<f32>>, tensor<64x!tile.ptr<f32>>) : i32 {
    // expected-remark@below {{variable: contiguity = [1], divisibility = [32], constancy = [1], non-negative}}
    tile.print "variable: ", %i {isSigned = array<i1: true>} : i32
    // expected-remark@below {{vectors of 4}}
    %x = tile.load %all : tensor<64x!tile.ptr<f32>>
    // expected-remark@below {{vectors of 2}}
    %y = tile.load %half : tensor<64x!tile.ptr<f32>>
    %is = tile.splat %i : i32 -> tensor<64xi32>
    %next = tile.addptr %all, %is : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %two = tile.splat %c2 : i32 -> tensor<64xi32>
    %step = tile.addptr %half, %two : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %next, %step : tensor<64x!tile.ptr<f32>>, tensor<64x!tile.ptr<f32>>
  }
  %carried:2 = scf.for %i = %any to %n step %c32 iter_args(%a = %c0, %b = %c32) -> (i32, i32) : i32 {
    // expected-remark@below {{carried: contiguity = [1], divisibility = [32], constancy = [1], non-negative}}
    // expected-remark@below {{carried: contiguity = [1], divisibility = [1], constancy = [1]}}
    tile.print "carried: ", %a, %b {isSigned = array<i1: true, true>} : i32, i32
    %c = arith.addi %a, %c32 : i32
    scf.yield %c, %i : i32, i32
  }
  tile.return
}

// Promises of the kernel's author hold where the analysis knows less.
tile.func @promises(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) {
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %range, %ns {tile.contiguity = array<i32: 16>, tile.divisibility = array<i32: 32>} : tensor<64xi32>
  // expected-remark@below {{wrapped: contiguity = [16], divisibility = [32], constancy = [1]}}
  tile.print "wrapped: ", %wrapped {isSigned = array<i1: true>} : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %ptr = tile.addptr %ps, %wrapped : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // expected-remark@below {{vectors of 4}}
  %x = tile.load %ptr : tensor<64x!tile.ptr<f32>>
  tile.return
}

// The minimum integer is a power of two and cannot be negated.
tile.func @least() {
  %least = arith.constant dense<-9223372036854775808> : tensor<128xi64>
  // expected-remark@below {{least: contiguity = [1], divisibility = [any], constancy = [128]}}
  tile.print "least: ", %least {isSigned = array<i1: true>} : tensor<128xi64>
  tile.return
}

#lanes = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#strided = #warp.linear<{register = [[32], [64]], lane = [[1], [2], [4], [8], [16]]}>

// The layout of a tile says nothing about its elements.
tile.func @layouts() {
  %range = tile.range {start = 16 : i32, end = 144 : i32} : tensor<128xi32, #lanes>
  %moved = warp.convert_layout %range : tensor<128xi32, #lanes> -> tensor<128xi32, #strided>
  // expected-remark@below {{moved: contiguity = [128], divisibility = [16], constancy = [1], non-negative}}
  tile.print "moved: ", %moved {isSigned = array<i1: true>} : tensor<128xi32, #strided>
  tile.return
}

// Exact quotients do not depend on the rounding.
tile.func @exact(%round: i32 {tile.divisibility = 16 : i32}) {
  %c2 = arith.constant 2 : i32
  %c2s = arith.constant dense<2> : tensor<128xi32>
  %half = arith.divsi %round, %c2 : i32
  // expected-remark@below {{half: contiguity = [1], divisibility = [8], constancy = [1]}}
  tile.print "half: ", %half {isSigned = array<i1: true>} : i32
  %range = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %rounds = tile.splat %round : i32 -> tensor<128xi32>
  %sum = arith.addi %range, %rounds : tensor<128xi32>
  %quotients = arith.divsi %sum, %c2s : tensor<128xi32>
  // expected-remark@below {{quotients: contiguity = [1], divisibility = [1], constancy = [1]}}
  tile.print "quotients: ", %quotients {isSigned = array<i1: true>} : tensor<128xi32>
  tile.return
}

// Values that are promised to be non-negative are rounded down by division.
tile.func @promised(%n: i32 {tile.divisibility = 16 : i32, tile.non_negative}, %any: i32) {
  %c4 = arith.constant dense<4> : tensor<32xi32>
  %range = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %ns = tile.splat %n : i32 -> tensor<32xi32>
  %index = arith.addi %ns, %range : tensor<32xi32>
  %quotient = arith.divsi %index, %c4 : tensor<32xi32>
  // expected-remark@below {{by an argument: contiguity = [1], divisibility = [1], constancy = [4], non-negative}}
  tile.print "by an argument: ", %quotient {isSigned = array<i1: true>} : tensor<32xi32>
  %anys = tile.splat %any : i32 -> tensor<32xi32>
  %multiple = arith.muli %anys, %c4 {tile.non_negative} : tensor<32xi32>
  %offset = arith.addi %multiple, %range : tensor<32xi32>
  %rest = arith.remsi %offset, %c4 : tensor<32xi32>
  // expected-remark@below {{by an op: contiguity = [4], divisibility = [4], constancy = [1], non-negative}}
  tile.print "by an op: ", %rest {isSigned = array<i1: true>} : tensor<32xi32>
  tile.return
}
