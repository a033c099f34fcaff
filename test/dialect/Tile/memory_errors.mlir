// RUN: tilewright-opt -split-input-file -verify-diagnostics %s

// addptr C1: offsets of another shape.
tile.func @offset_shape(%p: tensor<8x!tile.ptr<f32>>, %i: tensor<4xi32>) {
  // expected-error @below {{all non-scalar operands/results must have the same shape and base type}}
  %0 = tile.addptr %p, %i : tensor<8x!tile.ptr<f32>>, tensor<4xi32>
  tile.return
}

// -----

// addptr C1: a scalar is not broadcast implicitly.
tile.func @offset_scalar(%p: tensor<8x!tile.ptr<f32>>, %i: i32) {
  // expected-error @below {{requires the same shape for all operands and results}}
  %0 = tile.addptr %p, %i : tensor<8x!tile.ptr<f32>>, i32
  tile.return
}

// -----

// Offsets count elements.
tile.func @offset_type(%p: !tile.ptr<f32>, %i: f32) {
  // expected-error @below {{operand #1 must be an integer or a tile of integers, but got 'f32'}}
  %0 = tile.addptr %p, %i : !tile.ptr<f32>, f32
  tile.return
}

// -----

// Only pointers are loaded through.
tile.func @load_value(%x: tensor<8xf32>) {
  // expected-error @below {{operand #0 must be a pointer or a tile of pointers, but got 'tensor<8xf32>'}}
  %0 = "tile.load"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<8xf32>) -> tensor<8xf32>
  tile.return
}

// -----

// load C1: a mask of another shape.
tile.func @load_mask(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<4xi1>) {
  // expected-error @below {{mask is a boolean of the pointers' shape}}
  %0 = "tile.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}>
    : (tensor<8x!tile.ptr<f32>>, tensor<4xi1>) -> tensor<8xf32>
  tile.return
}

// -----

// load C2: a value of another type.
tile.func @load_other(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %o: tensor<8xf16>) {
  // expected-error @below {{other has the pointers' shape and the pointee's type}}
  %0 = "tile.load"(%p, %m, %o) <{operandSegmentSizes = array<i32: 1, 1, 1>}>
    : (tensor<8x!tile.ptr<f32>>, tensor<8xi1>, tensor<8xf16>) -> tensor<8xf32>
  tile.return
}

// -----

// load C3: a value for masked-off elements without a mask.
tile.func @load_other_unmasked(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<8xf32>) {
  // expected-error @below {{has a value for masked-off elements but no mask}}
  %0 = "tile.load"(%p, %o) <{operandSegmentSizes = array<i32: 1, 0, 1>}>
    : (tensor<8x!tile.ptr<f32>>, tensor<8xf32>) -> tensor<8xf32>
  tile.return
}

// -----

// The result has the pointee's type.
tile.func @load_result(%p: tensor<8x!tile.ptr<f32>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<8xf32>' are incompatible with return type(s) of operation 'tensor<8xf16>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "tile.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<8x!tile.ptr<f32>>) -> tensor<8xf16>
  tile.return
}

// -----

// store C1: a value of another type.
tile.func @store_type(%p: !tile.ptr<f32>, %x: f64) {
  // expected-error @below {{value has the pointers' shape and the pointee's type}}
  "tile.store"(%p, %x) : (!tile.ptr<f32>, f64) -> ()
  tile.return
}

// -----

// store C1: a value of another shape.
tile.func @store_shape(%p: tensor<8x!tile.ptr<f32>>, %x: f32) {
  // expected-error @below {{value has the pointers' shape and the pointee's type}}
  "tile.store"(%p, %x) : (tensor<8x!tile.ptr<f32>>, f32) -> ()
  tile.return
}

// -----

// store C2: a mask that is not boolean.
tile.func @store_mask(%p: !tile.ptr<f32>, %x: f32, %m: i8) {
  // expected-error @below {{operand #2 must be a boolean or a tile of booleans, but got 'i8'}}
  "tile.store"(%p, %x, %m) : (!tile.ptr<f32>, f32, i8) -> ()
  tile.return
}

// -----

// store C2: a mask of another shape.
tile.func @store_mask_shape(%p: !tile.ptr<f32>, %x: f32, %m: tensor<4xi1>) {
  // expected-error @below {{mask is a boolean of the pointers' shape}}
  "tile.store"(%p, %x, %m) : (!tile.ptr<f32>, f32, tensor<4xi1>) -> ()
  tile.return
}
