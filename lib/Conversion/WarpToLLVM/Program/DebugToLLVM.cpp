// assert and print, by the functions that the driver provides to kernels:
// `__assertfail`, which ends the launch, and `vprintf`.

#include "lib/Conversion/WarpToLLVM/Arithmetic/CastEmission.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"
#include "lib/Conversion/WarpToLLVM/Program/DebugEmission.h"

#include "dialect/Tile/TileOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

/// Returns the generic address of a new constant string.
static Value emitString(ImplicitLocOpBuilder &b, ModuleOp module,
                        StringRef text) {
  std::string name;
  for (unsigned i = 0; name.empty() || module.lookupSymbol(name); ++i)
    name = "__tilewright_string_" + std::to_string(i);
  std::string bytes = text.str() + '\0';
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  OpBuilder::InsertionGuard guard(b);
  auto inBody = b.saveInsertionPoint();
  b.setInsertionPointToStart(module.getBody());
  // The location of an op in a function has no scope outside of it.
  auto global = LLVM::GlobalOp::create(
      b, module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal,
      name, b.getStringAttr(bytes), /*alignment=*/1, kGlobalSpace);
  b.restoreInsertionPoint(inBody);
  auto generic = LLVM::LLVMPointerType::get(b.getContext());
  auto inGlobal = LLVM::LLVMPointerType::get(b.getContext(), kGlobalSpace);
  return LLVM::AddrSpaceCastOp::create(
      b, generic, LLVM::AddressOfOp::create(b, inGlobal, global.getSymName()));
}

static void emitCall(ImplicitLocOpBuilder &b, ModuleOp module, StringRef name,
                     ValueRange arguments, Type result) {
  FailureOr<LLVM::LLVMFuncOp> callee = LLVM::lookupOrCreateFn(
      b, module, name, llvm::to_vector(arguments.getTypes()), result);
  if (succeeded(callee))
    LLVM::CallOp::create(b, *callee, arguments);
}

//===----------------------------------------------------------------------===//
// assert
//===----------------------------------------------------------------------===//

void tilewright::emitAssertFailure(ImplicitLocOpBuilder &b, Operation *op,
                                   StringRef message) {
  auto module = op->getParentOfType<ModuleOp>();
  auto function = op->getParentOfType<FunctionOpInterface>();
  StringRef file = "unknown";
  unsigned line = 0;
  if (auto loc = op->getLoc()->findInstanceOf<FileLineColRange>()) {
    file = loc.getFilename().getValue();
    line = loc.getStartLine();
  }
  Value charSize =
      LLVM::ConstantOp::create(b, b.getI64Type(), b.getI64IntegerAttr(1));
  emitCall(b, module, "__assertfail",
           {emitString(b, module, message), emitString(b, module, file),
            emitI32(b, line), emitString(b, module, function.getName()),
            charSize},
           LLVM::LLVMVoidType::get(b.getContext()));
}

namespace {

struct AssertLowering : ConvertOpToLLVMPattern<tile::AssertOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(tile::AssertOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    ValueRange conditions = adaptor.getCondition();
    Value all = conditions.front();
    for (Value condition : conditions.drop_front())
      all = LLVM::AndOp::create(b, all, condition);
    Value yes = LLVM::ConstantOp::create(b, b.getI1Type(), b.getBoolAttr(true));
    Value fails = LLVM::XOrOp::create(b, all, yes);
    auto branch = scf::IfOp::create(b, fails, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    emitAssertFailure(b, op, op.getMessage());
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// print
//===----------------------------------------------------------------------===//

/// A printed value: its printf directive, and the value in its promoted type.
struct PrintArgument {
  std::string format;
  Value value;
};

} // namespace

static PrintArgument getIntegerArgument(ImplicitLocOpBuilder &b, Value value,
                                        bool isSigned, bool hex) {
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  const char *letter = hex ? "x" : isSigned ? "d" : "u";
  if (bits == 64)
    return {std::string(hex ? "0x%016ll" : "%ll") + letter, value};
  if (bits < 32) {
    Type i32 = b.getI32Type();
    value = isSigned && bits != 1 && !hex
                ? LLVM::SExtOp::create(b, i32, value).getResult()
                : LLVM::ZExtOp::create(b, i32, value).getResult();
  }
  if (hex)
    return {"0x%0" + std::to_string(std::max(bits / 4, 1u)) + "x", value};
  return {std::string("%") + letter, value};
}

static PrintArgument getArgument(ImplicitLocOpBuilder &b, Value value,
                                 bool isSigned, bool hex) {
  Type type = value.getType();
  if (isa<LLVM::LLVMPointerType>(type))
    return {"%p", LLVM::PtrToIntOp::create(b, b.getI64Type(), value)};
  if (isa<IntegerType>(type))
    return getIntegerArgument(b, value, isSigned, hex);
  // printf takes doubles only.
  if (!type.isF64())
    value = LLVM::FPExtOp::create(b, b.getF64Type(), value);
  return {"%f", value};
}

/// Calls vprintf with the arguments in a stack buffer.
static void emitPrintf(ImplicitLocOpBuilder &b, Operation *op, StringRef format,
                       ValueRange arguments) {
  auto module = op->getParentOfType<ModuleOp>();
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMStructType::getLiteral(
      b.getContext(), llvm::to_vector(arguments.getTypes()));
  // In the entry block, so that a print in a loop allocates the buffer once.
  auto inBody = b.saveInsertionPoint();
  b.setInsertionPointToStart(&function.getFunctionBody().front());
  Value buffer = LLVM::AllocaOp::create(b, pointer, type, emitI32(b, 1));
  b.restoreInsertionPoint(inBody);
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    Value slot = LLVM::GEPOp::create(b, pointer, type, buffer,
                                     ArrayRef<LLVM::GEPArg>{0, int32_t(i)});
    LLVM::StoreOp::create(b, argument, slot);
  }
  emitCall(b, module, "vprintf", {emitString(b, module, format), buffer},
           b.getI32Type());
}

namespace {

class PrintLowering : public ConvertOpToLLVMPattern<tile::PrintOp> {
public:
  PrintLowering(const WarpTypeConverter &converter, const NvidiaTarget &target)
      : ConvertOpToLLVMPattern(converter), target(target) {}

