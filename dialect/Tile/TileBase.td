// The `tile` dialect itself, its types and enums. Ops stand in one file a group.

#ifndef TILEWRIGHT_DIALECT_TILE_TILEBASE
#define TILEWRIGHT_DIALECT_TILE_TILEBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TileDialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilewright::tile";
  let summary = "what one program of a block kernel computes";
  let description = [{
    A kernel is a grid of *programs*. Each program computes on *tiles*: builtin
    ranked tensors of static shape whose elements are integers, floats or
    pointers (`!tile.ptr`). The dialect names no thread, no layout and no
    target: how a tile is spread over hardware is decided by a back end.

    Elementwise arithmetic comes from `arith` and `math`, control flow from
    `scf`. Integers are signless; the operation chosen says how they are read.

    Promises about an op's one result, of integers or pointers: the i32 arrays
    `tile.divisibility`, `tile.contiguity` and `tile.constancy`, with a power of
    two for each dimension (one for a scalar). Each dimension is cut into
    aligned groups of `contiguity` elements that count up by one and whose first
    is a multiple of `divisibility`, and of `constancy` equal elements. And of
    integers the unit attribute `tile.non_negative`: none, read as signed, is
    below zero.

    Hints on `scf.for`, which change no result: the i32 attributes
    `tile.num_stages` (iterations whose loads are in flight) and
    `tile.loop_unroll_factor`, and the unit attributes `tile.flatten`,
    `tile.warp_specialize` and `tile.disallow_acc_multi_buffer`. On `scf.while`,
    too: the unit attribute `tile.disable_licm`.
  }];
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let hasConstantMaterializer = 1;
  // Only the attributes named here may stand on functions and arguments.
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Unit attribute of a `tile.func` that is launched over a grid.
    static constexpr ::llvm::StringLiteral kKernelAttr = "tile.kernel";
    /// i32 argument attribute: the argument (for a pointer: its address in
    /// bytes) is a multiple of this power of two.
    static constexpr ::llvm::StringLiteral kDivisibilityAttr = "tile.divisibility";
    /// Unit attribute of an argument, a pointer: nobody writes the array while
    /// the kernel runs.
    static constexpr ::llvm::StringLiteral kConstantAttr = "tile.constant";
    /// Unit attribute of an argument or an op, of integers: see above.
    static constexpr ::llvm::StringLiteral kNonNegativeAttr = "tile.non_negative";
    /// Unit attribute of a loop: what it computes alike each time stays in it.
    static constexpr ::llvm::StringLiteral kDisableLicmAttr = "tile.disable_licm";
    /// Promises about a result, as `tile.divisibility` also can be.
    static constexpr ::llvm::StringLiteral kContiguityAttr = "tile.contiguity";
    static constexpr ::llvm::StringLiteral kConstancyAttr = "tile.constancy";

    void registerTypes();
  }];
}

class Tile_Type<string name, string typeMnemonic> : TypeDef<TileDialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_Ptr : Tile_Type<"Ptr", "ptr"> {
  let summary = "pointer to global memory, with the type of what it points to";
  let description = [{
    `!tile.ptr<f16>` points to a half in the memory that all programs share.
    A tile of pointers is `tensor<128x!tile.ptr<f16>>`. Booleans are kept in
    memory as bytes: the pointee of a pointer to them is `i8`.
  }];
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
  let genVerifyDecl = 1;
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee), [{
    return $_get(pointee.getContext(), pointee);
  }]>];
}

def Tile_Desc : Tile_Type<"Desc", "desc"> {
  let summary = "a view of an array in global memory, read and written in blocks";
  let description = [{
    `!tile.desc<128x64xf16>` names an array of two dimensions, of any size, of
    which blocks of 128 x 64 elements are copied at a time.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// A block as a tile.
    ::mlir::RankedTensorType getBlockType() const;
    unsigned getRank() const { return getShape().size(); }
  }];
}

// Element types

def Tile_Float : AnyTypeOf<[F16, BF16, F32, F64, F8E4M3FN, F8E5M2], "a float of the tile dialect">;
def Tile_Int : AnyTypeOf<[I1, I8, I16, I32, I64], "an integer of the tile dialect">;
def Tile_Element : AnyTypeOf<[Tile_Float, Tile_Int, Tile_Ptr], "an element of a tile">;

