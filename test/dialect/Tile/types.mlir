// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// Every pointee; a pointer to pointers too.
// CHECK-LABEL: tile.func @pointees(
// CHECK-SAME: !tile.ptr<i8>, %{{.*}}: !tile.ptr<i16>, %{{.*}}: !tile.ptr<i32>, %{{.*}}: !tile.ptr<i64>
// CHECK-SAME: !tile.ptr<f16>, %{{.*}}: !tile.ptr<bf16>, %{{.*}}: !tile.ptr<f32>, %{{.*}}: !tile.ptr<f64>
// CHECK-SAME: !tile.ptr<f8E4M3FN>, %{{.*}}: !tile.ptr<f8E5M2>, %{{.*}}: !tile.ptr<!tile.ptr<f32>>
tile.func @pointees(%a: !tile.ptr<i8>, %b: !tile.ptr<i16>, %c: !tile.ptr<i32>, %d: !tile.ptr<i64>,
                    %e: !tile.ptr<f16>, %f: !tile.ptr<bf16>, %g: !tile.ptr<f32>, %h: !tile.ptr<f64>,
                    %i: !tile.ptr<f8E4M3FN>, %j: !tile.ptr<f8E5M2>, %k: !tile.ptr<!tile.ptr<f32>>) {
  tile.return
}

// CHECK-LABEL: tile.func @tile_of_pointers(
// CHECK-SAME: tensor<4x8x!tile.ptr<f16>>
tile.func @tile_of_pointers(%p: tensor<4x8x!tile.ptr<f16>>) {
  tile.return
}
