// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=3' -warp-defer-wgmma-waits | FileCheck %s
// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=8 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse | FileCheck %s --check-prefix=WIDE

// A first operand that a loop computes from a load is read from the slot in the register layout of wgmma. The
// previous wgmma, which reads the same registers, is waited for before the last step.
// CHECK-LABEL: @scaled
// CHECK: scf.for {{.*}} iter_args(%[[P:[^ ]*]] = {{.*}}, %[[Y:[^ ]*]] = {{[^,]*}})
// CHECK: %[[X:.*]] = warp.local_load %{{.*}} : !warp.shared<64x64xf16, {{.*}}> -> tensor<64x64xf16, #[[A:.*]]>
// CHECK-NOT: warp.convert_layout
// CHECK: %[[S:.*]] = warp.wgmma_wait %[[P]] {pendings = 0 : i32}
// CHECK-NEXT: warp.ring.release %[[Y]]
// CHECK-NEXT: %[[H:.*]] = arith.mulf %[[X]], %{{.*}} : tensor<64x64xf16, #[[A]]>
// CHECK-NOT: warp.wgmma_wait
// CHECK: warp.wgmma %[[H]], %{{.*}}, %[[S]] : tensor<64x64xf16, #[[A]]>

// Two warpgroups would each compute all 64 rows: the operand goes through memory.
// WIDE-LABEL: @scaled
// WIDE: arith.mulf
// WIDE: %[[M:.*]] = warp.alloc
// WIDE: warp.wgmma %[[M]]
tile.func @scaled(%a: !tile.ptr<f16>, %cd: !tile.ptr<f32>, %n: i64, %k: i32, %f: f16) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %by = tile.splat %f : f16 -> tensor<64x64xf16>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tile.descriptor_load %d[%c0, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %d[%i, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %h = arith.mulf %x, %by : tensor<64x64xf16>
    %s = tile.dot %h, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %c = tile.splat %cd : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %c, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// A transposed operand, too, is read directly: `ldmatrix` transposes it.
// CHECK-LABEL: @turned
// CHECK: scf.for
// CHECK: %[[X:.*]] = warp.local_load %{{.*}} : !warp.shared<64x64xf16, {{.*}}> -> tensor<64x64xf16, #{{.*}}>
// CHECK-NOT: warp.convert_layout
// CHECK: tile.transpose %[[X]]
// CHECK-NOT: warp.convert_layout
// CHECK: warp.wgmma %{{.*}} : tensor<64x64xf16
tile.func @turned(%a: !tile.ptr<f16>, %cd: !tile.ptr<f32>, %n: i64, %k: i32, %f: f16) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %by = tile.splat %f : f16 -> tensor<64x64xf16>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tile.descriptor_load %d[%i, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %d[%i, %c64] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %t = tile.transpose %x {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
    %h = arith.mulf %t, %by : tensor<64x64xf16>
    %s = tile.dot %h, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %c = tile.splat %cd : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %c, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// An operand with other uses, or loaded in another width, goes through memory.
// CHECK-LABEL: @in_memory
// CHECK: scf.for
// CHECK-DAG: %[[H:.*]] = arith.mulf
// CHECK-DAG: %[[F:.*]] = arith.sitofp
// CHECK-DAG: %[[M:.*]] = warp.alloc %[[H]]
// CHECK-DAG: %[[N:.*]] = warp.alloc %[[F]]
// CHECK-DAG: warp.wgmma %[[M]]
// CHECK-DAG: warp.wgmma %[[N]]
tile.func @in_memory(%a: !tile.ptr<f16>, %b: !tile.ptr<i8>, %cd: !tile.ptr<f32>, %hd: !tile.ptr<f16>, %n: i64, %k: i32, %f: f16) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xf16>
  %by = tile.splat %f : f16 -> tensor<64x64xf16>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %b, [%n, %n], [%n] : !tile.desc<64x64xi8>, !tile.ptr<i8>
  %sum:2 = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero, %last = %none) -> (tensor<64x64xf32>, tensor<64x64xf16>) : i32 {
    %x = tile.descriptor_load %d[%c0, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %q = tile.descriptor_load %e[%c0, %i] : !tile.desc<64x64xi8> -> tensor<64x64xi8>
    %y = tile.descriptor_load %d[%i, %c64] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %h = arith.mulf %x, %by : tensor<64x64xf16>
    %g = arith.sitofp %q : tensor<64x64xi8> to tensor<64x64xf16>
    %s = tile.dot %h, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %t = tile.dot %g, %y, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t, %h : tensor<64x64xf32>, tensor<64x64xf16>
  }
  %c = tile.splat %cd : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %c, %sum#0 : tensor<64x64x!tile.ptr<f32>>
  %ch = tile.splat %hd : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  tile.store %ch, %sum#1 : tensor<64x64x!tile.ptr<f16>>
  tile.return
}
