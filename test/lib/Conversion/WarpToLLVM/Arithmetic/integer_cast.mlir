// RUN: tilewright-opt %s --convert-warp-to-llvm="compute-capability=90" --split-input-file | FileCheck %s

#l = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []}>

// Bytes become bf16 as the low bits of 128 or 256, without a conversion.
// CHECK-LABEL: llvm.func @bytes
// CHECK-NOT: sitofp
// CHECK: llvm.inline_asm "prmt.b32 $0, $1, 1128481603, 16704;"
// CHECK: llvm.fsub %{{.*}}, %{{.*}} : vector<2xbf16>
// CHECK: llvm.inline_asm "prmt.b32 $0, $1, 1128481603, 17218;"
// CHECK: llvm.fsub %{{.*}}, %{{.*}} : vector<2xbf16>
// CHECK-NOT: sitofp
tile.func @bytes(%x: !tile.ptr<i8>, %y: !tile.ptr<bf16>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %xs = tile.splat %x : !tile.ptr<i8> -> tensor<128x!tile.ptr<i8>, #l>
  %v = tile.load %xs : tensor<128x!tile.ptr<i8>, #l>
  %f = arith.sitofp %v : tensor<128xi8, #l> to tensor<128xbf16, #l>
  %ys = tile.splat %y : !tile.ptr<bf16> -> tensor<128x!tile.ptr<bf16>, #l>
  tile.store %ys, %f : tensor<128x!tile.ptr<bf16>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []}>

// Numbers from 0 to 15 minus eight: both are packed in a word before one subtraction. Each half gets 0x6400 (1024) plus
// eight more, and 1032 is subtracted.
// CHECK-LABEL: llvm.func @four_bits
// CHECK: %[[LOW:.*]] = llvm.and
// CHECK: %[[HIGH:.*]] = llvm.and
// CHECK: %[[ABOVE:.*]] = llvm.shl %[[HIGH]]
// CHECK: %[[BOTH:.*]] = llvm.or disjoint %[[LOW]], %[[ABOVE]]
// CHECK: %[[LESS:.*]] = llvm.sub %[[BOTH]]
// CHECK: %[[BASE:.*]] = llvm.mlir.constant(1678271496 : i32)
// CHECK: llvm.add %[[LESS]], %[[BASE]]
// CHECK: %[[OFFSET:.*]] = llvm.mlir.constant(dense<1.032000e+03> : vector<2xf16>)
// CHECK: llvm.fsub %{{.*}}, %[[OFFSET]] : vector<2xf16>
// CHECK-NOT: sitofp
// CHECK-NOT: cvt.rn
tile.func @four_bits(%x: !tile.ptr<i32>, %y: !tile.ptr<f16>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %fifteen = arith.constant dense<15> : tensor<128xi32, #l>
  %eight = arith.constant dense<8> : tensor<128xi32, #l>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>, #l>
  %v = tile.load %xs : tensor<128x!tile.ptr<i32>, #l>
  %four = arith.andi %v, %fifteen : tensor<128xi32, #l>
  %less = arith.subi %four, %eight : tensor<128xi32, #l>
  %f = arith.sitofp %less : tensor<128xi32, #l> to tensor<128xf16, #l>
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>, #l>
  tile.store %ys, %f : tensor<128x!tile.ptr<f16>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [[2], [1]], lane = [[4], [8], [16], [32], [64]], warp = []}>

// The halves of a word are neighbours, here the first register and the third, and their users follow each other.
// Numbers that may be negative are added.
// CHECK-LABEL: llvm.func @neighbours
// CHECK: llvm.load
// CHECK: %[[A:.*]] = llvm.ashr
// CHECK: %[[B:.*]] = llvm.ashr
// CHECK: %[[C:.*]] = llvm.ashr
// CHECK: %[[D:.*]] = llvm.ashr
// CHECK: %[[C16:.*]] = llvm.shl %[[C]]
// CHECK: llvm.add %[[A]], %[[C16]]
// CHECK: %[[AF:.*]] = llvm.extractelement
// CHECK: %[[CF:.*]] = llvm.extractelement
// CHECK: %[[D16:.*]] = llvm.shl %[[D]]
// CHECK: llvm.add %[[B]], %[[D16]]
// CHECK: %[[BF:.*]] = llvm.extractelement
// CHECK: %[[DF:.*]] = llvm.extractelement
// CHECK: llvm.fmul %[[AF]], %[[AF]]
// CHECK-NEXT: llvm.fmul %[[CF]], %[[CF]]
// CHECK-NEXT: llvm.fmul %[[BF]], %[[BF]]
// CHECK-NEXT: llvm.fmul %[[DF]], %[[DF]]
tile.func @neighbours(%x: !tile.ptr<i32>, %y: !tile.ptr<f16>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %shift = arith.constant dense<28> : tensor<128xi32, #l>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>, #l>
  %v = tile.load %xs : tensor<128x!tile.ptr<i32>, #l>
  %four = arith.shrsi %v, %shift : tensor<128xi32, #l>
  %f = arith.sitofp %four : tensor<128xi32, #l> to tensor<128xf16, #l>
  %g = arith.mulf %f, %f : tensor<128xf16, #l>
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>, #l>
  tile.store %ys, %g : tensor<128x!tile.ptr<f16>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []}>

// Through f32 if that rounds once: integers that f32 rounds are infinite in f16, but not in bf16.
// CHECK-LABEL: llvm.func @any
// CHECK-COUNT-2: llvm.inline_asm "cvt.rn.f32.s32 $0, $1;"
// CHECK-COUNT-2: llvm.sitofp %{{.*}} : i32 to bf16
// CHECK: llvm.uitofp %{{.*}} : i32 to bf16
tile.func @any(%x: !tile.ptr<i32>, %y: !tile.ptr<f16>, %z: !tile.ptr<bf16>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %one = arith.constant dense<1> : tensor<64xi32, #l>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>, #l>
  %v = tile.load %xs : tensor<64x!tile.ptr<i32>, #l>
  %f = arith.sitofp %v : tensor<64xi32, #l> to tensor<64xf16, #l>
  %g = arith.sitofp %v : tensor<64xi32, #l> to tensor<64xbf16, #l>
  // From -1 to 0 as signed numbers, but these are unsigned.
  %low = arith.andi %v, %one : tensor<64xi32, #l>
  %less = arith.subi %low, %one : tensor<64xi32, #l>
  %h = arith.uitofp %less : tensor<64xi32, #l> to tensor<64xbf16, #l>
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>, #l>
  %zs = tile.splat %z : !tile.ptr<bf16> -> tensor<64x!tile.ptr<bf16>, #l>
  tile.store %ys, %f : tensor<64x!tile.ptr<f16>, #l>
  tile.store %zs, %g : tensor<64x!tile.ptr<bf16>, #l>
  tile.store %zs, %h : tensor<64x!tile.ptr<bf16>, #l>
  tile.return
}
