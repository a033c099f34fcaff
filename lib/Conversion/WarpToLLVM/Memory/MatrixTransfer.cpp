#include "lib/Conversion/WarpToLLVM/Memory/MatrixTransfer.h"

#include "lib/Conversion/WarpToLLVM/Common/RegisterPacking.h"
#include "lib/Conversion/WarpToLLVM/Memory/SharedTile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilewright;

std::optional<MatrixAccess>
tilewright::planMatrixTransfer(const LinearLayout &offsets, Type element,
                               unsigned elementBytes) {
  // Booleans are widened for the transfer.
  if (element.isInteger(1))
    return std::nullopt;
  return planMatrixAccess(offsets, elementBytes);
}

/// Emits one ldmatrix, which loads one word per matrix.
static SmallVector<Value> emitInstruction(ImplicitLocOpBuilder &b,
                                          Value address, unsigned numMatrices,
                                          bool transposed) {
  Type word = b.getI32Type();
  Type result = word;
  if (numMatrices > 1)
    result = LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(numMatrices, word));
  MLIRContext *context = b.getContext();
  Value loaded = NVVM::LdMatrixOp::create(
      b, result, address, numMatrices,
      transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
      NVVM::LdStMatrixEltType::B16);
  if (numMatrices == 1)
    return {loaded};
  SmallVector<Value> words;
  for (unsigned i = 0; i < numMatrices; ++i)
    words.push_back(LLVM::ExtractValueOp::create(b, loaded, i));
  return words;
}

void tilewright::emitLoadMatrix(ImplicitLocOpBuilder &b,
                                const MatrixAccess &access, Type element,
                                Value base, unsigned offsetBits, unsigned round,
                                MutableArrayRef<Value> registers) {
  SharedAccess rows;
  rows.offsets = access.rows;
  SharedTile tile(b, rows, offsetBits, element, base);
  for (unsigned i = 0; i < access.getNumInstructions(); ++i) {
    if (tile.getRoundOf(i) != round)
      continue;
    SmallVector<Value> words = emitInstruction(
        b, tile.getAddressOf(i), access.getNumMatrices(), access.transposed);
    for (auto [matrix, word] : llvm::enumerate(words))
      for (auto [e, value] : llvm::enumerate(unpackWords(b, {word}, element)))
        registers[access.getRegister(i, matrix, e)] = value;
  }
}

void tilewright::emitStoreMatrix(ImplicitLocOpBuilder &b,
                                 const MatrixAccess &access, Type element,
                                 Value base, unsigned offsetBits,
                                 unsigned round, ValueRange registers) {
  SharedAccess rows;
  rows.offsets = access.rows;
  SharedTile tile(b, rows, offsetBits, element, base);
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  auto order = access.transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  for (unsigned i = 0; i < access.getNumInstructions(); ++i) {
    if (tile.getRoundOf(i) != round)
      continue;
    SmallVector<Value> words;
    for (unsigned matrix = 0; matrix < access.getNumMatrices(); ++matrix) {
      SmallVector<Value> elements;
      for (unsigned e = 0; e < 1u << access.wordBits.size(); ++e)
        elements.push_back(
            emitAsInteger(b, registers[access.getRegister(i, matrix, e)]));
      words.push_back(packWords(b, elements, 32).front());
    }
    NVVM::StMatrixOp::create(b, tile.getAddressOf(i), words, order, shape,
                             NVVM::LdStMatrixEltType::B16);
  }
}
