// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// The type.

// expected-error@+1 {{an array has one to five dimensions, got 6}}
tile.func private @rank(!tile.desc<1x1x1x1x1x8xf16>)

// -----

// expected-error@+1 {{a block needs extents of at least 1, got 0}}
tile.func private @extent(!tile.desc<0x8xf16>)

// -----

// expected-error@+1 {{an array holds integers or floats, got '!tile.ptr<f16>'}}
tile.func private @element(!tile.desc<8x!tile.ptr<f16>>)

// -----

// tile.make_descriptor.

tile.func @make_c1(%p: !tile.ptr<f16>, %n: i64) {
  // expected-error@+1 {{needs 2 sizes and 1 strides, got 1 and 1}}
  %d = tile.make_descriptor %p, [%n], [%n] : !tile.desc<8x16xf16>, !tile.ptr<f16>
  tile.return
}

// -----

tile.func @make_c2(%p: !tile.ptr<f32>, %n: i64) {
  // expected-error@+1 {{describes an array of 'f16' but the base is '!tile.ptr<f32>'}}
  %d = tile.make_descriptor %p, [%n], [] : !tile.desc<16xf16>, !tile.ptr<f32>
  tile.return
}

// -----

tile.func @make_c3(%p: !tile.ptr<i8>, %n: i64) {
  // expected-error@+1 {{pads with NaN an array of 'i8'}}
  %d = tile.make_descriptor %p, [%n], [] padding = nan : !tile.desc<16xi8>, !tile.ptr<i8>
  tile.return
}

// -----

// Blocks.

tile.func @load_c1(%d: !tile.desc<8x16xf16>, %i: i32) {
  // expected-error@+1 {{needs 2 offsets, got 1}}
  %x = tile.descriptor_load %d[%i] : !tile.desc<8x16xf16> -> tensor<8x16xf16>
  tile.return
}

// -----

tile.func @load_c2(%d: !tile.desc<8x16xf16>, %i: i32) {
  // expected-error@+1 {{copies blocks of 'tensor<8x16xf16>', got 'tensor<16x8xf16>'}}
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<8x16xf16> -> tensor<16x8xf16>
  tile.return
}

// -----

tile.func @store_c1(%d: !tile.desc<16xf16>, %i: i32, %x: tensor<16xf16>) {
  // expected-error@+1 {{needs 1 offsets, got 2}}
  tile.descriptor_store %d[%i, %i], %x : !tile.desc<16xf16>, tensor<16xf16>
  tile.return
}

// -----

tile.func @store_c2(%d: !tile.desc<16xf16>, %i: i32, %x: tensor<16xf32>) {
  // expected-error@+1 {{copies blocks of 'tensor<16xf16>', got 'tensor<16xf32>'}}
  tile.descriptor_store %d[%i], %x : !tile.desc<16xf16>, tensor<16xf32>
  tile.return
}

// -----

tile.func @reduce_c3_exchange(%d: !tile.desc<16xi32>, %i: i32, %x: tensor<16xi32>) {
  // expected-error@+1 {{cannot reduce with 'xchg'; use a store without a reduction}}
  tile.descriptor_store %d[%i], %x reduce xchg : !tile.desc<16xi32>, tensor<16xi32>
  tile.return
}

// -----

tile.func @reduce_c3_kind(%d: !tile.desc<16xi32>, %i: i32, %x: tensor<16xi32>) {
  // expected-error@+1 {{'fadd' does not take 'i32'}}
  tile.descriptor_store %d[%i], %x reduce fadd : !tile.desc<16xi32>, tensor<16xi32>
  tile.return
}

// -----

tile.func @reduce_c3_width(%d: !tile.desc<16xi16>, %i: i32, %x: tensor<16xi16>) {
  // expected-error@+1 {{'max' takes 32 or 64 bits, got 'i16'}}
  tile.descriptor_store %d[%i], %x reduce max : !tile.desc<16xi16>, tensor<16xi16>
  tile.return
}