  LogicalResult
  matchAndRewrite(tile::PrintOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    if (op.getValues().empty())
      emitLine(b, op, Type(), {}, /*isSigned=*/false);
    for (auto [value, registers, isSigned] :
         llvm::zip(op.getValues(), adaptor.getValues(), op.getIsSigned()))
      emitLine(b, op, value.getType(), registers, isSigned);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Prints every element of one operand, each from one thread.
  void emitLine(ImplicitLocOpBuilder &b, tile::PrintOp op, Type type,
                ValueRange registers, bool isSigned) const {
    bool isTile = type && isa<RankedTensorType>(type);
    LinearLayout layout = type ? getLayoutOrScalar(type) : LinearLayout();
    Value owner = isTile ? emitIsOwner(b, layout) : emitIsFirstThread(b);
    OpBuilder::InsertionGuard guard(b);
    if (owner) {
      auto branch = scf::IfOp::create(b, owner, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    SmallVector<Value> values(registers);
    if (type && tile::isFloat8(getElementTypeOrSelf(type)))
      values = emitFromFloat8(b, target, values, getElementTypeOrSelf(type),
                              b.getF32Type());
    auto indices = emitIndices(b, layout);
    if (!type)
      return emitElement(b, op, {}, {}, isSigned);
    for (unsigned reg = 0; reg < values.size(); ++reg)
      if (isOwnerRegister(layout, reg))
        emitUnlessPadding(b, op, indices[reg], values[reg], isSigned);
  }

  /// Prints an element, unless the operand is a part of a tile and the element
  /// is padding.
  static void emitUnlessPadding(ImplicitLocOpBuilder &b, tile::PrintOp op,
                                ArrayRef<Value> coords, Value value,
                                bool isSigned) {
    if (!op.getExtent())
      return emitElement(b, op, coords, value, isSigned);
    Value inside;
    SmallVector<Value> indices;
    for (auto [index, start, count] :
         llvm::zip(coords, *op.getOrigin(), *op.getExtent())) {
      Value isHere = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, index,
                                          emitI32(b, count));
      inside =
          inside ? LLVM::AndOp::create(b, inside, isHere).getResult() : isHere;
      indices.push_back(LLVM::AddOp::create(b, index, emitI32(b, start)));
    }
    auto branch = scf::IfOp::create(b, inside, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    emitElement(b, op, indices, value, isSigned);
  }

  static void emitElement(ImplicitLocOpBuilder &b, tile::PrintOp op,
                          ValueRange indices, Value value, bool isSigned) {
    Type i32 = b.getI32Type();
    SmallVector<Value> arguments = {NVVM::BlockIdXOp::create(b, i32),
                                    NVVM::BlockIdYOp::create(b, i32),
                                    NVVM::BlockIdZOp::create(b, i32)};
    std::string format = "pid (%u, %u, %u) ";
    if (value)
      format += "idx (";
    for (auto [i, index] : llvm::enumerate(indices)) {
      format += i == 0 ? "%u" : ", %u";
      arguments.push_back(index);
    }
    if (value)
      format += ") ";
    // A percent sign in the user's text is not a directive.
    for (char c : op.getPrefix())
      format += c == '%' ? std::string("%%") : std::string(1, c);
    if (value) {
      PrintArgument argument = getArgument(b, value, isSigned, op.getHex());
      format += argument.format;
      arguments.push_back(argument.value);
    }
    emitPrintf(b, op, format + "\n", arguments);
  }

  const NvidiaTarget target;
};

} // namespace

void tilewright::populateDebugToLLVM(const WarpTypeConverter &converter,
                                     const NvidiaTarget &target,
                                     RewritePatternSet &patterns) {
  patterns.add<AssertLowering>(converter);
  patterns.add<PrintLowering>(converter, target);
}
