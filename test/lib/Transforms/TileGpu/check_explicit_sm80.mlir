// RUN: tilewright-opt %s -verify-diagnostics -tile-to-warp-pipeline='compute-capability=80'

tile.func @shared() attributes {tile.kernel} {
  %x = arith.constant dense<0.0> : tensor<8x32xf32>
  // expected-error@+1 {{rings, roles and wgmma need sm_90a, the target is sm_80}}
  %m = warp.alloc : !warp.shared<8x32xf32>
  warp.local_store %x, %m : tensor<8x32xf32> -> !warp.shared<8x32xf32>
  tile.return
}
