// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile-pipeline,cpu-pipeline{vector-bits=512})' | FileCheck %s

// A softmax of rows: only the LLVM dialect is left, no function is called per
// element, and no vector is wider than a few registers.

// CHECK-NOT: {{(tile|arith|math|scf|vector|cf|func)\.}}
// CHECK-NOT: llvm.call
// CHECK-NOT: vector<{{[0-9][0-9][0-9]+}}x
// CHECK-NOT: builtin.unrealized_conversion_cast
// CHECK: llvm.func @softmax(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK-NOT: {{(tile|arith|math|scf|vector|cf|func)\.}}
// CHECK-NOT: llvm.call
// CHECK-NOT: vector<{{[0-9][0-9][0-9]+}}x
// CHECK-NOT: builtin.unrealized_conversion_cast
// CHECK: llvm.return
tile.func @softmax(%out: !tile.ptr<f32>, %in: !tile.ptr<f32>, %stride: i32, %n: i32) attributes {tile.kernel} {
  %row = tile.program_id x
  %first = arith.muli %row, %stride : i32
  %r = tile.range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %low = arith.constant dense<0xFF800000> : tensor<1024xf32>
  %src = tile.addptr %in, %first : !tile.ptr<f32>, i32
  %srcs = tile.splat %src : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %sp = tile.addptr %srcs, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %sp, %m, %low : tensor<1024x!tile.ptr<f32>>
  %max = "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }) : (tensor<1024xf32>) -> f32
  %maxs = tile.splat %max : f32 -> tensor<1024xf32>
  %d = arith.subf %x, %maxs : tensor<1024xf32>
  %e = math.exp %d : tensor<1024xf32>
  %sum = "tile.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }) : (tensor<1024xf32>) -> f32
  %sums = tile.splat %sum : f32 -> tensor<1024xf32>
  %y = arith.divf %e, %sums : tensor<1024xf32>
  %dst = tile.addptr %out, %first : !tile.ptr<f32>, i32
  %dsts = tile.splat %dst : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %dp = tile.addptr %dsts, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %dp, %y, %m : tensor<1024x!tile.ptr<f32>>
  tile.return
}
