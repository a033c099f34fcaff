// RUN: tilewright-opt -split-input-file -verify-diagnostics %s

// There is at least one operand.
tile.func @nothing() {
  // expected-error @below {{reduces at least one tile}}
  "tile.reduce"() <{axis = 0 : i32}> ({
  ^bb0:
    tile.yield
  }) : () -> ()
  tile.return
}

// -----

// C1: shapes differ.
tile.func @shapes(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{reduces tiles of one shape, got 'tensor<8xf32>' and 'tensor<4xf32>'}}
  %0:2 = "tile.reduce"(%x, %y) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  }) : (tensor<8xf32>, tensor<4xf32>) -> (f32, f32)
  tile.return
}

// -----

// C2: after the last dimension.
tile.func @axis_too_large(%x: tensor<8xf32>) {
  // expected-error @+2 {{axis 1 is outside of [0, 1)}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "tile.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }) : (tensor<8xf32>) -> f32
  tile.return
}

// -----

// C2: axes do not count from the end.
tile.func @axis_negative(%x: tensor<8xf32>) {
  // expected-error @+2 {{axis -1 is outside of [0, 1)}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "tile.reduce"(%x) <{axis = -1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }) : (tensor<8xf32>) -> f32
  tile.return
}

// -----

// C2: a tile without dimensions has none to lose.
tile.func @rank_zero(%x: tensor<f32>) {
  // expected-error @+2 {{axis 0 is outside of [0, 0)}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }) : (tensor<f32>) -> f32
  tile.return
}

// -----

// The result lacks the reduced axis.
tile.func @result(%x: tensor<8x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<8xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "tile.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }) : (tensor<8x4xf32>) -> tensor<4xf32>
  tile.return
}

// -----

// C3: a value short.
tile.func @arguments(%x: tensor<8xf32>) {
  // expected-error @below {{combines ('f32', 'f32') but its region takes ('f32')}}
  %0 = "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32):
    tile.yield %a : f32
  }) : (tensor<8xf32>) -> f32
  tile.return
}

// -----

// C3: all of the left stand before all of the right.
tile.func @argument_order(%x: tensor<8xf32>, %i: tensor<8xi32>) {
  // expected-error @below {{combines ('f32', 'i32', 'f32', 'i32') but its region takes ('f32', 'f32', 'i32', 'i32')}}
  %0:2 = "tile.reduce"(%x, %i) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32, %ai: i32, %bi: i32):
    tile.yield %a, %ai : f32, i32
  }) : (tensor<8xf32>, tensor<8xi32>) -> (f32, i32)
  tile.return
}

// -----

// C4: another type comes out than went in.
tile.func @yield_type(%x: tensor<8xf32>) {
  // expected-error @below {{combines to ('f32') but its region yields ('f64')}}
  %0 = "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %w = arith.extf %a : f32 to f64
    tile.yield %w : f64
  }) : (tensor<8xf32>) -> f32
  tile.return
}

// -----

// C4: nothing comes out.
tile.func @yield_nothing(%x: tensor<8xf32>) {
  // expected-error @below {{combines to ('f32') but its region yields ()}}
  %0 = "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tile.yield
  }) : (tensor<8xf32>) -> f32
  tile.return
}

// -----

// C4: how often the region is applied is not fixed.
tile.func @side_effect(%x: tensor<8xf32>, %p: !tile.ptr<f32>) {
  // expected-error @below {{has a combine region with side effects}}
  %0 = "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    // expected-note @below {{'tile.store' is here}}
    tile.store %p, %a : !tile.ptr<f32>
    tile.yield %a : f32
  }) : (tensor<8xf32>) -> f32
  tile.return
}

// -----

// The region has a block with a terminator.
tile.func @empty(%x: tensor<8xf32>) {
  // expected-error @below {{expects a non-empty block}}
  %0 = "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
  }) : (tensor<8xf32>) -> f32
  tile.return
}

// -----

// tile.yield ends the regions of reductions, scans and maps only.
tile.func @stray_yield() {
  // expected-error @below {{expects parent op to be one of 'tile.reduce, tile.scan, tile.map'}}
  tile.yield
}
