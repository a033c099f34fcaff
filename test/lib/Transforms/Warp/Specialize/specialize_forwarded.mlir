// RUN: tilewright-opt %s \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=3' | FileCheck %s
// RUN: tilewright-opt %s \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=3' -remark-format=emitRemark -remarks-filter-analyse=.* \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tilewright-opt %s \
// RUN:   --tile-to-warp-pipeline='num-warps=4 compute-capability=90 arch-specific=true check=true' -o /dev/null

// The consumers take the index of each tile, in program order with their stores,
// and forward it to the producer.

// REMARK: its result is forwarded to the producer, which waits for it before later loads

// CHECK-LABEL: @counter
// CHECK-DAG: %[[FIRST:.*]] = warp.ring : !warp.ring<1 x {!warp.shared<2xi32, #{{.*}}>}, transactions>
// CHECK-DAG: %[[NEXT:.*]] = warp.ring : !warp.ring<1 x {!warp.shared<2xi32, #{{.*}}>}, transactions>
// CHECK: warp.specialize
// CHECK: %[[T:.*]] = tile.atomic_rmw add acq_rel gpu
// CHECK-NEXT: %[[S:.*]], %[[N:.*]] = warp.ring.acquire %[[A:.*]] :
// CHECK-NEXT: warp.ring.put_scalar %[[T]], %[[N]] : i32
// CHECK-NEXT: warp.ring.commit %[[S]]
// CHECK: scf.while
// CHECK: warp.ring.wait
// CHECK: tile.store
// CHECK-NEXT: %[[U:.*]] = tile.atomic_rmw add acq_rel gpu
// CHECK-NEXT: %[[S:.*]], %[[N:.*]] = warp.ring.acquire %[[B:.*]] :
// CHECK-NEXT: warp.ring.put_scalar %[[U]], %[[N]] : i32
// CHECK-NEXT: warp.ring.commit %[[S]]
// CHECK-NEXT: scf.yield %[[U]]
// CHECK: }, {
// CHECK-NOT: tile.atomic_rmw
// CHECK: %[[S:.*]], %[[N:.*]] = warp.ring.wait %[[A]] :
// CHECK-NEXT: %[[T:.*]] = warp.ring.get_scalar %[[N]]
// CHECK-NEXT: warp.ring.release %[[S]]
// CHECK: scf.while (%{{.*}} = %[[T]])
// CHECK: warp.tma_load
// CHECK: %[[S:.*]], %[[N:.*]] = warp.ring.wait %[[B]] :
// CHECK-NEXT: %[[U:.*]] = warp.ring.get_scalar %[[N]]
// CHECK-NEXT: warp.ring.release %[[S]]
// CHECK-NEXT: scf.yield %[[U]]
tile.func @counter(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %counter: !tile.ptr<i32>, %out: !tile.ptr<f32>, %tiles: i32, %n: i64 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %first = tile.atomic_rmw add acq_rel gpu %counter, %c1 : !tile.ptr<i32>
  %last = scf.while (%t = %first) : (i32) -> i32 {
    %go = arith.cmpi slt, %t, %tiles : i32
    scf.condition(%go) %t : i32
  } do {
  ^bb0(%t: i32):
    %row = arith.muli %t, %c64 : i32
    %x = tile.descriptor_load %d[%row, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    tile.store %o, %z : tensor<64x64x!tile.ptr<f32>>
    %next = tile.atomic_rmw add acq_rel gpu %counter, %c1 : !tile.ptr<i32>
    scf.yield %next : i32
  }
  tile.return
}

// The producer does not use the result. But its later loads may read memory that
// was written before the operation.

// CHECK-LABEL: @acquired
// CHECK: warp.ring.put_scalar
// CHECK: }, {
// CHECK: warp.ring.get_scalar
// CHECK: warp.tma_load
tile.func @acquired(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %flag: !tile.ptr<i32>, %out: !tile.ptr<f32>, %old: !tile.ptr<i32>, %n: i64 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %before = tile.atomic_cas acquire gpu %flag, %c0, %c0 : !tile.ptr<i32>
  tile.store %old, %before : !tile.ptr<i32>
  %x = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %o, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// Other programs may overwrite the tile after the release, so it arrives before.
// It does not share a slot with later loads.

// CHECK-LABEL: @released
// CHECK: warp.ring.wait
// CHECK-NEXT: tile.atomic_rmw add release
// CHECK: warp.ring.wait
// CHECK-NEXT: warp.wgmma
// CHECK: }, {
// CHECK: warp.tma_load
// CHECK-NEXT: warp.ring.commit
// CHECK: warp.tma_load
// CHECK-NEXT: warp.ring.commit
tile.func @released(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %flag: !tile.ptr<i32>, %out: !tile.ptr<f32>, %n: i64 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %x = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %old = tile.atomic_rmw add release gpu %flag, %c1 : !tile.ptr<i32>
  %y = tile.descriptor_load %d[%c64, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %o, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
