#include "test/unit/Runtime/Core/TemporaryDirectory.h"
#include "tilewright-c/runtime.h"

#include <cstring>

using namespace tilewright::runtime;

namespace {

TEST(CacheCapi, PutAndGet) {
  TemporaryDirectory root;
  tw_cache *cache = nullptr;
  ASSERT_EQ(tw_cache_open(root.path("cache").c_str(), 1 << 20, &cache), TW_OK);
  EXPECT_EQ(tw_cache_directory(cache), root.path("cache"));
  EXPECT_EQ(tw_cache_max_bytes(cache), 1u << 20);
  EXPECT_EQ(tw_cache_get(cache, "k"), nullptr);

  const tw_blob blobs[] = {{"ptx", "text", 4}, {"cubin", "\0\1\2", 3}};
  ASSERT_EQ(tw_cache_put(cache, "k", blobs, 2), TW_OK);
  tw_cache_entry *entry = tw_cache_get(cache, "k");
  ASSERT_NE(entry, nullptr);
  ASSERT_EQ(tw_cache_entry_size(entry), 2u);
  for (size_t i = 0; i < 2; ++i) {
    const tw_blob blob = tw_cache_entry_blob(entry, i);
    EXPECT_STREQ(blob.name, blobs[i].name);
    ASSERT_EQ(blob.size, blobs[i].size);
    EXPECT_EQ(std::memcmp(blob.data, blobs[i].data, blob.size), 0);
  }
  tw_cache_entry_free(entry);

  uint64_t entries = 0, bytes = 0;
  ASSERT_EQ(tw_cache_usage(cache, &entries, &bytes), TW_OK);
  EXPECT_EQ(entries, 1u);
  EXPECT_GT(bytes, 7u);
  ASSERT_EQ(tw_cache_clear(cache), TW_OK);
  EXPECT_EQ(tw_cache_get(cache, "k"), nullptr);
  tw_cache_close(cache);
}

TEST(CacheCapi, FailureHasCodeAndWords) {
  TemporaryDirectory root;
  ASSERT_EQ(system(("chmod 777 " + root.path()).c_str()), 0);
  tw_cache *cache = nullptr;
  EXPECT_EQ(tw_cache_open(root.path().c_str(), 0, &cache), TW_UNAVAILABLE);
  EXPECT_EQ(cache, nullptr);
  EXPECT_NE(std::string(tw_last_error()).find("can be written by other users"),
            std::string::npos);
}

TEST(CacheCapi, FreeingNothing) {
  tw_cache_close(nullptr);
  tw_cache_entry_free(nullptr);
}

TEST(CacheCapi, Hash) {
  char hex[65];
  tw_sha256("abc", 3, hex);
  EXPECT_STREQ(
      hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

} // namespace
