// warp.wgmma: the instructions that planWgmma lists.
//
// One op becomes one piece of inline PTX whose accumulators are tied from
// operand to result. So LLVM cannot move a register between two instructions
// while the tensor cores still write it. The assembler finds all instructions
// of an op in one basic block. A wait directly after the op joins its piece, so
// LLVM tracks the accumulators once (benchmarks/notes/compile-time.md).

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

/// Example: `wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16`.
static std::string getInstruction(Type a, Type b, Type acc, int64_t columns) {
  unsigned k = 256 / a.getIntOrFloatBitWidth();
  return ("wgmma.mma_async.sync.aligned.m64n" + Twine(columns) + "k" +
          Twine(k) + "." + getPtxAccType(acc) + "." + getPtxType(a) + "." +
          getPtxType(b))
      .str();
}

/// Packs accumulators as the instruction takes them: f16 in pairs.
static SmallVector<Value> packAccumulators(ImplicitLocOpBuilder &b,
                                           ValueRange acc) {
  if (!acc.empty() && acc[0].getType().isF16())
    return packWords(b, acc, 32);
  return SmallVector<Value>(acc);
}

/// A register of an accumulator: a value, or the name of a pinned register.
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

/// Emits the descriptor of an operand that starts at `base`. `offsets` maps the
/// warpgroup's index to the byte offset of its part.
static Value emitDescriptor(ImplicitLocOpBuilder &b, Value base,
                            const WgmmaDescriptor &descriptor,
                            ArrayRef<uint64_t> offsets) {
  Type i64 = b.getI64Type();
  Value address = LLVM::PtrToIntOp::create(b, b.getI32Type(), base);
  if (llvm::any_of(offsets, [](uint64_t offset) { return offset != 0; })) {
    // The shuffle tells the assembler that the value is uniform in the warp.
    Value warp = emitShuffleIndex(b, emitWarpId(b), emitI32(b, 0));
    Value group = LLVM::LShrOp::create(
        b, warp, emitI32(b, llvm::Log2_32(kWarpsPerGroup)));
    address = LLVM::AddOp::create(b, address, emitLinearMap(b, group, offsets));
  }
  // The address field has 14 bits, in units of 16 bytes.
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

  /// Writes the instructions and appends the PTX `wait`. With `startsAtZero`
  /// the accumulators are zero and `acc` is not read. Returns the new values of
  /// the accumulators that are not pinned.
  SmallVector<Value> write(ValueRange a, Value b, ArrayRef<Word> acc,
                           bool startsAtZero, StringRef wait) {
    for (const auto &[value, name] : acc)
      accNames.push_back(!value         ? name
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
  /// Returns the descriptor `base` advanced by `offset` bytes, in `name`.
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
    text +=
        instruction + " " +
        formatPtxVector(ArrayRef(accNames).slice(step.part * words, words)) +
        ", " + a + ", " + b + (sets ? ", set" : ", add") + getFlags() + ";\n";
  }

  /// The signs of A and B, and their majorness where the type has a choice.
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
  SmallVector<std::string> accNames, wordsOfA;
  std::string descriptorB, text;
};

/// The accumulators of several dots whose columns are adjacent in each part (64
/// rows) of one instruction's result.
class MergedAccumulators {
public:
  MergedAccumulators(ArrayRef<SmallVector<Word>> dots, unsigned numParts)
      : numDots(dots.size()) {
    for (unsigned part = 0; part < numParts; ++part)
      for (auto [dot, words] : llvm::enumerate(dots)) {
        size_t size = words.size() / numParts;
        llvm::append_range(all, ArrayRef(words).slice(part * size, size));
        owners.append(size, dot);
      }
  }

  ArrayRef<Word> get() const { return all; }

  /// Distributes the new values to the dots. Pinned accumulators have none.
  SmallVector<SmallVector<Value>> split(ArrayRef<Value> values) const {
    SmallVector<SmallVector<Value>> dots(numDots);
    for (auto [word, owner] : llvm::zip_equal(all, owners))
      if (word.value) {
        dots[owner].push_back(values.front());
        values = values.drop_front();
      }
    return dots;
  }

private:
  size_t numDots;
  SmallVector<Word> all;
  /// The dot of each word.
  SmallVector<size_t> owners;
};

/// On an op whose wait is part of its own PTX: the number of wgmma groups that
/// may still be in flight after the wait.
constexpr llvm::StringLiteral kPendings = "tilewright.pendings";

std::string formatWait(int64_t pendings) {
  return ("wgmma.wait_group.sync.aligned " + Twine(pendings) + ";").str();
}

/// Returns the PTX of the wait that is part of `op`, or nothing.
std::string getWait(Operation *op) {
  auto pendings = op->getAttrOfType<IntegerAttr>(kPendings);
  return pendings ? "\n" + formatWait(pendings.getInt()) : "";
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
    if (!plan && op.getNumDots() > 1)
      return op.emitOpError("has B tiles that are not adjacent in shared "
                            "memory, as one descriptor needs");
    if (!plan)
      return rewriter.notifyMatchFailure(op, "no plan");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOpWithMultiple(op, emitDots(b, *plan, op, adaptor));
    return success();
  }

private:
  /// Emits the instructions of `plan` and returns the results of each dot.
  static SmallVector<SmallVector<Value>> emitDots(ImplicitLocOpBuilder &b,
                                                  const WgmmaPlan &plan,
                                                  warp::WgmmaOp op,
                                                  OneToNOpAdaptor adaptor);

  const NvidiaTarget target;
};

