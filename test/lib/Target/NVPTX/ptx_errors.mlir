// RUN: not tilewright-test-ptx %s --arch=sm_75 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not tilewright-test-ptx %s --arch=gfx942 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not tilewright-test-ptx %s --arch=sm_99 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tilewright-test-ptx %s --arch=sm_100 --ptx-version=80 2>&1 | FileCheck %s --check-prefix=VERSION
// RUN: not tilewright-test-ptx %s --arch=sm_89 --ptx-version=80 2>&1 | FileCheck %s --check-prefix=INSTRUCTION

// OLD: error: 'sm_75' is too old: needs sm_80 or newer
// OTHER: error: 'gfx942' is not an NVIDIA GPU: expected a name like sm_80
// UNKNOWN: error: 'sm_99' is not known to this compiler
// VERSION: error: sm_100 needs PTX 8.6 or newer, got 8.0

// INSTRUCTION: [[#@LINE+2]]:{{.*}} error: this needs PTX 8.1 or newer, got 8.0
llvm.func @convert(%x: f32, %y: f32) -> i16 {
  %0 = llvm.inline_asm "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f" %x, %y : (f32, f32) -> i16
  llvm.return %0 : i16
}
