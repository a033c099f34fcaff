// Scans: in registers, over lanes with shuffles, over warps through shared
// memory, in the order that ScanPlan gives.
//
// Only totals go from thread to thread. What stands before a thread's elements
// is gathered from segment to segment and combined with them once, at the end.

#include "lib/Conversion/WarpToLLVM/Common/RegionEmission.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/Shuffle.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Memory/SharedAccess.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Warp/WarpTypes.h"
#include "lib/Analysis/Layout/ScanPlan.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

static constexpr unsigned kLaneBits = 5;
/// As many as the number of a thread of a block has.
static constexpr unsigned kThreadBits = 10;

namespace {

/// One value for each operand of the scan.
using Partial = SmallVector<Value>;

/// What stands before some elements: nothing; `value`; or `value` only where
/// `exists` is true.
struct Before {
  Partial value;
  Value exists;
};

class ScanEmission {
public:
  ScanEmission(ImplicitLocOpBuilder &b, tile::ScanOp op, const ScanPlan &plan,
               int64_t sharedOffset, ArrayRef<ValueRange> operands)
      : b(b), op(op), plan(plan), offsets(getScanScratchOffsets(op)) {
    for (int64_t &offset : offsets)
      offset += sharedOffset;
    for (unsigned reg = 0; reg < plan.numRegisters; ++reg)
      values.push_back(llvm::map_to_vector(
          operands, [&](ValueRange registers) { return registers[reg]; }));
    totals = values;
    before.resize(values.size());
  }

  SmallVector<SmallVector<Value>> run() {
    for (segment = 0; segment < plan.segments.size(); ++segment) {
      switch (plan.segments[segment].place) {
      case LayoutAxis::Register:
        scanRegisters();
        break;
      case LayoutAxis::Lane:
        scanLanes();
        break;
      default:
        scanWarps();
      }
    }
    finish();
    SmallVector<SmallVector<Value>> results(op.getNumOperands());
    for (unsigned reg = 0; reg < plan.numRegisters; ++reg)
      for (auto [i, value] :
           llvm::enumerate(values[reg & ~plan.copyRegisterBits]))
        results[i].push_back(value);
    return results;
  }

private:
  const ScanSegment &current() const { return plan.segments[segment]; }
  bool isLast() const { return segment + 1 == plan.segments.size(); }

  Partial combine(const Partial &lhs, const Partial &rhs) {
    Partial inputs(lhs);
    llvm::append_range(inputs, rhs);
    return emitRegion(b, op.getCombine().front(), inputs,
                      ValueRange(lhs).getTypes());
  }

  /// `lhs` where `condition`, which may be null, is true, and `rhs` elsewhere.
  Partial choose(Value condition, const Partial &lhs, const Partial &rhs) {
    if (!condition)
      return lhs;
    return llvm::map_to_vector(llvm::zip(lhs, rhs), [&](auto sides) -> Value {
      auto [left, right] = sides;
      return LLVM::SelectOp::create(b, condition, left, right);
    });
  }

  /// What stands before `inner`, then what does before the elements.
  Before join(const Before &outer, const Before &inner) {
    if (outer.value.empty() || inner.value.empty())
      return outer.value.empty() ? inner : outer;
    Partial both = combine(outer.value, inner.value);
    both = choose(inner.exists, both, outer.value);
    both = choose(outer.exists, both, inner.value);
    Value exists;
    if (outer.exists && inner.exists)
      exists = LLVM::OrOp::create(b, outer.exists, inner.exists);
    return {both, exists};
  }

  /// Lets `outer` stand before all that the total in `reg` is of.
  void putBefore(unsigned reg, const Before &outer) {
    const uint64_t scanned =
        plan.getScannedBits(LayoutAxis::Register, segment) & ~inThread;
    for (uint64_t rest = scanned;; rest = (rest - 1) & scanned) {
      before[reg | rest] = join(outer, before[reg | rest]);
      if (rest == 0)
        return;
    }
  }

  /// Whether totals are the elements themselves.
  bool areElements() const { return segment == 0; }

  /// The number that `bits` of `input` make, counted in the order of the scan.
  Value emitIndex(Value input, ArrayRef<unsigned> bits) {
    SmallVector<uint64_t> columns(kThreadBits, 0);
    for (auto [place, bit] : llvm::enumerate(bits))
      columns[bit] = uint64_t(1) << place;
    Value index = emitLinearMap(b, input, columns);
    if (!op.getReverse())
      return index;
    return LLVM::XOrOp::create(
        b, index, emitI32(b, llvm::maskTrailingOnes<uint64_t>(bits.size())));
  }

