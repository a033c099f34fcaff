// RUN: tilewright-opt %s -remark-format=emitRemark -remarks-filter-missed=.* -split-input-file -verify-diagnostics \
// RUN:   -tile-gpu-select-tma='num-warps=4 compute-capability=90 arch-specific=true' | FileCheck %s
// RUN: tilewright-opt %s -split-input-file \
// RUN:   -tile-gpu-select-tma='num-warps=4 compute-capability=90' | FileCheck %s --check-prefix=OTHER

// OTHER-NOT: tile.descriptor_

// Producers run ahead of the other threads. They do not load memory that others may write meanwhile, unless the
// threads forward what they learnt.

// Other programs may write the loaded memory until the atomic has run, so the producer waits for it.
// CHECK-LABEL: @atomic
// CHECK: tile.descriptor_load
tile.func @atomic(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32},
                  %i: i32 {tile.divisibility = 8 : i32}, %flag: !tile.ptr<i32>, %out: !tile.ptr<i32>, %dest: !tile.ptr<f16>) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %old = tile.atomic_rmw add acquire gpu %flag, %one : !tile.ptr<i32>
  tile.store %out, %old : !tile.ptr<i32>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %o = tile.splat %dest : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  tile.store %o, %h : tensor<64x64x!tile.ptr<f16>>
  tile.return
}

// -----

// The atomic itself changes the loaded memory.
// CHECK-LABEL: @own
// CHECK-NOT: tile.descriptor_load
tile.func @own(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32},
                  %i: i32 {tile.divisibility = 8 : i32}, %flag: !tile.ptr<i32>, %dest: !tile.ptr<f16>) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %words = tile.bitcast %a : !tile.ptr<f16> -> !tile.ptr<i32>
  // expected-remark@+1 {{not copied by the tensor memory accelerator: it may write memory that is loaded later}}
  %old = tile.atomic_rmw add relaxed gpu %words, %one : !tile.ptr<i32>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %o = tile.splat %dest : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  tile.store %o, %h : tensor<64x64x!tile.ptr<f16>>
  tile.return
}

// -----

// Atomics of many threads are not forwarded.
// CHECK-LABEL: @tile_of_atomics
// CHECK-NOT: tile.descriptor_load
tile.func @tile_of_atomics(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32},
                  %i: i32 {tile.divisibility = 8 : i32}, %flag: !tile.ptr<i32>, %out: !tile.ptr<i32>, %dest: !tile.ptr<f16>) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %flags = tile.splat %flag : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %ones = arith.constant dense<1> : tensor<64xi32>
  // expected-remark@+1 {{not copied by the tensor memory accelerator: an atomic operation comes before a load}}
  %old = tile.atomic_rmw add acquire gpu %flags, %ones : tensor<64x!tile.ptr<i32>>
  %outs = tile.splat %out : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  tile.store %outs, %old : tensor<64x!tile.ptr<i32>>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %o = tile.splat %dest : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  tile.store %o, %h : tensor<64x64x!tile.ptr<f16>>
  tile.return
}

// -----

// A volatile load may be one that waits for other programs.
// CHECK-LABEL: @volatile_flag
// CHECK-NOT: tile.descriptor_load
tile.func @volatile_flag(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32},
                  %i: i32 {tile.divisibility = 8 : i32}, %flag: !tile.ptr<i32>, %dest: !tile.ptr<f16>) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %c0 = arith.constant 0 : i32
  scf.while : () -> () {
    // expected-remark@+1 {{not copied by the tensor memory accelerator: a volatile load, which may be a flag, comes before a load}}
    %set = tile.load %flag volatile : !tile.ptr<i32>
    %waits = arith.cmpi eq, %set, %c0 : i32
    scf.condition(%waits)
  } do {
    scf.yield
  }
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %o = tile.splat %dest : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  tile.store %o, %h : tensor<64x64x!tile.ptr<f16>>
  tile.return
}

// -----

// Relaxed atomics, which acquire nothing, tell nothing.
// CHECK-LABEL: @relaxed
// CHECK: tile.descriptor_load
tile.func @relaxed(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32},
                  %i: i32 {tile.divisibility = 8 : i32}, %flag: !tile.ptr<i32>, %out: !tile.ptr<i32>, %dest: !tile.ptr<f16>) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %flags = tile.splat %flag : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %ones = arith.constant dense<1> : tensor<64xi32>
  %old = tile.atomic_rmw add release gpu %flags, %ones : tensor<64x!tile.ptr<i32>>
  %outs = tile.splat %out : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  tile.store %outs, %old : tensor<64x!tile.ptr<i32>>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %o = tile.splat %dest : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  tile.store %o, %h : tensor<64x64x!tile.ptr<f16>>
  tile.return
}

// -----

// A value that the condition of a loop reads is not forwarded.
// CHECK-LABEL: @spin
// CHECK-NOT: tile.descriptor_load
tile.func @spin(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32},
                  %i: i32 {tile.divisibility = 8 : i32}, %flag: !tile.ptr<i32>, %dest: !tile.ptr<f16>) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  scf.while : () -> () {
    // expected-remark@+1 {{not copied by the tensor memory accelerator: an atomic operation comes before a load}}
    %old = tile.atomic_cas acquire gpu %flag, %one, %one : !tile.ptr<i32>
    %go = arith.cmpi ne, %old, %one : i32
    scf.condition(%go)
  } do {
    scf.yield
  }
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %o = tile.splat %dest : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  tile.store %o, %h : tensor<64x64x!tile.ptr<f16>>
  tile.return
}

