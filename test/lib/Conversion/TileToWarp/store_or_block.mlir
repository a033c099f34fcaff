// RUN: tilewright-opt %s \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse | FileCheck %s

// One branch stores a tile as a block, the other element by element. Both store it in the layout of the dot. A
// conversion would cost the branch that is nearly always taken its shared memory.

// CHECK-LABEL: @ends
// CHECK: %[[H:.*]] = arith.truncf {{.*}} : tensor<64x64xf32, #[[L:.*]]> to tensor<64x64xf16, #[[L]]>
// CHECK: scf.if
// CHECK: warp.tma_store %[[H]]
// CHECK: else
// CHECK-NOT: warp.convert_layout
// CHECK: tile.store %{{.*}}, %[[H]], %{{.*}} : tensor<64x64x!tile.ptr<f16>, #[[L]]>

// Without the block store it is converted to a layout of wide stores.
// CHECK-LABEL: @alone
// CHECK: %[[WIDE:.*]] = warp.convert_layout
// CHECK: scf.if
// CHECK: tile.store %{{.*}}, %[[WIDE]]
tile.func @ends(%o: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i64, %i: i32, %c: i1, %e: i1) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = arith.constant dense<1.0> : tensor<64x64xf16>
  %do = tile.make_descriptor %o, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %s = tile.dot %t, %t, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
  scf.if %c {
    tile.descriptor_store %do[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  } else {
    %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %row = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %all = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
    %p = tile.splat %o : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %q = tile.addptr %p, %all : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %m = tile.splat %e : i1 -> tensor<64x64xi1>
    tile.store %q, %h, %m : tensor<64x64x!tile.ptr<f16>>
  }
  tile.return
}
tile.func @alone(%o: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = arith.constant dense<1.0> : tensor<64x64xf16>
  %s = tile.dot %t, %t, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
  scf.if %c {
    %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %row = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %all = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
    %p = tile.splat %o : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %q = tile.addptr %p, %all : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    tile.store %q, %h : tensor<64x64x!tile.ptr<f16>>
  }
  tile.return
}
