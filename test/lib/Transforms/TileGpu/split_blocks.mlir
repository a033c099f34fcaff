// RUN: tilewright-opt %s -split-input-file -tile-gpu-split-blocks -canonicalize -cse | FileCheck %s

// 192 = 128 + 64: neither piece has a mask. 100 takes 128 elements.
// CHECK-LABEL: tile.func @pieces
// CHECK-DAG: %[[A:.*]] = tile.range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
// CHECK-DAG: %[[B:.*]] = tile.range {end = 192 : i32, start = 128 : i32} : tensor<64xi32>
// CHECK: tile.load %{{.*}} : tensor<128x!tile.ptr<f32>>
// CHECK: tile.load %{{.*}} : tensor<64x!tile.ptr<f32>>
// CHECK-COUNT-2: math.exp
// CHECK: %[[HELD:.*]] = arith.cmpi slt, %[[A]], %{{.*}} : tensor<128xi32>
// CHECK: tile.load %{{.*}}, %[[HELD]] : tensor<128x!tile.ptr<f32>>
// CHECK: tile.store %{{.*}}, %{{.*}} : tensor<128x!tile.ptr<f32>>
// CHECK: tile.store %{{.*}}, %{{.*}} : tensor<64x!tile.ptr<f32>>
// CHECK: tile.store %{{.*}}, %{{.*}}, %[[HELD]] : tensor<128x!tile.ptr<f32>>
tile.func @pieces(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.range {start = 0 : i32, end = 192 : i32} : tensor<192xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<192x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<192x!tile.ptr<f32>>, tensor<192xi32>
  %v = tile.load %p : tensor<192x!tile.ptr<f32>>
  %e = math.exp %v : tensor<192xf32>
  %j = tile.range {start = 0 : i32, end = 100 : i32} : tensor<100xi32>
  %ys = tile.splat %x : !tile.ptr<f32> -> tensor<100x!tile.ptr<f32>>
  %q = tile.addptr %ys, %j : tensor<100x!tile.ptr<f32>>, tensor<100xi32>
  %w = tile.load %q : tensor<100x!tile.ptr<f32>>
  tile.store %p, %e : tensor<192x!tile.ptr<f32>>
  tile.store %q, %w : tensor<100x!tile.ptr<f32>>
  tile.return
}

// -----

// Dimensions that are powers of two stay as they are.
// CHECK-LABEL: tile.func @whole
// CHECK-NEXT: tile.range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
tile.func @whole(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  tile.store %xs, %i : tensor<128x!tile.ptr<i32>>
  tile.return
}

// -----

// A promise about a piece is limited to its length.
// CHECK-LABEL: tile.func @promises
// CHECK: arith.muli %{{.*}}, %{{.*}} {tile.divisibility = array<i32: 128>} : tensor<128xi32>
tile.func @promises(%x: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %i = tile.range {start = 0 : i32, end = 100 : i32} : tensor<100xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<100x!tile.ptr<i32>>
  %ns = tile.splat %n : i32 -> tensor<100xi32>
  %q = arith.muli %ns, %i {tile.divisibility = array<i32: 1024>} : tensor<100xi32>
  tile.store %xs, %q : tensor<100x!tile.ptr<i32>>
  tile.return
}

// -----

// If the function has a neutral element, the padding holds it. The results of
// pieces are combined.
// CHECK-LABEL: tile.func @sums
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00> : tensor<128xf32>
// CHECK: %[[V:.*]] = arith.select %{{.*}}, %{{.*}}, %[[ZERO]]
// CHECK: %[[A:.*]] = "tile.reduce"(%[[V]])
// CHECK: %[[B:.*]] = "tile.reduce"({{.*}}) <{axis = 0 : i32, commutes}>
// CHECK: %[[C:.*]] = "tile.reduce"({{.*}}) <{axis = 0 : i32, commutes}>
// CHECK: arith.addf %[[B]], %[[C]] : f32
tile.func @sums(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<100x!tile.ptr<f32>>
  %v = tile.load %xs : tensor<100x!tile.ptr<f32>>
  %s = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }) : (tensor<100xf32>) -> f32
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<192x!tile.ptr<f32>>
  %w = tile.load %ys : tensor<192x!tile.ptr<f32>>
  %t = "tile.reduce"(%w) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }) : (tensor<192xf32>) -> f32
  tile.store %x, %s : !tile.ptr<f32>
  tile.store %y, %t : !tile.ptr<f32>
  tile.return
}

// -----

