// RUN: tilewright-opt %s -warp-make-persistent=single-wave=true | FileCheck %s
// RUN: tilewright-opt %s -warp-make-persistent=single-wave=true -o /dev/null \
// RUN:   -remark-format=emitRemark -remarks-filter=.* -verify-diagnostics

// With one CTA per SM each CTA has one tile.

// CHECK-LABEL: @dot
// CHECK-SAME: %{{.*}}: i64) attributes {tile.kernel, warp.single_wave}
// CHECK-NOT: scf.for
// CHECK: tile.program_id x
// expected-remark@+1 {{one program per CTA: launches are declared a single wave}}
tile.func @dot(%a: !tile.ptr<f16>, %n: i64) attributes {tile.kernel} {
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %x = tile.program_id x
  %t = tile.descriptor_load %d[%x, %x] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  tile.return
}

// Without such loads there is no remark.

// CHECK-LABEL: @plain
// CHECK-SAME: attributes {tile.kernel} {
tile.func @plain(%a: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.program_id x
  tile.store %a, %x : !tile.ptr<i32>
  tile.return
}
