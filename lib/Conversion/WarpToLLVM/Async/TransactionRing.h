// Rings whose slots tell by barriers in shared memory that they are full or
// empty.
//
// Behind the slots stand a *full* and an *empty* barrier for each. A barrier
// completes a phase when all arrivals, and all bytes announced, have come; who
// waits names the parity of the phase. A thread passes the slots of a ring in
// turn, so it knows the parity from how often it has gone round: that is its
// *cursor*, a slot number and a parity for each end of the ring, on the stack,
// where LLVM turns it into registers.
//
// In a ring of a cluster a producer fills slots of other blocks, too. So an
// empty barrier counts the consumers of all blocks, each of which tells all; a
// full one counts its own producer's arrival and the bytes, whoever sends them.
// Bytes may come before their own producer has announced them: that one's
// arrival is missing still, so the phase goes on.
//
// The slot, as a value, is the address of the barrier that ends its use: the
// full barrier for a producer, the empty one for a consumer.

#pragma once

#include "lib/Conversion/WarpToLLVM/Common/TypeConverter.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tilewright {

/// The slots of a ring and their barriers. Slots that a ring has only where the
/// launch gives it the memory, the *extra* ones, lie behind all that the kernel
/// always has, their barriers behind them.
struct RingSlots {
  warp::RingType type;
  int64_t extraSlots = 0;
  /// From the start of the ring to that of its extra slots, in bytes.
  int64_t extraStart = 0;

  /// Those of a ring. Only one that a `warp.ring` makes may have extra slots.
  explicit RingSlots(mlir::TypedValue<warp::RingType> ring);
  int64_t getMostSlots() const { return type.getNumSlots() + extraSlots; }
  /// The bytes from the start of the ring to slot number `index`.
  mlir::Value emitSlotOffset(mlir::ImplicitLocOpBuilder &b,
                             mlir::Value index) const;
  /// The same to one of its barriers.
  mlir::Value emitBarrierOffset(mlir::ImplicitLocOpBuilder &b,
                                mlir::Value index, bool isEmpty) const;
  /// How many slots there are in this launch.
  mlir::Value emitCount(mlir::ImplicitLocOpBuilder &b) const;

private:
  /// `first` for a slot that there always is, else `extra`.
  mlir::Value emitChoice(mlir::ImplicitLocOpBuilder &b, mlir::Value index,
                         int64_t first, int64_t extra) const;

  /// The dynamic shared memory of a launch with extra slots.
  int64_t launchBytes = 0;
};

/// Of operations that make barriers which only roles use, until these are
/// lowered.
constexpr llvm::StringLiteral kMakesBarriers = "makes_barriers";

/// What the handle of a ring of transactions is made of.
struct TransactionRing {
  mlir::Value base, producerCursor, consumerCursor, count;

  /// Makes the barriers and the cursors of a ring at `base`. All threads of the
  /// block must get here. `consumers` warps of each block release each slot,
  /// the first `makers` warps make the barriers; what does so has the attribute
  /// `kMakesBarriers` where `lowerRoles` may move it into the first role.
  static TransactionRing create(mlir::ImplicitLocOpBuilder &b,
                                const RingSlots &places, mlir::Value base,
                                int64_t consumers, int64_t makers);
  explicit TransactionRing(mlir::ValueRange handle)
      : base(handle[0]), producerCursor(handle[1]), consumerCursor(handle[2]),
        count(handle[3]) {}
  TransactionRing(mlir::Value base, mlir::Value producer, mlir::Value consumer,
                  mlir::Value count)
      : base(base), producerCursor(producer), consumerCursor(consumer),
        count(count) {}
};

/// Shows the barriers that this thread has made to all threads, and to the
/// asynchronous copies, which come another way.
void emitShowBarriers(mlir::ImplicitLocOpBuilder &b);

/// The number of the slot in turn, and the barrier that is the slot's value.
struct NextSlot {
  mlir::Value index, barrier;
};

/// Waits until the slot in turn is empty, where `throttled` (may be null) holds
/// the one after it, too, and, where copies fill it, announces the bytes to
/// come.
NextSlot emitAcquire(mlir::ImplicitLocOpBuilder &b, const RingSlots &places,
                     const TransactionRing &ring, mlir::Value throttled,
                     bool announces);
/// Tells who waits for a slot that this thread, where `condition` holds, has
/// filled it itself.
void emitFilled(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
                mlir::Value condition);
/// The barrier of the slot whose `memory` the op fills. Fails with an error for
/// memory that no `warp.ring.acquire` gave.
mlir::FailureOr<mlir::Value>
getFilledBarrier(mlir::Operation *op, mlir::Value memory,
                 mlir::ConversionPatternRewriter &rewriter);
/// Waits until the slot in turn is full.
NextSlot emitWait(mlir::ImplicitLocOpBuilder &b, const RingSlots &places,
                  const TransactionRing &ring);
/// Passes `count` slots by (an integer of 32 bits or more), without a wait.
void emitSkip(mlir::ImplicitLocOpBuilder &b, warp::RingType type,
              const TransactionRing &ring, mlir::Value count);
/// Waits until all copies that this producer has issued have arrived.
void emitDrain(mlir::ImplicitLocOpBuilder &b, const RingSlots &places,
               const TransactionRing &ring);
/// Tells all blocks of the ring's cluster that this warp has read the slot,
/// where `condition` (may be null) holds.
void emitRelease(mlir::ImplicitLocOpBuilder &b, warp::SlotType type,
                 mlir::Value barrier, mlir::Value condition);
/// Whether this thread is the one that acts for its role (i1).
mlir::Value emitIsLeader(mlir::ImplicitLocOpBuilder &b);

} // namespace tilewright
