// RUN: tilewright-opt %s --convert-warp-to-llvm='compute-capability=90' | FileCheck %s
// RUN: tilewright-opt %s --convert-warp-to-llvm='compute-capability=80' | FileCheck %s --check-prefix=SERIAL
// RUN: tilewright-opt %s --convert-tile-to-vector | FileCheck %s --check-prefix=SERIAL

// CHECK-LABEL: llvm.func @launches
// CHECK: llvm.load
// CHECK: llvm.inline_asm has_side_effects {{.*}}"griddepcontrol.wait;"
// CHECK: llvm.load
// CHECK: llvm.inline_asm has_side_effects {{.*}}"griddepcontrol.launch_dependents;"

// Without dependent launches the ops do nothing.
// SERIAL-LABEL: llvm.func @launches
// SERIAL-NOT: griddepcontrol
// SERIAL-NOT: tile.
tile.func @launches(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %a = tile.load %p : !tile.ptr<f32>
  tile.launch_wait
  %b = tile.load %p : !tile.ptr<f32>
  tile.launch_dependents
  %c = arith.addf %a, %b : f32
  tile.store %q, %c : !tile.ptr<f32>
  tile.return
}
