// Asynchronous tensor-core products: the instructions that planWgmma lists.
//
// One op is one piece of inline PTX with its accumulators tied from operand to
// result. So LLVM has no place between two instructions where it could move a
// register that the tensor cores are still writing, and the assembler finds
// every product of an op in one basic block. A wait right behind a product is
// part of its piece: dozens of operands more cost LLVM a tenth of its time.

#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/RegisterPacking.h"
#include "lib/Conversion/WarpToLLVM/Common/Shuffle.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Mma/MmaTypes.h"
#include "lib/Conversion/WarpToLLVM/Mma/PinnedAccumulators.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "lib/Analysis/Mma/WgmmaPlans.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

/// `wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16`
static std::string getInstruction(Type a, Type b, Type acc, int64_t columns) {
  unsigned k = 256 / a.getIntOrFloatBitWidth();
  return ("wgmma.mma_async.sync.aligned.m64n" + Twine(columns) + "k" +
          Twine(k) + "." + getPtxAccType(acc) + "." + getPtxType(a) + "." +
          getPtxType(b))
      .str();
}

/// Accumulators in the registers of the instruction: f16 in pairs.
static SmallVector<Value> packAccumulators(ImplicitLocOpBuilder &b,
                                           ValueRange sums) {
  if (!sums.empty() && sums[0].getType().isF16())
    return packWords(b, sums, 32);
  return SmallVector<Value>(sums);
}

/// A register of an accumulator: a value, or the name of one that is kept.
struct Word {
  Value value;
  std::string name;
};

