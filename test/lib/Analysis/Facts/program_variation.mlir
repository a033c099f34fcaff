// RUN: tilewright-test-opt %s -pass-pipeline='builtin.module(tile.func(test-program-variation))' -verify-diagnostics -o /dev/null

// Rows and columns of the tiles of a matrix.
tile.func @quotients(%p: !tile.ptr<i32>, %n: i32) {
  %x = tile.program_id x
  // expected-remark@+1 {{often}}
  tile.store %p, %x : !tile.ptr<i32>
  %row = arith.divsi %x, %n : i32
  // expected-remark@+1 {{seldom}}
  tile.store %p, %row : !tile.ptr<i32>
  %column = arith.remsi %x, %n : i32
  // expected-remark@+1 {{often}}
  tile.store %p, %column : !tile.ptr<i32>
  %sum = arith.addi %row, %column : i32
  // expected-remark@+1 {{often}}
  tile.store %p, %sum : !tile.ptr<i32>
  // A quotient by a divisor that differs seldom differs seldom.
  %least = arith.minsi %row, %n : i32
  %within = arith.divsi %column, %least : i32
  // expected-remark@+1 {{seldom}}
  tile.store %p, %within : !tile.ptr<i32>
  %wild = arith.divsi %n, %x : i32
  // expected-remark@+1 {{often}}
  tile.store %p, %wild : !tile.ptr<i32>
  tile.return
}

tile.func @others(%p: !tile.ptr<i32>, %n: i32) {
  // expected-remark@+1 {{never}}
  tile.store %p, %n : !tile.ptr<i32>
  // Ids along the other axes of the grid are equal in a cluster.
  %y = tile.program_id y
  // expected-remark@+1 {{never}}
  tile.store %p, %y : !tile.ptr<i32>
  %count = tile.num_programs x
  // expected-remark@+1 {{never}}
  tile.store %p, %count : !tile.ptr<i32>
  %rank = warp.cluster_rank
  // expected-remark@+1 {{often}}
  tile.store %p, %rank : !tile.ptr<i32>
  %loaded = tile.load %p : !tile.ptr<i32>
  // expected-remark@+1 {{never}}
  tile.store %p, %loaded : !tile.ptr<i32>
  %volatile = tile.load %p volatile : !tile.ptr<i32>
  // expected-remark@+1 {{often}}
  tile.store %p, %volatile : !tile.ptr<i32>
  tile.return
}

// The program id may affect loop-carried values, or the trip count.
tile.func @loops(%p: !tile.ptr<i32>, %n: i32) {
  %x = tile.program_id x
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %same = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
    // expected-remark@+1 {{never}}
    tile.store %p, %i : !tile.ptr<i32>
    %next = arith.addi %sum, %i : i32
    scf.yield %next : i32
  }
  // expected-remark@+1 {{never}}
  tile.store %p, %same : !tile.ptr<i32>
  %carried = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
    // expected-remark@+1 {{often}}
    tile.store %p, %sum : !tile.ptr<i32>
    %next = arith.addi %sum, %x : i32
    scf.yield %next : i32
  }
  // expected-remark@+1 {{often}}
  tile.store %p, %carried : !tile.ptr<i32>
  %rounds = scf.for %i = %c0 to %x step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
    // In iterations that all programs execute, the values are equal.
    // expected-remark@+1 {{never}}
    tile.store %p, %sum : !tile.ptr<i32>
    %next = arith.addi %sum, %c1 : i32
    scf.yield %next : i32
  }
  // expected-remark@+1 {{often}}
  tile.store %p, %rounds : !tile.ptr<i32>
  tile.return
}

tile.func @branches(%p: !tile.ptr<i32>, %n: i32, %c: i1) {
  %x = tile.program_id x
  %isFirst = arith.cmpi eq, %x, %n : i32
  %same = scf.if %c -> i32 {
    scf.yield %n : i32
  } else {
    scf.yield %n : i32
  }
  // expected-remark@+1 {{never}}
  tile.store %p, %same : !tile.ptr<i32>
  %chosen = scf.if %isFirst -> i32 {
    scf.yield %n : i32
  } else {
    scf.yield %n : i32
  }
  // expected-remark@+1 {{often}}
  tile.store %p, %chosen : !tile.ptr<i32>
  tile.return
}
