// warp.mma: the mma instructions that planMma lists.
//
// The registers of a tile are ordered by atom. Within an atom they follow the
// order of the 32-bit registers of the instruction.

#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/RegisterPacking.h"
#include "lib/Conversion/WarpToLLVM/Mma/MmaTypes.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Tile/TileTypes.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Layout/MmaTiling.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tilewright;

// 32-bit registers of the operands of one instruction, for all types.
static constexpr unsigned kWordsOfB = 2;
static constexpr unsigned kElementsOfAcc = 4;

/// Example: `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32`.
static std::string getInstruction(Type a, Type b, Type acc) {
  unsigned k = 256 / a.getIntOrFloatBitWidth();
  StringRef accType = getPtxAccType(acc);
  return ("mma.sync.aligned.m16n8k" + Twine(k) + ".row.col." + accType + "." +
          getPtxType(a) + "." + getPtxType(b) + "." + accType)
      .str();
}

static std::string addInputs(InlinePtx &ptx, ValueRange values) {
  SmallVector<std::string> names;
  for (Value value : values)
    names.push_back(ptx.in(value));
  return formatPtxVector(names);
}

/// Emits one instruction; the accumulator is in 32-bit words.
static SmallVector<Value> emitMma(ImplicitLocOpBuilder &b,
                                  const std::string &instruction, ValueRange a,
                                  ValueRange bWords, ValueRange acc) {
  InlinePtx ptx(b);
  SmallVector<std::string> results;
  for (Value word : acc)
    results.push_back(ptx.out(word.getType()));
  std::string text = instruction + " " + formatPtxVector(results) + ", " +
                     addInputs(ptx, a) + ", " + addInputs(ptx, bWords);
  text += ", " + addInputs(ptx, acc) + ";";
  return ptx.emit(text, /*sideEffects=*/false);
}

namespace {

/// The accumulators of an mma. An instruction waits for the previous one that
/// adds to the same accumulator. So a warp with one or two accumulator atoms
/// splits each into partial accumulators and cycles through them.
class PartialAccumulators {
public:
  PartialAccumulators(MutableArrayRef<Value> acc, unsigned wordsOfAcc,
                      size_t numSteps);

  /// Returns the partial accumulator of `atom` for the next step.
  MutableArrayRef<Value> getNext(ImplicitLocOpBuilder &b, unsigned atom);
  /// Adds the partial accumulators up.
  void merge(ImplicitLocOpBuilder &b);

private:
  static constexpr unsigned kParts = 4;

  MutableArrayRef<Value> acc;
  unsigned wordsOfAcc, numParts = 1;
  /// By atom: the number of steps so far, and the partial accumulators after
  /// the first one, which is the accumulator itself.
  SmallVector<unsigned> counts;
  SmallVector<SmallVector<SmallVector<Value>>> parts;
};

} // namespace

PartialAccumulators::PartialAccumulators(MutableArrayRef<Value> acc,
                                         unsigned wordsOfAcc, size_t numSteps)
    : acc(acc), wordsOfAcc(wordsOfAcc) {
  size_t numAtoms = acc.size() / wordsOfAcc;
  counts.resize(numAtoms);
  parts.resize(numAtoms);
  // f16 pairs are not split: their accumulators would be rounded twice.
  if (wordsOfAcc != kElementsOfAcc)
    return;
  // Each part needs at least two steps, or the final additions cost as much.
  while (numParts * numAtoms * 2 <= kParts &&
         numParts * numAtoms * 4 <= numSteps)
    numParts *= 2;
}

MutableArrayRef<Value> PartialAccumulators::getNext(ImplicitLocOpBuilder &b,
                                                    unsigned atom) {
  unsigned part = counts[atom]++ % numParts;
  MutableArrayRef<Value> first = acc.slice(atom * wordsOfAcc, wordsOfAcc);
  if (part == 0)
    return first;
  auto &others = parts[atom];
  if (others.size() < part) {
    Type type = first.front().getType();
    Value zero = LLVM::ZeroOp::create(b, type);
    others.emplace_back(wordsOfAcc, zero);
  }
  return others[part - 1];
}