  /// `number` with the bits in `mask` as the last in the order of the scan has
  /// them.
  Value emitLast(Value number, uint64_t mask) {
    if (op.getReverse())
      return LLVM::AndOp::create(b, number, emitI32(b, ~mask));
    return LLVM::OrOp::create(b, number, emitI32(b, mask));
  }

  Partial shuffle(const Partial &partial, Value lane) {
    return llvm::map_to_vector(
        partial, [&](Value value) { return emitShuffleIndex(b, value, lane); });
  }

  //===--------------------------------------------------------------------===//
  // Segments
  //===--------------------------------------------------------------------===//

  /// The register of the `index`th of the segment, in the order of the scan.
  unsigned getRegister(unsigned index) {
    if (op.getReverse())
      index = current().getSize() - 1 - index;
    unsigned reg = 0;
    for (auto [place, bit] : llvm::enumerate(current().bits))
      reg |= (index >> place & 1) << bit;
    return reg;
  }

  void scanRegisters() {
    const uint64_t mask = current().getMask();
    if (areElements())
      inThread = mask;
    for (unsigned first : plan.getTotals(segment)) {
      if (first & mask)
        continue;
      Partial running = totals[first | getRegister(0)];
      for (unsigned i = 1; i < current().getSize(); ++i) {
        unsigned reg = first | getRegister(i);
        Partial next = combine(running, totals[reg]);
        if (areElements())
          values[reg] = next;
        else
          putBefore(reg, {running, {}});
        running = next;
      }
      totals[first] = running;
    }
  }

  void scanLanes() {
    Value lane = emitLaneId(b);
    ArrayRef<unsigned> bits = current().bits;
    SmallVector<unsigned> registers = plan.getTotals(segment);
    uint64_t lower = 0;
    for (unsigned bit : bits) {
      // From the last lane of the half before this one's.
      const uint64_t mask = uint64_t(1) << bit;
      Value isSet = LLVM::ICmpOp::create(
          b,
          op.getReverse() ? LLVM::ICmpPredicate::eq : LLVM::ICmpPredicate::ne,
          LLVM::AndOp::create(b, lane, emitI32(b, mask)), emitI32(b, 0));
      Value from = emitLast(
          LLVM::XOrOp::create(b, emitLast(lane, mask), emitI32(b, mask)),
          lower);
      for (unsigned reg : registers) {
        Partial other = shuffle(running(reg), from);
        running(reg) =
            choose(isSet, combine(other, running(reg)), running(reg));
      }
      lower |= mask;
    }
    if (!areElements())
      passOn(lane, registers);
    // A warp's last lane writes totals to shared memory itself.
    bool needsTotals =
        !isLast() && plan.segments[segment + 1].place != LayoutAxis::Warp;
    Value last = needsTotals ? emitLast(lane, current().getMask()) : Value();
    for (unsigned reg : registers) {
      if (areElements())
        values[reg] = running(reg);
      if (needsTotals)
        running(reg) = shuffle(running(reg), last);
    }
  }

  Partial &running(unsigned reg) { return totals[reg]; }

  /// Gives each lane what the one before it has.
  void passOn(Value lane, ArrayRef<unsigned> registers) {
    ArrayRef<unsigned> bits = current().bits;
    Value index = emitIndex(lane, bits);
    Value exists =
        LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, index, emitI32(b, 0));
    Value previous = LLVM::SubOp::create(b, index, emitI32(b, 1));
    if (op.getReverse())
      previous = LLVM::XOrOp::create(b, previous, emitI32(b, -1));
    SmallVector<uint64_t> columns;
    for (unsigned bit : bits)
      columns.push_back(uint64_t(1) << bit);
    const uint64_t others = ~current().getMask() & (kWarpSize - 1);
    Value from =
        LLVM::OrOp::create(b, LLVM::AndOp::create(b, lane, emitI32(b, others)),
                           emitLinearMap(b, previous, columns));
    for (unsigned reg : registers)
      putBefore(reg, {shuffle(running(reg), from), exists});
  }

