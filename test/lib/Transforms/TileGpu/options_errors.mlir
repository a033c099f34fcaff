// RUN: not tilewright-opt %s -tile-gpu-slice-stores=num-warps=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tilewright-opt %s -tile-gpu-split-blocks=num-warps=3 2>&1 | FileCheck %s
// RUN: not tilewright-opt %s -tile-gpu-form-descriptors=num-warps=3 2>&1 | FileCheck %s
// RUN: not tilewright-opt %s -tile-gpu-select-tma=num-warps=3 2>&1 | FileCheck %s
// RUN: not tilewright-opt %s -nvidia-pipeline=num-warps=0 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: error: num_warps must be a power of two from 1 to 32, got 0
// CHECK: error: num_warps must be a power of two from 1 to 32, got 3
tile.func @kernel(%p: tensor<16x!tile.ptr<f32>>, %x: tensor<16xf32>) {
  tile.store %p, %x : tensor<16x!tile.ptr<f32>>
  tile.return
}
