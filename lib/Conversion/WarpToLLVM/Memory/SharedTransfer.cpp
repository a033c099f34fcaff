#include "lib/Conversion/WarpToLLVM/Memory/SharedTransfer.h"

#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Memory/MatrixTransfer.h"
#include "lib/Layout/LayoutInference.h"

using namespace mlir;
using namespace tilewright;

/// Returns the offset of the element at `coords`; 0 if empty.
static uint64_t getOffset(const LinearLayout &memory,
                          ArrayRef<int64_t> coords) {
  SmallVector<Coordinate> coordinates;
  for (auto [dim, index] : llvm::enumerate(coords))
    coordinates.push_back({dimAxis(dim), static_cast<uint64_t>(index)});
  LinearLayout offsets = memory.inverse();
  return offsets.applyFlat(offsets.flattenIn(coordinates));
}

/// Returns an access whose vectors stay whole at the offset `origin`.
static SharedAccess getAccessFrom(uint64_t origin,
                                  const LinearLayout &registers,
                                  const LinearLayout &memory,
                                  unsigned elementBytes) {
  SharedAccess access = getSharedAccess(registers, memory, elementBytes);
  size_t bits = llvm::countr_zero(origin);
  access.vectorRegisters.truncate(
      std::min(bits, access.vectorRegisters.size()));
  return access;
}

SharedTransfer::SharedTransfer(ImplicitLocOpBuilder &b,
                               const LinearLayout &registers,
                               const LinearLayout &memory, Type element,
                               unsigned elementBytes, Value base,
                               ArrayRef<int64_t> start)
    : b(b), element(element), elementBytes(elementBytes), base(base),
      origin(getOffset(memory, start)), full(registers),
      registers(full.dropRedundantBits(LayoutAxis::Register)),
      access(getAccessFrom(origin, this->registers, memory, elementBytes)),
      shared(b, access, memory.getTotalInBits(), element, base, origin) {}

/// Selects registers. Both layouts differ in copies only, so a map exists.
static SmallVector<Value> select(const LinearLayout &from,
                                 const LinearLayout &to, ValueRange values) {
  std::optional<LinearLayout> map = registerMap(from, to);
  SmallVector<Value> selected;
  for (unsigned reg = 0, e = map->getInSize(LayoutAxis::Register); reg < e;
       ++reg)
    selected.push_back(values[map->applyFlat(reg)]);
  return selected;
}

std::optional<MatrixAccess> SharedTransfer::planMatrices() const {
  if (origin != 0)
    return std::nullopt;
  return planMatrixTransfer(access.offsets, element, elementBytes);
}

void SharedTransfer::store(ValueRange values, bool hasStoreMatrix) {
  SmallVector<Value> selected = select(full, registers, values);
  Value owner = emitIsOwner(b, registers);
  auto matrices = planMatrices();
  if (matrices && !owner && hasStoreMatrix)
    emitStoreMatrix(b, *matrices, element, base, registers.getTotalOutBits(),
                    /*round=*/0, selected);
  else
    shared.store(/*round=*/0, selected, owner);
}

/// `ldmatrix` reads only the CTA's own shared memory.
SmallVector<Value> SharedTransfer::loadRemote() {
  SmallVector<Value> values(registers.getInSize(LayoutAxis::Register));
  shared.load(/*round=*/0, values);
  return select(registers, full, values);
}

SmallVector<Value> SharedTransfer::load() {
  SmallVector<Value> values(registers.getInSize(LayoutAxis::Register));
  if (auto matrices = planMatrices())
    emitLoadMatrix(b, *matrices, element, base, registers.getTotalOutBits(),
                   /*round=*/0, values);
  else
    shared.load(/*round=*/0, values);
  return select(registers, full, values);
}
