// Passes from `tile` to `tile`: no thread, no layout, no target.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_TILE_PASSES
#define TILEWRIGHT_LIB_TRANSFORMS_TILE_PASSES

include "mlir/Pass/PassBase.td"

def TileInternalize : Pass<"tile-internalize", "::mlir::ModuleOp"> {
  let summary = "make functions that are not kernels private";
  let description = [{
    Once its calls are inlined nobody needs a function that is not a kernel;
    being private it is dropped by `symbol-dce`.

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
  let summary = "move work from tiles to scalars and sums into dots";
  let description = [{
    - Changing the shape of a `tile.splat` is a splat of the new shape.
    - An elementwise operation on splats is a splat of the scalar operation,
      computed once instead of by every element.
    - A sum with a dot whose accumulator is zero becomes the accumulator.
    - A loop by `step < 0 ? -step : step`, whose step is computed from numbers
      of programs and so is not negative, counts upwards.
    - `x - x / y * y` is `x % y`.

    Input and output: any `tile` module.

    ```mlir
    %a = tile.splat %x : i32 -> tensor<64xi32>       // before
    %b = tile.splat %y : i32 -> tensor<64xi32>
    %c = arith.addi %a, %b : tensor<64xi32>

    %s = arith.addi %x, %y : i32                     // after
    %c = tile.splat %s : i32 -> tensor<64xi32>
    ```

    Left alone: sums with a dot that has other uses, where the product would
    be computed twice; sums with dots of 8-bit floats, which tensor cores add up
    in fewer digits than float32 has.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileAttachPointerHints : Pass<"tile-attach-pointer-hints", "::mlir::ModuleOp"> {
  let summary = "have accesses go through what is promised of carried pointers";
  let description = [{
    The front end writes a promise about pointers that a loop carries as a move
    by nothing. Loads and stores that come after it go through it; all else sees
    the pointers as before.

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
  let summary = "compute tiles that a loop carries from what else it carries";
  let description = [{
    Where a loop passes on a tile of integers, of bits or of pointers that is
    computed from others which it passes on, in the way in which what it starts
    with is computed from what those start with, each iteration computes it
    itself. So a mask that is brought up to date at the end of an iteration is
    seen to be one of indices.

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

    Left alone: what is used behind the loop; computations that read memory;
    floats.
  }];
}

def TileUnifyCounters : Pass<"tile-unify-counters", "::mlir::ModuleOp"> {
  let summary = "compute numbers that run along with a loop's counter from it";
  let description = [{
    A number that a loop carries and adds its step to differs from the counter by
    what it started with. Where that is a constant, now or after the step, what
    uses the number uses the counter and the constant, and equal computations
    from both become one to `cse`.

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

    So are tiles of indices that a loop which counts from zero by ones carries
    and adds a number to, where they stand along both sides of tiles: carried
    they have one layout, and would go through shared memory for the other side.

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

    Left alone: numbers of another type than the counter; at a distance that is
    not a constant; indices along one side, or used behind the loop.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tile::TileDialect"];
}

def TileUnrollLoops : Pass<"tile-unroll-loops", "::mlir::ModuleOp"> {
  let summary = "unroll the loops that ask for it";
  let description = [{
    A loop with `tile.loop_unroll_factor` becomes one over groups of so many
    iterations, and one over those that are left, in the same order: no result
    changes.

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

    Left alone, with a remark: loops with products, whose iterations overlap in
    rings; steps that are not constants; bodies that would be too large; the
    warp-level language.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileHoistInvariants : Pass<"tile-hoist-invariants", "::mlir::ModuleOp"> {
  let summary = "compute in front of loops what they compute alike each time";
  let description = [{
    Loop-invariant code motion that leaves alone what stands directly in loops
    with `tile.disable_licm`, which has a register less to keep.

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
    A branch on what was read from memory waits for it, and its loads wait for the
    branch. They start in front of it, so that both wait at once, where that is
    known to be allowed: behind the branch, whichever way it goes, the program
    writes to the same pointers under the same mask. What was loaded in vain is
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

    Left alone: volatile loads, loads behind what a branch writes, and those of
    branches on numbers that do not come from memory, which would read in vain
    without gaining anything.
  }];
}

def TileExpandDescriptors : Pass<"tile-expand-descriptors", "::mlir::ModuleOp"> {
  let summary = "read and write blocks of arrays through pointers";
  let description = [{
    What a target does not copy in blocks is read and written element by element:
    pointers from the base and the strides, masks from the sizes.

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
    Purpose: a processor of the host ends the process on a division by zero, and
    on one of the least number by -1; LLVM, which may assume that there is
    neither, removes what depends on it. In kernels both happen in lanes that
    nobody looks at. Runs late, as it hides divisors from analyses.

    Input: integer divisions and remainders of scalars, vectors or tiles.

    Output: they divide by 1 in these two cases.

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
    Kernels write `(first + i) % size`, or 0 where `first + i < size` does not
    hold, for indices that may reach past the end of an array, so that all
    addresses are valid, and leave the elements out when they store. Where that
    is so for every load through the index (what is
    computed from an element past the end stays in its row or column, and no mask
    of a store lets it through), the index is `first + i` and the loads are masked
    by `first + i < size`.

    Input: any `tile` module. Output: the same values are stored.

    ```mlir
    %r = arith.remsi %i, %size                     // before
    %x = tile.load %p, %mask       // p at %r

    %in = arith.cmpi slt, %i, %size                // after
    %x = tile.load %p, %mask_and_in  // p at %i
    ```

    Left alone: indices that are used for anything else than to load; loads whose
    elements are summed along the index, stored without the bound, or seen by
    anything but elementwise ops, products and loops.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tile::TileDialect"];
}

def TileNarrowLoads : Pass<"tile-narrow-loads", "::mlir::ModuleOp"> {
  let summary = "load once what is the same for neighbouring indices";
  let description = [{
    Where the addresses of a load along a dimension are one in groups, as those of
    `p + n // 128` are for 128 neighbours of n, the first of each group is loaded,
    and repeated. A mask must let the first index pass wherever it lets any:
    indices may have upper bounds.

    Input: any `tile` module. Output: the same values.

    ```mlir
    %x = tile.load %p, %m : tensor<128x!tile.ptr<f32>>      // before

    %first = tile.load %p0, %m0 : tensor<1x!tile.ptr<f32>>  // after
    %x = tile.broadcast %first : tensor<1xf32> -> tensor<128xf32>
    ```

    Left alone: volatile loads, lines of which several elements differ, and
    addresses that were loaded or that a loop moves on by other than the same in
    each iteration.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tile::TileDialect"];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_TILE_PASSES
