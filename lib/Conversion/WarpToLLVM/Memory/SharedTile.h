// Transfers a tile between registers and shared memory, in the vectors of a
// SharedAccess.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_SHAREDTILE_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_SHAREDTILE_H

#include "lib/Layout/LayoutConversion.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/DenseMap.h"

namespace tilewright {

class SharedTile {
public:
  /// The tile starts at `base` (!llvm.ptr<3>), aligned to 16 bytes, with
  /// elements of the LLVM type `element`. The lowest `offsetBits` bits of an
  /// offset count elements; the bits above are the round. Offsets are relative
  /// to `origin`, by `xor`.
  SharedTile(mlir::ImplicitLocOpBuilder &b, const SharedAccess &access,
             unsigned offsetBits, mlir::Type element, mlir::Value base,
             uint64_t origin = 0);

  /// Stores the `registers` that belong to `round`, if `predicate` (null:
  /// always) holds.
  void store(unsigned round, mlir::ValueRange registers, mlir::Value predicate);

  /// Loads the `registers` that belong to `round`.
  void load(unsigned round, llvm::MutableArrayRef<mlir::Value> registers);

  /// Returns the round of `reg`, and its address within that round.
  unsigned getRoundOf(unsigned reg) const;
  mlir::Value getAddressOf(unsigned reg);

private:
  /// Calls `visit(address, registers of the vector)` for each vector.
  void forEachVector(
      unsigned round,
      llvm::function_ref<void(mlir::Value, llvm::ArrayRef<unsigned>)> visit);
  mlir::Value getAddress(uint64_t offset);

  mlir::ImplicitLocOpBuilder &b;
  const SharedAccess &access;
  LinearLayout byteOffsets;
  unsigned offsetBits, elementBytesLog2;
  uint64_t originBytes;
  mlir::Type element;
  mlir::Value base, thread;
  uint64_t threadBits = 0;
  /// Addresses by the bits of the offset that the thread's offset may also set.
  llvm::SmallDenseMap<uint64_t, mlir::Value> addresses;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_SHAREDTILE_H
