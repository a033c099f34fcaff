// Atomics whose elements act in the order of their numbers where they have the
// same address.
//
// They go in rounds. In each, every element that has not acted writes its
// number to the place of its address in a table in shared memory, if it is
// below the one there; who then finds himself in the table acts and clears the
// place. So elements of one address follow each other, those of different ones
// act together but for collisions in the table, and there are as many rounds as
// elements share a place.

#pragma once

#include "lib/Layout/LinearLayout.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

class ElementOrder {
public:
  /// A register and the condition (null: always) under which its element acts.
  using Element = std::pair<unsigned, mlir::Value>;
  /// Emits what one element does, under a condition, and gives the results of
  /// its register and those after it.
  using EmitOne = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::ImplicitLocOpBuilder &, unsigned reg, mlir::Value condition)>;

  /// `table` is the address of `size` numbers of 32 bits in shared memory, a
  /// power of two.
  ElementOrder(mlir::ImplicitLocOpBuilder &b, const LinearLayout &layout,
               mlir::ValueRange pointers, mlir::Value table, int64_t size)
      : b(b), layout(layout), pointers(pointers), table(table), size(size) {}

  /// Lets each of `elements` act once and puts what it gives, of type `type`,
  /// in its place of `results`. Starts and ends with a barrier of the program.
  void emit(llvm::ArrayRef<Element> elements, mlir::Type type, EmitOne emitOne,
            llvm::MutableArrayRef<mlir::Value> results);

private:
  void emitClear();
  mlir::Value emitPlace(mlir::Value pointer);
  llvm::SmallVector<mlir::Value> emitRound(llvm::ArrayRef<Element> elements,
                                           mlir::ValueRange carried,
                                           EmitOne emitOne);

  mlir::ImplicitLocOpBuilder &b;
  const LinearLayout &layout;
  mlir::ValueRange pointers;
  mlir::Value table;
  int64_t size;
  /// Of all registers: the number of the element and its place in the table.
  llvm::SmallVector<mlir::Value> numbers, places;
};

} // namespace tilewright
