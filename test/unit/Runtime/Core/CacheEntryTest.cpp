#include "runtime/core/CacheEntry.h"

#include <gtest/gtest.h>
#include <random>

using namespace tilewright::runtime;

namespace {

CacheEntry sample() {
  return {{"ptx", ".version 8.7\n"},
          {"cubin", std::string("\x7f"
                                "ELF\0\1\2",
                                7)},
          {"metadata", ""}};
}

bool equal(const CacheEntry &a, const CacheEntry &b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].name != b[i].name || a[i].bytes != b[i].bytes)
      return false;
  return true;
}

TEST(CacheEntry, RoundTrip) {
  for (const CacheEntry &entry : {sample(), CacheEntry()}) {
    auto decoded = decodeCacheEntry("key", encodeCacheEntry("key", entry));
    ASSERT_TRUE(decoded.has_value());
    EXPECT_TRUE(equal(*decoded, entry));
  }
}

TEST(CacheEntry, EveryDamagedByteIsNoticed) {
  const std::string file = encodeCacheEntry("key", sample());
  for (size_t i = 0; i < file.size(); ++i)
    for (char flip : {'\x01', '\x80', '\xff'}) {
      std::string damaged = file;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      EXPECT_FALSE(decodeCacheEntry("key", damaged).has_value()) << i;
    }
}

TEST(CacheEntry, EveryOtherLengthIsNoticed) {
  const std::string file = encodeCacheEntry("key", sample());
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(decodeCacheEntry("key", file.substr(0, size)).has_value());
  EXPECT_FALSE(decodeCacheEntry("key", file + '\0').has_value());
}

TEST(CacheEntry, NoiseIsNoEntry) {
  std::mt19937 random(7);
  for (int i = 0; i < 1000; ++i) {
    std::string noise(random() % 300, '\0');
    for (char &byte : noise)
      byte = static_cast<char>(random());
    EXPECT_FALSE(decodeCacheEntry("key", noise).has_value());
  }
}

TEST(CacheEntry, FileUnderAnotherKeyIsDamage) {
  const std::string file = encodeCacheEntry("key", sample());
  EXPECT_FALSE(decodeCacheEntry("other", file).has_value());
}

} // namespace
