// RUN: tilewright-opt %s -split-input-file -convert-tile-to-vector=vector-bits=256 -canonicalize -cse | FileCheck %s

// Consecutive addresses: one vector access per chunk. Loads and store share a loop if the arrays are disjoint or the
// store follows. Otherwise the store's loop comes after the load's.
// CHECK-LABEL: llvm.func @copy(
// CHECK-SAME: %[[ARGS:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64
// CHECK: %[[BUFFER:.*]] = llvm.alloca
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK: scf.if %{{.*}} {
// CHECK: scf.for
// CHECK: %[[V:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK: llvm.store %[[V]], %{{.*}} {alignment = 4 : i64} : vector<16xf32>
// CHECK: } else {
// CHECK: scf.for
// CHECK: %[[X:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK: llvm.store %[[X]], %{{.*}}
// CHECK: scf.for
// CHECK: %[[Y:.*]] = llvm.load
// CHECK: llvm.store %[[Y]], %{{.*}} {alignment = 4 : i64} : vector<16xf32>
// CHECK-NOT: tile.
// CHECK-NOT: tensor<
tile.func @copy(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %xp : tensor<64x!tile.ptr<f32>>
  tile.store %yp, %v : tensor<64x!tile.ptr<f32>>
  tile.return
}

// -----

// A mask makes masked accesses; the comparison is done on vectors.
// CHECK-LABEL: llvm.func @masked(
// CHECK: %[[M:.*]] = arith.cmpi slt, %{{.*}} : vector<16xi32>
// CHECK: llvm.intr.masked.load %{{.*}}, %[[M]], %{{.*}} {alignment = 4 : i32} : (!llvm.ptr, vector<16xi1>, vector<16xf32>) -> vector<16xf32>
// CHECK: llvm.intr.masked.store
tile.func @masked(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %xp, %m : tensor<64x!tile.ptr<f32>>
  tile.store %xp, %v, %m : tensor<64x!tile.ptr<f32>>
  tile.return
}

// -----

// A known step other than one element gathers.
// CHECK-LABEL: llvm.func @gather(
// CHECK-NOT: scf.if
// CHECK: llvm.intr.masked.gather
tile.func @gather(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %two = arith.constant dense<2> : tensor<64xi32>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %o = arith.muli %r, %two : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %o : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %xp : tensor<64x!tile.ptr<f32>>
  tile.store %yp, %v : tensor<64x!tile.ptr<f32>>
  tile.return
}

// -----

// An unknown step is compared with one element at run time.
// CHECK-LABEL: llvm.func @stride(
// CHECK: %[[ONE:.*]] = arith.cmpi eq, %{{.*}} : i64
// CHECK: scf.if %[[ONE]] -> (vector<16xf32>)
// CHECK: llvm.load
// CHECK: } else {
// CHECK: llvm.intr.masked.gather
tile.func @stride(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %s: i32) attributes {tile.kernel} {
  %ss = tile.splat %s : i32 -> tensor<64xi32>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %o = arith.muli %r, %ss : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %o : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %xp : tensor<64x!tile.ptr<f32>>
  tile.store %yp, %v : tensor<64x!tile.ptr<f32>>
  tile.return
}

// -----

// Block sizes need not be powers of two: 100 = 6 * 16 + 4.
// CHECK-LABEL: llvm.func @odd(
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
tile.func @odd(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 100 : i32} : tensor<100xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<100x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<100x!tile.ptr<f32>>, tensor<100xi32>
  %v = tile.load %xp : tensor<100x!tile.ptr<f32>>
  tile.store %xp, %v : tensor<100x!tile.ptr<f32>>
  tile.return
}

// -----

// Chunks run along the dimension in which addresses follow one another.
// CHECK-LABEL: llvm.func @columns(
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK-NOT: gather
// CHECK: llvm.store
// CHECK-NOT: scatter
// CHECK: llvm.return
tile.func @columns(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %s: i32) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ss = tile.splat %s : i32 -> tensor<1x16xi32>
  %c = tile.expand_dims %r {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %cs = arith.muli %c, %ss : tensor<1x16xi32>
  %a = tile.broadcast %row : tensor<16x1xi32> -> tensor<16x16xi32>
  %b = tile.broadcast %cs : tensor<1x16xi32> -> tensor<16x16xi32>
  %o = arith.addi %a, %b : tensor<16x16xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %o : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %o : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %v = tile.load %xp : tensor<16x16x!tile.ptr<f32>>
  tile.store %yp, %v : tensor<16x16x!tile.ptr<f32>>
  tile.return
}
