#include "lib/Conversion/WarpToLLVM/SharedTransfer.h"

#include "lib/Conversion/WarpToLLVM/MatrixTransfer.h"
#include "lib/Conversion/WarpToLLVM/ThreadIndices.h"
#include "lib/Support/LayoutInference.h"

using namespace mlir;
using namespace tilewright;

SharedTransfer::SharedTransfer(ImplicitLocOpBuilder &b,
                               const LinearLayout &registers,
                               const LinearLayout &memory, Type element,
                               unsigned elementBytes, Value base)
    : b(b), element(element), elementBytes(elementBytes), base(base),
      full(registers), registers(full.dropRedundantBits(LayoutAxis::Register)),
      access(getSharedAccess(this->registers, memory, elementBytes)),
      shared(b, access, this->registers.getTotalOutBits(), element, base) {}

/// Both layouts differ in copies only, so there always is a map.
static SmallVector<Value> select(const LinearLayout &from,
                                 const LinearLayout &to, ValueRange values) {
  std::optional<LinearLayout> map = registerMap(from, to);
  SmallVector<Value> selected;
  for (unsigned reg = 0, e = map->getInSize(LayoutAxis::Register); reg < e;
       ++reg)
    selected.push_back(values[map->applyFlat(reg)]);
  return selected;
}

void SharedTransfer::store(ValueRange values, bool hasStoreMatrix) {
  SmallVector<Value> selected = select(full, registers, values);
  Value owner = emitIsOwner(b, registers);
  auto matrices = planMatrixTransfer(access.offsets, element, elementBytes);
  if (matrices && !owner && hasStoreMatrix)
    emitStoreMatrix(b, *matrices, element, base, registers.getTotalOutBits(),
                    /*round=*/0, selected);
  else
    shared.store(/*round=*/0, selected, owner);
}

/// `ldmatrix` reads a block's own memory only.
SmallVector<Value> SharedTransfer::loadRemote() {
  SmallVector<Value> values(registers.getInSize(LayoutAxis::Register));
  shared.load(/*round=*/0, values);
  return select(registers, full, values);
}

SmallVector<Value> SharedTransfer::load() {
  SmallVector<Value> values(registers.getInSize(LayoutAxis::Register));
  if (auto matrices = planMatrixTransfer(access.offsets, element, elementBytes))
    emitLoadMatrix(b, *matrices, element, base, values);
  else
    shared.load(/*round=*/0, values);
  return select(registers, full, values);
}
