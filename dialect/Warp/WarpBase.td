// The `warp` dialect, its attributes and types. Each group of ops has its own
// file.

#ifndef TILEWRIGHT_DIALECT_WARP_WARPBASE
#define TILEWRIGHT_DIALECT_WARP_WARPBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def WarpDialect : Dialect {
  let name = "warp";
  let cppNamespace = "::tilewright::warp";
  let summary = "how the warps of a program compute on tiles";
  let description = [{
    The level below `tile`: every tile is a builtin ranked tensor whose
    encoding, `#warp.linear`, maps each register of each lane of each warp to an
    element. Elementwise ops and the shape ops of `tile` apply to such tensors
    unchanged: their operands and results have the same layout, and no element
    moves between threads. The ops of this dialect move elements.

    A function carries `warp.num_warps`, and each layout in it distributes its
    tile over that many warps. Kernels may be written in this dialect from the
    start. Their tiles have no layouts before `convert-tile-to-warp`. Ops that
    need shared memory carry `warp.shared_offset`, in bytes, after allocation.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// i32 attribute of a function: the warps that run one program.
    static constexpr ::llvm::StringLiteral kNumWarpsAttr = "warp.num_warps";
    /// i32 attribute of a function: the number of warps of a CTA, if roles add
    /// warps to those of the layouts.
    static constexpr ::llvm::StringLiteral kBlockWarpsAttr = "warp.block_warps";
    /// Array attribute of a function: how the host creates its tensor map
    /// arguments. See warp-bind-tensor-maps.
    static constexpr ::llvm::StringLiteral kTensorMapsAttr = "warp.tensor_maps";
    /// Unit attribute of a function: each CTA runs several programs of a larger
    /// grid. See warp-make-persistent.
    static constexpr ::llvm::StringLiteral kPersistentAttr = "warp.persistent";
    /// Unit attribute of a function: launches are a single wave with at most
    /// one CTA per SM. See warp-make-persistent.
    static constexpr ::llvm::StringLiteral kSingleWaveAttr = "warp.single_wave";
    /// i32 attribute of a function: the number of CTAs of a cluster, which are
    /// consecutive along the x dimension of the grid. A power of two from 2 to
    /// 16.
    static constexpr ::llvm::StringLiteral kClusterSizeAttr = "warp.cluster_size";
    /// Unit attribute of a function: its grid may have padding CTAs that do not
    /// belong to the launch. See warp-form-clusters.
    static constexpr ::llvm::StringLiteral kPaddedGridAttr = "warp.padded_grid";
    /// Unit attribute of a function: the kernel's source has explicit rings,
    /// roles and mma ops, and passes that create these skip it. See
    /// tile-gpu-check-explicit.
    static constexpr ::llvm::StringLiteral kExplicitAttr = "warp.explicit";
    /// Unit attribute of a function: its programs run in ticket order. On an
    /// atomic of such a function: memory accesses of other warps end before it
    /// or start after it. See warp-order-programs.
    static constexpr ::llvm::StringLiteral kOrderedAttr = "warp.ordered";
    /// Unit attribute of an ordered atomic: its elements with equal addresses
    /// act in element order.
    static constexpr ::llvm::StringLiteral kByElementAttr = "warp.by_element";
    /// i32 attribute of an op: the offset of its shared memory, in bytes.
    static constexpr ::llvm::StringLiteral kSharedOffsetAttr = "warp.shared_offset";
    /// i32 attribute of a `warp.specialize` with ping-pong groups: the stride
    /// in bytes between the shared memory of two groups. See
    /// warp-allocate-shared.
    static constexpr ::llvm::StringLiteral kPingPongBytesAttr = "warp.pingpong_bytes";
    /// i32 attribute of a function: its shared memory size in bytes.
    static constexpr ::llvm::StringLiteral kSharedSizeAttr = "warp.shared_size";

    void registerAttributes();
    void registerTypes();
  }];
}

