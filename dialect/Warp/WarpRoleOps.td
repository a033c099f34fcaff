// Roles: warps of one block that run different code.

include "dialect/Tile/TileBase.td"
include "dialect/Warp/WarpBase.td"
include "dialect/Warp/WarpResources.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Warp_SpecializeOp : Warp_Op<"specialize", [
    RecursiveMemoryEffects, NoRegionArguments,
    SingleBlockImplicitTerminator<"RoleEndOp">,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>]> {
  let summary = "gives each warp of the block one of several roles";
  let description = [{
    Each region is a role. The first warps[0] warps of the block run the first
    one, the next warps[1] the second, and so on; behind the op all go on
    together. Roles run at the same time and share memory only through rings. A
    `warp.barrier` in a role is one of the role's warps.

    The layouts of tiles in a role are spread over its warps, counted from 0: a
    role that has tiles in registers is of as many warps as the function's layouts.

    The warps of the first role may form `teams`, each of one warpgroup. They all
    run the role's code, and each of them as if it were alone: layouts are spread
    over the warps of a team, a `warp.barrier` is one of the team's warps, and
    shared memory that the role allocates is each team's own. Of the slots of a
    ring of transactions that the role reads each is for one of its teams, and the
    others pass it by with `warp.ring.skip`.

    `registers` asks for a register budget of each role's threads, which the
    warps give back or take where they start it (`setmaxnreg`).

    C1: there are as many numbers of warps as there are roles.
    C2: there are as many register budgets, multiples of 8 from 24 to 256, if any;
        then each role has whole warpgroups, of 4 warps.
    C3: with more than one team the first role has 4 warps for each.
    C4: where one role has a `warp.cluster_barrier`, all have.

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
    /// The number of the first warp of a role.
    int32_t getFirstWarp(unsigned role);
    /// The teams of a role; 1 where its warps work together.
    int32_t getNumPingPongGroups(unsigned role) {
      return role == 0 ? int32_t(getPingPongGroups()) : 1;
    }
    /// The warps of a role that work together: a team's, or all.
    int32_t getWarpsPerPingPongGroup(unsigned role) {
      return getWarps()[role] / getNumPingPongGroups(role);
    }
    /// The op and the number of the role that `block` stands in; nothing outside
    /// of roles.
    static std::optional<std::pair<SpecializeOp, unsigned>>
    getRole(::mlir::Block *block);
  }];
}

def Warp_RoleEndOp : Warp_Op<"role_end", [
    Pure, Terminator, ReturnLike, HasParent<"SpecializeOp">]> {
  let summary = "the end of a role";
  let description = [{
    Ends each region of `warp.specialize`, and is not written.

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
  let summary = "waits until enough warps have come to a barrier of roles";
  let description = [{
    Every warp of the role comes to the barrier of this number and waits until
    `warps` warps have, those that wait and those that only arrive; then it starts
    anew. Orders what roles do: what a warp wrote to shared memory before it came
    is seen by those that waited.

    C1: it stands in a role.
    C2: `warps` is the same for all ops on a barrier, and at least the warps of the
        role.

    ```mlir
    warp.named_barrier_wait 0 warps 8
    ```
  }];
}

def Warp_NamedBarrierArriveOp : Warp_NamedBarrierOp<"named_barrier_arrive"> {
  let summary = "comes to a barrier of roles and goes on";
  let description = [{
    Every warp of the role counts for the barrier of this number; none waits. See
    `warp.named_barrier_wait`, whose C1 and C2 hold.

    ```mlir
    warp.named_barrier_arrive 0 warps 8
    ```
  }];
}

def Warp_UnlikelyOp : Warp_Op<"unlikely", [MemoryEffects<[MemWrite<Warp_SharedResource>]>]> {
  let summary = "says that control rarely comes here";
  let description = [{
    What its block computes stays in it: it is not computed ahead of the branch
    that leads here, where it would cost those time who go another way.

    ```mlir
    %sums = scf.if %any {
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
  let summary = "values that are known from here on";
  let description = [{
    What the values are computed from stays in front of this op: nothing of it is
    left for later, such as for the time under products, which would wait.

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
  let summary = "a value, as if it were known only from here on";
  let description = [{
    What is computed from the result stays behind this op: nothing knows that it
    could be computed earlier, such as ahead of a loop.

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
