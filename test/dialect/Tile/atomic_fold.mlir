// RUN: tilewright-opt -canonicalize %s | FileCheck %s

// An atomic with an unused result stays.
// CHECK-LABEL: tile.func @unused
// CHECK-NEXT: tile.atomic_rmw
// CHECK-NEXT: tile.atomic_cas
// CHECK-NEXT: tile.return
tile.func @unused(%p: !tile.ptr<i32>, %x: i32) {
  %0 = tile.atomic_rmw add relaxed gpu %p, %x : !tile.ptr<i32>
  %1 = tile.atomic_cas relaxed gpu %p, %x, %x : !tile.ptr<i32>
  tile.return
}
