// A tile between the registers of the threads and shared memory, in the vectors
// that a SharedAccess names.

#pragma once

#include "lib/Layout/LayoutConversion.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/DenseMap.h"

namespace tilewright {

class SharedTile {
public:
  /// The tile starts at `base` (!llvm.ptr<3>), aligned to 16 bytes, with
  /// elements of the LLVM type `element`. Offsets count elements in their
  /// lowest `offsetBits` bits; what stands above is the number of the round.
  /// All are counted from `origin`, by `xor`.
  SharedTile(mlir::ImplicitLocOpBuilder &b, const SharedAccess &access,
             unsigned offsetBits, mlir::Type element, mlir::Value base,
             uint64_t origin = 0);

  /// Stores those of `registers` that belong to `round`, where `predicate`
  /// (null: always) holds.
  void store(unsigned round, mlir::ValueRange registers, mlir::Value predicate);

  /// Loads those of `registers` that belong to `round`.
  void load(unsigned round, llvm::MutableArrayRef<mlir::Value> registers);

  /// The round that `reg` belongs to, and its address in that.
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
  /// Addresses by the part of the offset that meets bits of the thread's.
  llvm::SmallDenseMap<uint64_t, mlir::Value> addresses;
};

} // namespace tilewright
