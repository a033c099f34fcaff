#include "lib/Layout/LayoutInference.h"

#include "lib/Layout/F2.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilewright;
using llvm::ArrayRef;
using llvm::SmallVector;

static constexpr LayoutAxis kThreadAxes[] = {LayoutAxis::Lane, LayoutAxis::Warp,
                                             LayoutAxis::Block};

std::optional<LinearLayout>
tilewright::registerMap(const LinearLayout &source,
                        const LinearLayout &result) {
  // The thread bits must have the same columns in both layouts. Otherwise the
  // register would depend on the thread.
  for (LayoutAxis axis : kThreadAxes)
    if (source.getColumns(axis) != result.getColumns(axis))
      return std::nullopt;
  f2::Solver solver(source.getColumns(LayoutAxis::Register));
  SmallVector<uint64_t> columns;
  for (uint64_t element : result.getColumns(LayoutAxis::Register)) {
    std::optional<uint64_t> reg = solver.solve(element);
    if (!reg)
      return std::nullopt;
    columns.push_back(*reg);
  }
  return LinearLayout(
      {{LayoutAxis::Register, result.getInBits(LayoutAxis::Register)}},
      {{LayoutAxis::Register, source.getInBits(LayoutAxis::Register)}},
      columns);
}

LinearLayout tilewright::reducedLayout(const LinearLayout &source,
                                       unsigned axis) {
  return source.sliceDim(axis).dropRedundantBits(LayoutAxis::Register);
}

std::optional<LinearLayout>
tilewright::broadcastRegisters(const LinearLayout &source,
                               const LinearLayout &result) {
  if (source.getRank() != result.getRank())
    return std::nullopt;
  LinearLayout projected = result;
  for (unsigned d = 0, rank = source.getRank(); d < rank; ++d)
    if (source.getOutBits(dimAxis(d)) == 0)
      projected = projected.sliceDim(d).expandDim(d);
  if (projected.getOuts() != source.getOuts())
    return std::nullopt;
  return registerMap(source, projected);
}

std::optional<LinearLayout>
tilewright::reshapeRegisters(const LinearLayout &source,
                             const LinearLayout &result) {
  if (source.getTotalOutBits() != result.getTotalOutBits())
    return std::nullopt;
  return registerMap(source.reshape(result.getShape()), result);
}