static SmallVector<Value> unpackAccumulators(ImplicitLocOpBuilder &b,
                                             ArrayRef<Value> words, Type type) {
  return type.isF16() && !words.empty() ? unpackWords(b, words, type)
                                        : SmallVector<Value>(words);
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

/// The descriptor of an operand that starts at `base`; `offsets` says how many
/// bytes further each warpgroup's part of it starts.
static Value emitDescriptor(ImplicitLocOpBuilder &b, Value base,
                            const WgmmaDescriptor &descriptor,
                            ArrayRef<uint64_t> offsets) {
  Type i64 = b.getI64Type();
  Value address = LLVM::PtrToIntOp::create(b, b.getI32Type(), base);
  if (llvm::any_of(offsets, [](uint64_t offset) { return offset != 0; })) {
    // A shuffle tells the assembler that all lanes have the same.
    Value warp = emitShuffleIndex(b, emitWarpId(b), emitI32(b, 0));
    Value group = LLVM::LShrOp::create(
        b, warp, emitI32(b, llvm::Log2_32(kWarpsPerGroup)));
    address = LLVM::AddOp::create(b, address, emitLinearMap(b, group, offsets));
  }
  // The field of the address has 14 bits of 16 bytes each.
  constexpr int64_t kAddressMask = 0x3ffff;
  Value field = LLVM::AndOp::create(b, address, emitI32(b, kAddressMask));
  field = LLVM::LShrOp::create(b, field, emitI32(b, 4));
  Value bits = LLVM::ConstantOp::create(
      b, i64, b.getI64IntegerAttr(int64_t(descriptor.getBits())));
  return LLVM::OrOp::create(b, LLVM::ZExtOp::create(b, i64, field), bits);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

namespace {

/// Writes the PTX of one op.
class WgmmaWriter {
public:
  WgmmaWriter(ImplicitLocOpBuilder &b, const WgmmaPlan &plan,
              std::string instruction, unsigned wordsOfAcc, bool hasMajors)
      : ptx(b), plan(plan), instruction(std::move(instruction)),
        wordsOfAcc(wordsOfAcc), hasMajors(hasMajors) {}

  /// `startsAtZero`: the sums are zero before, whatever `acc` holds. `wait` is
  /// the PTX behind all. Gives the values of those that are not kept.
  SmallVector<Value> write(ValueRange a, Value b, ArrayRef<Word> acc,
                           bool startsAtZero, StringRef wait) {
    for (const auto &[value, name] : acc)
      sums.push_back(!value         ? name
                     : startsAtZero ? ptx.out(value.getType())
                                    : ptx.out(value.getType(), value));
    for (Value value : a)
      wordsOfA.push_back(ptx.in(value));
    descriptorB = ptx.in(b);
    text = "{\n.reg .pred add, set;\n.reg .b64 a, b;\n"
           "setp.eq.b32 add, 0, 0;\nsetp.ne.b32 set, 0, 0;\n"
           "wgmma.fence.sync.aligned;\n";
    for (const WgmmaStep &step : plan.steps)
      writeStep(step, startsAtZero && step.first);
    text += "wgmma.commit_group.sync.aligned;\n}";
    text += wait;
    return ptx.emit(text, /*sideEffects=*/true);
  }

private:
  /// The descriptor `base` moved by `offset` bytes, in the register `name`.
  std::string moved(StringRef base, StringRef name, int64_t offset) {
    if (offset == 0)
      return base.str();
    text +=
        ("add.s64 " + name + ", " + base + ", " + Twine(offset >> 4) + ";\n")
            .str();
    return name.str();
  }

  void writeStep(const WgmmaStep &step, bool sets) {
    std::string a = plan.a ? moved(wordsOfA[0], "a", step.aOffset)
                           : formatPtxVector(ArrayRef(wordsOfA).slice(
                                 step.aRegisters * kWordsOfA, kWordsOfA));
    std::string b = moved(descriptorB, "b", step.bOffset);
    unsigned words = wordsOfAcc;
    text += instruction + " " +
            formatPtxVector(ArrayRef(sums).slice(step.part * words, words)) +
            ", " + a + ", " + b + (sets ? ", set" : ", add") + getFlags() +
            ";\n";
  }

  /// NonNegative of the operands, and their majors where there is a choice.
  std::string getFlags() const {
    if (StringRef(instruction).ends_with("s8"))
      return "";
    std::string flags = ", 1, 1";
    if (hasMajors && plan.a)
      flags += plan.a->transposed ? ", 1" : ", 0";
    if (hasMajors)
      flags += plan.b.transposed ? ", 1" : ", 0";
    return flags;
  }

  InlinePtx ptx;
  const WgmmaPlan &plan;
  std::string instruction;
  unsigned wordsOfAcc;
  bool hasMajors;
  SmallVector<std::string> sums, wordsOfA;
  std::string descriptorB, text;
};

/// The sums of products whose columns stand side by side in each part of a
/// result.
class AccumulatorsBeside {
public:
  AccumulatorsBeside(ArrayRef<SmallVector<Word>> products, unsigned numParts)
      : numDots(products.size()) {
    for (unsigned part = 0; part < numParts; ++part)
      for (auto [product, words] : llvm::enumerate(products)) {
        size_t size = words.size() / numParts;
        llvm::append_range(all, ArrayRef(words).slice(part * size, size));
        owners.append(size, product);
      }
  }

  ArrayRef<Word> get() const { return all; }

  /// What has become of them, for each product; nothing of those that are kept.
  SmallVector<SmallVector<Value>> split(ArrayRef<Value> values) const {
    SmallVector<SmallVector<Value>> products(numDots);
    for (auto [word, owner] : llvm::zip_equal(all, owners))
      if (word.value) {
        products[owner].push_back(values.front());
        values = values.drop_front();
      }
    return products;
  }

private:
  size_t numDots;
  SmallVector<Word> all;
  /// The product of each of them.
  SmallVector<size_t> owners;
};

/// Of a product that is waited for in its own piece of PTX: how many may be
/// under way behind the wait.
constexpr llvm::StringLiteral kPendings = "tilewright.pendings";

std::string formatWait(int64_t pendings) {
  return ("wgmma.wait_group.sync.aligned " + Twine(pendings) + ";").str();
}

/// The wait that is part of the product `op`, if any.
std::string getWait(Operation *op) {
  auto pendings = op->getAttrOfType<IntegerAttr>(kPendings);
  return pendings ? "\n" + formatWait(pendings.getInt()) : "";
}

/// Writes products by the instructions of `plan`. `typed...` are the operands
/// before the conversion, which have the types; `right` is the memory of the
/// first right side. Gives the sums of each product.
SmallVector<SmallVector<Value>>
emitDots(ImplicitLocOpBuilder &b, const WgmmaPlan &plan, Value typedA,
         Value typedB, ValueRange typedAccs, ValueRange a, Value right,
         ArrayRef<ValueRange> accs, const std::string &wait) {
  Type typeA = getTileElementType(typedA);
  Value acc = typedAccs.front();
  Type typeAcc = getTileElementType(acc);
  SmallVector<SmallVector<Word>> packed;
  for (auto [sums, typed] : llvm::zip_equal(accs, typedAccs)) {
    SmallVector<Word> &words = packed.emplace_back();
    for (Value value : packAccumulators(b, sums))
      words.push_back({value, ""});
    for (const std::string &name : getPinnedRegisters(typed.getType()))
      words.push_back({Value(), name});
  }
  AccumulatorsBeside sums(packed, plan.parts);
  SmallVector<Value> left =
      plan.a
          ? SmallVector<Value>{emitDescriptor(b, a[0], *plan.a, plan.aOffsets)}
          : packWords(b, a, 32);
  Value descriptor = emitDescriptor(b, right, plan.b, plan.bOffsets);
  WgmmaWriter writer(
      b, plan,
      getInstruction(typeA, getTileElementType(typedB), typeAcc, plan.columns),
      sums.get().size() / plan.parts, typeA.getIntOrFloatBitWidth() == 16);
  SmallVector<SmallVector<Value>> results = sums.split(
      writer.write(left, descriptor, sums.get(), startsAtZero(acc), wait));
  for (SmallVector<Value> &result : results)
    result = unpackAccumulators(b, result, typeAcc);
  return results;
}

class WgmmaLowering : public ConvertOpToLLVMPattern<warp::WgmmaOp> {
public:
  WgmmaLowering(const WarpTypeConverter &converter, const NvidiaTarget &target)
      : ConvertOpToLLVMPattern(converter), target(target) {}

  LogicalResult
  matchAndRewrite(warp::WgmmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!target.hasWgmma())
      return op.emitOpError("needs sm_90a");
    auto plan = getWgmmaPlan(op.getA(), op.getB(), op.getAcc());
    if (!plan)
      return rewriter.notifyMatchFailure(op, "no plan");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOpWithMultiple(op, emitDots(b, *plan, op.getA(), op.getB(),
                                                op.getAcc(), adaptor.getA(),
                                                adaptor.getB()[0],
                                                adaptor.getAcc(), getWait(op)));
    return success();
  }

private:
  const NvidiaTarget target;
};

class WgmmaBesideLowering : public ConvertOpToLLVMPattern<warp::WgmmaBesideOp> {
public:
  WgmmaBesideLowering(const WarpTypeConverter &converter,
                      const NvidiaTarget &target)
      : ConvertOpToLLVMPattern(converter), target(target) {}

  LogicalResult
  matchAndRewrite(warp::WgmmaBesideOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!target.hasWgmma())
      return op.emitOpError("needs sm_90a");
    auto plan = getWgmmaPlan(op.getA(), op.getB(), op.getAcc());
    if (!plan)
      return op.emitOpError("has right sides that do not lie one behind the "
                            "other as one descriptor expresses");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOpWithMultiple(
        op, emitDots(b, *plan, op.getA(), op.getB().front(), op.getAcc(),
                     adaptor.getA(), adaptor.getB().front()[0],
                     adaptor.getAcc(), getWait(op)));
    return success();
  }

private:
  const NvidiaTarget target;
};

struct WgmmaWaitLowering : ConvertOpToLLVMPattern<warp::WgmmaWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::WgmmaWaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    InlinePtx ptx(b);
    SmallVector<SmallVector<Value>> sums;
    // Sums that are named twice, as equal products are computed once, may not
    // be copied before the wait.
    llvm::MapVector<Value, ValueRange> different;
    for (auto [typed, sum] :
         llvm::zip_equal(op.getAccumulators(), adaptor.getAccumulators()))
      different.insert({typed, sum});
    for (const auto &[typed, sum] : different)
      for (Value word : sums.emplace_back(packAccumulators(b, sum)))
        ptx.out(word.getType(), word);
    SmallVector<Value> words =
        ptx.emit(formatWait(op.getPendings()), /*sideEffects=*/true);
    ArrayRef<Value> rest = words;
    for (auto [sum, entry] : llvm::zip_equal(sums, different)) {
      size_t size = sum.size();
      sum = unpackAccumulators(b, rest.take_front(size),
                               getTileElementType(entry.first));
      rest = rest.drop_front(size);
      entry.second = sum;
    }
    SmallVector<ValueRange> results;
    for (Value sum : op.getAccumulators())
      results.push_back(different.lookup(sum));
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }
};

struct ProxyFenceLowering : ConvertOpToLLVMPattern<warp::ProxyFenceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::ProxyFenceOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    InlinePtx(b).emit("fence.proxy.async.shared::cta;", /*sideEffects=*/true);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilewright::joinWaits(ModuleOp module) {
  module.walk([](warp::WgmmaWaitOp wait) {
    Operation *product = wait->getPrevNode();
    if (!isa_and_nonnull<warp::WgmmaOp, warp::WgmmaBesideOp>(product) ||
        !llvm::equal(wait.getAccumulators(), product->getResults()))
      return;
    product->setAttr(kPendings, wait.getPendingsAttr());
    wait->replaceAllUsesWith(product);
    wait->erase();
  });
}

void tilewright::populateWgmmaToLLVM(const WarpTypeConverter &converter,
                                     const NvidiaTarget &target,
                                     RewritePatternSet &patterns) {
  patterns.add<WgmmaLowering, WgmmaBesideLowering>(converter, target);
  patterns.add<WgmmaWaitLowering, ProxyFenceLowering>(converter);
}
