// RUN: tilewright-opt %s -convert-tile-to-warp=compute-capability=80 \
// RUN:   -remark-format=emitRemark -remarks-filter-passed=.* -verify-diagnostics -o /dev/null

// There is nothing better on this GPU.
tile.func @dot() {
  %a = arith.constant dense<1.0> : tensor<64x64xf16>
  %b = arith.constant dense<1.0> : tensor<64x64xf16>
  %c = arith.constant dense<1.0> : tensor<64x64xf32>
  // expected-remark@+1 {{computed by mma.sync}}
  %d = tile.dot %a, %b, %c : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.return
}
