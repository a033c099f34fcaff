// RUN: not tilewright-opt %s -convert-tile-to-warp=num-warps=3 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: not tilewright-opt %s -convert-tile-to-warp=num-warps=64 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not tilewright-opt %s -convert-tile-to-warp=target=sm_75 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not tilewright-opt %s -convert-tile-to-warp=target=gfx942 2>&1 | FileCheck %s --check-prefix=OTHER

// WARPS: error: num_warps must be a power of two from 1 to 32, got 3
// MANY: error: num_warps must be a power of two from 1 to 32, got 64
// OLD: error: the NVIDIA back end compiles for sm_80 and later, got target 'sm_75'
// OTHER: error: the NVIDIA back end compiles for sm_80 and later, got target 'gfx942'
tile.func @kernel() attributes {tile.kernel} {
  tile.return
}
