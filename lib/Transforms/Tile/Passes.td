// Passes from `tile` to `tile`: no thread, no layout, no target.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_TILE_PASSES
#define TILEWRIGHT_LIB_TRANSFORMS_TILE_PASSES

include "mlir/Pass/PassBase.td"

def TileInternalize : Pass<"tile-internalize", "::mlir::ModuleOp"> {
  let summary = "make functions that are not kernels private";
  let description = [{
    A function that is not a kernel is not needed once its calls are inlined.
    Being private, it is removed by `symbol-dce`.

    Input: any module of `tile.func`. Output: the same with private functions,
    none of which reaches itself through calls.

    ```mlir
    tile.func @gelu(%x: f32) -> f32          // before
    tile.func private @gelu(%x: f32) -> f32  // after
    ```

    Refused: recursion, which can not be inlined and needs a stack that a
    program does not have.
  }];
}

def TileCombine : Pass<"tile-combine", "::mlir::ModuleOp"> {
  let summary = "move work from tiles to scalars and additions into dots";
  let description = [{
    - Changing the shape of a `tile.splat` is a splat of the new shape.
    - An elementwise operation on splats is a splat of the scalar operation,
      computed once instead of by every element.
    - An addend of a dot whose accumulator is zero becomes the accumulator.
    - The step `step < 0 ? -step : step` of a loop becomes `step` if that is known
      not to be negative, as the number of programs.
    - `x - x / y * y` is `x % y`.

    Input and output: any `tile` module.

    ```mlir
    %a = tile.splat %x : i32 -> tensor<64xi32>       // before
    %b = tile.splat %y : i32 -> tensor<64xi32>
    %c = arith.addi %a, %b : tensor<64xi32>

    %s = arith.addi %x, %y : i32                     // after
    %c = tile.splat %s : i32 -> tensor<64xi32>
    ```

    Left alone: additions to a dot that has other uses, as it would be computed
    twice; additions to dots of 8-bit floats, which tensor cores accumulate with
    less precision than float32.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileAttachPointerHints : Pass<"tile-attach-pointer-hints", "::mlir::ModuleOp"> {
  let summary = "attach promises about carried pointers to accesses";
  let description = [{
    The front end writes a promise about pointers that a loop carries as an
    addition of zero. Loads and stores after the addition use its result. All
    other users keep the original pointers.

    Input: any `tile` module, as the front end writes it. Output: the same
    accesses.

    ```mlir
    %q = tile.addptr %p, %zero {tile.divisibility = array<i32: 16>}
    %x = tile.load %p                                              // before
    %x = tile.load %q                                              // after
    ```
  }];
}

def TileRecomputeCarried : Pass<"tile-recompute-carried", "::mlir::ModuleOp"> {
  let summary = "recompute loop-carried tiles from other loop-carried values";
  let description = [{
    A loop may carry a tile of integers, bits or pointers that is a function of
    other carried values. If the initial tile is that function of the initial
    values, and the yielded tile that function of the yielded values, each
    iteration computes the tile from the region arguments. Analyses then see that
    a mask which is updated at the end of an iteration compares indices.

    Input and output: any `tile` module.

    ```mlir
    %m0 = arith.cmpi slt, %k0, %size                                 // before
    scf.for ... iter_args(%k = %k0, %m = %m0) {
      "use"(%m)
      %next = arith.addi %k, %step
      %more = arith.cmpi slt, %next, %size
      scf.yield %next, %more

    scf.for ... iter_args(%k = %k0) {                                // after
      %m = arith.cmpi slt, %k, %size
      "use"(%m)
      %next = arith.addi %k, %step
      scf.yield %next
    ```

    Left alone: tiles that are used after the loop; computations that read
    memory; floats.
  }];
}

def TileUnifyCounters : Pass<"tile-unify-counters", "::mlir::ModuleOp"> {
  let summary = "replace loop-carried values by the loop's counter";
  let description = [{
    A carried number to which a loop adds its step is at a fixed distance from the
    counter. If the distance is a constant, before or after the step, the users of
    the number use the counter plus the constant. `cse` then merges equal
    computations.

    Input and output: any `tile` module.

    ```mlir
    %s = arith.subi %first, %n : i32                             // before
    scf.for %i = %first to %end step %n iter_args(%j = %s) {
      %next = arith.addi %j, %n : i32
      "use"(%next)
      scf.yield %next

    scf.for %i = %first to %end step %n {                        // after
      "use"(%i)
    ```

    A loop that counts from zero in steps of one may carry a tile of indices to
    which it adds a scalar. If the indices are used along both axes of tiles, they
    are computed from the counter as well. A carried tile has one layout and would
    go through shared memory for the other axis.

    ```mlir
    scf.for %i = %c0 to %end step %c1 iter_args(%k = %first) {   // before
      "use"(%k)
      %next = arith.addi %k, %each

    scf.for %i = %c0 to %end step %c1 {                          // after
      %distance = arith.muli %i, %step
      %more = tile.splat %distance
      %k = arith.addi %first, %more
      "use"(%k)
    ```

    Left alone: numbers of another type than the counter; distances that are not
    constants; indices that are used along one axis, or after the loop.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tile::TileDialect"];
}

def TileUnrollLoops : Pass<"tile-unroll-loops", "::mlir::ModuleOp"> {
  let summary = "unroll the loops that ask for it";
  let description = [{
    A loop with `tile.loop_unroll_factor` becomes a loop over groups of so many
    iterations and a loop over the remaining ones. The order stays the same, so no
    result changes.

    Input: any `tile` module. Output: the same without `tile.loop_unroll_factor`.

    ```mlir
    scf.for %i = %first to %end step %c1 {           // before
      "use"(%i)
    } {tile.loop_unroll_factor = 2 : i32}

    scf.for %i = %first to %middle step %c2 {        // after
      "use"(%i)
      %j = arith.addi %i, %c1
      "use"(%j)
    }
    scf.for %i = %middle to %end step %c1 {
      "use"(%i)
    }
    ```

    Left alone, with a remark: loops with dots, whose iterations overlap in rings; steps that are not constants; bodies that would be too large; the
    warp-level language.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileHoistInvariants : Pass<"tile-hoist-invariants", "::mlir::ModuleOp"> {
  let summary = "hoist loop-invariant code";
  let description = [{
    Loop-invariant code motion, but not out of loops with `tile.disable_licm`,
    which saves registers.

    Input and output: any module.

    ```mlir
    scf.for %i = %c0 to %n step %c1 {      // before
      %square = arith.muli %n, %n

    %square = arith.muli %n, %n            // after
    scf.for %i = %c0 to %n step %c1 {
    ```
  }];
}

def TileSpeculateLoads : Pass<"tile-speculate-loads", "::mlir::ModuleOp"> {
  let summary = "start loads of a branch while its condition is loaded";
  let description = [{
    A branch on a loaded value waits for the load, and the loads of the branch
    wait for it. They are hoisted before the branch, so that the latencies overlap.
    That is valid if the program writes to the same pointers under the same mask
    after the branch, whether it is taken or not. A value that is loaded in vain is
    not used.

    Input and output: any `tile` module.

    ```mlir
    %count = tile.load %c                          // before
    %first = arith.cmpi eq, %count, %zero
    %sum = scf.if %first { scf.yield %x }
           else { %y = tile.load %p, %mask ... }
    tile.store %p, %sum, %mask

    %count = tile.load %c                          // after
    %first = arith.cmpi eq, %count, %zero
    %y = tile.load %p, %mask
    %sum = scf.if %first ...
    ```

    Left alone: volatile loads; loads after writes of the branch; branches on
    values that are not loaded, where hoisting gains nothing.
  }];
}

def TileExpandDescriptors : Pass<"tile-expand-descriptors", "::mlir::ModuleOp"> {
  let summary = "read and write blocks of arrays through pointers";
  let description = [{
    Descriptor accesses become accesses per element. The pointers are computed
    from base and strides, the masks from the sizes.

    Input: any `tile` module. Output: no op on a descriptor is left but unused
    `tile.make_descriptor`.

    ```mlir
    %a = tile.descriptor_load %d[%i] : !tile.desc<128xf32>     // before

    %p = tile.addptr %bases, %index                             // after
    %a = tile.load %p, %inside, %padding
    ```

    Refused: a descriptor that is not made in the function.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileGuardDivisions : Pass<"tile-guard-divisions"> {
  let summary = "gives every division of integers a result";
  let description = [{
    Purpose: a CPU traps on a division by zero and on the least number divided by
    -1. LLVM assumes that neither happens and removes dependent code. In kernels
    both happen in lanes whose results are not used. The pass runs late, as it
    hides divisors from analyses.

    Input: integer divisions and remainders of scalars, vectors or tiles.

    Output: the same ops, which divide by 1 in these two cases.

    ```mlir
    // before
    %q = arith.divui %x, %y : vector<8xi32>
    // after
    %none = arith.cmpi eq, %y, %c0 : vector<8xi32>
    %s = arith.select %none, %c1, %y : vector<8xi1>, vector<8xi32>
    %q = arith.divui %x, %s : vector<8xi32>
    ```

    Leaves alone: divisors that are constants other than these.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileDropWraparound : Pass<"tile-drop-wraparound", "::mlir::ModuleOp"> {
  let summary = "bound indices that wrap around instead of reading elements twice";
  let description = [{
    For indices that may reach past the end of an array, kernels write
    `(first + i) % size`, or 0 where `first + i < size` does not hold. All
    addresses are then valid, and stores leave the extra elements out. If no
    store uses an element past the end, the index becomes `first + i` and its
    loads are masked by `first + i < size`. That requires for every load through
    the index:
    1. Values computed from an element past the end stay in its row or column.
    2. The mask of every store leaves them out.

    Input: any `tile` module. Output: the same values are stored.

    ```mlir
    %r = arith.remsi %i, %size                     // before
    %x = tile.load %p, %mask       // p at %r

    %in = arith.cmpi slt, %i, %size                // after
    %x = tile.load %p, %mask_and_in  // p at %i
    ```

    Left alone: indices with other uses than loads; loads whose elements are
    reduced along the index, stored without the bound, or used by anything but
    elementwise ops, dots, reductions along other axes and loops.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tile::TileDialect"];
}

def TileNarrowLoads : Pass<"tile-narrow-loads", "::mlir::ModuleOp"> {
  let summary = "load an element once for neighbouring indices";
  let description = [{
    The addresses of a load along a dimension may be equal in groups, as in
    `p + n // 128` for 128 neighbours in n. Only the first element of each group is
    then loaded, and repeated. If the mask is true for any index of a group it must
    be true for the first; upper bounds of indices are.

    Input: any `tile` module. Output: the same values.

    ```mlir
    %x = tile.load %p, %m : tensor<128x!tile.ptr<f32>>      // before

    %first = tile.load %p0, %m0 : tensor<1x!tile.ptr<f32>>  // after
    %x = tile.broadcast %first : tensor<1xf32> -> tensor<128xf32>
    ```

    Left alone: volatile loads; tiles of rank 1 with more than one group; addresses
    that were loaded, or that a loop does not advance by the same amount in each
    iteration.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tile::TileDialect"];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_TILE_PASSES
