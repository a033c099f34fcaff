#include "lib/Target/Host/MaskedStores.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <numeric>
#include <optional>

using namespace llvm;

/// Returns the enabled lanes of a constant mask as ranges; nothing for an
/// unknown mask.
static std::optional<SmallVector<std::pair<unsigned, unsigned>>>
runsOf(Value *value) {
  auto *mask = dyn_cast<Constant>(value);
  auto *type = dyn_cast<FixedVectorType>(value->getType());
  if (!mask || !type)
    return std::nullopt;
  SmallVector<std::pair<unsigned, unsigned>> runs;
  for (unsigned lane = 0; lane != type->getNumElements(); ++lane) {
    Constant *bit = mask->getAggregateElement(lane);
    if (!bit || !isa<ConstantInt, UndefValue>(bit))
      return std::nullopt;
    if (isa<UndefValue>(bit) || bit->isNullValue())
      continue;
    if (!runs.empty() && runs.back().second == lane)
      ++runs.back().second;
    else
      runs.push_back({lane, lane + 1});
  }
  return runs;
}

static void storeRuns(IntrinsicInst &call,
                      ArrayRef<std::pair<unsigned, unsigned>> runs) {
  IRBuilder<> builder(&call);
  Value *value = call.getArgOperand(0), *pointer = call.getArgOperand(1);
  Align align = call.getParamAlign(1).valueOrOne();
  Type *element = cast<VectorType>(value->getType())->getElementType();
  uint64_t bytes = call.getDataLayout().getTypeStoreSize(element);
  for (auto [begin, end] : runs) {
    Value *piece = value;
    if (end - begin == 1) {
      piece = builder.CreateExtractElement(value, begin);
    } else {
      SmallVector<int> lanes(end - begin);
      std::iota(lanes.begin(), lanes.end(), begin);
      piece = builder.CreateShuffleVector(value, lanes);
    }
    uint64_t offset = begin * bytes;
    StoreInst *store =
        builder.CreateAlignedStore(piece,
                                   builder.CreateConstInBoundsGEP1_64(
                                       builder.getInt8Ty(), pointer, offset),
                                   commonAlignment(align, offset));
    store->copyMetadata(call);
  }
  call.eraseFromParent();
}

namespace tilewright::host {

void storeKnownLanes(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (!call || call->getIntrinsicID() != Intrinsic::masked_store ||
          call->getArgOperand(0)->getType()->getScalarSizeInBits() % 8)
        continue;
      if (auto runs = runsOf(call->getArgOperand(2)))
        storeRuns(*call, *runs);
    }
}

} // namespace tilewright::host