/// Returns the packed registers of each accumulator. `typed` are the
/// accumulators before conversion, which carry the types.
SmallVector<SmallVector<Word>> getAccumulators(ImplicitLocOpBuilder &b,
                                               ValueRange typed,
                                               ArrayRef<ValueRange> registers) {
  SmallVector<SmallVector<Word>> accs;
  for (auto [acc, values] : llvm::zip_equal(typed, registers)) {
    SmallVector<Word> &words = accs.emplace_back();
    for (Value value : packAccumulators(b, values))
      words.push_back({value, ""});
    for (const std::string &name : getPinnedRegisters(acc.getType()))
      words.push_back({Value(), name});
  }
  return accs;
}

SmallVector<SmallVector<Value>>
WgmmaLowering::emitDots(ImplicitLocOpBuilder &b, const WgmmaPlan &plan,
                        warp::WgmmaOp op, OneToNOpAdaptor adaptor) {
  Type typeA = getTileElementType(op.getA());
  Type typeB = getTileElementType(op.getB().front());
  Type typeAcc = getTileElementType(op.getAcc().front());
  MergedAccumulators accs(getAccumulators(b, op.getAcc(), adaptor.getAcc()),
                          plan.parts);
  ValueRange a = adaptor.getA();
  SmallVector<Value> operandA =
      plan.a
          ? SmallVector<Value>{emitDescriptor(b, a[0], *plan.a, plan.aOffsets)}
          : packWords(b, a, 32);
  // One descriptor expresses all B.
  Value descriptor =
      emitDescriptor(b, adaptor.getB().front()[0], plan.b, plan.bOffsets);
  WgmmaWriter writer(
      b, plan, getInstruction(typeA, typeB, typeAcc, plan.columns),
      accs.get().size() / plan.parts, typeA.getIntOrFloatBitWidth() == 16);
  SmallVector<SmallVector<Value>> results = accs.split(writer.write(
      operandA, descriptor, accs.get(), startsAtZero(op), getWait(op)));
  for (SmallVector<Value> &result : results)
    result = unpackAccumulators(b, result, typeAcc);
  return results;
}

struct WgmmaWaitLowering : ConvertOpToLLVMPattern<warp::WgmmaWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::WgmmaWaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    InlinePtx ptx(b);
    SmallVector<SmallVector<Value>> packed;
    // An accumulator that is named twice (CSE merged equal wgmmas) must not be
    // copied before the wait.
    llvm::MapVector<Value, ValueRange> different;
    for (auto [typed, registers] :
         llvm::zip_equal(op.getAccumulators(), adaptor.getAccumulators()))
      different.insert({typed, registers});
    for (const auto &[typed, registers] : different)
      for (Value word : packed.emplace_back(packAccumulators(b, registers)))
        ptx.out(word.getType(), word);
    SmallVector<Value> words =
        ptx.emit(formatWait(op.getPendings()), /*sideEffects=*/true);
    ArrayRef<Value> rest = words;
    for (auto [acc, entry] : llvm::zip_equal(packed, different)) {
      size_t size = acc.size();
      acc = unpackAccumulators(b, rest.take_front(size),
                               getTileElementType(entry.first));
      rest = rest.drop_front(size);
      entry.second = acc;
    }
    SmallVector<ValueRange> results;
    for (Value acc : op.getAccumulators())
      results.push_back(different.lookup(acc));
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

void tilewright::mergeWaits(ModuleOp module) {
  module.walk([](warp::WgmmaWaitOp wait) {
    auto wgmma = dyn_cast_or_null<warp::WgmmaOp>(wait->getPrevNode());
    if (!wgmma || !llvm::equal(wait.getAccumulators(), wgmma->getResults()))
      return;
    wgmma->setAttr(kPendings, wait.getPendingsAttr());
    wait->replaceAllUsesWith(wgmma);
    wait->erase();
  });
}

void tilewright::populateWgmmaToLLVM(const WarpTypeConverter &converter,
                                     const NvidiaTarget &target,
                                     RewritePatternSet &patterns) {
  patterns.add<WgmmaLowering>(converter, target);
  patterns.add<WgmmaWaitLowering, ProxyFenceLowering>(converter);
}
