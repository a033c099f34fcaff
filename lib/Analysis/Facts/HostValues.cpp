#include "lib/Analysis/Facts/HostValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

using Program = llvm::SmallVector<HostStep>;

/// Limits the length of a program. It recomputes shared subexpressions, so it
/// may be far longer than the kernel's own code.
static constexpr size_t kMaxSteps = 256;

static bool append(Value value, Program &program);

static bool appendBinary(ValueRange operands, HostStep::Kind kind,
                         Program &program) {
  if (!append(operands[0], program) || !append(operands[1], program))
    return false;
  program.push_back({kind, 0});
  return true;
}

/// Appends the address of `op`: the pointer plus its offset in elements.
static bool appendAddress(tile::AddPtrOp op, Program &program) {
  Type pointee = cast<tile::PtrType>(op.getType()).getPointee();
  int64_t bytes = isa<tile::PtrType>(pointee)
                      ? 8
                      : llvm::divideCeil(pointee.getIntOrFloatBitWidth(), 8u);
  if (!append(op.getPtr(), program) || !append(op.getOffset(), program))
    return false;
  program.push_back({HostStep::Constant, bytes});
  program.push_back({HostStep::Mul, 0});
  program.push_back({HostStep::Add, 0});
  return true;
}

static bool append(Value value, Program &program) {
  if (program.size() > kMaxSteps)
    return false;
  if (!value.getType().isIntOrIndex() && !isa<tile::PtrType>(value.getType()))
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (!isa<tile::FuncOp>(argument.getOwner()->getParentOp()))
      return false;
    program.push_back({HostStep::Argument, argument.getArgNumber()});
    return true;
  }
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    program.push_back({HostStep::Constant, constant.getSExtValue()});
    return true;
  }
  return llvm::TypeSwitch<Operation *, bool>(value.getDefiningOp())
      .Case([&](arith::ExtSIOp op) { return append(op.getIn(), program); })
      .Case([&](arith::AddIOp op) {
        return appendBinary(op.getOperands(), HostStep::Add, program);
      })
      .Case([&](arith::SubIOp op) {
        return appendBinary(op.getOperands(), HostStep::Sub, program);
      })
      .Case([&](arith::MulIOp op) {
        return appendBinary(op.getOperands(), HostStep::Mul, program);
      })
      .Case([&](arith::MinSIOp op) {
        return appendBinary(op.getOperands(), HostStep::Min, program);
      })
      .Case([&](arith::MaxSIOp op) {
        return appendBinary(op.getOperands(), HostStep::Max, program);
      })
      .Case([&](tile::AddPtrOp op) { return appendAddress(op, program); })
      .Default([](Operation *) { return false; });
}

std::optional<Program> tilewright::getHostProgram(Value value) {
  Program program;
  if (!append(value, program))
    return std::nullopt;
  return program;
}

bool tilewright::isHostKnown(tile::MakeDescriptorOp desc) {
  return llvm::all_of(desc->getOperands(), [](Value value) {
    return getHostProgram(value).has_value();
  });
}
