// RUN: not tilewright-opt %s -warp-form-clusters=size=3 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not tilewright-opt %s -warp-form-clusters=size=32 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not tilewright-opt %s -warp-form-clusters=size=1 2>&1 | FileCheck %s --check-prefix=ONE

// ODD: error: the CTAs of a cluster must be a power of two from 2 to 16, got 3
// MANY: error: the CTAs of a cluster must be a power of two from 2 to 16, got 32
// ONE: error: the CTAs of a cluster must be a power of two from 2 to 16, got 1
tile.func @kernel() attributes {tile.kernel} {
  tile.return
}
