// RUN: tilewright-opt -split-input-file -verify-diagnostics %s

// rmw C1: another type.
tile.func @value_type(%p: !tile.ptr<i32>, %x: i64) {
  // expected-error @below {{value has the pointers' shape and the pointee's type}}
  %0 = "tile.atomic_rmw"(%p, %x) <{kind = 0 : i32, sem = 0 : i32, scope = 1 : i32}> : (!tile.ptr<i32>, i64) -> i32
  tile.return
}

// -----

// rmw C2: a mask of another shape.
tile.func @mask_shape(%p: tensor<8x!tile.ptr<i32>>, %x: tensor<8xi32>, %m: i1) {
  // expected-error @below {{mask is a boolean of the pointers' shape}}
  %0 = "tile.atomic_rmw"(%p, %x, %m) <{kind = 0 : i32, sem = 0 : i32, scope = 1 : i32}>
    : (tensor<8x!tile.ptr<i32>>, tensor<8xi32>, i1) -> tensor<8xi32>
  tile.return
}

// -----

// rmw C3: a float kind on integers.
tile.func @fadd_int(%p: !tile.ptr<i32>, %x: i32) {
  // expected-error @below {{'fadd' does not take 'i32'}}
  %0 = tile.atomic_rmw fadd relaxed gpu %p, %x : !tile.ptr<i32>
  tile.return
}

// -----

// rmw C3: an integer kind on floats.
tile.func @and_float(%p: tensor<8x!tile.ptr<f32>>, %x: tensor<8xf32>) {
  // expected-error @below {{'and' does not take 'f32'}}
  %0 = tile.atomic_rmw and relaxed gpu %p, %x : tensor<8x!tile.ptr<f32>>
  tile.return
}

// -----

// rmw C3: pointers are neither integers nor floats.
tile.func @exchange_pointer(%p: !tile.ptr<!tile.ptr<f32>>, %x: !tile.ptr<f32>) {
  // expected-error @below {{combines integers or floats, got '!tile.ptr<f32>'}}
  %0 = tile.atomic_rmw xchg relaxed gpu %p, %x : !tile.ptr<!tile.ptr<f32>>
  tile.return
}

// -----

// rmw C4: too narrow.
tile.func @narrow(%p: !tile.ptr<i16>, %x: i16) {
  // expected-error @below {{'add' takes 32 or 64 bits, got 'i16'}}
  %0 = tile.atomic_rmw add relaxed gpu %p, %x : !tile.ptr<i16>
  tile.return
}

// -----

// rmw C4: f16 and bf16 are the narrowest floats.
tile.func @quarter_max(%p: !tile.ptr<f8E5M2>, %x: f8E5M2) {
  // expected-error @below {{'fmax' takes 32 or 64 bits, got 'f8E5M2'}}
  %0 = tile.atomic_rmw fmax relaxed gpu %p, %x : !tile.ptr<f8E5M2>
  tile.return
}

// -----

// The result has the pointee's type.
tile.func @result(%p: !tile.ptr<i32>, %x: i32) {
  // expected-error @+2 {{inferred type(s) 'i32' are incompatible with return type(s) of operation 'i64'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "tile.atomic_rmw"(%p, %x) <{kind = 0 : i32, sem = 0 : i32, scope = 1 : i32}> : (!tile.ptr<i32>, i32) -> i64
  tile.return
}

// -----

// cas C1: `compare` has the pointee's type.
tile.func @compare_type(%p: !tile.ptr<i32>, %c: i64, %x: i32) {
  // expected-error @below {{compare has the pointers' shape and the pointee's type}}
  %0 = "tile.atomic_cas"(%p, %c, %x) <{sem = 0 : i32, scope = 1 : i32}> : (!tile.ptr<i32>, i64, i32) -> i32
  tile.return
}

// -----

// cas C1: `value` has the pointers' shape.
tile.func @swap_shape(%p: tensor<8x!tile.ptr<i32>>, %c: tensor<8xi32>, %x: i32) {
  // expected-error @below {{value has the pointers' shape and the pointee's type}}
  %0 = "tile.atomic_cas"(%p, %c, %x) <{sem = 0 : i32, scope = 1 : i32}>
    : (tensor<8x!tile.ptr<i32>>, tensor<8xi32>, i32) -> tensor<8xi32>
  tile.return
}

// -----

// cas C3: one flag for eight elements.
tile.func @swap_mask(%p: tensor<8x!tile.ptr<i32>>, %x: tensor<8xi32>, %m: i1) {
  // expected-error @below {{mask is a boolean of the pointers' shape}}
  %0 = "tile.atomic_cas"(%p, %x, %x, %m) <{sem = 0 : i32, scope = 1 : i32}>
    : (tensor<8x!tile.ptr<i32>>, tensor<8xi32>, tensor<8xi32>, i1) -> tensor<8xi32>
  tile.return
}

// -----

// cas C2: too narrow.
tile.func @compare_byte(%p: !tile.ptr<i8>, %x: i8) {
  // expected-error @below {{compares 16, 32 or 64 bits, got 'i8'}}
  %0 = tile.atomic_cas relaxed gpu %p, %x, %x : !tile.ptr<i8>
  tile.return
}

// -----

// cas C2: pointers are not compared; tile.ptr_to_int converts them.
tile.func @compare_pointer(%p: !tile.ptr<!tile.ptr<f32>>, %x: !tile.ptr<f32>) {
  // expected-error @below {{compares 16, 32 or 64 bits, got '!tile.ptr<f32>'}}
  %0 = tile.atomic_cas relaxed gpu %p, %x, %x : !tile.ptr<!tile.ptr<f32>>
  tile.return
}
