// Atomics whose elements act in index order if they have the same address.
//
// They act in rounds:
// 1. Each waiting element writes its index to the slot of its address in a
//    table in shared memory, if it is below the index there.
// 2. An element that finds its own index in the slot acts and clears the slot.
// So elements of one address act one after the other. Elements of different
// addresses act together, unless they collide in the table. The number of
// rounds is the largest number of elements that share a slot.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_ELEMENTORDER_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_ELEMENTORDER_H

#include "lib/Layout/LinearLayout.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

class ElementOrder {
public:
  /// A register and the condition (null: always) under which its element acts.
  using Element = std::pair<unsigned, mlir::Value>;
  /// Emits the action of one element under a condition, and returns the results
  /// of its register and of those after it.
  using EmitOne = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::ImplicitLocOpBuilder &, unsigned reg, mlir::Value condition)>;

  /// `table` is the address of `size` 32-bit indices in shared memory; `size`
  /// is a power of two.
  ElementOrder(mlir::ImplicitLocOpBuilder &b, const LinearLayout &layout,
               mlir::ValueRange pointers, mlir::Value table, int64_t size)
      : b(b), layout(layout), pointers(pointers), table(table), size(size) {}

  /// Emits one action per element and stores the results, of type `type`, in
  /// `results`. Starts and ends with a barrier of the program.
  void emit(llvm::ArrayRef<Element> elements, mlir::Type type, EmitOne emitOne,
            llvm::MutableArrayRef<mlir::Value> results);

private:
  void emitClear();
  mlir::Value emitSlot(mlir::Value pointer);
  llvm::SmallVector<mlir::Value> emitRound(llvm::ArrayRef<Element> elements,
                                           mlir::ValueRange carried,
                                           EmitOne emitOne);

  mlir::ImplicitLocOpBuilder &b;
  const LinearLayout &layout;
  mlir::ValueRange pointers;
  mlir::Value table;
  int64_t size;
  /// By register: the index of the element and the address of its slot.
  llvm::SmallVector<mlir::Value> numbers, slots;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_ELEMENTORDER_H
