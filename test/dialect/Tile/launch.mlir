// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s -canonicalize -cse -loop-invariant-code-motion | FileCheck %s --check-prefix=ORDER

// CHECK-LABEL: tile.func @launches
// CHECK: tile.launch_wait
// CHECK: tile.launch_dependents

// Neither op is removed, and loads of one address before and after it are not
// merged.
// ORDER-LABEL: tile.func @launches
// ORDER: tile.load
// ORDER: tile.launch_wait
// ORDER: tile.load
// ORDER: tile.launch_dependents
tile.func @launches(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) {
  %a = tile.load %p : !tile.ptr<f32>
  tile.launch_wait
  %b = tile.load %p : !tile.ptr<f32>
  tile.launch_dependents
  %c = arith.addf %a, %b : f32
  tile.store %q, %c : !tile.ptr<f32>
  tile.return
}
