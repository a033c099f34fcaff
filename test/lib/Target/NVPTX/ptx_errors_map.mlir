// RUN: not tilewright-test-ptx %s --arch=sm_90a --ptx-version=84 2>&1 | FileCheck %s

// Older assemblers have the instruction, but take strides in other units.
// CHECK: [[#@LINE+2]]:{{.*}} error: this needs PTX 8.6 or newer, got 8.4
llvm.func @describe(%map: !llvm.ptr<3>, %stride: i64) {
  llvm.inline_asm has_side_effects "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [$0], 0, $1;", "l,l" %map, %stride : (!llvm.ptr<3>, i64) -> ()
  llvm.return
}
