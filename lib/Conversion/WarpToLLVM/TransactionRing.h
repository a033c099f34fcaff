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

#include "lib/Conversion/WarpToLLVM/TypeConverter.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// What the handle of a ring of transactions is made of.
struct TransactionRing {
  mlir::Value base, producerCursor, consumerCursor;

  /// Makes the barriers and the cursors of a ring at `base`. All threads of the
  /// block must get here. `consumers` warps of each block release each slot.
  static TransactionRing create(mlir::ImplicitLocOpBuilder &b,
                                warp::RingType type, mlir::Value base,
                                int64_t consumers);
  explicit TransactionRing(mlir::ValueRange handle)
      : base(handle[0]), producerCursor(handle[1]), consumerCursor(handle[2]) {}
  TransactionRing(mlir::Value base, mlir::Value producer, mlir::Value consumer)
      : base(base), producerCursor(producer), consumerCursor(consumer) {}
};

/// The number of the slot in turn, and the barrier that is the slot's value.
struct SlotInTurn {
  mlir::Value index, barrier;
};

/// Waits until the slot in turn is empty and, where copies fill it, announces
/// the bytes to come.
SlotInTurn emitAcquire(mlir::ImplicitLocOpBuilder &b, warp::RingType type,
                       const TransactionRing &ring, bool announces);
/// Tells who waits for a slot that this thread, where `condition` holds, has
/// filled it itself.
void emitFilled(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
                mlir::Value condition);
/// Waits until the slot in turn is full.
SlotInTurn emitWait(mlir::ImplicitLocOpBuilder &b, warp::RingType type,
                    const TransactionRing &ring);
/// Passes `count` slots by (an integer of 32 bits or more), without a wait.
void emitSkip(mlir::ImplicitLocOpBuilder &b, warp::RingType type,
              const TransactionRing &ring, mlir::Value count);
/// Waits until all copies that this producer has issued have arrived.
void emitDrain(mlir::ImplicitLocOpBuilder &b, warp::RingType type,
               const TransactionRing &ring);
/// Tells all blocks of the ring's cluster that this warp has read the slot,
/// where `condition` (may be null) holds.
void emitRelease(mlir::ImplicitLocOpBuilder &b, warp::SlotType type,
                 mlir::Value barrier, mlir::Value condition);
/// Whether this thread is the one that acts for its role (i1).
mlir::Value emitIsLeader(mlir::ImplicitLocOpBuilder &b);

} // namespace tilewright