// The parameter is the mathematical object: attributes are equal if and only if
// their functions are.
def Warp_LinearLayoutParam : AttrParameter<"::tilewright::LinearLayout", "a linear layout"> {
  let cppAccessorType = "const ::tilewright::LinearLayout &";
}

def Warp_Linear : AttrDef<WarpDialect, "Linear", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "linear";
  let summary = "a linear layout";
  let description = [{
    Maps each bit of the register, lane, warp and block index (for a tile in
    registers) or of the element offset (for a tile in shared memory) to one
    index per dimension of the tile. The element at an index is the `xor` of the
    images of the set bits; see lib/Layout/LinearLayout.h.

    As the encoding of a tensor, it has register axes and 5 lane bits, fits the
    tensor's shape, and covers every element.

    ```mlir
    // lanes of a warp along dim1, two elements each; two warps along dim0
    #rows = #warp.linear<{register = [[0, 1]],
                          lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]],
                          warp = [[1, 0]], block = []}>
    tensor<2x64xf32, #rows>
    ```
  }];
  let parameters = (ins Warp_LinearLayoutParam:$layout);
  let skipDefaultBuilders = 1;
  let builders = [AttrBuilder<(ins "::tilewright::LinearLayout":$layout), [{
    return $_get($_ctxt, ::tilewright::warp::withAllAxes(std::move(layout)));
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether this is the layout of a tile in registers (else in shared
    /// memory).
    bool isDistributed() const;
  }];
}

def Warp_PinnedAcc : AttrDef<WarpDialect, "PinnedAcc", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "pinned";
  let summary = "a linear layout in pinned registers";
  let description = [{
    The encoding of a tile in the registers `bank` of the function;
    `warp.acc_decl` declares their number. All tiles of a bank use the same
    registers one after the other, so at most one of them is live at any time.

    ```mlir
    tensor<128x256xf32, #warp.pinned<0, #rows>>
    ```
  }];
  let parameters = (ins "unsigned":$bank, "::tilewright::warp::LinearAttr":$layout);
  let assemblyFormat = "`<` $bank `,` $layout `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The number of letters for bank names.
    static constexpr unsigned kMaxBanks = 8;
  }];
}

