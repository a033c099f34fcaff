// The `warp` dialect itself, its attribute and types. Ops stand in one file a
// group.

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
    encoding, `#warp.linear`, says which register of which lane of which warp
    holds which element. Elementwise ops and the shape ops of `tile` are used
    on such tensors as they are: their operands and results agree on the
    layout, and no element moves between threads. What moves elements is an op
    of this dialect.

    A function carries `warp.num_warps`, and each layout in it spreads its tile
    over that many warps. Kernels may be written in this dialect from the start:
    then their tiles have no layouts before `convert-tile-to-warp`. Ops that need shared memory carry
    `warp.shared_offset`, in bytes, once it has been allocated.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// i32 attribute of a function: the warps that run one program.
    static constexpr ::llvm::StringLiteral kNumWarpsAttr = "warp.num_warps";
    /// i32 attribute of a function: the warps of a block, where roles add some to
    /// those of the layouts.
    static constexpr ::llvm::StringLiteral kBlockWarpsAttr = "warp.block_warps";
    /// Array attribute of a function: how the host makes the tensor maps that it
    /// is given. See warp-bind-tensor-maps.
    static constexpr ::llvm::StringLiteral kTensorMapsAttr = "warp.tensor_maps";
    /// Unit attribute of a function: its programs run those of a larger grid in
    /// turn. See warp-make-persistent.
    static constexpr ::llvm::StringLiteral kPersistentAttr = "warp.persistent";
    /// Unit attribute of a function: launches are a single wave, in which no
    /// multiprocessor runs two of its programs. See warp-make-persistent.
    static constexpr ::llvm::StringLiteral kSingleWaveAttr = "warp.single_wave";
    /// i32 attribute of a function: the thread blocks of a cluster, which follow
    /// each other along the first side of the grid. A power of two from 2 to 16.
    static constexpr ::llvm::StringLiteral kClusterSizeAttr = "warp.cluster_size";
    /// Unit attribute of a function: its grid may have blocks that do not belong
    /// to the launch. See warp-form-clusters.
    static constexpr ::llvm::StringLiteral kPaddedGridAttr = "warp.padded_grid";
    /// Unit attribute of a function: its rings, roles and products stand in the
    /// kernel's source, and what would make such leaves it alone. See
    /// tile-gpu-check-explicit.
    static constexpr ::llvm::StringLiteral kExplicitAttr = "warp.explicit";
    /// Unit attribute of a function: its programs take turns. Of an atomic of
    /// such a function: what other warps do to memory ends before it, or starts
    /// after it. See warp-order-programs.
    static constexpr ::llvm::StringLiteral kOrderedAttr = "warp.ordered";
    /// Unit attribute of an ordered atomic: those of its elements that have the
    /// same address follow each other in the order of elements.
    static constexpr ::llvm::StringLiteral kByElementAttr = "warp.by_element";
    /// i32 attribute of an op: where its shared memory starts, in bytes.
    static constexpr ::llvm::StringLiteral kSharedOffsetAttr = "warp.shared_offset";
    /// i32 attribute of a `warp.specialize` of teams: the bytes from the shared
    /// memory of one team to that of the next. See warp-allocate-shared.
    static constexpr ::llvm::StringLiteral kPingPongBytesAttr = "warp.pingpong_bytes";
    /// i32 attribute of a function: the bytes of shared memory it uses.
    static constexpr ::llvm::StringLiteral kSharedSizeAttr = "warp.shared_size";

    void registerAttributes();
    void registerTypes();
  }];
}

// The layout is kept as the mathematical object: equality of attributes is
// equality of functions.
def Warp_LinearLayoutParam : AttrParameter<"::tilewright::LinearLayout", "a linear layout"> {
  let cppAccessorType = "const ::tilewright::LinearLayout &";
}

def Warp_Linear : AttrDef<WarpDialect, "Linear", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "linear";
  let summary = "a linear layout";
  let description = [{
    The image of each bit of the register, lane, warp and block number (of a
    tile in registers) or of the offset in elements (of a tile in shared memory)
    as one index for each dimension of the tile. The element at a place is the
    `xor` of the images of the bits that are set; see
    lib/Layout/LinearLayout.h.

    As the encoding of a tensor, it must name the axes of registers, have 5 lane
    bits, fit the tensor's shape, and hold every element at least once.

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
    /// Whether this lays out a tile in registers (else in shared memory).
    bool isDistributed() const;
  }];
}

