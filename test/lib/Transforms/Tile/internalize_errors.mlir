// RUN: tilewright-opt %s -split-input-file -tile-internalize -verify-diagnostics

// Directly.
// expected-note@below {{the function is defined here}}
tile.func @again(%x: f32) -> f32 {
  // expected-error@below {{function 'again' calls itself; recursion is not supported in kernels}}
  %y = tile.call @again(%x) : (f32) -> f32
  tile.return %y : f32
}

// -----

// Through another function.
// expected-note@below {{the function is defined here}}
tile.func @even(%x: f32) -> f32 {
  %y = tile.call @odd(%x) : (f32) -> f32
  tile.return %y : f32
}
tile.func @odd(%x: f32) -> f32 {
  // expected-error@below {{function 'even' calls itself; recursion is not supported in kernels}}
  %y = tile.call @even(%x) : (f32) -> f32
  tile.return %y : f32
}
