// RUN: tilewright-opt -split-input-file -verify-diagnostics %s

// C1: nothing comes out.
tile.func @nothing(%x: tensor<8xf32>) {
  // expected-error @below {{needs at least one result}}
  tile.inline_asm "nop;" "f" pack = 1 %x : (tensor<8xf32>) -> ()
  tile.return
}

// -----

// C1: two shapes.
tile.func @shapes(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{has operands and results of one shape, got 'tensor<4xf32>' and 'tensor<8xf32>'}}
  %0 = tile.inline_asm "" "=f,f,f" pack = 1 %x, %y : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32>
  tile.return
}

// -----

// C1: a scalar and a tile.
tile.func @scalar(%x: f32) {
  // expected-error @below {{has operands and results of one shape, got 'f32' and 'tensor<8xf32>'}}
  %0 = tile.inline_asm "" "=f,f" pack = 1 %x : (f32) -> tensor<8xf32>
  tile.return
}

// -----

// C1: no register holds a condition.
tile.func @bool(%x: i1) {
  // expected-error @below {{works on numbers of 8 bits or more, got 'i1'}}
  %0 = tile.inline_asm "" "=r,r" pack = 1 %x : (i1) -> i32
  tile.return
}

// -----

// C1: what comes out is no pointer.
tile.func @pointer(%x: i64) {
  // expected-error @below {{works on numbers of 8 bits or more, got '!tile.ptr<f32>'}}
  %0 = tile.inline_asm "" "=l,l" pack = 1 %x : (i64) -> !tile.ptr<f32>
  tile.return
}

// -----

// C2: three bytes fill no register.
tile.func @pack(%x: i8) {
  // expected-error @below {{packs a power of two up to 32 elements, got 3}}
  %0 = tile.inline_asm "" "=r,r" pack = 3 %x : (i8) -> i8
  tile.return
}

// -----

// C3: no such letter.
tile.func @letter(%x: i32) {
  // expected-error @below {{has constraints with 'q'; they are '=' and a letter of h, r, f, l and d}}
  %0 = tile.inline_asm "" "=r,q" pack = 1 %x : (i32) -> i32
  tile.return
}

// -----

// C3: results come first.
tile.func @order(%x: i32) {
  // expected-error @below {{has constraints with '=r'}}
  %0 = tile.inline_asm "" "r,=r" pack = 1 %x : (i32) -> i32
  tile.return
}

// -----

// C3: there is no result 1.
tile.func @tied(%x: i32) {
  // expected-error @below {{has constraints with '1'}}
  %0 = tile.inline_asm "" "=r,1" pack = 1 %x : (i32) -> i32
  tile.return
}

// -----

// C3: a double needs 64 bits.
tile.func @width(%x: f64) {
  // expected-error @below {{needs input registers for 1 x 'f64', the constraints '=r,r' have none that fit}}
  %0 = tile.inline_asm "" "=r,r" pack = 1 %x : (f64) -> i32
  tile.return
}

// -----

// C3: four floats take four registers.
tile.func @too_few(%x: f32) {
  // expected-error @below {{needs input registers for 4 x 'f32', the constraints '=r,f,f' have none that fit}}
  %0 = tile.inline_asm "" "=r,f,f" pack = 4 %x : (f32) -> i8
  tile.return
}

// -----

// C3: a register that is nobody's.
tile.func @too_many(%x: f32) {
  // expected-error @below {{uses 1 output registers, the constraints name 2}}
  %0 = tile.inline_asm "" "=r,=r,f" pack = 1 %x : (f32) -> i32
  tile.return
}

// -----

// C4: register 2 of two.
tile.func @number(%x: f32) {
  // expected-error @below {{has a '$' in its text that is not followed by a register number below 2}}
  %0 = tile.inline_asm "mov.b32 $0, $2;" "=f,f" pack = 1 %x : (f32) -> f32
  tile.return
}

// -----

// C4: a name is no number.
tile.func @name(%x: f32) {
  // expected-error @below {{has a '$' in its text that is not followed by a register number below 2}}
  %0 = tile.inline_asm "mov.b32 $x, 1;" "=f,f" pack = 1 %x : (f32) -> f32
  tile.return
}

// -----

// C4: braces close.
tile.func @braces(%x: f32) {
  // expected-error @below {{has a '$' in its text that is not followed by a register number below 2}}
  %0 = tile.inline_asm "mov.b32 ${0, ${1};" "=f,f" pack = 1 %x : (f32) -> f32
  tile.return
}
