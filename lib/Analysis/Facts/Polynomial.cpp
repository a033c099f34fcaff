#include "lib/Analysis/Facts/AffineTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;

/// The term with `monomial`, its factors in any order, or the end of `terms`.
template <typename Terms>
static auto find(Terms &terms, const Monomial &monomial) {
  return llvm::find_if(terms, [&](const Polynomial::Term &term) {
    return term.first.size() == monomial.size() &&
           std::is_permutation(monomial.begin(), monomial.end(),
                               term.first.begin());
  });
}

int64_t Polynomial::getCoefficient(const Monomial &monomial) const {
  const auto found = find(terms, monomial);
  return found == terms.end() ? 0 : found->second;
}

Polynomial::Polynomial(int64_t constant) { add({}, constant); }

Polynomial::Polynomial(Value value) {
  while (auto extended = value.getDefiningOp<arith::ExtSIOp>())
    value = extended.getIn();
  add({value}, 1);
}

void Polynomial::add(const Monomial &monomial, int64_t coefficient) {
  if (coefficient == 0)
    return;
  const auto found = find(terms, monomial);
  if (found == terms.end())
    terms.emplace_back(monomial, coefficient);
  else if ((found->second += coefficient) == 0)
    terms.erase(found);
}

std::optional<int64_t> Polynomial::getConstant() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

bool Polynomial::operator==(const Polynomial &other) const {
  return (*this - other).isZero();
}

Polynomial Polynomial::operator+(const Polynomial &other) const {
  Polynomial sum = *this;
  for (const auto &[monomial, coefficient] : other.terms)
    sum.add(monomial, coefficient);
  return sum;
}

Polynomial Polynomial::operator-(const Polynomial &other) const {
  Polynomial difference = *this;
  for (const auto &[monomial, coefficient] : other.terms)
    difference.add(monomial, -coefficient);
  return difference;
}

Polynomial Polynomial::operator*(const Polynomial &other) const {
  Polynomial result;
  for (const auto &[a, x] : terms)
    for (const auto &[b, y] : other.terms) {
      Monomial both(a);
      both.append(b.begin(), b.end());
      result.add(both, x * y);
    }
  return result;
}

std::optional<Polynomial> Polynomial::divide(int64_t divisor) const {
  Polynomial quotient;
  if (divisor == 0)
    return std::nullopt;
  for (const auto &[monomial, coefficient] : terms) {
    if (coefficient % divisor != 0)
      return std::nullopt;
    quotient.add(monomial, coefficient / divisor);
  }
  return quotient;
}

bool Polynomial::allOf(function_ref<bool(Value)> predicate) const {
  return llvm::all_of(terms, [&](const auto &term) {
    return llvm::all_of(term.first, predicate);
  });
}

static Value toWidth(OpBuilder &b, Location loc, Value value,
                     IntegerType type) {
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (width < type.getWidth())
    return arith::ExtSIOp::create(b, loc, type, value);
  if (width > type.getWidth())
    return arith::TruncIOp::create(b, loc, type, value);
  return value;
}

Value Polynomial::emit(OpBuilder &b, Location loc, IntegerType type) const {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  Value sum;
  for (const auto &[monomial, coefficient] : terms) {
    Value term;
    for (Value factor : monomial) {
      Value wide = toWidth(b, loc, factor, type);
      term =
          term ? arith::MulIOp::create(b, loc, term, wide).getResult() : wide;
    }
    if (!term)
      term = constant(coefficient);
    else if (coefficient != 1)
      term = arith::MulIOp::create(b, loc, term, constant(coefficient));
    sum = sum ? arith::AddIOp::create(b, loc, sum, term).getResult() : term;
  }
  return sum ? sum : constant(0);
}
