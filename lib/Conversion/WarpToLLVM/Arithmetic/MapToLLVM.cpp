// Elementwise functions, emitted once per group of registers of a tile.

#include "lib/Conversion/WarpToLLVM/Common/RegionEmission.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Tile/TileOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct MapLowering : ConvertOpToLLVMPattern<tile::MapOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(tile::MapOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    const unsigned pack = op.getPack();
    SmallVector<Type> types;
    for (Type type : op.getResultTypes())
      types.append(pack,
                   typeConverter->convertType(getElementTypeOrSelf(type)));
    SmallVector<SmallVector<Value>> results(op.getNumResults());
    const unsigned count = getNumRegisters(op.getResult(0).getType());
    for (unsigned first = 0; first < count; first += pack) {
      SmallVector<Value> group =
          emitRegion(b, op.getFunction().front(),
                     getGroup(adaptor.getOperands(), first, pack), types);
      for (auto [i, registers] : llvm::enumerate(results))
        llvm::append_range(registers,
                           ArrayRef(group)
                               .slice(i * pack, pack)
                               .take_front(std::min(pack, count - first)));
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  /// Returns `pack` registers of each operand. The last register fills an
  /// incomplete group.
  static SmallVector<Value> getGroup(ArrayRef<ValueRange> operands,
                                     unsigned first, unsigned pack) {
    SmallVector<Value> group;
    for (ValueRange registers : operands)
      for (unsigned i = 0; i < pack; ++i)
        group.push_back(
            registers[std::min<size_t>(first + i, registers.size() - 1)]);
    return group;
  }
};

} // namespace

void tilewright::populateMapToLLVM(const WarpTypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<MapLowering>(converter);
}
