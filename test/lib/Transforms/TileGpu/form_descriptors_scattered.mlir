// RUN: tilewright-opt %s -split-input-file -tile-gpu-form-descriptors='num-warps=4 num-stages=3 compute-capability=90 arch-specific=true' | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: tilewright-opt %s -split-input-file -tile-gpu-form-descriptors='num-warps=4 num-stages=4 compute-capability=90 arch-specific=true' | FileCheck %s --check-prefixes=CHECK,ONE

// Programs below the diagonal have nothing to do, so the kernel is not made
// persistent. Threads load where two of three slots fit on an SM. A single
// program has a producer.
// CHECK-LABEL: @above_diagonal
// TWO-NOT: tile.descriptor_load
// ONE-COUNT-2: tile.descriptor_load
tile.func @above_diagonal(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %i = tile.program_id x
  %j = tile.program_id y
  %below = arith.cmpi sgt, %i, %j : i32
  scf.if %below {
  } else {
    %r = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %k = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %k1 = tile.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %kk = tile.broadcast %k1 : tensor<1x64xi32> -> tensor<128x64xi32>
    %ns = tile.splat %n : i32 -> tensor<128x1xi32>
    %im = arith.muli %i, %c128 : i32
    %is = tile.splat %im : i32 -> tensor<128xi32>
    %ir = arith.addi %is, %r : tensor<128xi32>
    %i1 = tile.expand_dims %ir {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %ia = arith.muli %i1, %ns : tensor<128x1xi32>
    %iw = tile.broadcast %ia : tensor<128x1xi32> -> tensor<128x64xi32>
    %io = arith.addi %iw, %kk : tensor<128x64xi32>
    %jm = arith.muli %j, %c128 : i32
    %js = tile.splat %jm : i32 -> tensor<128xi32>
    %jr = arith.addi %js, %r : tensor<128xi32>
    %j1 = tile.expand_dims %jr {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %ja = arith.muli %j1, %ns : tensor<128x1xi32>
    %jw = tile.broadcast %ja : tensor<128x1xi32> -> tensor<128x64xi32>
    %jo = arith.addi %jw, %kk : tensor<128x64xi32>
    %as = tile.splat %a : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
    %sum = scf.for %s = %c0 to %n step %c64 iter_args(%acc = %zero) -> tensor<128x128xf32> : i32 {
      %ss = tile.splat %s : i32 -> tensor<128x64xi32>
      %ip = arith.addi %io, %ss : tensor<128x64xi32>
      %jp = arith.addi %jo, %ss : tensor<128x64xi32>
      %pa = tile.addptr %as, %ip : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
      %pb = tile.addptr %as, %jp : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
      %x = tile.load %pa : tensor<128x64x!tile.ptr<f16>>
      %y = tile.load %pb : tensor<128x64x!tile.ptr<f16>>
      %t = tile.transpose %y {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16>
      %d = tile.dot %x, %t, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    %qs = tile.splat %c : !tile.ptr<f16> -> tensor<128x128x!tile.ptr<f16>>
    %h = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
    tile.store %qs, %h : tensor<128x128x!tile.ptr<f16>>
  }
  tile.return
}

// -----

// Only programs at the end of the grid have nothing to do: the kernel is made
// persistent.
// CHECK-LABEL: @to_the_end
// CHECK-COUNT-2: tile.descriptor_load
tile.func @to_the_end(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %i = tile.program_id x
  %j = tile.program_id y
  %below = arith.cmpi sgt, %i, %n : i32
  scf.if %below {
  } else {
    %r = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %k = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %k1 = tile.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %kk = tile.broadcast %k1 : tensor<1x64xi32> -> tensor<128x64xi32>
    %ns = tile.splat %n : i32 -> tensor<128x1xi32>
    %im = arith.muli %i, %c128 : i32
    %is = tile.splat %im : i32 -> tensor<128xi32>
    %ir = arith.addi %is, %r : tensor<128xi32>
    %i1 = tile.expand_dims %ir {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %ia = arith.muli %i1, %ns : tensor<128x1xi32>
    %iw = tile.broadcast %ia : tensor<128x1xi32> -> tensor<128x64xi32>
    %io = arith.addi %iw, %kk : tensor<128x64xi32>
    %jm = arith.muli %j, %c128 : i32
    %js = tile.splat %jm : i32 -> tensor<128xi32>
    %jr = arith.addi %js, %r : tensor<128xi32>
    %j1 = tile.expand_dims %jr {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %ja = arith.muli %j1, %ns : tensor<128x1xi32>
    %jw = tile.broadcast %ja : tensor<128x1xi32> -> tensor<128x64xi32>
    %jo = arith.addi %jw, %kk : tensor<128x64xi32>
    %as = tile.splat %a : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
    %sum = scf.for %s = %c0 to %n step %c64 iter_args(%acc = %zero) -> tensor<128x128xf32> : i32 {
      %ss = tile.splat %s : i32 -> tensor<128x64xi32>
      %ip = arith.addi %io, %ss : tensor<128x64xi32>
      %jp = arith.addi %jo, %ss : tensor<128x64xi32>
      %pa = tile.addptr %as, %ip : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
      %pb = tile.addptr %as, %jp : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
      %x = tile.load %pa : tensor<128x64x!tile.ptr<f16>>
      %y = tile.load %pb : tensor<128x64x!tile.ptr<f16>>
      %t = tile.transpose %y {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16>
      %d = tile.dot %x, %t, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    %qs = tile.splat %c : !tile.ptr<f16> -> tensor<128x128x!tile.ptr<f16>>
    %h = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
    tile.store %qs, %h : tensor<128x128x!tile.ptr<f16>>
  }
  tile.return
}
