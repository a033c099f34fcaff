// RUN: tilewright-test-ptx %s --arch=sm_90a | FileCheck %s
// RUN: not tilewright-test-ptx %s --arch=sm_90a --ptx-version=80 2>&1 | FileCheck %s --check-prefix=OLD

// The default version is the first that has all instructions.
// CHECK: .version 8.1
// OLD: [[#@LINE+2]]:{{.*}} error: this needs PTX 8.1 or newer, got 8.0
llvm.func @neighbours(%p: !llvm.ptr<1>, %x: f32) {
  llvm.inline_asm has_side_effects "red.global.gpu.relaxed.add.v2.f32 [$0], {$1, $1};", "l,f" %p, %x : (!llvm.ptr<1>, f32) -> ()
  llvm.return
}