void PartialAccumulators::merge(ImplicitLocOpBuilder &b) {
  auto add = [&](MutableArrayRef<Value> to, ArrayRef<Value> from) {
    for (auto [total, word] : llvm::zip_equal(to, from))
      total = isa<FloatType>(total.getType())
                  ? LLVM::FAddOp::create(b, total, word).getResult()
                  : LLVM::AddOp::create(b, total, word).getResult();
  };
  for (auto [atom, others] : llvm::enumerate(parts)) {
    if (others.empty())
      continue;
    SmallVector<MutableArrayRef<Value>> all = {
        acc.slice(atom * wordsOfAcc, wordsOfAcc)};
    all.append(others.begin(), others.end());
    for (size_t step = 1; step < all.size(); step *= 2)
      for (size_t i = 0; i + step < all.size(); i += 2 * step)
        add(all[i], all[i + step]);
  }
}

namespace {

class MmaLowering : public ConvertOpToLLVMPattern<warp::MmaOp> {
public:
  MmaLowering(const WarpTypeConverter &converter, const NvidiaTarget &target)
      : ConvertOpToLLVMPattern(converter), target(target) {}

  LogicalResult
  matchAndRewrite(warp::MmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type typeA = getElementTypeOrSelf(op.getA().getType());
    Type typeB = getElementTypeOrSelf(op.getB().getType());
    Type typeAcc = getElementTypeOrSelf(op.getType());
    if (tile::isFloat8(typeA) && !target.hasFloat8())
      return op.emitOpError("of 8-bit floats needs sm_89 or newer, the target "
                            "is sm_")
             << target.computeCapability;
    auto steps =
        planMma(getLayoutOrScalar(op.getA().getType()),
                getLayoutOrScalar(op.getB().getType()),
                getLayoutOrScalar(op.getType()), typeA.getIntOrFloatBitWidth());
    if (!steps)
      return op.emitOpError("has layouts that tensor cores do not take");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> a = packWords(b, adaptor.getA(), 32);
    SmallVector<Value> bWords = packWords(b, adaptor.getB(), 32);
    // f16 accumulators share words; f32 and i32 are words already.
    bool packed = typeAcc.isF16();
    SmallVector<Value> acc(adaptor.getAcc());
    if (packed)
      acc = packWords(b, acc, 32);
    emitSteps(b, getInstruction(typeA, typeB, typeAcc), *steps, a, bWords, acc,
              packed ? kElementsOfAcc / 2 : kElementsOfAcc);
    if (packed)
      acc = unpackWords(b, acc, typeAcc);
    rewriter.replaceOpWithMultiple(op, {acc});
    return success();
  }

private:
  /// Emits `steps`, with partial accumulators to overlap dependent steps.
  static void emitSteps(ImplicitLocOpBuilder &b, const std::string &instruction,
                        ArrayRef<MmaStep> steps, ArrayRef<Value> a,
                        ArrayRef<Value> bWords, MutableArrayRef<Value> acc,
                        unsigned wordsOfAcc) {
    PartialAccumulators partials(acc, wordsOfAcc, steps.size());
    for (const MmaStep &step : steps) {
      MutableArrayRef<Value> words = partials.getNext(b, step.acc);
      SmallVector<Value> result =
          emitMma(b, instruction, a.slice(step.a * kWordsOfA, kWordsOfA),
                  bWords.slice(step.b * kWordsOfB, kWordsOfB), words);
      llvm::copy(result, words.begin());
    }
    partials.merge(b);
  }

  const NvidiaTarget target;
};

} // namespace

void tilewright::populateMmaToLLVM(const WarpTypeConverter &converter,
                                   const NvidiaTarget &target,
                                   RewritePatternSet &patterns) {
  patterns.add<MmaLowering>(converter, target);
}
