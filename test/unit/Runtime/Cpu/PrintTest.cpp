#include "tilewright-c/runtime.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace {

std::string printed(const char *prefix, tw_print_kind kind, uint64_t bits) {
  const int32_t indices[] = {1, 2, 3, 40, 50};
  testing::internal::CaptureStdout();
  tw_host_print(prefix, kind, bits, indices, 2);
  return testing::internal::GetCapturedStdout();
}

/// Returns the line without the program and the index before the value.
std::string valueOf(const char *prefix, tw_print_kind kind, uint64_t bits) {
  const std::string indices = "pid (1, 2, 3) idx (40, 50) ";
  const std::string line = printed(prefix, kind, bits);
  EXPECT_EQ(line.substr(0, indices.size()), indices);
  return line.substr(indices.size());
}

uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

TEST(HostPrint, EveryKind) {
  EXPECT_EQ(valueOf("x = ", TW_PRINT_SIGNED, UINT64_MAX), "x = -1\n");
  EXPECT_EQ(valueOf("x = ", TW_PRINT_UNSIGNED, UINT64_MAX),
            "x = 18446744073709551615\n");
  EXPECT_EQ(valueOf("", TW_PRINT_FLOAT, bitsOf(-0.1)), "-0.100000\n");
  EXPECT_EQ(valueOf("", TW_PRINT_FLOAT, bitsOf(1.0 / 0.0)), "inf\n");
  EXPECT_EQ(valueOf("", TW_PRINT_FLOAT, bitsOf(-std::nan(""))), "nan\n");
  EXPECT_EQ(valueOf("", TW_PRINT_FLOAT, bitsOf(-1e300)).size(), 310);
  EXPECT_EQ(valueOf("h: ", TW_PRINT_HEX_1, 1), "h: 0x1\n");
  EXPECT_EQ(valueOf("h: ", TW_PRINT_HEX_2, 7), "h: 0x07\n");
  EXPECT_EQ(valueOf("h: ", TW_PRINT_HEX_4, 0xbeef), "h: 0xbeef\n");
  EXPECT_EQ(valueOf("h: ", TW_PRINT_HEX_8, 0xbeef), "h: 0x0000beef\n");
  EXPECT_EQ(valueOf("h: ", TW_PRINT_HEX_16, 1), "h: 0x0000000000000001\n");
  EXPECT_EQ(valueOf("p: ", TW_PRINT_POINTER, 0xbeef), "p: 0xbeef\n");
}

TEST(HostPrint, PrefixIsNotAFormat) {
  EXPECT_EQ(valueOf("100 %s%n ", TW_PRINT_SIGNED, 1), "100 %s%n 1\n");
}

TEST(HostPrint, NoValue) {
  EXPECT_EQ(printed("here", TW_PRINT_NOTHING, 0), "pid (1, 2, 3) here\n");
}

TEST(HostPrint, Scalar) {
  const int32_t indices[] = {0, 0, 7};
  testing::internal::CaptureStdout();
  tw_host_print("s ", TW_PRINT_SIGNED, 5, indices, 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "pid (0, 0, 7) idx () s 5\n");
}

} // namespace
