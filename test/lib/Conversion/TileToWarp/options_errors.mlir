// RUN: not tilewright-opt %s -convert-tile-to-warp=num-warps=3 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: not tilewright-opt %s -convert-tile-to-warp=num-warps=64 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not tilewright-opt %s -convert-tile-to-warp=compute-capability=75 2>&1 | FileCheck %s --check-prefix=OLD

// WARPS: error: num_warps must be a power of two from 1 to 32, got 3
// MANY: error: num_warps must be a power of two from 1 to 32, got 64
// OLD: error: the NVIDIA back end needs a compute capability of 8.0 or more, got 7.5
tile.func @kernel() attributes {tile.kernel} {
  tile.return
}
