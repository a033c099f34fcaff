#include "lib/Layout/F2.h"
#include "lib/Layout/LayoutConversion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace tilewright;
using llvm::ArrayRef;
using llvm::SmallVector;

/// log2 of the bytes of the widest access.
static constexpr unsigned kVectorBits = 4;

SharedAccess tilewright::getSharedAccess(const LinearLayout &registers,
                                         const LinearLayout &memory,
                                         unsigned elementBytes) {
  SharedAccess access;
  access.offsets = registers.then(memory.inverse());
  uint64_t threadBits = 0;
  for (LayoutAxis axis : {LayoutAxis::Lane, LayoutAxis::Warp})
    for (uint64_t offset : access.offsets.getColumns(axis))
      threadBits |= offset;
  f2::Solver solver(access.offsets.getColumns(LayoutAxis::Register));
  unsigned limit = std::min(kVectorBits - llvm::Log2_32(elementBytes),
                            access.offsets.getTotalOutBits());
  for (unsigned bit = 0; bit < limit && !(threadBits >> bit & 1); ++bit) {
    std::optional<uint64_t> reg = solver.solve(uint64_t(1) << bit);
    if (!reg)
      break;
    access.vectorRegisters.push_back(*reg);
  }
  return access;
}

unsigned tilewright::countConsecutiveRegisterBits(const LinearLayout &registers,
                                                  const LinearLayout &memory) {
  LinearLayout offsets = registers.then(memory.inverse());
  ArrayRef<uint64_t> columns = offsets.getColumns(LayoutAxis::Register);
  unsigned count = 0;
  while (count < columns.size() && columns[count] == uint64_t(1) << count)
    ++count;
  // Shrink groups until no other register, lane or warp has elements in them.
  auto reachesInto = [&](unsigned bits) {
    uint64_t others = 0;
    for (LayoutAxis axis : {LayoutAxis::Lane, LayoutAxis::Warp})
      for (uint64_t column : offsets.getColumns(axis))
        others |= column;
    for (uint64_t column : columns.drop_front(bits))
      others |= column;
    return (others & ((uint64_t(1) << bits) - 1)) != 0;
  };
  while (reachesInto(count))
    --count;
  return count;
}

SmallVector<unsigned> SharedAccess::getVectors() const {
  f2::Subspace inVector(vectorRegisters);
  SmallVector<unsigned> vectors;
  for (unsigned r = 0; r < offsets.getInSize(LayoutAxis::Register); ++r)
    if (inVector.reduce(r) == r)
      vectors.push_back(r);
  // The offset of element 0 is a multiple of the vector size.
  uint64_t mask = (uint64_t(1) << vectorRegisters.size()) - 1;
  for (unsigned &r : vectors) {
    uint64_t element =
        offsets.applyFlat(offsets.flattenIn({{LayoutAxis::Register, r}})) &
        mask;
    for (auto [bit, registers] : llvm::enumerate(vectorRegisters))
      if (element >> bit & 1)
        r ^= registers;
  }
  return vectors;
}

SmallVector<unsigned> SharedAccess::getElements(unsigned first) const {
  SmallVector<unsigned> elements = {first};
  for (uint64_t registers : vectorRegisters)
    for (unsigned i = 0, e = elements.size(); i < e; ++i)
      elements.push_back(elements[i] ^ registers);
  return elements;
}
