// The pass that proves that rings are used as their ops promise.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_CHECKRINGSPASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_CHECKRINGSPASSES

include "mlir/Pass/PassBase.td"

def CheckRings : Pass<"warp-check-rings", "::mlir::ModuleOp"> {
  let summary = "refuse wrong use of rings, products, fences and shared memory";
  let description = [{
    Goes all ways through each role: loops until what is known repeats, both
    sides of branches. Knows on each way which slots are held, which copies and
    products are under way, and what lacks a fence. Shares no code with the
    passes that put any of it in, so that each is a test of the other. The rules,
    by the names that errors use:

    | rule | |
    |---|---|
    | held slot | A slot is read between its wait and its release and filled between its acquire and its commit, each once on every way; roles end with empty hands. |
    | in turn | Slots are committed and released in the order in which they are taken; an index counts 0, 1, ..., N - 1, 0. |
    | filled once | One `warp.tma_load` fills each tile of a slot of transactions; of a slot of `cp.async`, what is read was copied. |
    | slot comes | No role waits for what only it could give. |
    | in step | However often the loops run, the roles that read a ring wait for as many slots as are filled, and none waits for ever; loops and branches of two roles have to be provably the same for that. Each slot is for one team of a role, the others pass it by; each turn that a team passes is taken. |
    | copies arrived | A slot of `cp.async` is waited for with few enough groups left; copies that are always made are waited for in the end. |
    | products done | A slot is released, memory written and a role left only when the products that read it, or that it started, have been waited for. |
    | sums untouched | Until then sums go to products, waits and loops only. |
    | fence before release | Reads by threads of a slot that copies fill are fenced before its release. |
    | fence before product | Writes by threads, and copies of `cp.async`, are followed by a fence and then a barrier before a product reads them. |
    | stores done | Memory that `warp.tma_store` goes through is written otherwise, and left, only behind a `warp.tma_store_wait`, and a barrier. Its copies have arrived before an atomic operation of the program releases them. |
    | cluster meets | A `warp.cluster_barrier` stands between a ring of a cluster and its first use, and behind its last. |
    | memory kept | Nothing else is written to the place of a tile that is still read, nor to that of slots that are waited for later; what two roles or teams use lies apart, but for slots and what the role that reads them has. |
    | warps meet | Barriers and whatever all threads of a role do stand in uniform control flow; there are barriers enough; products are those of whole warpgroups. |
    | provable | All of this can be followed. |

    Input: shared memory is allocated, barriers and fences stand. Output: the
    same, unchanged.

    Refused: whatever breaks a rule, at its line.
  }];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_CHECKRINGSPASSES