  void scanWarps() {
    const int64_t size = current().getSize();
    SmallVector<unsigned> registers = plan.getTotals(segment);
    Value thread = emitThreadId(b);
    Value index = emitIndex(emitWarpId(b), current().bits);
    Value slot = emitSlot(thread), writes = emitIsWriter(thread);
    for (auto [number, reg] : llvm::enumerate(registers))
      for (auto [i, value] : llvm::enumerate(totals[reg]))
        emitSharedStore(b, emitAddress(i, number, slot, index), value, writes);
    emitBarrier(b);
    SmallVector<Value> reaches(1);
    for (int64_t i = 1; i < size; ++i)
      reaches.push_back(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::uge, index,
                                             emitI32(b, i)));
    for (auto [number, reg] : llvm::enumerate(registers)) {
      SmallVector<Partial> all(size);
      for (unsigned i = 0; i < totals[reg].size(); ++i)
        for (auto [to, value] :
             llvm::zip(all, emitSharedLoad(b, emitAddress(i, number, slot, {}),
                                           totals[reg][i].getType(), size)))
          to.push_back(value);
      Partial sum = all[0], outer = sum;
      for (int64_t i = 2; i < size; ++i) {
        sum = combine(sum, all[i - 1]);
        outer = choose(reaches[i], sum, outer);
      }
      putBefore(reg, {outer, reaches[1]});
      if (!isLast())
        totals[reg] = combine(sum, all[size - 1]);
    }
    ++warpSegments;
  }

  //===--------------------------------------------------------------------===//
  // Shared memory
  //===--------------------------------------------------------------------===//

  /// The number of this thread's total among those of other threads.
  Value emitSlot(Value thread) {
    SmallVector<uint64_t> columns(kThreadBits, 0);
    uint64_t next = 1;
    for (uint64_t rest = plan.getTotalThreadBits(segment); rest;
         rest &= rest - 1, next *= 2)
      columns[llvm::countr_zero(rest)] = next;
    return emitLinearMap(b, thread, columns);
  }

  /// One thread writes what several hold: where lanes were scanned the last of
  /// them, which alone may have it.
  Value emitIsWriter(Value thread) {
    const uint64_t lanes = plan.getScannedBits(LayoutAxis::Lane, segment);
    const uint64_t silent =
        lanes | plan.copyLaneBits |
        (plan.getScannedBits(LayoutAxis::Warp, segment) | plan.copyWarpBits)
            << kLaneBits;
    if (silent == 0)
      return {};
    Value bits = LLVM::AndOp::create(b, thread, emitI32(b, silent));
    return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, bits,
                                emitI32(b, op.getReverse() ? 0 : lanes));
  }

  /// Where operand `i` of the total in the `number`th register keeps those of
  /// all warps of the segment, and among these the one at `place`.
  Value emitAddress(unsigned i, unsigned number, Value slot, Value place) {
    const int64_t size = current().getSize();
    const int64_t slots = int64_t(1)
                          << llvm::popcount(plan.getTotalThreadBits(segment));
    Value index = LLVM::MulOp::create(b, slot, emitI32(b, size));
    if (place)
      index = LLVM::AddOp::create(b, index, place);
    const int64_t bytes = warp::getElementBytes(
        getElementTypeOrSelf(op.getOperands()[i].getType()));
    const int64_t start = offsets[warpSegments * op.getNumOperands() + i] +
                          number * slots * size * bytes;
    return emitByteOffset(b, emitSharedAddress(b, start),
                          LLVM::MulOp::create(b, index, emitI32(b, bytes)));
  }

  /// Combines all elements with what stands before them.
  void finish() {
    for (unsigned reg = 0; reg < plan.numRegisters; ++reg) {
      const Before &outer = before[reg & ~inThread];
      if ((reg & plan.copyRegisterBits) || outer.value.empty())
        continue;
      values[reg] =
          choose(outer.exists, combine(outer.value, values[reg]), values[reg]);
    }
  }

  ImplicitLocOpBuilder &b;
  tile::ScanOp op;
  const ScanPlan &plan;
  SmallVector<int64_t> offsets;
  unsigned segment = 0, warpSegments = 0;
  /// By register: the results so far; in that of its lowest number, the total
  /// of each group; in that with no bit `inThread`, what stands before it.
  SmallVector<Partial> values, totals;
  SmallVector<Before> before;
  /// The register bits of the first segment, scanned in place.
  uint64_t inThread = 0;
};

struct ScanLowering : ConvertOpToLLVMPattern<tile::ScanOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(tile::ScanOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto plan = ScanPlan::get(getLayoutOrScalar(op.getOperands()[0].getType()),
                              op.getAxis());
    if (!plan)
      return op.emitOpError("has a layout that cannot be scanned along axis ")
             << op.getAxis();
    int64_t sharedOffset = 0;
    if (getScanScratchBytes(op) != 0) {
      FailureOr<int64_t> offset = getSharedOffset(op);
      if (failed(offset))
        return failure();
      sharedOffset = *offset;
    }
    rewriter.replaceOpWithMultiple(
        op,
        ScanEmission(b, op, *plan, sharedOffset, adaptor.getOperands()).run());
    return success();
  }
};

} // namespace

void tilewright::populateScanToLLVM(const WarpTypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<ScanLowering>(converter);
}
