#include "runtime/core/CacheDirectory.h"

#include "test/unit/Runtime/Core/TemporaryDirectory.h"

#include <sys/stat.h>
#include <sys/wait.h>

using namespace tilewright::runtime;

namespace {

TEST(CacheDirectory, DefaultFollowsTheEnvironment) {
  ScopedEnvironment home("HOME", "/home/somebody");
  ScopedEnvironment noBase("XDG_CACHE_HOME", nullptr);
  ScopedEnvironment noPath("TILEWRIGHT_CACHE_DIR", nullptr);
  EXPECT_EQ(*defaultCacheDirectory(), "/home/somebody/.cache/tilewright");
  ScopedEnvironment base("XDG_CACHE_HOME", "/base");
  EXPECT_EQ(*defaultCacheDirectory(), "/base/tilewright");
  ScopedEnvironment path("TILEWRIGHT_CACHE_DIR", "/path");
  EXPECT_EQ(*defaultCacheDirectory(), "/path");
}

TEST(CacheDirectory, CreatedForTheUserAlone) {
  TemporaryDirectory root;
  const std::string path = root.path("a/b/c");
  ASSERT_TRUE(createPrivateDirectory(path).ok());
  for (const char *part : {"a", "a/b", "a/b/c"}) {
    struct stat info;
    ASSERT_EQ(stat(root.path(part).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u) << part;
  }
  EXPECT_TRUE(createPrivateDirectory(path).ok()) << "a second time";
  EXPECT_TRUE(openTrustedDirectory(path).ok());
}

TEST(CacheDirectory, FileInTheWayIsAnError) {
  TemporaryDirectory root;
  ASSERT_EQ(system(("touch " + root.path("file")).c_str()), 0);
  EXPECT_FALSE(createPrivateDirectory(root.path("file/cache")).ok());
  Result<UniqueFd> opened = openTrustedDirectory(root.path("file"));
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.status().code(), StatusCode::Unavailable);
}

TEST(CacheDirectory, WritableByOthersIsRefused) {
  TemporaryDirectory root;
  for (mode_t mode : {0770u, 0702u, 0777u, 01777u}) {
    ASSERT_EQ(chmod(root.path().c_str(), mode), 0);
    Result<UniqueFd> opened = openTrustedDirectory(root.path());
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.status().code(), StatusCode::Unavailable);
    EXPECT_EQ(opened.status().message(),
              "cache directory '" + root.path() +
                  "' can be written by other users; it is not used (run: "
                  "chmod go-w '" +
                  root.path() + "')");
  }
  ASSERT_EQ(chmod(root.path().c_str(), 0755), 0);
  EXPECT_TRUE(openTrustedDirectory(root.path()).ok());
}

TEST(CacheDirectory, OtherOwnerIsRefused) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a directory away";
  TemporaryDirectory root;
  ASSERT_EQ(chown(root.path().c_str(), 12345, 12345), 0);
  Result<UniqueFd> opened = openTrustedDirectory(root.path());
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.status().message(),
            "cache directory '" + root.path() +
                "' belongs to user 12345, not to user 0; it is not used");
}

} // namespace
