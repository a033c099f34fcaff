#include "lib/Conversion/TileToWarp/TileToWarp.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/SharedOperands.h"
#include "lib/Support/LayoutConversion.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tilewright;
using warp::LinearAttr;

namespace {

class DotFormer {
public:
  DotFormer(tile::FuncOp func, const LayoutAssignment &layouts)
      : func(func), layouts(layouts), rewriter(func.getContext()) {}

  void run();

private:
  void form(tile::DotOp dot);
  void formWgmma(tile::DotOp dot);
  void stage(Value operand, unsigned contracted);
  Value store(Value tile, unsigned contracted);
  Value allocate(Value tile, unsigned contracted);

  tile::FuncOp func;
  const LayoutAssignment &layouts;
  IRRewriter rewriter;
  /// Tiles that are in shared memory already, for one contracted dimension.
  DenseMap<std::pair<Value, unsigned>, Value> stored;
};

} // namespace

/// Right behind `tile`, so that the memory serves all its uses, and outside of
/// the loops that only use it.
Value DotFormer::allocate(Value tile, unsigned contracted) {
  auto type = cast<RankedTensorType>(tile.getType());
  // Elements of 16 bits may lie either way, so that one copy serves both.
  bool eitherWay = type.getElementTypeBitWidth() == 16;
  Value &known = stored[{tile, eitherWay ? 0 : contracted}];
  if (known)
    return known;
  auto memory = warp::SharedType::get(func.getContext(), type.getShape(),
                                      type.getElementType(),
                                      chooseWgmmaOperand(type, contracted));
  rewriter.setInsertionPointAfterValue(tile);
  return known = warp::AllocOp::create(rewriter, tile.getLoc(), memory, tile);
}

/// An operand in shared memory; transposes become another name for it.
Value DotFormer::store(Value tile, unsigned contracted) {
  auto transpose = tile.getDefiningOp<tile::TransposeOp>();
  if (!transpose)
    return allocate(tile, contracted);
  Value source = store(transpose.getSource(), transpose.getOrder()[contracted]);
  rewriter.setInsertionPointAfterValue(source);
  return warp::SharedTransposeOp::create(rewriter, transpose.getLoc(), source,
                                         transpose.getOrder());
}

void DotFormer::formWgmma(tile::DotOp dot) {
  const DotLayouts &chosen = layouts.getDot(dot);
  Value a = chosen.a ? dot.getA() : store(dot.getA(), /*contracted=*/1);
  Value b = store(dot.getB(), /*contracted=*/0);
  rewriter.setInsertionPoint(dot);
  auto product = warp::WgmmaOp::create(rewriter, dot.getLoc(), dot.getType(), a,
                                       b, dot.getAcc());
  rewriter.replaceOpWithNewOp<warp::WgmmaWaitOp>(
      dot, TypeRange(dot.getType()), product.getResult(), /*pendings=*/0);
}

/// Whether `tile` is loaded, transposed or not, in each iteration of a loop.
static bool isLoadedInLoop(Value tile) {
  while (auto transpose = tile.getDefiningOp<tile::TransposeOp>())
    tile = transpose.getSource();
  auto load = tile.getDefiningOp<tile::LoadOp>();
  return load && isa<scf::ForOp>(load->getParentOp());
}

/// An operand of `mma.sync` that a loop loads goes through memory of its own
/// instead of the scratch of a conversion: so the loads can be made to run
/// ahead of the products.
void DotFormer::stage(Value operand, unsigned contracted) {
  auto convert = operand.getDefiningOp<warp::ConvertLayoutOp>();
  if (!convert || !isLoadedInLoop(convert.getSource()) ||
      chooseConversion(*warp::getLayout(convert.getSource().getType()),
                       *warp::getLayout(convert.getType())) !=
          ConversionKind::SharedMemory)
    return;
  RankedTensorType tile = convert.getSource().getType();
  LinearAttr layout = chooseWgmmaOperand(tile, contracted);
  // Not where threads could store no two neighbours at once.
  if (countConsecutiveRegisterBits(*warp::getLayout(tile),
                                   layout.getLayout()) == 0)
    return;
  Value memory = allocate(convert.getSource(), contracted);
  rewriter.setInsertionPoint(convert);
  rewriter.replaceOpWithNewOp<warp::LocalLoadOp>(convert, convert.getType(),
                                                 memory);
}

void DotFormer::form(tile::DotOp dot) {
  if (!isTensorCoreDot(dot))
    return;
  if (layouts.getDot(dot).isWgmma)
    return formWgmma(dot);
  if (cast<RankedTensorType>(dot.getType()).getRank() == 2) {
    stage(dot.getA(), /*contracted=*/1);
    stage(dot.getB(), /*contracted=*/0);
  }
  rewriter.setInsertionPoint(dot);
  rewriter.replaceOpWithNewOp<warp::MmaOp>(dot, dot.getType(), dot.getA(),
                                           dot.getB(), dot.getAcc());
}

void DotFormer::run() {
  func.walk([&](tile::DotOp dot) { form(dot); });
  // What all uses wanted in another layout or in shared memory is not needed
  // where it was.
  (void)runRegionDCE(rewriter, func->getRegions());
}

void warp::formDots(tile::FuncOp func, const LayoutAssignment &layouts) {
  DotFormer(func, layouts).run();
}