// -----

// If each load needs an atomic, nothing could be prefetched.
// CHECK-LABEL: @each
// CHECK-NOT: tile.descriptor_load
tile.func @each(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32},
                  %i: i32 {tile.divisibility = 8 : i32}, %flag: !tile.ptr<i32>, %dest: !tile.ptr<f32>) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %sum = scf.for %k = %c0 to %n step %one iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    // expected-remark@+1 {{not copied by the tensor memory accelerator: the address of a load depends on an atomic operation}}
    %old = tile.atomic_rmw add relaxed gpu %flag, %one : !tile.ptr<i32>
    %at = arith.muli %old, %c64 : i32
    %x = tile.descriptor_load %d[%i, %at] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %z = tile.dot %x, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  %o = tile.splat %dest : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %o, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// Constant memory is never written, whatever the atomic tells.
// CHECK-LABEL: @constant
// CHECK: tile.descriptor_load
tile.func @constant(%a: !tile.ptr<f16> {tile.constant, tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32},
                  %i: i32 {tile.divisibility = 8 : i32}, %flag: !tile.ptr<i32>, %out: !tile.ptr<f16>) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %one = arith.constant 1 : i32
  %old = tile.atomic_rmw add acquire gpu %flag, %one : !tile.ptr<i32>
  tile.store %flag, %old : !tile.ptr<i32>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  %o = tile.splat %out : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  tile.store %o, %h : tensor<64x64x!tile.ptr<f16>>
  tile.return
}

// -----

// An atomic without users tells the program nothing.
// CHECK-LABEL: @told
// CHECK: tile.descriptor_load
tile.func @told(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32},
                %i: i32 {tile.divisibility = 8 : i32}, %flag: !tile.ptr<i32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %one = arith.constant 1 : i32
  %old = tile.atomic_rmw add acquire gpu %flag, %one : !tile.ptr<i32>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %outs, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// The producer would run ahead of the store.
// CHECK-LABEL: @written
// CHECK-NOT: tile.descriptor_load
tile.func @written(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32},
                  %i: i32 {tile.divisibility = 8 : i32}, %flag: !tile.ptr<i32>) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %h0 = arith.constant dense<0.0> : tensor<64x64xf16>
  // expected-remark@+1 {{not copied by the tensor memory accelerator: it may write memory that is loaded later}}
  tile.descriptor_store %d[%i, %i], %h0 : !tile.desc<64x64xf16>, tensor<64x64xf16>
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  tile.descriptor_store %d[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.return
}

// -----

// The address of a load may come from memory that the kernel does not write.
// CHECK-LABEL: @looked_up
// CHECK: tile.load
// CHECK: tile.descriptor_load
tile.func @looked_up(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                     %n: i32 {tile.divisibility = 16 : i32}, %offsets: !tile.ptr<i32>, %p: i32) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %c, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %q = tile.addptr %offsets, %p : !tile.ptr<i32>, i32
  %row = tile.load %q : !tile.ptr<i32>
  %eight = arith.constant 8 : i32
  %i = arith.muli %row, %eight : i32
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  tile.descriptor_store %e[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.return
}

// -----

// Other programs may write the offset.
// CHECK-LABEL: @looked_up_in_what_is_written
// CHECK-NOT: tile.descriptor_load
tile.func @looked_up_in_what_is_written(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32},
    %n: i32 {tile.divisibility = 16 : i32}, %offsets: !tile.ptr<i32>, %p: i32) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %q = tile.addptr %offsets, %p : !tile.ptr<i32>, i32
  // expected-remark@+1 {{the address of a load depends on memory that the kernel may write}}
  %row = tile.load %q : !tile.ptr<i32>
  %eight = arith.constant 8 : i32
  %i = arith.muli %row, %eight : i32
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %offsets, %p : !tile.ptr<i32>
  %h = arith.truncf %z : tensor<64x64xf32> to tensor<64x64xf16>
  tile.descriptor_store %d[%i, %i], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.return
}

// -----

// A producer can run loads and waits for other kernels in loops that may end early, but not in a choice of many.
// CHECK-LABEL: @wait_in_loop
// CHECK: tile.descriptor_load
// CHECK-LABEL: @wait_in_switch
// CHECK-NOT: tile.descriptor_load
tile.func @wait_in_loop(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32},
                        %go: i1, %c: !tile.ptr<f32>) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  scf.while : () -> () {
    scf.condition(%go)
  } do {
    tile.launch_wait
    scf.yield
  }
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %x = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %p, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
tile.func @wait_in_switch(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32},
                          %which: index, %c: !tile.ptr<f32>) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-remark@+1 {{not copied by the tensor memory accelerator: a load or a wait for other kernels is in a region that a producer does not run}}
  scf.index_switch %which
  case 0 {
    tile.launch_wait
    scf.yield
  }
  default {
  }
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %x = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %p, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// A producer without loads in the loop has nothing to prefetch.

// CHECK-LABEL: @outside_loop
// CHECK-NOT: tile.descriptor_load
tile.func @outside_loop(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32},
                  %p: tensor<64x64x!tile.ptr<f16>>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  // expected-remark@+1 {{not copied by the tensor memory accelerator: it is outside of the loops that compute dots}}
  %x = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %y = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %z = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  tile.return %sum : tensor<64x64xf32>
}
