// RUN: tilewright-opt -split-input-file -verify-diagnostics %s

// func C1: a kernel returns no results.
// expected-error @below {{is a kernel and must return nothing, returns 'f32'}}
tile.func @results(%x: f32) -> f32 attributes {tile.kernel} {
  tile.return %x : f32
}

// -----

// func C2: a host cannot pass a tile.
// expected-error @below {{is a kernel and takes scalars only, argument 1 has type 'tensor<8xf32>'}}
tile.func @tile_argument(%n: i32, %x: tensor<8xf32>) attributes {tile.kernel} {
  tile.return
}

// -----

// func C3: nothing is linked in later.
// expected-error @below {{has no body}}
tile.func private @external(i32)

// -----

// return C1: fewer values than declared.
tile.func @return_nothing(%x: f32) -> f32 {
  // expected-error @below {{returns () but 'return_nothing' is declared to return ('f32')}}
  tile.return
}

// -----

// return C1: another type than declared.
tile.func @return_other(%x: f32) -> i32 {
  // expected-error @below {{returns ('f32') but 'return_other' is declared to return ('i32')}}
  tile.return %x : f32
}

// -----

// tile.return ends a function, not a loop's body.
tile.func @return_in_loop(%n: i32) {
  "scf.for"(%n, %n, %n) ({
  ^bb0(%i: i32):
    // expected-error @below {{expects parent op 'tile.func'}}
    tile.return
  }) : (i32, i32, i32) -> ()
  tile.return
}

// -----

// call C1: no function of that name.
tile.func @unknown_callee() {
  // expected-error @below {{calls 'nowhere', which is not a tile.func}}
  tile.call @nowhere() : () -> ()
  tile.return
}

// -----

// call C1: a function of another dialect.
func.func private @foreign()
tile.func @foreign_callee() {
  // expected-error @below {{calls 'foreign', which is not a tile.func}}
  tile.call @foreign() : () -> ()
  tile.return
}

// -----

// call C1: kernels are launched, not called.
tile.func @kernel() attributes {tile.kernel} { tile.return }
tile.func @calls_kernel() {
  // expected-error @below {{calls 'kernel', which is a kernel}}
  tile.call @kernel() : () -> ()
  tile.return
}

// -----

// call C2: operand types.
// expected-note @below {{the callee is declared as '(i32) -> ()'}}
tile.func @takes_int(%x: i32) { tile.return }
tile.func @wrong_operand(%x: f32) {
  // expected-error @below {{has type ('f32') -> ()}}
  tile.call @takes_int(%x) : (f32) -> ()
  tile.return
}

// -----

// call C2: result types.
// expected-note @below {{the callee is declared as '(i32) -> i32'}}
tile.func @gives_int(%x: i32) -> i32 { tile.return %x : i32 }
tile.func @wrong_result(%x: i32) {
  // expected-error @below {{has type ('i32') -> ('i64')}}
  %0 = tile.call @gives_int(%x) : (i32) -> i64
  tile.return
}

// -----

// An unknown attribute of the dialect is an error, not a hint.
// expected-error @below {{unknown attribute 'tile.kernal'}}
tile.func @misspelt() attributes {tile.kernal} { tile.return }

// -----

// tile.kernel marks functions of this dialect.
// expected-error @below {{'tile.kernel' belongs on tile.func}}
func.func private @not_ours() attributes {tile.kernel}

// -----

// tile.kernel takes no value.
// expected-error @below {{'tile.kernel' takes no value}}
tile.func @valued() attributes {tile.kernel = 1 : i32} { tile.return }

// -----

// An i32 is not an array.
// expected-error @below {{'tile.constant' takes no value and belongs on a pointer, which argument 0 is not}}
tile.func @constant_number(%n: i32 {tile.constant}) { tile.return }

// -----

// expected-error @below {{'tile.constant' takes no value and belongs on a pointer, which argument 0 is not}}
tile.func @constant_value(%p: !tile.ptr<f32> {tile.constant = 1 : i32}) { tile.return }

// -----

// No other argument attribute exists.
// expected-error @below {{unknown attribute 'tile.alignment' on argument 1}}
tile.func @unknown_argument_attribute(%n: i32, %p: !tile.ptr<f32> {tile.alignment = 16 : i32}) { tile.return }

// -----

// Divisibility is a power of two.
// expected-error @below {{'tile.divisibility' of argument 0 must be a power of two of type i32, got 12 : i32}}
tile.func @not_a_power(%p: !tile.ptr<f32> {tile.divisibility = 12 : i32}) { tile.return }

// -----

// Zero divides nothing.
// expected-error @below {{'tile.divisibility' of argument 0 must be a power of two of type i32, got 0 : i32}}
tile.func @zero(%p: !tile.ptr<f32> {tile.divisibility = 0 : i32}) { tile.return }

// -----

// Divisibility is an i32.
// expected-error @below {{'tile.divisibility' of argument 0 must be a power of two of type i32, got 16 : i64}}
tile.func @wide(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}) { tile.return }
