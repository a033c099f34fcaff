// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s -mlir-print-op-generic | tilewright-opt | FileCheck %s

// CHECK-LABEL: @turns
// CHECK-SAME: warp.ordered
tile.func @turns(%p: !tile.ptr<f32>, %x: f32, %place: i32) attributes {warp.ordered} {
  // CHECK: warp.ticket_wait %[[PLACE:.*]]{{$}}
  warp.ticket_wait %place
  // CHECK: tile.atomic_rmw fadd relaxed gpu %{{.*}}, %{{.*}} {warp.by_element, warp.ordered} : !tile.ptr<f32>
  %0 = tile.atomic_rmw fadd relaxed gpu %p, %x {warp.by_element, warp.ordered} : !tile.ptr<f32>
  // CHECK: warp.ticket_pass %[[PLACE]]{{$}}
  warp.ticket_pass %place
  tile.return
}
