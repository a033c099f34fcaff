// RUN: tilewright-opt -split-input-file -verify-diagnostics %s

// C1: there is something to scan.
tile.func @nothing() {
  // expected-error @below {{scans at least one tile}}
  "tile.scan"() <{axis = 0 : i32}> ({
  ^bb0:
    tile.yield
  }) : () -> ()
  tile.return
}

// -----

// C1: shapes differ.
tile.func @shapes(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{scans tiles of one shape, got 'tensor<8xf32>' and 'tensor<4xf32>'}}
  %0:2 = "tile.scan"(%x, %y) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  }) : (tensor<8xf32>, tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>)
  tile.return
}

// -----

// C1: the result has the type of the operand.
tile.func @result(%x: tensor<8xf32>) {
  // expected-error @below {{needs results of its operand types ('tensor<8xf32>'), got ('tensor<8xi32>')}}
  %0 = "tile.scan"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }) : (tensor<8xf32>) -> tensor<8xi32>
  tile.return
}

// -----

// C2: after the last dimension.
tile.func @axis_too_large(%x: tensor<8xf32>) {
  // expected-error @below {{has axis 1, which is outside of [0, 1)}}
  %0 = "tile.scan"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tile.return
}

// -----

// C2: axes do not count from the end.
tile.func @axis_negative(%x: tensor<8xf32>) {
  // expected-error @below {{has axis -1, which is outside of [0, 1)}}
  %0 = "tile.scan"(%x) <{axis = -1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tile.return
}

// -----

// C3: a value short.
tile.func @arguments(%x: tensor<8xf32>) {
  // expected-error @below {{combines ('f32', 'f32') but its region takes ('f32')}}
  %0 = "tile.scan"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32):
    tile.yield %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tile.return
}

// -----

// C4: yields another type.
tile.func @yield(%x: tensor<8xf32>, %i: i32) {
  // expected-error @below {{combines to ('f32') but its region yields ('i32')}}
  %0 = "tile.scan"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.constant 0 : i32
    tile.yield %c : i32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tile.return
}

// -----

// C4: has an effect.
tile.func @effects(%x: tensor<8xf32>, %p: !tile.ptr<f32>) {
  // expected-error @below {{has a combine region with side effects}}
  %0 = "tile.scan"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    // expected-note @below {{'tile.store' is here}}
    tile.store %p, %a : !tile.ptr<f32>
    tile.yield %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tile.return
}
