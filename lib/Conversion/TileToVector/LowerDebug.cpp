// Lowers assertions and prints to calls of the host runtime.

#include "lib/Conversion/TileToVector/KernelLowering.h"
#include "lib/Conversion/TileToVector/ShortFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

static constexpr StringLiteral kAssertFunction = "tw_host_assert_fail";
static constexpr StringLiteral kPrintFunction = "tw_host_print";

LLVM::LLVMFuncOp KernelLowering::runtimeFunction(StringRef name,
                                                 ArrayRef<Type> arguments) {
  auto module = e.entry->getParentOp()->getParentOfType<ModuleOp>();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToStart(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(e.b.getContext()), arguments);
  return LLVM::LLVMFuncOp::create(e.b, e.loc, name, type);
}

Value KernelLowering::globalData(Type type, Attribute value) {
  auto module = e.entry->getParentOp()->getParentOfType<ModuleOp>();
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToStart(module.getBody());
  unsigned number = 0;
  std::string name;
  do
    name = "tile_data_" + std::to_string(number++);
  while (module.lookupSymbol(name));
  // The location of an op in a function has no scope at module level.
  auto global =
      LLVM::GlobalOp::create(e.b, module.getLoc(), type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, name, value,
                             /*alignment=*/64);
  e.b.setInsertionPointToStart(e.entry);
  return LLVM::AddressOfOp::create(e.b, e.loc, global);
}

Value KernelLowering::globalString(StringRef text) {
  std::string terminated = text.str();
  terminated.push_back('\0');
  return globalData(
      LLVM::LLVMArrayType::get(e.b.getI8Type(), terminated.size()),
      e.b.getStringAttr(terminated));
}

/// Returns the message and the source line of the assertion.
static std::string withLocation(tile::AssertOp op) {
  std::string message = op.getMessage().str();
  if (auto loc = op.getLoc()->findInstanceOf<FileLineColRange>())
    message += (" (" + loc.getFilename().getValue() + ":" +
                Twine(loc.getStartLine()) + ")")
                   .str();
  return message;
}

void KernelLowering::lowerAssert(tile::AssertOp op) {
  auto fail = runtimeFunction(kAssertFunction,
                              {LLVM::LLVMPointerType::get(op.getContext())});
  Value message = globalString(withLocation(op));
  auto type = dyn_cast<RankedTensorType>(op.getCondition().getType());
  ArrayRef<int64_t> shape = type ? type.getShape() : ArrayRef<int64_t>();
  e.forEachChunk(shape, getInnermostDim(shape), e.maxLanes(),
                 [&](ArrayRef<Index> at, unsigned lanes) {
                   Evaluator evaluator(e, lanes);
                   Value holds = evaluator.evaluateWide(op.getCondition(), at);
                   if (lanes > 1)
                     holds = vector::ReductionOp::create(
                         e.b, e.loc, vector::CombiningKind::AND, holds);
                   Value one = e.constant(e.b.getBoolAttr(true));
                   Value fails = arith::XOrIOp::create(e.b, e.loc, holds, one);
                   auto branch = scf::IfOp::create(e.b, e.loc, fails, false);
                   OpBuilder::InsertionGuard guard(e.b);
                   e.b.setInsertionPoint(branch.thenBlock()->getTerminator());
                   LLVM::CallOp::create(e.b, e.loc, fail, ValueRange{message});
                 });
}

namespace {
/// The runtime's codes for printing 64 bits. Hexadecimal codes follow, by the
/// number of digits: 1, 2, 4, 8, 16.
enum PrintKind : int32_t { Signed, Unsigned, Float, Pointer, Nothing, Hex };
} // namespace

static int32_t getPrintKind(Type element, bool isSigned, bool hex) {
  if (isa<tile::PtrType>(element))
    return Pointer;
  if (isa<FloatType>(element))
    return Float;
  if (hex)
    return Hex +
           llvm::Log2_32(std::max(element.getIntOrFloatBitWidth() / 4, 1u));
  return isSigned && !element.isInteger(1) ? Signed : Unsigned;
}

static Value toPrintBits(Emitter &e, Value value, Type element, int32_t kind) {
  Type i64 = e.b.getI64Type();
  if (isa<FloatType>(element)) {
    Value wide = convertFloat(e.b, e.loc, value, element, e.b.getF64Type());
    return arith::BitcastOp::create(e.b, e.loc, i64, wide);
  }
  if (value.getType() == i64)
    return value;
  if (kind == Signed)
    return arith::ExtSIOp::create(e.b, e.loc, i64, value);
  return arith::ExtUIOp::create(e.b, e.loc, i64, value);
}

/// Allocates memory for the coordinates of a printed element: the three program
/// ids, which are written here, then the indices of the element.
Buffer KernelLowering::makePrintCoords(unsigned rank) {
  Buffer coords =
      e.allocate({3 + static_cast<int64_t>(rank)}, e.b.getI32Type());
  for (auto [axis, id] : llvm::enumerate(programIds))
    e.writeBuffer(coords, {{e.i64(axis), false}}, 1, id);
  return coords;
}

void KernelLowering::lowerPrint(tile::PrintOp op) {
  Type pointer = LLVM::LLVMPointerType::get(op.getContext());
  Type i32 = e.b.getI32Type();
  auto print = runtimeFunction(kPrintFunction,
                               {pointer, i32, e.b.getI64Type(), pointer, i32});
  Value prefix = globalString(op.getPrefix());
  const auto call = [&](int32_t kind, Value bits, const Buffer &coords,
                        int32_t rank) {
    Value how = e.constant(e.b.getI32IntegerAttr(kind));
    Value dims = e.constant(e.b.getI32IntegerAttr(rank));
    LLVM::CallOp::create(e.b, e.loc, print,
                         ValueRange{prefix, how, bits, coords.pointer, dims});
  };
  if (op.getValues().empty())
    call(Nothing, e.i64(0), makePrintCoords(0), 0);
  for (auto [value, isSigned] : llvm::zip(op.getValues(), op.getIsSigned())) {
    // The body is a lambda, which C++17 does not let capture bindings.
    Value operand = value;
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    Type element = getElementTypeOrSelf(operand.getType());
    const int32_t kind = getPrintKind(element, isSigned, op.getHex());
    ArrayRef<int64_t> shape = type ? type.getShape() : ArrayRef<int64_t>();
    shape = op.getExtent().value_or(shape);
    Buffer coords = makePrintCoords(shape.size());
    e.forEachChunk(
        shape, getInnermostDim(shape), /*maxLanes=*/1,
        [&](ArrayRef<Index> at, unsigned) {
          for (auto [dim, index] : llvm::enumerate(at)) {
            Value number = index.base;
            if (op.getOrigin())
              number = e.add(number, e.i64((*op.getOrigin())[dim]));
            e.writeBuffer(coords, {{e.i64(3 + dim), false}}, 1,
                          arith::TruncIOp::create(e.b, e.loc, i32, number));
          }
          Evaluator evaluator(e, 1);
          Value held = evaluator.evaluateAsHeld(operand, at).value;
          call(kind, toPrintBits(e, held, element, kind), coords, shape.size());
        });
  }
}

} // namespace tilewright::cpu
