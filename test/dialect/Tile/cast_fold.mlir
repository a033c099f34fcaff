// RUN: tilewright-opt -canonicalize %s | FileCheck %s

// CHECK-LABEL: tile.func @there_and_back(
// CHECK-SAME: %[[I:.*]]: i64, %[[P:.*]]: !tile.ptr<f32>)
// CHECK-NEXT: tile.return %[[I]], %[[P]]
tile.func @there_and_back(%i: i64, %p: !tile.ptr<f32>) -> (i64, !tile.ptr<f32>) {
  %0 = tile.int_to_ptr %i : i64 -> !tile.ptr<f16>
  %1 = tile.ptr_to_int %0 : !tile.ptr<f16> -> i64
  %2 = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
  %3 = tile.int_to_ptr %2 : i64 -> !tile.ptr<f32>
  tile.return %1, %3 : i64, !tile.ptr<f32>
}

// A round trip to another pointer type is not folded.
// CHECK-LABEL: tile.func @other_pointee
// CHECK: tile.ptr_to_int
// CHECK: tile.int_to_ptr
tile.func @other_pointee(%p: !tile.ptr<f32>) -> !tile.ptr<i32> {
  %0 = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
  %1 = tile.int_to_ptr %0 : i64 -> !tile.ptr<i32>
  tile.return %1 : !tile.ptr<i32>
}

// Two bitcasts are merged, and removed if they lead back.
// CHECK-LABEL: tile.func @bitcasts(
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f32>)
// CHECK-NEXT: %[[B:.*]] = tile.bitcast %[[P]] : !tile.ptr<f32> -> !tile.ptr<i64>
// CHECK-NEXT: tile.return %[[B]], %[[P]], %[[P]]
tile.func @bitcasts(%p: !tile.ptr<f32>) -> (!tile.ptr<i64>, !tile.ptr<f32>, !tile.ptr<f32>) {
  %0 = tile.bitcast %p : !tile.ptr<f32> -> !tile.ptr<i8>
  %1 = tile.bitcast %0 : !tile.ptr<i8> -> !tile.ptr<i64>
  %2 = tile.bitcast %0 : !tile.ptr<i8> -> !tile.ptr<f32>
  %3 = tile.bitcast %p : !tile.ptr<f32> -> !tile.ptr<f32>
  tile.return %1, %2, %3 : !tile.ptr<i64>, !tile.ptr<f32>, !tile.ptr<f32>
}