def Warp_PinnedAcc : AttrDef<WarpDialect, "PinnedAcc", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "pinned";
  let summary = "a linear layout, in registers that are kept for the tile";
  let description = [{
    The encoding of a tile in the registers `bank` of the function, of which
    `warp.acc_decl` says how many there are. All tiles of a bank are one
    after the other in the same registers, so at any time one of them is there.

    ```mlir
    tensor<128x256xf32, #warp.pinned<0, #rows>>
    ```
  }];
  let parameters = (ins "unsigned":$bank, "::tilewright::warp::LinearAttr":$layout);
  let assemblyFormat = "`<` $bank `,` $layout `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// As many as there are letters for them.
    static constexpr unsigned kMaxBanks = 8;
  }];
}

def Warp_Shared : TypeDef<WarpDialect, "Shared"> {
  let mnemonic = "shared";
  let summary = "a tile in shared memory";
  let description = [{
    A handle on `numElements * sizeof(element)` bytes of shared memory, in which
    the layout says which element stands at which offset. Booleans take a byte.
    Without a layout, in text, the tile lies as the tensor memory accelerator
    writes it: matrices of a multiple of 8 rows in panels that are swizzled as
    widely as their rows allow, all else in row-major order.

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

def Warp_Completion : I32EnumAttr<"Completion", "how it is known that a slot of a ring is full", [
  I32EnumAttrCase<"AsyncGroups", 0, "async_groups">,
  I32EnumAttrCase<"Transactions", 1, "transactions">]> {
  let cppNamespace = "::tilewright::warp";
}

def Warp_Ring : TypeDef<WarpDialect, "Ring"> {
  let mnemonic = "ring";
  let summary = "a ring of slots of shared memory between producers and consumers";
  let description = [{
    Slots of one or more tiles each, which are filled and emptied in turn. The
    completion kind says how a consumer knows that a slot is full:

    | kind | a slot is full when | least target |
    |---|---|---|
    | `async_groups` | the groups of `cp.async` copies that were committed for it are complete in every thread; producer and consumer are the same threads | sm_80 |
    | `transactions` | the bytes of all its tiles have arrived at its full barrier (`mbarrier`); an empty barrier tells the producer that all consumers have released it | sm_90 |

    A ring of transactions may belong to a `cluster` of thread blocks, a power of
    two from 2 to 16. Each block has a ring of its own then, at the same place of
    its shared memory, and all go round in step: the producer of each block may
    copy into the slots of all. So a slot is empty when the consumers of all
    blocks have released it, and full, as ever, when its own bytes have arrived.

    ```mlir
    // three slots for the operands of a product
    !warp.ring<3 x {!warp.shared<128x32xf16, #a>, !warp.shared<32x128xf16, #b>}, async_groups>
    // those of each of two blocks
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
    /// Where tile `index` of a slot starts in it, in bytes. Tiles are aligned
    /// to their size, up to the 1024 bytes over which the widest swizzle goes.
    int64_t getTileOffset(unsigned index) const;
    /// The bytes from one slot to the next.
    int64_t getSlotBytes() const;
    /// The bytes of all tiles of a slot.
    int64_t getPayloadBytes() const;
    /// Where the barriers start, behind the slots: those of full slots, then
    /// those of empty ones, 8 bytes each.
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
    once. That of a ring of a cluster says of how many blocks.

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
  let summary = "what the tensor memory accelerator knows of an array";
  let description = [{
    The 128 bytes of a `CUtensorMap`: address, sizes and strides of an array in
    global memory, and the box and the swizzle with which tiles of it are copied.
    An argument of a kernel, passed by value, or made by `warp.make_tensor_map`.
  }];
}

def Warp_MapMemory : TypeDef<WarpDialect, "MapMemory"> {
  let mnemonic = "map_memory";
  let summary = "global memory for tensor maps that the device makes";
  let description = [{
    Room for so many maps, of one warpgroup.

    ```mlir
    !warp.map_memory<2>
    ```
  }];
  let parameters = (ins "unsigned":$numMaps);
  let assemblyFormat = "`<` $numMaps `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes of a map, and of the memory for all: a power of two.
    static constexpr unsigned kMapBytes = 128;
    uint64_t getSizeInBytes() const {
      return ::llvm::PowerOf2Ceil(uint64_t(kMapBytes) * getNumMaps());
    }
  }];
}

def Warp_Tile : StaticShapeTensorOf<[AnyType]>;

class Warp_Op<string mnemonic, list<Trait> traits = []> : Op<WarpDialect, mnemonic, traits>;

#endif // TILEWRIGHT_DIALECT_WARP_WARPBASE
