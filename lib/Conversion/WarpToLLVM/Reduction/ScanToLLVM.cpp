// Scans: in registers, over lanes by shuffles, over warps through shared
// memory, in the order that ScanPlan gives.
//
// Only totals move between threads. The prefix of a thread's elements is
// collected from segment to segment and combined with them once, at the end.

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
/// Number of bits of a thread index in a CTA.
static constexpr unsigned kThreadBits = 10;

namespace {

/// One value per operand of the scan.
using Partial = SmallVector<Value>;

/// The prefix of some elements: empty, `value`, or `value` only if `exists`.
struct Prefix {
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
    prefixes.resize(values.size());
  }

  SmallVector<SmallVector<Value>> run() {
    for (segment = 0; segment < plan.segments.size(); ++segment) {
      switch (plan.segments[segment].axis) {
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

  /// Returns `lhs` if `condition` (null: always) holds, else `rhs`.
  Partial choose(Value condition, const Partial &lhs, const Partial &rhs) {
    if (!condition)
      return lhs;
    return llvm::map_to_vector(llvm::zip(lhs, rhs), [&](auto pair) -> Value {
      auto [left, right] = pair;
      return LLVM::SelectOp::create(b, condition, left, right);
    });
  }

  /// Returns the combination of two prefixes, `outer` before `inner`.
  Prefix concat(const Prefix &outer, const Prefix &inner) {
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

  /// Puts `outer` before all elements that the total in `reg` covers.
  void prepend(unsigned reg, const Prefix &outer) {
    const uint64_t scanned =
        plan.getScannedBits(LayoutAxis::Register, segment) & ~inThread;
    for (uint64_t rest = scanned;; rest = (rest - 1) & scanned) {
      prefixes[reg | rest] = concat(outer, prefixes[reg | rest]);
      if (rest == 0)
        return;
    }
  }

  /// Whether the totals are the elements themselves.
  bool areElements() const { return segment == 0; }

  /// Returns the number that `bits` of `input` form, counted in scan order.
  Value emitIndex(Value input, ArrayRef<unsigned> bits) {
    SmallVector<uint64_t> columns(kThreadBits, 0);
    for (auto [position, bit] : llvm::enumerate(bits))
      columns[bit] = uint64_t(1) << position;
    Value index = emitLinearMap(b, input, columns);
    if (!op.getReverse())
      return index;
    return LLVM::XOrOp::create(
        b, index, emitI32(b, llvm::maskTrailingOnes<uint64_t>(bits.size())));
  }

  /// Returns `number` with the bits of `mask` set to those of the last element
  /// in scan order.
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

  /// Returns the register of element `index` of the segment, in scan order.
  unsigned getRegister(unsigned index) {
    if (op.getReverse())
      index = current().getSize() - 1 - index;
    unsigned reg = 0;
    for (auto [position, bit] : llvm::enumerate(current().bits))
      reg |= (index >> position & 1) << bit;
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
          prepend(reg, {running, {}});
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
      // Reads from the last lane of the preceding half.
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
      shiftPrefixes(lane, registers);
    // The last lane of a warp itself writes totals to shared memory.
    bool needsTotals =
        !isLast() && plan.segments[segment + 1].axis != LayoutAxis::Warp;
    Value last = needsTotals ? emitLast(lane, current().getMask()) : Value();
    for (unsigned reg : registers) {
      if (areElements())
        values[reg] = running(reg);
      if (needsTotals)
        running(reg) = shuffle(running(reg), last);
    }
  }

  Partial &running(unsigned reg) { return totals[reg]; }

  /// Gives each lane the total of the preceding lane.
  void shiftPrefixes(Value lane, ArrayRef<unsigned> registers) {
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
      prepend(reg, {shuffle(running(reg), from), exists});
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
      Partial running = all[0], outer = running;
      for (int64_t i = 2; i < size; ++i) {
        running = combine(running, all[i - 1]);
        outer = choose(reaches[i], running, outer);
      }
      prepend(reg, {outer, reaches[1]});
      if (!isLast())
        totals[reg] = combine(running, all[size - 1]);
    }
    ++warpSegments;
  }

  //===--------------------------------------------------------------------===//
  // Shared memory
  //===--------------------------------------------------------------------===//

  /// Returns the index of this thread's total among those of all threads.
  Value emitSlot(Value thread) {
    SmallVector<uint64_t> columns(kThreadBits, 0);
    uint64_t next = 1;
    for (uint64_t rest = plan.getTotalThreadBits(segment); rest;
         rest &= rest - 1, next *= 2)
      columns[llvm::countr_zero(rest)] = next;
    return emitLinearMap(b, thread, columns);
  }

  /// Whether this thread writes a total that several hold. After a scan of
  /// lanes it is the last lane, which alone may hold it.
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

  /// Returns the address of the totals of all warps of the segment, for operand
  /// `i` and the `number`th register. With `warp`, returns the address of that
  /// warp's total.
  Value emitAddress(unsigned i, unsigned number, Value slot, Value warp) {
    const int64_t size = current().getSize();
    const int64_t slots = int64_t(1)
                          << llvm::popcount(plan.getTotalThreadBits(segment));
    Value index = LLVM::MulOp::create(b, slot, emitI32(b, size));
    if (warp)
      index = LLVM::AddOp::create(b, index, warp);
    const int64_t bytes = tilewright::warp::getElementBytes(
        getElementTypeOrSelf(op.getOperands()[i].getType()));
    const int64_t start = offsets[warpSegments * op.getNumOperands() + i] +
                          number * slots * size * bytes;
    return emitByteOffset(b, emitSharedAddress(b, start),
                          LLVM::MulOp::create(b, index, emitI32(b, bytes)));
  }

  /// Combines all elements with their prefixes.
  void finish() {
    for (unsigned reg = 0; reg < plan.numRegisters; ++reg) {
      const Prefix &outer = prefixes[reg & ~inThread];
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
  /// By register: the results so far; the total of each group, in its lowest
  /// register; the prefixes, in the register with no bit of `inThread`.
  SmallVector<Partial> values, totals;
  SmallVector<Prefix> prefixes;
  /// The register bits of the first segment, which is scanned in place.
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