// Any other function sees pairs of elements only: each has a flag.
// CHECK-LABEL: tile.func @flags
// CHECK: "tile.reduce"(%{{.*}}, %[[HELD:.*]]) <{axis = 0 : i32, commutes}>
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[IS_A:.*]]: i1, %[[B:.*]]: f32, %[[IS_B:.*]]: i1):
// CHECK-NEXT: %[[L:.*]] = arith.select %[[IS_A]], %[[A]], %[[B]]
// CHECK-NEXT: %[[R:.*]] = arith.select %[[IS_B]], %[[B]], %[[A]]
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[L]], %[[R]]
// CHECK-NEXT: %[[Q:.*]] = arith.addf %[[P]], %{{.*}}
// CHECK-NEXT: %[[BOTH:.*]] = arith.andi %[[IS_A]], %[[IS_B]]
// CHECK-NEXT: %[[V:.*]] = arith.select %[[BOTH]], %[[Q]], %[[L]]
// CHECK-NEXT: %[[ANY:.*]] = arith.ori %[[IS_A]], %[[IS_B]]
// CHECK-NEXT: tile.yield %[[V]], %[[ANY]]
tile.func @flags(%x: !tile.ptr<f32>, %k: f32) attributes {tile.kernel} {
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<100x!tile.ptr<f32>>
  %v = tile.load %xs : tensor<100x!tile.ptr<f32>>
  %s = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    %d = arith.addf %c, %k : f32
    tile.yield %d : f32
  }) : (tensor<100xf32>) -> f32
  tile.store %x, %s : !tile.ptr<f32>
  tile.return
}

// -----

// Tile results of pieces are combined elementwise, or by a map if the function
// has control flow. The reduction of a flattened matrix becomes one reduction
// per dimension.
// CHECK-LABEL: tile.func @rows
// CHECK: %[[A:.*]] = "tile.reduce"({{.*}}) <{axis = 0 : i32, commutes}>
// CHECK: %[[B:.*]] = "tile.reduce"({{.*}}) <{axis = 0 : i32, commutes}>
// CHECK: arith.maximumf %[[A]], %[[B]] : tensor<8xf32>
// CHECK: "tile.map"({{.*}}) <{pack = 1 : i32}>
// CHECK-NOT: tile.gather
tile.func @rows(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<192x8x!tile.ptr<f32>>
  %v = tile.load %xs : tensor<192x8x!tile.ptr<f32>>
  %m = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }) : (tensor<192x8xf32>) -> tensor<8xf32>
  %n = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    %d = scf.if %c -> f32 {
      scf.yield %a : f32
    } else {
      scf.yield %b : f32
    }
    tile.yield %d : f32
  }) : (tensor<192x8xf32>) -> tensor<8xf32>
  %line = tile.reshape %v : tensor<192x8xf32> -> tensor<1536xf32>
  %s = "tile.reduce"(%line) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }) : (tensor<1536xf32>) -> f32
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  tile.store %ys, %m : tensor<8x!tile.ptr<f32>>
  tile.store %ys, %n : tensor<8x!tile.ptr<f32>>
  tile.store %y, %s : !tile.ptr<f32>
  tile.return
}

// -----

// A row of pieces times a column of them. Both operands have zeros along the
// contracted dimension. 40 = 32 + 8, held as 16: an instruction is that deep.
// CHECK-LABEL: tile.func @dot
// CHECK: %[[D:.*]] = tile.dot %[[A:.*]], %[[B:.*]], %{{.*}} : tensor<16x32xf16>, tensor<32x128xf16>, tensor<16x128xf32>
// CHECK: %[[A1:.*]] = arith.select {{.*}} : tensor<16x16xi1>, tensor<16x16xf16>
// CHECK: %[[B1:.*]] = arith.select {{.*}} : tensor<16x128xi1>, tensor<16x128xf16>
// CHECK: tile.dot %[[A1]], %[[B1]], %[[D]] : tensor<16x16xf16>, tensor<16x128xf16>, tensor<16x128xf32>
// CHECK: tile.dot %[[A]], %{{.*}} : tensor<16x32xf16>, tensor<32x32xf16>, tensor<16x32xf32>
// CHECK: tile.dot %[[A]], %{{.*}} : tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>
tile.func @dot(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %as = tile.splat %x : !tile.ptr<f16> -> tensor<16x40x!tile.ptr<f16>>
  %a = tile.load %as : tensor<16x40x!tile.ptr<f16>>
  %bs = tile.splat %x : !tile.ptr<f16> -> tensor<40x176x!tile.ptr<f16>>
  %b = tile.load %bs : tensor<40x176x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<16x176xf32>
  %d = tile.dot %a, %b, %zero : tensor<16x40xf16>, tensor<40x176xf16>, tensor<16x176xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<16x176x!tile.ptr<f32>>
  tile.store %ys, %d : tensor<16x176x!tile.ptr<f32>>
  tile.return
}

// -----

// Tiles that a loop carries and a branch returns become several; hints stay.
// CHECK-LABEL: tile.func @loop
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<128xf32>, tensor<64xf32>)
// CHECK: scf.if {{.*}} -> (tensor<128xf32>, tensor<64xf32>)
// CHECK: } {tile.num_stages = 2 : i32}
tile.func @loop(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<192x!tile.ptr<f32>>
  %v = tile.load %xs : tensor<192x!tile.ptr<f32>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %v) -> (tensor<192xf32>) : i32 {
    %c = arith.cmpi eq, %i, %c1 : i32
    %t = scf.if %c -> tensor<192xf32> {
      %e = math.exp %s : tensor<192xf32>
      scf.yield %e : tensor<192xf32>
    } else {
      scf.yield %s : tensor<192xf32>
    }
    scf.yield %t : tensor<192xf32>
  } {tile.num_stages = 2 : i32}
  tile.store %xs, %r : tensor<192x!tile.ptr<f32>>
  tile.return
}
