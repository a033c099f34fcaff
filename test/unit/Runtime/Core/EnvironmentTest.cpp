#include "runtime/core/Environment.h"

#include "test/unit/Runtime/Core/TemporaryDirectory.h"

using namespace tilewright::runtime;

namespace {

constexpr const char *kName = "TILEWRIGHT_TEST_COUNT";

TEST(Environment, CountsTakeUnits) {
  const std::pair<const char *, uint64_t> cases[] = {
      {"0", 0}, {"17", 17}, {"3K", 3072}, {"2M", 2u << 20}, {"5G", 5ull << 30}};
  for (auto [text, value] : cases) {
    ScopedEnvironment set(kName, text);
    Result<uint64_t> count = environmentCount(kName, 1);
    ASSERT_TRUE(count.ok()) << count.status().message();
    EXPECT_EQ(*count, value);
  }
}

TEST(Environment, UnsetAndEmptyGiveTheFallback) {
  for (const char *text : {static_cast<const char *>(nullptr), ""}) {
    ScopedEnvironment set(kName, text);
    Result<uint64_t> count = environmentCount(kName, 42);
    ASSERT_TRUE(count.ok());
    EXPECT_EQ(*count, 42u);
  }
}

TEST(Environment, BadCountsNameTheVariable) {
  for (const char *text : {"many", "-1", "3T", "3KB", "K", " 7",
                           "99999999999999999999", "18014398509481985K"}) {
    ScopedEnvironment set(kName, text);
    Result<uint64_t> count = environmentCount(kName, 1);
    ASSERT_FALSE(count.ok()) << text;
    EXPECT_EQ(count.status().code(), StatusCode::InvalidArgument);
    EXPECT_EQ(count.status().message(),
              std::string("TILEWRIGHT_TEST_COUNT='") + text +
                  "' is not a number, optionally followed by K, M or G");
  }
}

} // namespace
