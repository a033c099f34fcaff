// Rings whose slots signal full and empty by mbarriers in shared memory.
//
// After the slots follow a *full* and an *empty* barrier for each slot. A
// barrier completes a phase when all arrivals and all announced bytes have
// come. A waiter names the parity of the phase. A thread visits the slots in
// cyclic order, so its number of rounds gives the parity. A *cursor* holds a
// slot index and a parity for each end of the ring. It is on the stack, and
// LLVM promotes it to registers.
//
// In a ring of a cluster a producer also fills slots of other CTAs. So an empty
// barrier counts the consumers of all CTAs, and each consumer arrives at all
// CTAs. A full barrier counts the arrival of its own producer and the bytes of
// all senders. Bytes may come before that producer announces them: its arrival
// is still missing, so the phase stays open.
//
// The value of a slot is the address of the barrier that ends its use: the full
// barrier for a producer, the empty one for a consumer.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ASYNC_TRANSACTIONRING_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ASYNC_TRANSACTIONRING_H

#include "lib/Conversion/WarpToLLVM/Common/TypeConverter.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tilewright {

/// The slots of a ring and their barriers. *Extra* slots exist only if the
/// launch provides the memory. They and their barriers follow the memory that
/// the kernel always has.
struct RingSlots {
  warp::RingType type;
  int64_t extraSlots = 0;
  /// The offset in bytes from the start of the ring to its extra slots.
  int64_t extraStart = 0;

  /// The slots of `ring`. Only the result of a `warp.ring` may have extra
  /// slots.
  explicit RingSlots(mlir::TypedValue<warp::RingType> ring);
  int64_t getMaxSlots() const { return type.getNumSlots() + extraSlots; }
  /// Returns the offset in bytes from the start of the ring to slot `index`.
  mlir::Value emitSlotOffset(mlir::ImplicitLocOpBuilder &b,
                             mlir::Value index) const;
  /// Returns the offset in bytes of one of its barriers.
  mlir::Value emitBarrierOffset(mlir::ImplicitLocOpBuilder &b,
                                mlir::Value index, bool isEmpty) const;
  /// Returns the number of slots in this launch.
  mlir::Value emitCount(mlir::ImplicitLocOpBuilder &b) const;

private:
  /// Returns `first` if slot `index` always exists, else `extra`.
  mlir::Value emitChoice(mlir::ImplicitLocOpBuilder &b, mlir::Value index,
                         int64_t first, int64_t extra) const;

  /// The dynamic shared memory of a launch with extra slots.
  int64_t launchBytes = 0;
};

/// Marks ops that initialise barriers which only roles use, until `lowerRoles`.
constexpr llvm::StringLiteral kInitsBarriers = "inits_barriers";

/// The components of the value of a ring of transactions.
struct TransactionRing {
  mlir::Value base, producerCursor, consumerCursor, count;

  /// Emits the barriers and the cursors of a ring at `base`. All threads of the
  /// CTA must execute it. `consumers` warps of each CTA release each slot. The
  /// first `initWarps` warps initialise the barriers. Those ops have the
  /// attribute `kInitsBarriers` if `lowerRoles` may move them into the first
  /// role.
  static TransactionRing create(mlir::ImplicitLocOpBuilder &b,
                                const RingSlots &slots, mlir::Value base,
                                int64_t consumers, int64_t initWarps);
  explicit TransactionRing(mlir::ValueRange handle)
      : base(handle[0]), producerCursor(handle[1]), consumerCursor(handle[2]),
        count(handle[3]) {}
  TransactionRing(mlir::Value base, mlir::Value producer, mlir::Value consumer,
                  mlir::Value count)
      : base(base), producerCursor(producer), consumerCursor(consumer),
        count(count) {}
};

/// Makes the barriers that this thread initialised visible to all threads and
/// to asynchronous copies, which use another proxy.
void emitPublishBarriers(mlir::ImplicitLocOpBuilder &b);

/// The index of the next slot, and the barrier that is the slot's value.
struct NextSlot {
  mlir::Value index, barrier;
};

/// Waits until the next slot is empty. If `throttled` (may be null) holds, also
/// waits for the slot after it. With `announces`, announces the bytes of the
/// copies.
NextSlot emitAcquire(mlir::ImplicitLocOpBuilder &b, const RingSlots &slots,
                     const TransactionRing &ring, mlir::Value throttled,
                     bool announces);
/// Arrives at the full barrier of a slot that this thread filled itself, if
/// `condition` holds.
void emitFilled(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
                mlir::Value condition);
/// Returns the full barrier of the slot whose `memory` the op fills. Reports an
/// error for memory that is not the result of a `warp.ring.acquire`.
mlir::FailureOr<mlir::Value>
getFilledBarrier(mlir::Operation *op, mlir::Value memory,
                 mlir::ConversionPatternRewriter &rewriter);
/// Waits until the next slot is full.
NextSlot emitWait(mlir::ImplicitLocOpBuilder &b, const RingSlots &slots,
                  const TransactionRing &ring);
/// Skips `count` slots (an integer of 32 bits or more) without a wait.
void emitSkip(mlir::ImplicitLocOpBuilder &b, warp::RingType type,
              const TransactionRing &ring, mlir::Value count);
/// Waits until all copies that this producer has issued have arrived.
void emitDrain(mlir::ImplicitLocOpBuilder &b, const RingSlots &slots,
               const TransactionRing &ring);
/// Signals to all CTAs of the ring's cluster that this warp has read the slot,
/// if `condition` (may be null) holds.
void emitRelease(mlir::ImplicitLocOpBuilder &b, warp::SlotType type,
                 mlir::Value barrier, mlir::Value condition);
/// Whether this thread is the leader of its role (i1).
mlir::Value emitIsLeader(mlir::ImplicitLocOpBuilder &b);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ASYNC_TRANSACTIONRING_H
