#include "tilewright-c/runtime.h"

#include <cstring>
#include <gtest/gtest.h>

namespace {

std::string printed(const char *prefix, tw_print_kind kind, uint64_t bits) {
  testing::internal::CaptureStdout();
  tw_host_print(prefix, kind, bits);
  return testing::internal::GetCapturedStdout();
}

uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

TEST(HostPrint, EveryKind) {
  EXPECT_EQ(printed("x = ", TW_PRINT_SIGNED, UINT64_MAX), "x = -1\n");
  EXPECT_EQ(printed("x = ", TW_PRINT_UNSIGNED, UINT64_MAX),
            "x = 18446744073709551615\n");
  EXPECT_EQ(printed("", TW_PRINT_FLOAT, bitsOf(-0.1)), "-0.1\n");
  EXPECT_EQ(printed("", TW_PRINT_FLOAT, bitsOf(1.0 / 0.0)), "inf\n");
  EXPECT_EQ(printed("b: ", TW_PRINT_BOOL, 1), "b: True\n");
  EXPECT_EQ(printed("b: ", TW_PRINT_BOOL, 0), "b: False\n");
  EXPECT_EQ(printed("p: ", TW_PRINT_POINTER, 0xbeef), "p: 0xbeef\n");
}

TEST(HostPrint, PrefixIsNotAFormat) {
  EXPECT_EQ(printed("100 %s%n ", TW_PRINT_SIGNED, 1), "100 %s%n 1\n");
}

} // namespace
