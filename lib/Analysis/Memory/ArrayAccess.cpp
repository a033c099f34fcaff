#include "lib/Analysis/Memory/ArrayAccess.h"

#include "lib/Analysis/Facts/NonNegative.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;
using llvm::StringRef;

ArrayAccessAnalysis::ArrayAccessAnalysis(tile::FuncOp func)
    : func(func), sizes(findSizes(func, tiles)) {}

/// The host can compute polynomials over kernel arguments.
bool ArrayAccessAnalysis::isKnownToHost(const Polynomial &polynomial) const {
  return polynomial.allOf([&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && isa<tile::FuncOp>(argument.getOwner()->getParentOp());
  });
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// `monomial` divided by `divisor`, or nothing if that does not divide it.
static std::optional<Monomial> divide(const Monomial &monomial,
                                      const Monomial &divisor) {
  Monomial rest = monomial;
  for (Value factor : divisor) {
    auto *found = llvm::find(rest, factor);
    if (found == rest.end())
      return std::nullopt;
    rest.erase(found);
  }
  return rest;
}

/// A coefficient of this many elements or more separates arrays of a batch. As
/// an offset along one dimension, the coordinate might not fit 32 bits.
static constexpr int64_t kMinArrayStride = 1 << 12;

/// Adds a term of the address to the offset along the dimension of `block`
/// whose stride divides it. The quotient has to be `allowed`.
static bool moveAlongDimension(const Monomial &monomial, int64_t coefficient,
                               function_ref<bool(const Monomial &)> allowed,
                               ArrayBlock &block) {
  for (ArrayDimension &dim : block.dims) {
    const auto &terms = dim.stride.getTerms();
    if (terms.size() != 1 || dim.stride.getConstant() == 1)
      continue;
    auto rest = divide(monomial, terms.begin()->first);
    int64_t scale = terms.begin()->second;
    if (!rest || coefficient % scale != 0 || !allowed(*rest))
      continue;
    int64_t elements = coefficient / scale;
    if (!rest->empty() && elements >= kMinArrayStride)
      continue;
    dim.offset.add(*rest, elements);
    return true;
  }
  return false;
}

/// Adds a leading dimension for a term like `batch * stride`. The arguments
/// among the factors form the stride, the other factors the coordinate. A large
/// constant may be the stride.
static bool addLeadingDimension(const Monomial &monomial, int64_t coefficient,
                                function_ref<bool(Value)> isArgument,
                                ArrayBlock &block) {
  Monomial stride, coord;
  for (Value factor : monomial)
    (isArgument(factor) ? stride : coord).push_back(factor);
  if (coord.empty() || coefficient < (stride.empty() ? kMinArrayStride : 1))
    return false;
  ArrayDimension dim;
  dim.extent = 1;
  dim.stride.add(stride, coefficient);
  dim.offset.add(coord, 1);
  block.dims.insert(block.dims.begin(), dim);
  return true;
}

/// Whether `sum` has all terms of `part`, with the same signs.
static bool contains(const Polynomial &sum, const Polynomial &part) {
  return llvm::all_of(part.getTerms(), [&](const auto &term) {
    int64_t present = sum.getCoefficient(term.first), wanted = term.second;
    return wanted > 0 ? present >= wanted : present <= wanted;
  });
}

/// Takes the first index that `mask` compares along a dimension for the offset
/// of the block, if the address contains it. This resolves an ambiguity: a term
/// `64 * block` may count columns, or rows of 64 elements. Returns the rest of
/// the address.
Polynomial ArrayAccessAnalysis::alignWithMask(Value mask, Polynomial start,
                                              ArrayBlock &block) {
  for (const MaskCondition &condition : splitMask(mask)) {
    std::optional<IndexComparison> found = getComparison(condition, tiles);
    if (!found || !found->isUpper)
      continue;
    for (auto [dim, tileDim] : llvm::zip_equal(block.dims, block.order)) {
      const AffineTile &index = found->index;
      if (index.coefficients[tileDim].getConstant() != 1 ||
          !dim.offset.isZero())
        continue;
      Polynomial moved = dim.stride * index.constant;
      if (!contains(start, moved))
        continue;
      dim.offset = index.constant;
      start = start - moved;
    }
  }
  return start;
}

StringRef ArrayAccessAnalysis::splitAddress(const AffineTile &address,
                                            ArrayRef<int64_t> shape, Value mask,
                                            bool isStack, ArrayBlock &block) {
  int32_t inner = -1;
  for (auto [dim, coefficient] : llvm::enumerate(address.coefficients)) {
    if (coefficient.getConstant() == 1)
      inner = dim;
    else if (!isKnownToHost(coefficient))
      return "its strides depend on more than the kernel's arguments";
  }
  if (inner < 0)
    return "no dimension is known to be contiguous";
  for (auto [dim, coefficient] : llvm::enumerate(address.coefficients))
    if (int32_t(dim) != inner) {
      if (shape[dim] > 1 && coefficient.isZero())
        return "it reads the same elements several times";
      block.order.push_back(dim);
    }
  block.order.push_back(inner);
  for (int32_t dim : block.order)
    block.dims.push_back({shape[dim], address.coefficients[dim], {}, {}});

  auto isArgument = [&](Value value) {
    return isKnownToHost(Polynomial(value));
  };
  auto isAllowed = [&](const Monomial &elements) {
    return !isStack || llvm::none_of(elements, isArgument);
  };
  Polynomial start =
      mask ? alignWithMask(mask, address.constant, block) : address.constant;
  for (const auto &[monomial, coefficient] : start.getTerms()) {
    if (moveAlongDimension(monomial, coefficient, isAllowed, block))
      continue;
    bool hasArgument = llvm::any_of(monomial, isArgument);
    if (hasArgument && llvm::all_of(monomial, isArgument))
      block.shift.add(monomial, coefficient);
    else if (addLeadingDimension(monomial, coefficient, isArgument, block))
      continue;
    else if (!hasArgument)
      block.dims.back().offset.add(monomial, coefficient);
    else
      return "its start is not a multiple of a stride";
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Takes the bound of an index for the size of the array along the dimension of
/// the index.
StringRef ArrayAccessAnalysis::addBound(const IndexComparison &bound,
                                        ArrayBlock &block) {
  const AffineTile &index = bound.index;
  size_t leading = block.dims.size() - block.order.size();
  for (auto [number, tileDim] : llvm::enumerate(block.order)) {
    if (index.coefficients[tileDim].getConstant() != 1)
      continue;
    for (auto [other, coefficient] : llvm::enumerate(index.coefficients))
      if (int32_t(other) != tileDim && !coefficient.isZero())
        return "its mask compares more than one index";
    ArrayDimension &dim = block.dims[leading + number];
    Polynomial size = bound.limit - (index.constant - dim.offset);
    if (!isKnownToHost(size))
      return "its mask does not compare the index with an argument";
    if (dim.size && !(*dim.size == size))
      return "its mask has two bounds for one index";
    dim.size = size;
    dim.isWide |= bound.isWide;
    return {};
  }
  return "its mask compares no index";
}

bool ArrayAccessAnalysis::isSize(Value value) {
  if (!sizes.contains(value))
    return false;
  assumed.insert(value);
  return true;
}

bool ArrayAccessAnalysis::isNeverNegative(const Polynomial &polynomial) {
  return isNonNegative(polynomial, [&](Value value) { return isSize(value); });
}

bool ArrayAccessAnalysis::isNeverNegative(const AffineTile &index) {
  return isNeverNegative(index.constant) &&
         llvm::all_of(index.coefficients, [&](const Polynomial &coefficient) {
           return isNeverNegative(coefficient);
         });
}

static bool isRead(Operation *op) {
  return isa_and_present<tile::LoadOp, tile::AtomicRMWOp, tile::AtomicCASOp>(
      op);
}

/// Whether `value` is loop-carried and advances by values loaded from memory,
/// as from one block of a list to the next.
static bool isMovedByMemory(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (!loop)
    return false;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == loop.getBody() &&
           (isRead(op) || isMemoryEffectFree(op));
  };
  llvm::SetVector<Operation *> slice;
  (void)getBackwardSlice(loop.getTiedLoopYieldedValue(argument)->get(), &slice,
                         options);
  return llvm::any_of(slice, isRead);
}

/// Whether `offset` is not before the start of the array. Values from memory,
/// and values that advance by such, are assumed to be inside, as the pointers
/// would have to be. This does not hold for masks, which may check just that.
bool ArrayAccessAnalysis::isInsideArray(const Polynomial &offset) {
  return isNonNegative(offset, [&](Value value) {
    return isSize(value) || isRead(value.getDefiningOp()) ||
           isMovedByMemory(value);
  });
}

StringRef ArrayAccessAnalysis::addMask(Value mask, ArrayBlock &block) {
  for (const MaskCondition &condition : splitMask(mask)) {
    std::optional<IndexComparison> found = getComparison(condition, tiles);
    if (!found)
      return "its mask is not a conjunction of index bounds";
    // A condition that holds for all indices has no effect.
    bool isTrue = !found->isUpper &&
                  found->limit.getConstant().value_or(1) <= 0 &&
                  isNeverNegative(found->index);
    if (isTrue)
      continue;
    if (!found->isUpper)
      return "its mask has a lower bound of an index";
    if (StringRef reason = addBound(*found, block); !reason.empty())
      return reason;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

std::optional<ArrayBlock>
ArrayAccessAnalysis::getBlock(const AffineTile &address,
                              ArrayRef<int64_t> shape, Value mask, bool isStack,
                              StringRef &reason) {
  ArrayBlock block;
  block.base = address.base;
  assumed.clear();
  reason = splitAddress(address, shape, mask, isStack, block);
  if (reason.empty() && mask)
    reason = addMask(mask, block);
  for (const ArrayDimension &dim : block.dims) {
    if (!reason.empty())
      break;
    if (!isInsideArray(dim.offset))
      reason = "it may start before the array";
  }
  if (!reason.empty())
    return std::nullopt;
  block.sizes = assumed.takeVector();
  // Sorted, so that blocks of one array have equal descriptors.
  llvm::sort(block.sizes, [](Value a, Value b) {
    return cast<BlockArgument>(a).getArgNumber() <
           cast<BlockArgument>(b).getArgNumber();
  });
  return block;
}

std::optional<ArrayBlock> ArrayAccessAnalysis::get(Value pointers, Value mask,
                                                   StringRef &reason) {
  auto type = dyn_cast<RankedTensorType>(pointers.getType());
  std::optional<AffineTile> address = tiles.get(pointers);
  if (!type || !address || !address->base) {
    reason = "its addresses are not affine in the indices";
    return std::nullopt;
  }
  ArrayRef<int64_t> shape = type.getShape();
  if (auto block = getBlock(*address, shape, mask, /*isStack=*/false, reason))
    return block;
  StringRef first = reason;
  if (auto block = getBlock(*address, shape, mask, /*isStack=*/true, reason))
    return block;
  reason = first;
  return std::nullopt;
}
