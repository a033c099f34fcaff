// RUN: tilewright-test-opt %s -pass-pipeline='builtin.module(tile.func(test-written-arguments))' -verify-diagnostics -o /dev/null

// expected-remark@below {{writes: 1}}
tile.func @copy(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) {
  %i = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ins = tile.splat %in : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %sources = tile.addptr %ins, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %targets = tile.addptr %outs, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %sources : tensor<64x!tile.ptr<f32>>
  tile.store %targets, %x : tensor<64x!tile.ptr<f32>>
  tile.return
}

// Loop-carried pointers are traced separately.
// expected-remark@below {{writes: 1}}
tile.func @loop(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ends:2 = scf.for %i = %zero to %n step %one
      iter_args(%source = %in, %target = %out) -> (!tile.ptr<f32>, !tile.ptr<f32>) : i32 {
    %here = tile.addptr %target, %i : !tile.ptr<f32>, i32
    %x = tile.load %source : !tile.ptr<f32>
    tile.store %here, %x : !tile.ptr<f32>
    %next = tile.addptr %source, %one : !tile.ptr<f32>, i32
    %after = tile.addptr %target, %one : !tile.ptr<f32>, i32
    scf.yield %next, %after : !tile.ptr<f32>, !tile.ptr<f32>
  }
  tile.return
}

// A select may be either operand.
// expected-remark@below {{writes: 0 1}}
tile.func @choice(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %which: i1, %x: f32) {
  %chosen = arith.select %which, %a, %b : !tile.ptr<f32>
  tile.store %chosen, %x : !tile.ptr<f32>
  tile.return
}

// An address may be converted to an integer.
// expected-remark@below {{writes: 0}}
tile.func @integer(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %n: i64, %x: f32) {
  %address = tile.ptr_to_int %a : !tile.ptr<f32> -> i64
  %moved = arith.addi %address, %n : i64
  %pointer = tile.int_to_ptr %moved : i64 -> !tile.ptr<f32>
  tile.store %pointer, %x : !tile.ptr<f32>
  tile.return
}

// Atomic operations write. Their results come from no argument.
// expected-remark@below {{writes: 0}}
tile.func @atomic(%a: !tile.ptr<i32>, %b: !tile.ptr<i32>, %x: i32) {
  %old = tile.atomic_rmw add relaxed gpu %a, %x : !tile.ptr<i32>
  %pointer = tile.addptr %b, %old : !tile.ptr<i32>, i32
  %y = tile.load %pointer : !tile.ptr<i32>
  tile.return
}

// expected-remark@below {{writes: 0}}
tile.func private @callee(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %x: f32) {
  tile.store %p, %x : !tile.ptr<f32>
  tile.return
}

// A call may write through all its operands.
// expected-remark@below {{writes: 1 2}}
tile.func @caller(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: !tile.ptr<f32>, %x: f32) {
  tile.call @callee(%b, %c, %x) : (!tile.ptr<f32>, !tile.ptr<f32>, f32) -> ()
  tile.return
}
