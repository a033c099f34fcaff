#include "lib/Analysis/AccessWidths.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpAttributes.h"
#include "lib/Analysis/AxisInfo.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

unsigned tilewright::getAccessWidth(const AxisInfoAnalysis &analysis, Value ptr,
                                    Value mask) {
  std::optional<LinearLayout> layout = warp::getLayout(ptr.getType());
  if (!layout)
    return 1;
  int64_t width = 1;
  for (unsigned dim = 0, rank = layout->getRank(); dim < rank; ++dim)
    width = std::max(width, std::min(layout->getNumConsecutive(
                                         LayoutAxis::Register, dimAxis(dim)),
                                     analysis.getVectorSize(ptr, mask, dim)));
  return width;
}

AccessWidths::AccessWidths(Operation *root) {
  AxisInfoAnalysis analysis(root);
  root->walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp>([&](auto access) {
          widths[op] =
              getAccessWidth(analysis, access.getPtr(), access.getMask());
        });
  });
}