def Warp_Shared : TypeDef<WarpDialect, "Shared"> {
  let mnemonic = "shared";
  let summary = "a tile in shared memory";
  let description = [{
    `numElements * sizeof(element)` bytes of shared memory; the layout maps
    offsets to elements. Booleans take a byte. If the text omits the layout, the
    tile has the layout of TMA. Matrices of a multiple of 8 rows are panels with
    the widest swizzle that their rows allow. Other tiles are in row-major
    order.

    ```mlir
    !warp.shared<64x32xf16, #warp.linear<{offset = [[0, 1], ...]}>>
    !warp.shared<64x32xf16>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType,
                        "::tilewright::warp::LinearAttr":$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getNumElements() const;
    int64_t getSizeInBytes() const;
  }];
}

def Warp_Completion : I32EnumAttr<"Completion", "how a consumer detects that a slot of a ring is full", [
  I32EnumAttrCase<"AsyncGroups", 0, "async_groups">,
  I32EnumAttrCase<"Transactions", 1, "transactions">]> {
  let cppNamespace = "::tilewright::warp";
}

def Warp_Ring : TypeDef<WarpDialect, "Ring"> {
  let mnemonic = "ring";
  let summary = "a ring of slots of shared memory between producers and consumers";
  let description = [{
    Slots of one or more tiles each, which are filled and emptied in cyclic
    order. The completion kind defines when a slot is full:

    | kind | a slot is full when | least target |
    |---|---|---|
    | `async_groups` | the groups of `cp.async` copies that were committed for it are complete in every thread; producer and consumer are the same threads | sm_80 |
    | `transactions` | the bytes of all its tiles have arrived at its full barrier (`mbarrier`); an empty barrier tells the producer that all consumers have released it | sm_90 |

    A ring of transactions may belong to a `cluster` of CTAs, a power of two
    from 2 to 16. Then each CTA has its own ring, at the same offset of its
    shared memory, and all rings advance in step. The producer of each CTA may
    copy into the slots of all CTAs. So a slot is empty when the consumers of
    all CTAs have released it. It is full when its own bytes have arrived.

    ```mlir
    // three slots for the operands of a dot
    !warp.ring<3 x {!warp.shared<128x32xf16, #a>, !warp.shared<32x128xf16, #b>}, async_groups>
    // four slots in each of two CTAs
    !warp.ring<4 x {!warp.shared<128x64xf16, #a>, !warp.shared<64x256xf16, #b>}, transactions, cluster 2>
    ```
  }];
  let parameters = (ins "int64_t":$numSlots,
                        ArrayRefParameter<"::tilewright::warp::SharedType">:$tiles,
                        EnumParameter<Warp_Completion>:$completion,
                        "unsigned":$clusterSize);
  let builders = [TypeBuilder<(ins "int64_t":$numSlots,
                                   "::llvm::ArrayRef<::tilewright::warp::SharedType>":$tiles,
                                   "::tilewright::warp::Completion":$completion), [{
    return $_get($_ctxt, numSlots, tiles, completion, /*clusterSize=*/1);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The offset of tile `index` in a slot, in bytes. Tiles are aligned to
    /// their size, up to 1024 bytes, the period of the widest swizzle.
    int64_t getTileOffset(unsigned index) const;
    /// The stride between slots, in bytes.
    int64_t getSlotBytes() const;
    /// The total bytes of all tiles of a slot.
    int64_t getPayloadBytes() const;
    /// The offset of the barriers, after the slots: all full barriers, then all
    /// empty barriers, 8 bytes each.
    int64_t getBarrierOffset() const { return getNumSlots() * getSlotBytes(); }
    int64_t getSizeInBytes() const;
  }];
}

def Warp_Slot : TypeDef<WarpDialect, "Slot"> {
  let mnemonic = "slot";
  let summary = "the right to use one slot of a ring";
  let description = [{
    A producer holds it from `warp.ring.acquire` to `warp.ring.commit`, a
    consumer from `warp.ring.wait` to `warp.ring.release`. It is used exactly
    once. The slot of a cluster's ring has the cluster size in its type.

    ```mlir
    !warp.slot
    !warp.slot<cluster 2>
    ```
  }];
  let parameters = (ins "unsigned":$clusterSize);
  let builders = [TypeBuilder<(ins), [{ return $_get($_ctxt, 1); }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Warp_TensorMap : TypeDef<WarpDialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "the description of an array for TMA";
  let description = [{
    The 128 bytes of a `CUtensorMap`: address, sizes and strides of an array in
    global memory, and the box and the swizzle of its copies. It is a kernel
    argument, passed by value, or the result of `warp.make_tensor_map`.
  }];
}

def Warp_MapMemory : TypeDef<WarpDialect, "MapMemory"> {
  let mnemonic = "map_memory";
  let summary = "global memory for tensor maps that the device writes";
  let description = [{
    Space for `numMaps` maps of one warpgroup.

    ```mlir
    !warp.map_memory<2>
    ```
  }];
  let parameters = (ins "unsigned":$numMaps);
  let assemblyFormat = "`<` $numMaps `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes of one map; the memory for all maps is a power of two.
    static constexpr unsigned kMapBytes = 128;
    uint64_t getSizeInBytes() const {
      return ::llvm::PowerOf2Ceil(uint64_t(kMapBytes) * getNumMaps());
    }
  }];
}

def Warp_Tile : StaticShapeTensorOf<[AnyType]>;

class Warp_Op<string mnemonic, list<Trait> traits = []> : Op<WarpDialect, mnemonic, traits>;

#endif // TILEWRIGHT_DIALECT_WARP_WARPBASE
