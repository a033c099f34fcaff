// RUN: tilewright-opt %s --warp-to-llvm-pipeline -o %t.mlir
// RUN: tilewright-test-ptx %t.mlir --arch=sm_90a | FileCheck %s

// Powers flush subnormal numbers only if requested.
// CHECK-LABEL: .entry powers(
tile.func @powers(%x: f32, %y: f32, %p: !tile.ptr<f32>, %q: !tile.ptr<f32>)
    attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: ld.param.b32 %[[X:.*]], [powers_param_0]
  // CHECK: ex2.approx.ftz.f32 %{{.*}}, %[[X]];
  // CHECK: ld.param.b32 %[[Y:.*]], [powers_param_1]
  // CHECK: ex2.approx.f32 %{{.*}}, %[[Y]];
  // CHECK: ret;
  %fast = math.exp2 %x fastmath<afn> : f32
  %exact = math.exp2 %y : f32
  tile.store %p, %fast : !tile.ptr<f32>
  tile.store %q, %exact : !tile.ptr<f32>
  tile.return
}

// Both powers of a number share one instruction, which does not flush.
// CHECK-LABEL: .entry both(
tile.func @both(%x: f32, %p: !tile.ptr<f32>, %q: !tile.ptr<f32>)
    attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK-NOT: ex2
  // CHECK: ex2.approx.f32
  // CHECK-NOT: ex2
  // CHECK: ret;
  %fast = math.exp2 %x fastmath<afn> : f32
  %exact = math.exp2 %x : f32
  tile.store %p, %fast : !tile.ptr<f32>
  tile.store %q, %exact : !tile.ptr<f32>
  tile.return
}

// A power of an integer selects the same function.
// CHECK-LABEL: .entry of_integer(
tile.func @of_integer(%i: i32, %p: !tile.ptr<f32>)
    attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: cvt.rn.f32.s32 %[[X:[a-z0-9]+]],
  // CHECK: ex2.approx.ftz.f32 %{{.*}}, %[[X]];
  %x = arith.sitofp %i : i32 to f32
  %y = math.exp2 %x fastmath<afn> : f32
  tile.store %p, %y : !tile.ptr<f32>
  tile.return
}
