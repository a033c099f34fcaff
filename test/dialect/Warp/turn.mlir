// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s -mlir-print-op-generic | tilewright-opt | FileCheck %s

// CHECK-LABEL: @turns
// CHECK-SAME: warp.ordered
tile.func @turns(%p: !tile.ptr<f32>, %x: f32, %place: i32) attributes {warp.ordered} {
  // CHECK: warp.wait_turn %[[PLACE:.*]]{{$}}
  warp.wait_turn %place
  // CHECK: tile.atomic_rmw fadd relaxed gpu %{{.*}}, %{{.*}} {warp.by_element, warp.ordered} : !tile.ptr<f32>
  %0 = tile.atomic_rmw fadd relaxed gpu %p, %x {warp.by_element, warp.ordered} : !tile.ptr<f32>
  // CHECK: warp.pass_turn %[[PLACE]]{{$}}
  warp.pass_turn %place
  tile.return
}
