// Roles: warps of one CTA that run different code.

include "dialect/Tile/TileBase.td"
include "dialect/Warp/WarpBase.td"
include "dialect/Warp/WarpResources.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Warp_SpecializeOp : Warp_Op<"specialize", [
    RecursiveMemoryEffects, NoRegionArguments,
    SingleBlockImplicitTerminator<"RoleEndOp">,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>]> {
  let summary = "assigns each warp of the CTA one of several roles";
  let description = [{
    Each region is a role. The first warps[0] warps of the CTA run the first
    one, the next warps[1] the second, and so on; all of them join after the op.
    Roles run concurrently and share memory only through rings. A `warp.barrier`
    in a role is a barrier of the role's warps.

    The layouts of tiles in a role are distributed over its warps, counted from
    0. A role with tiles in registers has as many warps as the function's
    layouts.

    The warps of the first role may form `ping_pong_groups`, each of one
    warpgroup. Every group runs the role's code as if it were alone. Layouts are
    distributed over the warps of a group, a `warp.barrier` is a barrier of the
    group's warps, and each group has its own copy of the role's shared memory.
    Each slot of a ring of transactions that the role reads is for one of the
    groups; the others skip it with `warp.ring.skip`.

    `registers` is a register budget for each role's threads. The warps release
    or take registers at the start of the role (`setmaxnreg`).

    C1: there is one number of warps per role.
    C2: register budgets, if any, are one per role, multiples of 8 from 24 to
        256. Then each role has whole warpgroups of 4 warps.
    C3: with more than one ping-pong group the first role has 4 warps per group.
    C4: if one role has a `warp.cluster_barrier`, all roles have one.

    ```mlir
    warp.specialize warps [8, 1] {
      %slot, %tile = warp.ring.wait %ring : !ring
      warp.ring.release %slot
    }, {
      %slot, %tile = warp.ring.acquire %ring : !ring
      warp.tma_load %map[%i], %tile : !warp.tensor_map, !tile
      warp.ring.commit %slot
    }
    warp.specialize warps [8, 4] ping_pong_groups 2 registers [240, 24] {
      ...
    }, {
      ...
    }
    ```
  }];
  let arguments = (ins DenseI32ArrayAttr:$warps,
                       DefaultValuedAttr<ConfinedAttr<I32Attr, [IntPositive]>, "1">:$pingPongGroups,
                       OptionalAttr<DenseI32ArrayAttr>:$registers);
  let regions = (region VariadicRegion<SizedRegion<1>>:$roles);
  let builders = [OpBuilder<(ins "::llvm::ArrayRef<int32_t>":$warps)>];
  let assemblyFormat = [{
    `warps` $warps (`ping_pong_groups` $pingPongGroups^)? (`registers` $registers^)? $roles attr-dict
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The index of the first warp of a role.
    int32_t getFirstWarp(unsigned role);
    /// The number of ping-pong groups of a role, 1 if its warps work together.
    int32_t getNumPingPongGroups(unsigned role) {
      return role == 0 ? int32_t(getPingPongGroups()) : 1;
    }
    /// The number of warps of a role that work together: a group's, or all.
    int32_t getWarpsPerPingPongGroup(unsigned role) {
      return getWarps()[role] / getNumPingPongGroups(role);
    }
    /// The op and the index of the role that contains `block`; nothing outside
    /// of roles.
    static std::optional<std::pair<SpecializeOp, unsigned>>
    getRole(::mlir::Block *block);
  }];
}

def Warp_RoleEndOp : Warp_Op<"role_end", [
    Pure, Terminator, ReturnLike, HasParent<"SpecializeOp">]> {
  let summary = "the end of a role";
  let description = [{
    Ends each region of `warp.specialize`; the custom syntax omits it.

    ```mlir
    warp.role_end
    ```
  }];
  let assemblyFormat = "attr-dict";
}

class Warp_NamedBarrierOp<string mnemonic> : Warp_Op<mnemonic, [
    MemoryEffects<[MemRead<Warp_SharedResource>, MemWrite<Warp_SharedResource>]>]> {
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$barrier,
                       ConfinedAttr<I32Attr, [IntPositive]>:$warps);
  let assemblyFormat = "$barrier `warps` $warps attr-dict";
  let hasVerifier = 1;
}

def Warp_NamedBarrierWaitOp : Warp_NamedBarrierOp<"named_barrier_wait"> {
  let summary = "waits until enough warps have arrived at a barrier of roles";
  let description = [{
    Every warp of the role arrives at the barrier of this number and waits until
    `warps` warps have arrived, waiting or not. Then the barrier starts over. It
    orders accesses of the roles: earlier writes of the arriving warps to shared
    memory are visible to the waiting ones.

    C1: it is in a role.
    C2: `warps` is the same for all ops on a barrier, and at least the warps of
        the role.

    ```mlir
    warp.named_barrier_wait 0 warps 8
    ```
  }];
}

def Warp_NamedBarrierArriveOp : Warp_NamedBarrierOp<"named_barrier_arrive"> {
  let summary = "arrives at a barrier of roles without waiting";
  let description = [{
    Every warp of the role arrives at the barrier of this number. C1 and C2 of
    `warp.named_barrier_wait` apply.

    ```mlir
    warp.named_barrier_arrive 0 warps 8
    ```
  }];
}

def Warp_UnlikelyOp : Warp_Op<"unlikely", [MemoryEffects<[MemWrite<Warp_SharedResource>]>]> {
  let summary = "marks a block that rarely runs";
  let description = [{
    The ops of its block stay in it. They are not hoisted above the branch to
    this block, where they would slow down the other paths.

    ```mlir
    %acc = scf.if %any {
      ...
    } else {
      warp.unlikely
      scf.yield %zero
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Warp_SchedAnchorOp : Warp_Op<"sched_anchor", [
    MemoryEffects<[MemWrite<Warp_SharedResource>]>]> {
  let summary = "a scheduling point before which values are computed";
  let description = [{
    The operands are computed before this op. LLVM and ptxas do not sink their
    computation below it, for example between wgmmas, which would wait for it.

    ```mlir
    warp.sched_anchor %row, %column : i32, i32
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[I32, I64]>>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
  let extraClassDeclaration = [{
    /// Whether `type` is one that the op takes.
    static bool canTake(::mlir::Type type) {
      return type.isInteger(32) || type.isInteger(64);
    }
  }];
}

def Warp_OpaqueOp : Warp_Op<"opaque", [
    SameOperandsAndResultType, MemoryEffects<[MemWrite<Warp_SharedResource>]>]> {
  let summary = "hides a value's definition from optimisations";
  let description = [{
    Users of the result stay after this op. Optimisations do not see that they
    could be hoisted, for example above a loop.

    ```mlir
    %late = warp.opaque %program : i32
    ```
  }];
  let arguments = (ins AnyTypeOf<[I1, I32, I64, F32, Tile_Ptr]>:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let extraClassDeclaration = [{
    /// Whether `type` is one that the op takes.
    static bool canTake(::mlir::Type type) {
      return type.isInteger(1) || type.isInteger(32) || type.isInteger(64) ||
             type.isF32() || ::mlir::isa<::tilewright::tile::PtrType>(type);
    }
  }];
}
