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

/// The host computes polynomials over the kernel's arguments.
bool ArrayAccessAnalysis::isKnownToHost(const Polynomial &polynomial) const {
  return polynomial.allOf([&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && isa<tile::FuncOp>(argument.getOwner()->getParentOp());
  });
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// `monomial` without one of each factor of `divisor`, if it has them all.
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

/// So many elements along a side, or more, for each of what is counted lead
/// from one array to the next: there may be more of them than places along one
/// side, of 32 bits, can number.
static constexpr int64_t kApart = 1 << 12;

/// The dimension of `block` along whose stride a term of the address moves, by
/// a number of elements that is `allowed`.
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
    if (!rest->empty() && elements >= kApart)
      continue;
    dim.offset.add(*rest, elements);
    return true;
  }
  return false;
}

/// A leading dimension for a term like `batch * stride`: its arguments are the
/// stride, the rest is the place. A constant is one where it leads far.
static bool addLeadingDimension(const Monomial &monomial, int64_t coefficient,
                                function_ref<bool(Value)> isArgument,
                                ArrayBlock &block) {
  Monomial stride, place;
  for (Value factor : monomial)
    (isArgument(factor) ? stride : place).push_back(factor);
  if (place.empty() || coefficient < (stride.empty() ? kApart : 1))
    return false;
  ArrayDimension dim;
  dim.side = 1;
  dim.stride.add(stride, coefficient);
  dim.offset.add(place, 1);
  block.dims.insert(block.dims.begin(), dim);
  return true;
}

/// Whether `sum` has all terms of `part`, with the same signs.
static bool contains(const Polynomial &sum, const Polynomial &part) {
  return llvm::all_of(part.getTerms(), [&](const auto &term) {
    int64_t there = sum.getCoefficient(term.first), wanted = term.second;
    return wanted > 0 ? there >= wanted : there <= wanted;
  });
}

/// Where the indices that `mask` compares start is where the block does along
/// their dimensions, if its address says so, too: `64 * block` elements may be
/// columns, or a row of as many. Gives what is left of the address.
Polynomial ArrayAccessAnalysis::placeByMask(Value mask, Polynomial start,
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
  auto isAllowed = [&](const Monomial &place) {
    return !isStack || llvm::none_of(place, isArgument);
  };
  Polynomial start =
      mask ? placeByMask(mask, address.constant, block) : address.constant;
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
      return "where it starts is no multiple of a stride";
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Takes `index < bound` for the size of the array along the dimension of the
/// index.
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

/// Whether a loop carries `value` and moves it by what it reads from memory, as
/// from one block that a list names to the next.
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

/// A number from memory is taken to lead into the array, as pointers made from
/// it would have to, and so is one that is moved by such. Masks are another
/// matter: they may ask just that.
bool ArrayAccessAnalysis::isPlace(const Polynomial &offset) {
  return isNonNegative(offset, [&](Value value) {
    return isSize(value) || isRead(value.getDefiningOp()) ||
           isMovedByMemory(value);
  });
}

StringRef ArrayAccessAnalysis::addMask(Value mask, ArrayBlock &block) {
  for (const MaskCondition &condition : splitMask(mask)) {
    std::optional<IndexComparison> found = getComparison(condition, tiles);
    if (!found)
      return "its mask is more than bounds of indices";
    // What is true of all indices says nothing.
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
    if (!isPlace(dim.offset))
      reason = "where it starts may be in front of the array";
  }
  if (!reason.empty())
    return std::nullopt;
  block.sizes = assumed.takeVector();
  // In one order, so that blocks of one array have equal descriptors.
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
