#include "lib/Analysis/Facts/AffineTiles.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlir;
using namespace tilewright;
using testing::ElementsAre;
using testing::Pair;

namespace {

struct PolynomialTest : testing::Test {
  Polynomial number(int64_t value) { return Polynomial(value); }

  MLIRContext context;
  Block block;
  Value a = block.addArgument(IntegerType::get(&context, 32),
                              UnknownLoc::get(&context));
  Value b = block.addArgument(IntegerType::get(&context, 32),
                              UnknownLoc::get(&context));
  Polynomial x{a}, y{b};
};

// One of the two orders is not that of the addresses.
TEST_F(PolynomialTest, TermsAreInTheOrderInWhichTheyWereAdded) {
  EXPECT_THAT((x + y).getTerms(),
              ElementsAre(Pair(Monomial{a}, 1), Pair(Monomial{b}, 1)));
  EXPECT_THAT((y + x).getTerms(),
              ElementsAre(Pair(Monomial{b}, 1), Pair(Monomial{a}, 1)));
}

TEST_F(PolynomialTest, FactorsAreInTheOrderInWhichTheyWereMultiplied) {
  EXPECT_THAT((x * y).getTerms(), ElementsAre(Pair(Monomial{a, b}, 1)));
  EXPECT_THAT((y * x).getTerms(), ElementsAre(Pair(Monomial{b, a}, 1)));
}

TEST_F(PolynomialTest, OrderMakesNoDifference) {
  EXPECT_EQ(x + y, y + x);
  EXPECT_EQ(x * y, y * x);
  EXPECT_EQ(x * y * x, x * x * y);
  EXPECT_FALSE(x * y * x == x * y * y);
  EXPECT_FALSE(x * y == x);
}

TEST_F(PolynomialTest, TermsAddUpAndVanish) {
  Polynomial sum = x * y + y * x + number(3);
  EXPECT_EQ(sum.getCoefficient({b, a}), 2);
  EXPECT_EQ(sum.getCoefficient({}), 3);
  EXPECT_EQ(sum.getCoefficient({a}), 0);
  EXPECT_TRUE((sum - sum).isZero());
  EXPECT_EQ((x - x + number(4)).getConstant(), 4);
  EXPECT_EQ(x.getConstant(), std::nullopt);
}

TEST_F(PolynomialTest, DividesWithoutRest) {
  Polynomial sum = x * number(6) + number(4);
  EXPECT_EQ(sum.divide(2), x * number(3) + number(2));
  EXPECT_EQ(sum.divide(3), std::nullopt);
  EXPECT_EQ(sum.divide(0), std::nullopt);
}

} // namespace
