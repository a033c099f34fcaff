// RUN: tilewright-opt %s --warp-to-llvm-pipeline --mlir-print-debuginfo | tilewright-test-ptx | FileCheck %s

// An inlined op has the line of its source. Declarations that it needs outside
// of the function have none.
// CHECK: .loc 1 40 0
// CHECK: .loc 2 7 5
// CHECK: call.uni __assertfail
// CHECK: .loc 1 40 3
// CHECK: .file 1 "kernel.py"
// CHECK: .file 2 "helper.py"
#callee = loc("helper.py":7:5)
#caller = loc("kernel.py":40:3)
tile.func @check(%c: i1, %x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  tile.assert %c, "wrong" : i1 loc(callsite(#callee at #caller))
  %0 = math.sin %x : f32 loc(callsite(#callee at #caller))
  tile.store %p, %0 : !tile.ptr<f32> loc(callsite(#callee at #caller))
  tile.return loc(#caller)
} loc(#caller)
