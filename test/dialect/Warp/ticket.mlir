// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s -mlir-print-op-generic | tilewright-opt | FileCheck %s

// CHECK-LABEL: @ordered
// CHECK-SAME: warp.ordered
tile.func @ordered(%p: !tile.ptr<f32>, %x: f32, %slot: i32) attributes {warp.ordered} {
  // CHECK: warp.ticket_wait %[[SLOT:.*]]{{$}}
  warp.ticket_wait %slot
  // CHECK: tile.atomic_rmw fadd relaxed gpu %{{.*}}, %{{.*}} {warp.by_element, warp.ordered} : !tile.ptr<f32>
  %0 = tile.atomic_rmw fadd relaxed gpu %p, %x {warp.by_element, warp.ordered} : !tile.ptr<f32>
  // CHECK: warp.ticket_pass %[[SLOT]]{{$}}
  warp.ticket_pass %slot
  tile.return
}