def Tile_Tile : StaticShapeTensorOf<[Tile_Float, Tile_Int, Tile_Ptr]>;
def Tile_PtrTile : StaticShapeTensorOf<[Tile_Ptr]>;
def Tile_IntTile : StaticShapeTensorOf<[Tile_Int]>;
def Tile_BoolTile : StaticShapeTensorOf<[I1]>;
def Tile_FloatTile : StaticShapeTensorOf<[Tile_Float]>;

def Tile_Any : AnyTypeOf<[Tile_Element, Tile_Tile], "a scalar or a tile">;
def Tile_AnyPtr : AnyTypeOf<[Tile_Ptr, Tile_PtrTile], "a pointer or a tile of pointers">;
def Tile_AnyInt : AnyTypeOf<[Tile_Int, Tile_IntTile], "an integer or a tile of integers">;
def Tile_AnyBool : AnyTypeOf<[I1, Tile_BoolTile], "a boolean or a tile of booleans">;

// Enums

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tilewright::tile";
}

def Tile_Axis : Tile_Enum<"Axis", "axis of the grid", [
  I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">, I32EnumAttrCase<"Z", 2, "z">]>;

def Tile_CacheModifier : Tile_Enum<"CacheModifier", "cache hint of a load or store", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"CA", 1, "ca">, I32EnumAttrCase<"CG", 2, "cg">,
  I32EnumAttrCase<"CS", 3, "cs">, I32EnumAttrCase<"CV", 4, "cv">,
  I32EnumAttrCase<"WB", 5, "wb">, I32EnumAttrCase<"WT", 6, "wt">]>;

def Tile_EvictionPolicy : Tile_Enum<"EvictionPolicy", "eviction hint of a load or store", [
  I32EnumAttrCase<"Normal", 0, "normal">,
  I32EnumAttrCase<"First", 1, "evict_first">, I32EnumAttrCase<"Last", 2, "evict_last">]>;

def Tile_AtomicKind : Tile_Enum<"AtomicKind", "what an atomic read-modify-write computes", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"FAdd", 1, "fadd">,
  I32EnumAttrCase<"And", 2, "and">, I32EnumAttrCase<"Or", 3, "or">,
  I32EnumAttrCase<"Xor", 4, "xor">,
  I32EnumAttrCase<"Max", 5, "max">, I32EnumAttrCase<"Min", 6, "min">,
  I32EnumAttrCase<"UMax", 7, "umax">, I32EnumAttrCase<"UMin", 8, "umin">,
  I32EnumAttrCase<"FMax", 9, "fmax">, I32EnumAttrCase<"FMin", 10, "fmin">,
  I32EnumAttrCase<"Xchg", 11, "xchg">]>;

def Tile_MemorySemantic : Tile_Enum<"MemorySemantic", "ordering of an atomic", [
  I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
  I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcqRel", 3, "acq_rel">]>;

def Tile_MemoryScope : Tile_Enum<"MemoryScope", "threads an atomic is ordered with", [
  I32EnumAttrCase<"CTA", 0, "cta">, I32EnumAttrCase<"GPU", 1, "gpu">,
  I32EnumAttrCase<"System", 2, "sys">]>;

def Tile_Padding : Tile_Enum<"Padding", "what a block holds out of the array's bounds", [
  I32EnumAttrCase<"Zero", 0, "zero">, I32EnumAttrCase<"NaN", 1, "nan">]>;

def Tile_DotPrecision : Tile_Enum<"DotPrecision", "how a product of f32 tiles is computed", [
  I32EnumAttrCase<"IEEE", 0, "ieee">, I32EnumAttrCase<"TF32", 1, "tf32">,
  I32EnumAttrCase<"TF32x3", 2, "tf32x3">]>;

// Types that follow from the pointers' type, so that the text names them once.
class PointeeOf<string value, string comparator = "std::equal_to<>()">
    : TypesMatchWith<value # " has the pointers' shape and the pointee's type", "ptr", value,
                     "::tilewright::tile::getPointeeType($_self)", comparator>;
class MaskOf<string op>
    : TypesMatchWith<"mask is a boolean of the pointers' shape", "ptr", "mask",
                     "::tilewright::tile::getBoolTypeLike($_self)",
                     "!::llvm::cast<" # op # ">(&$_op).getMask() || std::equal_to<>()">;

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<TileDialect, mnemonic, traits>;

#endif // TILEWRIGHT_DIALECT_TILE_TILEBASE
