// RUN: tilewright-opt -split-input-file -verify-diagnostics %s

// C1: nothing to map.
tile.func @nothing() {
  // expected-error @below {{needs at least one operand and one result}}
  %0 = "tile.map"() <{pack = 1 : i32}> ({
    %c = arith.constant 1 : i32
    tile.yield %c : i32
  }) : () -> i32
  tile.return
}

// -----

// C1: two shapes.
tile.func @shapes(%x: tensor<8xf32>) {
  // expected-error @below {{has operands and results of one shape, got 'tensor<8xf32>' and 'tensor<4xf32>'}}
  %0 = "tile.map"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    tile.yield %a : f32
  }) : (tensor<8xf32>) -> tensor<4xf32>
  tile.return
}

// -----

// C2: a group of three.
tile.func @pack(%x: f32) {
  // expected-error @below {{packs a power of two up to 32 elements, got 3}}
  %0 = "tile.map"(%x) <{pack = 3 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32):
    tile.yield %a, %b, %c : f32, f32, f32
  }) : (f32) -> f32
  tile.return
}

// -----

// C3: an element of a pair is missing.
tile.func @arguments(%x: f32) {
  // expected-error @below {{maps ('f32', 'f32') but its region takes ('f32')}}
  %0 = "tile.map"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: f32):
    tile.yield %a, %a : f32, f32
  }) : (f32) -> f32
  tile.return
}

// -----

// C4: another type comes out.
tile.func @results(%x: tensor<8xf32>) {
  // expected-error @below {{returns ('f64') but its region yields ('f32')}}
  %0 = "tile.map"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    tile.yield %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf64>
  tile.return
}

// -----

// C5: how often the region is applied is not fixed.
tile.func @effects(%x: tensor<8xf32>, %p: !tile.ptr<f32>) {
  // expected-error @below {{has a region with side effects}}
  %0 = "tile.map"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    // expected-note @below {{'tile.store' is here}}
    tile.store %p, %a : !tile.ptr<f32>
    tile.yield %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tile.return
}

// -----

// C5: an element is no tile.
tile.func @tiles(%x: tensor<8xf32>) {
  // expected-error @below {{has a region with tiles}}
  %0 = "tile.map"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    // expected-note @below {{'tile.splat' is here}}
    %t = tile.splat %a : f32 -> tensor<4xf32>
    tile.yield %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tile.return
}
