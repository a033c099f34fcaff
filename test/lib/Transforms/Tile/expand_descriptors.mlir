// RUN: tilewright-opt %s -tile-expand-descriptors -canonicalize | FileCheck %s

// CHECK-LABEL: @load
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f16>, %[[M:.*]]: i64, %[[N:.*]]: i64, %[[S:.*]]: i64, %[[I:.*]]: i32, %[[J:.*]]: i32
tile.func @load(%p: !tile.ptr<f16>, %m: i64, %n: i64, %s: i64, %i: i32, %j: i32) -> tensor<4x8xf16> {
  // CHECK-DAG: %[[NAN:.*]] = arith.constant dense<0x7E00> : tensor<4x8xf16>
  // CHECK: %[[R0:.*]] = tile.range {end = 4 : i32, start = 0 : i32}
  // CHECK: %[[I64:.*]] = arith.extsi %[[I]] : i32 to i64
  // CHECK: %[[ROWS:.*]] = arith.addi
  // CHECK: arith.cmpi sge, %[[ROWS]]
  // CHECK: %[[MS:.*]] = tile.splat %[[M]]
  // CHECK: arith.cmpi slt, %[[ROWS]], %[[MS]]
  // CHECK: %[[SS:.*]] = tile.splat %[[S]]
  // CHECK: arith.muli %[[ROWS]], %[[SS]]
  // CHECK: tile.range {end = 8 : i32, start = 0 : i32}
  // CHECK: %[[NS:.*]] = tile.splat %[[N]]
  // CHECK: arith.cmpi slt, %{{.*}}, %[[NS]]
  // CHECK: %[[Q:.*]] = tile.addptr
  // CHECK: %[[IN:.*]] = arith.andi %{{.*}}, %{{.*}} : tensor<4x8xi1>
  // CHECK: %[[X:.*]] = tile.load %[[Q]], %[[IN]], %[[NAN]]
  // CHECK: tile.return %[[X]]
  %d = tile.make_descriptor %p, [%m, %n], [%s] padding = nan : !tile.desc<4x8xf16>, !tile.ptr<f16>
  %x = tile.descriptor_load %d[%i, %j] : !tile.desc<4x8xf16> -> tensor<4x8xf16>
  tile.return %x : tensor<4x8xf16>
}

// CHECK-LABEL: @store
// CHECK-NOT: make_descriptor
// CHECK: tile.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<i32>>
tile.func @store(%p: !tile.ptr<i32>, %n: i64, %i: i32, %x: tensor<8xi32>) {
  %d = tile.make_descriptor %p, [%n], [] : !tile.desc<8xi32>, !tile.ptr<i32>
  tile.descriptor_store %d[%i], %x : !tile.desc<8xi32>, tensor<8xi32>
  tile.return
}

// A reduction becomes relaxed atomics.
// CHECK-LABEL: @reduce
// CHECK-NOT: make_descriptor
// CHECK: tile.atomic_rmw umax relaxed gpu %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<i32>>
tile.func @reduce(%p: !tile.ptr<i32>, %n: i64, %i: i32, %x: tensor<8xi32>) {
  %d = tile.make_descriptor %p, [%n], [] : !tile.desc<8xi32>, !tile.ptr<i32>
  tile.descriptor_store %d[%i], %x reduce umax : !tile.desc<8xi32>, tensor<8xi32>
  tile.return
}
