// RUN: tilewright-opt %s -split-input-file -convert-tile-to-warp="compute-capability=90 arch-specific=true" \
// RUN:   -remark-format=emitRemark -remarks-filter=.* -verify-diagnostics -o /dev/null

// The unit that computes a dot, and why no better one does.

// Warpgroups compute it.
tile.func @wgmma() {
  %a = arith.constant dense<1.0> : tensor<64x64xf16>
  %b = arith.constant dense<1.0> : tensor<64x64xf16>
  %c = arith.constant dense<1.0> : tensor<64x64xf32>
  // expected-remark@+1 {{[Passed] Dot | Category:convert-tile-to-warp | Remark="computed by wgmma, a from shared memory"}}
  %d = tile.dot %a, %b, %c : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.return
}

// -----

// Too few rows for a warpgroup.
tile.func @few_rows() {
  %a = arith.constant dense<1.0> : tensor<32x64xf16>
  %b = arith.constant dense<1.0> : tensor<64x64xf16>
  %c = arith.constant dense<1.0> : tensor<32x64xf32>
  // expected-remark@+1 {{computed by mma.sync, not by wgmma: warpgroups take at least 4 warps, 64 rows and 8 columns each}}
  %d = tile.dot %a, %b, %c : tensor<32x64xf16>, tensor<64x64xf16>, tensor<32x64xf32>
  tile.return
}

// -----

// A batch.
tile.func @batch() {
  %a = arith.constant dense<1.0> : tensor<2x64x64xf16>
  %b = arith.constant dense<1.0> : tensor<2x64x64xf16>
  %c = arith.constant dense<1.0> : tensor<2x64x64xf32>
  // expected-remark@+1 {{computed by mma.sync, not by wgmma: it is a batched dot}}
  %d = tile.dot %a, %b, %c : tensor<2x64x64xf16>, tensor<2x64x64xf16>, tensor<2x64x64xf32>
  tile.return
}

// -----

// Operands of 256 KB.
tile.func @large() {
  %a = arith.constant dense<1.0> : tensor<256x256xf16>
  %b = arith.constant dense<1.0> : tensor<256x256xf16>
  %c = arith.constant dense<1.0> : tensor<256x256xf32>
  // expected-remark@+1 {{computed by mma.sync, not by wgmma: its operands do not fit into shared memory}}
  %d = tile.dot %a, %b, %c : tensor<256x256xf16>, tensor<256x256xf16>, tensor<256x256xf32>
  tile.return
}

// -----

// Precise float32.
tile.func @precise() {
  %a = arith.constant dense<1.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<64x64xf32>
  %c = arith.constant dense<1.0> : tensor<64x64xf32>
  // expected-remark@+1 {{computed by threads, not by tensor cores: they would round its float32 operands to tf32, which input_precision must allow}}
  %d = tile.dot %a, %b, %c : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// -----

// No tensor core takes float64.
tile.func @double() {
  %a = arith.constant dense<1.0> : tensor<64x64xf64>
  %b = arith.constant dense<1.0> : tensor<64x64xf64>
  %c = arith.constant dense<1.0> : tensor<64x64xf64>
  // expected-remark@+1 {{computed by threads, not by tensor cores: they do not support its operand and accumulator types}}
  %d = tile.dot %a, %b, %c : tensor<64x64xf64>, tensor<64x64xf64>, tensor<64x64xf64>
  tile.return
}

// -----

// Smaller than an instruction.
tile.func @small() {
  %a = arith.constant dense<1.0> : tensor<8x16xf16>
  %b = arith.constant dense<1.0> : tensor<16x8xf16>
  %c = arith.constant dense<1.0> : tensor<8x8xf32>
  // expected-remark@+1 {{computed by threads, not by tensor cores: their instructions take at least 16 rows, 8 columns and 32 bytes}}
  %d = tile.dot %a, %b, %c : tensor<8x16xf16>, tensor<16x8xf16>, tensor<8x8xf32>
  tile.return
}
