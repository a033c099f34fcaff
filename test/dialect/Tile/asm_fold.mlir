// RUN: tilewright-opt -canonicalize -cse %s | FileCheck %s

// Pure text is merged and removed, text with effects is neither.
// CHECK-LABEL: tile.func @effects
// CHECK-COUNT-1: "a"
// CHECK-COUNT-2: "b"
// CHECK-NOT: tile.inline_asm
tile.func @effects() -> (i32, i32) {
  %0 = tile.inline_asm "a" "=r" pack = 1 pure : () -> i32
  %1 = tile.inline_asm "a" "=r" pack = 1 pure : () -> i32
  %2 = tile.inline_asm "b" "=r" pack = 1 : () -> i32
  %3 = tile.inline_asm "b" "=r" pack = 1 : () -> i32
  %4 = tile.inline_asm "c" "=r" pack = 1 pure : () -> i32
  tile.return %0, %1 : i32, i32
}
