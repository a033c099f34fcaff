// RUN: tilewright-opt -canonicalize %s | FileCheck %s

// An offset of zero is folded.
// CHECK-LABEL: tile.func @addptr_zero(
// CHECK-SAME: %[[P:.*]]: tensor<8x!tile.ptr<f32>>
// CHECK-NEXT: tile.return %[[P]]
tile.func @addptr_zero(%p: tensor<8x!tile.ptr<f32>>) -> tensor<8x!tile.ptr<f32>> {
  %zero = arith.constant dense<0> : tensor<8xi32>
  %0 = tile.addptr %p, %zero : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.return %0 : tensor<8x!tile.ptr<f32>>
}

// An all-true mask is removed together with the other value; hints stay.
// CHECK-LABEL: tile.func @load_all(
// CHECK-SAME: %[[P:[^:]*]]:
// CHECK-NEXT: tile.load %[[P]] cache = cg evict = evict_last : tensor<8x!tile.ptr<f32>>
tile.func @load_all(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %true = arith.constant dense<true> : tensor<8xi1>
  %0 = tile.load %p, %true, %o cache = cg evict = evict_last : tensor<8x!tile.ptr<f32>>
  tile.return %0 : tensor<8xf32>
}

// CHECK-LABEL: tile.func @load_all_scalar(
// CHECK-SAME: %[[P:[^:]*]]:
// CHECK-NEXT: tile.load %[[P]] : !tile.ptr<f32>
tile.func @load_all_scalar(%p: !tile.ptr<f32>) -> f32 {
  %true = arith.constant true
  %0 = tile.load %p, %true : !tile.ptr<f32>
  tile.return %0 : f32
}

// An all-false mask returns the other value.
// CHECK-LABEL: tile.func @load_none(
// CHECK-SAME: %[[O:[^:]*]]: tensor<8xf32>)
// CHECK-NEXT: tile.return %[[O]]
tile.func @load_none(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %false = arith.constant dense<false> : tensor<8xi1>
  %0 = tile.load %p, %false, %o : tensor<8x!tile.ptr<f32>>
  tile.return %0 : tensor<8xf32>
}

// An unused load is removed; a volatile one stays, with its mask.
// CHECK-LABEL: tile.func @load_unused
// CHECK-NEXT: arith.constant dense<true>
// CHECK-NEXT: tile.load %{{.*}}, %{{.*}} volatile
// CHECK-NEXT: tile.return
tile.func @load_unused(%p: tensor<8x!tile.ptr<f32>>) {
  %true = arith.constant dense<true> : tensor<8xi1>
  %0 = tile.load %p : tensor<8x!tile.ptr<f32>>
  %1 = tile.load %p, %true volatile : tensor<8x!tile.ptr<f32>>
  tile.return
}

// CHECK-LABEL: tile.func @store_all(
// CHECK-NEXT: tile.store %{{[^,]*}}, %{{[^,]*}} cache = wt : tensor<8x!tile.ptr<f32>>
tile.func @store_all(%p: tensor<8x!tile.ptr<f32>>, %x: tensor<8xf32>) {
  %true = arith.constant dense<true> : tensor<8xi1>
  tile.store %p, %x, %true cache = wt : tensor<8x!tile.ptr<f32>>
  tile.return
}

// CHECK-LABEL: tile.func @store_none(
// CHECK-NEXT: tile.return
tile.func @store_none(%p: tensor<8x!tile.ptr<f32>>, %x: tensor<8xf32>) {
  %false = arith.constant dense<false> : tensor<8xi1>
  tile.store %p, %x, %false : tensor<8x!tile.ptr<f32>>
  tile.return
}

// A mask that is neither all true nor all false stays.
// CHECK-LABEL: tile.func @store_some(
// CHECK: tile.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x!tile.ptr<f32>>
tile.func @store_some(%p: tensor<2x!tile.ptr<f32>>, %x: tensor<2xf32>) {
  %some = arith.constant dense<[true, false]> : tensor<2xi1>
  tile.store %p, %x, %some : tensor<2x!tile.ptr<f32>>
  tile.return
}
