// RUN: tilewright-opt %s -tile-internalize | FileCheck %s

// CHECK: tile.func private @helper
tile.func @helper(%x: f32) -> f32 {
  tile.return %x : f32
}

// A kernel stays where the host can find it, and may call a helper twice.
// CHECK: tile.func @kernel
tile.func @kernel(%x: f32) attributes {tile.kernel} {
  %y = tile.call @helper(%x) : (f32) -> f32
  %z = tile.call @helper(%y) : (f32) -> f32
  tile.return
}
