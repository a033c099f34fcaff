// RUN: tilewright-opt %s -split-input-file -convert-tile-to-vector -verify-diagnostics

// Calls must be inlined before.
tile.func private @f(%x: f32) -> f32 {
  tile.return %x : f32
}
tile.func @call(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel} {
  // expected-error @below {{cannot be compiled for the CPU}}
  %y = tile.call @f(%x) : (f32) -> f32
  tile.store %p, %y : !tile.ptr<f32>
  tile.return
}

// -----

// For a CPU, the front end writes scans as steps between pairs.
tile.func @scan(%t: i32, %p: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.splat %t : i32 -> tensor<8xi32>
  // expected-error @below {{cannot be compiled for the CPU}}
  %y = "tile.scan"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }) : (tensor<8xi32>) -> tensor<8xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  tile.store %ps, %y : tensor<8x!tile.ptr<i32>>
  tile.return
}

// -----

// expected-error @below {{has unstructured control flow}}
tile.func @branches(%c: i1) attributes {tile.kernel} {
  cf.cond_br %c, ^a, ^b
^a:
  tile.return
^b:
  tile.return
}

// -----

tile.func @rounding(%x: f32, %p: !tile.ptr<f16>) attributes {tile.kernel} {
  // expected-error @below {{rounds only to nearest on the CPU}}
  %y = arith.truncf %x downward : f32 to f16
  tile.store %p, %y : !tile.ptr<f16>
  tile.return
}

// -----

tile.func @type(%x: f32) attributes {tile.kernel} {
  // expected-error @below {{gives a value of type 'f128', which cannot be compiled for the CPU}}
  %y = arith.extf %x : f32 to f128
  tile.return
}

// -----

// expected-error @below {{has an argument of type 'f8E5M2FNUZ', which cannot be compiled for the CPU}}
tile.func @argument(%x: f8E5M2FNUZ) attributes {tile.kernel} {
  tile.return
}

// -----

// A dialect that no earlier stage leaves in the IR.
tile.func @foreign() attributes {tile.kernel} {
  // expected-error @below {{cannot be compiled for the CPU}}
  %0 = tensor.empty() : tensor<4xf32>
  tile.return
}

// -----

tile.func @data(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  // expected-error @below {{must hold its elements in the IR}}
  %0 = arith.constant dense_resource<blob> : tensor<2xi32>
  tile.return
}

// -----

tile.func @function(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel} {
  // expected-error @below {{cannot be compiled for the CPU}}
  %y = math.clampf %x to [%x, %x] : f32
  tile.store %p, %y : !tile.ptr<f32>
  tile.return
}

// -----

tile.func @assembly(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel} {
  // PTX is for GPUs.
  // expected-error @below {{inline assembly is for GPUs, the CPU cannot run it}}
  %0 = tile.inline_asm "neg.f32 $0, $1;" "=f,f" pack = 1 pure %x : (f32) -> f32
  tile.store %p, %0 : !tile.ptr<f32>
  tile.return
}
