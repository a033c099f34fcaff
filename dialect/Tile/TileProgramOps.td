// Functions, calls and the index of a program in its grid.

include "dialect/Tile/TileBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"

def Tile_FuncOp : Tile_Op<"func", [
    AffineScope, AutomaticAllocationScope, IsolatedFromAbove, FunctionOpInterface]> {
  let summary = "a kernel or a function that kernels call";
  let description = [{
    With the unit attribute `tile.kernel` the function is an entry point: it is
    launched over a grid. The i32 argument attribute `tile.divisibility` is a
    power of two that divides the argument (for a pointer: its address in
    bytes).

    C1: a kernel has no results.
    C2: arguments of a kernel are scalars.
    C3: the function has a body: nothing is linked in later.

    ```mlir
    tile.func @copy(%src: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32)
        attributes {tile.kernel} {
      tile.return
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return isExternal() ? nullptr : &getBody(); }
    bool isKernel();
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [
    Pure, HasParent<"FuncOp">, MemRefsNormalizable, ReturnLike, Terminator]> {
  let summary = "ends a function and returns its results";
  let description = [{
    C1: operand types are the result types of the enclosing function.

    ```mlir
    tile.return %sum : f32
    ```
  }];
  let arguments = (ins Variadic<Tile_Any>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
  let hasVerifier = 1;
}

def Tile_CallOp : Tile_Op<"call", [
    CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "calls a function of the same module";
  let description = [{
    C1: the callee is a `tile.func` that is not a kernel.
    C2: operand and result types are those of the callee.

    ```mlir
    %y = tile.call @gelu(%x) : (tensor<128xf32>) -> tensor<128xf32>
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$callee, Variadic<Tile_Any>:$operands,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<Tile_Any>);
  let assemblyFormat = "$callee `(` $operands `)` attr-dict `:` functional-type($operands, results)";
  let extraClassDeclaration = [{
    ::mlir::CallInterfaceCallable getCallableForCallee() { return getCalleeAttr(); }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      setCalleeAttr(::llvm::cast<::mlir::FlatSymbolRefAttr>(::llvm::cast<::mlir::SymbolRefAttr>(callee)));
    }
    ::mlir::Operation::operand_range getArgOperands() { return getOperands(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() { return getOperandsMutable(); }
  }];
}

def Tile_ProgramIdOp : Tile_Op<"program_id", [Pure]> {
  let summary = "the index of this program along an axis of the grid";
  let description = [{
    ```mlir
    %pid = tile.program_id x
    ```
  }];
  let arguments = (ins Tile_Axis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Tile_NumProgramsOp : Tile_Op<"num_programs", [Pure]> {
  let summary = "the number of programs along an axis of the grid";
  let description = [{
    ```mlir
    %n = tile.num_programs y
    ```
  }];
  let arguments = (ins Tile_Axis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}
