// The `tile` dialect, its types and enums. Each group of ops has its own file.

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
  let summary = "the computation of one program of a block kernel";
  let description = [{
    A kernel is a grid of *programs*. Each program computes on *tiles*: builtin
    ranked tensors of static shape whose elements are integers, floats or
    pointers (`!tile.ptr`). The dialect has no threads, layouts or targets: a
    back end distributes tiles over hardware.

    Elementwise arithmetic comes from `arith` and `math`, control flow from
    `scf`. Integers are signless; each operation defines their signedness.

    Promises about an op's one result, of integers or pointers, are i32 arrays
    with a power of two per dimension (one for a scalar):

    1. `tile.contiguity` and `tile.divisibility`: each dimension consists of
       aligned groups of `contiguity` elements that count up by one. The first
       element of a group is a multiple of `divisibility`.
    2. `tile.constancy`: each dimension consists of aligned groups of
       `constancy` equal elements.

    The unit attribute `tile.non_negative` promises that no integer, read as
    signed, is negative.

    Hints on `scf.for` do not change results. They are the i32 attributes
    `tile.num_stages` (iterations whose loads are in flight) and
    `tile.loop_unroll_factor`, and the unit attributes `tile.flatten`,
    `tile.warp_specialize` and `tile.disallow_acc_multi_buffer`. The unit
    attribute `tile.disable_licm` applies to `scf.for` and `scf.while`.
  }];
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let hasConstantMaterializer = 1;
  // Functions and arguments may only have the attributes named here.
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Unit attribute of a `tile.func` that is launched over a grid.
    static constexpr ::llvm::StringLiteral kKernelAttr = "tile.kernel";
    /// i32 argument attribute: a power of two that divides the argument (for a
    /// pointer: its address in bytes).
    static constexpr ::llvm::StringLiteral kDivisibilityAttr = "tile.divisibility";
    /// Unit attribute of a pointer argument: no thread writes the array while
    /// the kernel runs.
    static constexpr ::llvm::StringLiteral kConstantAttr = "tile.constant";
    /// Unit attribute of an argument or an op, of integers: see above.
    static constexpr ::llvm::StringLiteral kNonNegativeAttr = "tile.non_negative";
    /// Unit attribute of a loop: loop-invariant ops stay in it.
    static constexpr ::llvm::StringLiteral kDisableLicmAttr = "tile.disable_licm";
    /// Promises about a result, as `tile.divisibility` can also be.
    static constexpr ::llvm::StringLiteral kContiguityAttr = "tile.contiguity";
    static constexpr ::llvm::StringLiteral kConstancyAttr = "tile.constancy";

    void registerTypes();
  }];
}

class Tile_Type<string name, string typeMnemonic> : TypeDef<TileDialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_Ptr : Tile_Type<"Ptr", "ptr"> {
  let summary = "a typed pointer to global memory";
  let description = [{
    `!tile.ptr<f16>` points to an f16 in the memory that all programs share. A
    tile of pointers is `tensor<128x!tile.ptr<f16>>`. Booleans are stored as
    bytes: pointers to them have the pointee `i8`.
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
    `!tile.desc<128x64xf16>` names an array of two dimensions, of any size, that
    is copied in blocks of 128 x 64 elements.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The tile type of a block.
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

def Tile_AtomicKind : Tile_Enum<"AtomicKind", "the operation of an atomic read-modify-write", [
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

def Tile_Padding : Tile_Enum<"Padding", "the elements of a block that are out of the array's bounds", [
  I32EnumAttrCase<"Zero", 0, "zero">, I32EnumAttrCase<"NaN", 1, "nan">]>;

def Tile_DotPrecision : Tile_Enum<"DotPrecision", "the precision of a dot of f32 tiles", [
  I32EnumAttrCase<"IEEE", 0, "ieee">, I32EnumAttrCase<"TF32", 1, "tf32">,
  I32EnumAttrCase<"TF32x3", 2, "tf32x3">]>;

// Types inferred from the pointers' type, so that the text names them once.
class PointeeOf<string value, string comparator = "std::equal_to<>()">
    : TypesMatchWith<value # " has the pointers' shape and the pointee's type", "ptr", value,
                     "::tilewright::tile::getPointeeType($_self)", comparator>;
class MaskOf<string op>
    : TypesMatchWith<"mask is a boolean of the pointers' shape", "ptr", "mask",
                     "::tilewright::tile::getBoolTypeLike($_self)",
                     "!::llvm::cast<" # op # ">(&$_op).getMask() || std::equal_to<>()">;

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<TileDialect, mnemonic, traits>;

#endif // TILEWRIGHT_DIALECT_TILE_TILEBASE
