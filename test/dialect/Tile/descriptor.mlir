// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s -mlir-print-op-generic | tilewright-opt | FileCheck %s

// CHECK-LABEL: @copy
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f16>, %[[N:.*]]: i64, %[[I:.*]]: i32
tile.func @copy(%p: !tile.ptr<f16>, %n: i64, %i: i32) {
  // CHECK: %[[D:.*]] = tile.make_descriptor %[[P]], [%[[N]], %[[N]]], [%[[N]]] : !tile.desc<8x16xf16>, !tile.ptr<f16>
  %d = tile.make_descriptor %p, [%n, %n], [%n] : !tile.desc<8x16xf16>, !tile.ptr<f16>
  // CHECK: tile.make_descriptor %[[P]], [%[[N]]], [] padding = nan : !tile.desc<16xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %p, [%n], [] padding = nan : !tile.desc<16xf16>, !tile.ptr<f16>
  // CHECK: %[[X:.*]] = tile.descriptor_load %[[D]][%[[I]], %[[I]]] : !tile.desc<8x16xf16> -> tensor<8x16xf16>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<8x16xf16> -> tensor<8x16xf16>
  // CHECK: tile.descriptor_store %[[D]][%[[I]], %[[I]]], %[[X]] : !tile.desc<8x16xf16>, tensor<8x16xf16>
  tile.descriptor_store %d[%i, %i], %x : !tile.desc<8x16xf16>, tensor<8x16xf16>
  // CHECK: tile.descriptor_store %[[D]][%[[I]], %[[I]]], %[[X]] reduce fadd : !tile.desc<8x16xf16>, tensor<8x16xf16>
  tile.descriptor_store %d[%i, %i], %x reduce fadd : !tile.desc<8x16xf16>, tensor<8x16xf16>
  tile.return
}
