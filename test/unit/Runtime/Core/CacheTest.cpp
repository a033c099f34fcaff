#include "runtime/core/Cache.h"

#include "test/unit/Runtime/Core/TemporaryDirectory.h"

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <random>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>

using namespace tilewright::runtime;

namespace {

constexpr uint64_t kLarge = uint64_t(1) << 30;

Cache openCache(const std::string &directory, uint64_t bound = kLarge) {
  Result<Cache> cache = Cache::open(directory, bound);
  EXPECT_TRUE(cache.ok()) << cache.status().message();
  return std::move(*cache);
}

/// An entry whose two blobs belong together: `fill` identifies the writer.
CacheEntry filled(char fill, size_t size) {
  return {{"metadata", std::string(1, fill)},
          {"cubin", std::string(size, fill)}};
}

bool isConsistent(const CacheEntry &entry) {
  return entry.size() == 2 && entry[0].bytes.size() == 1 &&
         entry[1].bytes.find_first_not_of(entry[0].bytes[0]) ==
             std::string::npos;
}

/// Sets an entry's time of last use to `seconds` ago.
void makeOlder(const Cache &cache, const std::string &key, time_t seconds) {
  struct timespec times[2] = {{time(nullptr) - seconds, 0},
                              {time(nullptr) - seconds, 0}};
  const std::string path = cache.directory() + "/" + key + ".twc";
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

size_t filesIn(const std::string &directory) {
  size_t count = 0;
  for ([[maybe_unused]] const auto &file :
       std::filesystem::directory_iterator(directory))
    ++count;
  return count;
}

/// Waits for a child and returns its exit code, or -1 after a signal.
int exitCode(pid_t child) {
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Cache, MissThenHit) {
  TemporaryDirectory root;
  Cache cache = openCache(root.path("cache"));
  EXPECT_FALSE(cache.get("k").has_value());
  ASSERT_TRUE(cache.put("k", filled('a', 100)).ok());
  std::optional<CacheEntry> entry = cache.get("k");
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ((*entry)[1].bytes, std::string(100, 'a'));
  EXPECT_EQ(filesIn(cache.directory()), 1u) << "nothing temporary stays";
}

TEST(Cache, StoringAgainReplaces) {
  TemporaryDirectory root;
  Cache cache = openCache(root.path("cache"));
  ASSERT_TRUE(cache.put("k", filled('a', 100)).ok());
  ASSERT_TRUE(cache.put("k", filled('b', 5)).ok());
  EXPECT_EQ((*cache.get("k"))[0].bytes, "b");
  EXPECT_EQ(cache.usage()->entries, 1u);
}

TEST(Cache, KeysThatAreNoFileNames) {
  TemporaryDirectory root;
  Cache cache = openCache(root.path("cache"));
  for (const std::string &key :
       {std::string(), std::string("../k"), std::string("a/b"),
        std::string("a.b"), std::string("a\0b", 3), std::string(129, 'k')}) {
    EXPECT_EQ(cache.put(key, {}).code(), StatusCode::InvalidArgument);
    EXPECT_FALSE(cache.get(key).has_value());
  }
}

TEST(Cache, DamagedEntryIsAMissAndGone) {
  TemporaryDirectory root;
  Cache cache = openCache(root.path("cache"));
  std::mt19937 random(11);
  const std::string file = root.path("cache/k.twc");
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(cache.put("k", filled('a', 1000)).ok());
    const auto size = std::filesystem::file_size(file);
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    const auto at = static_cast<std::streamoff>(random() % size);
    stream.seekg(at);
    const char byte = static_cast<char>(stream.get());
    stream.seekp(at);
    stream.put(static_cast<char>(byte ^ char(1 + random() % 255)));
    stream.close();
    EXPECT_FALSE(cache.get("k").has_value()) << "byte " << at;
    EXPECT_FALSE(std::filesystem::exists(file));
  }
}

TEST(Cache, LinksAndPipesAreNotFollowed) {
  TemporaryDirectory root;
  Cache cache = openCache(root.path("cache"));
  ASSERT_TRUE(cache.put("real", filled('a', 10)).ok());
  std::filesystem::create_symlink(root.path("cache/real.twc"),
                                  root.path("cache/link.twc"));
  EXPECT_FALSE(cache.get("link").has_value());
  ASSERT_EQ(mkfifo(root.path("cache/pipe.twc").c_str(), 0600), 0);
  EXPECT_FALSE(cache.get("pipe").has_value());
}

TEST(Cache, ConcurrentWritersAndReaders) {
  TemporaryDirectory root;
  constexpr int kProcesses = 6, kRounds = 60;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Result<Cache> cache = Cache::open(root.path("cache"), kLarge);
      bool good = cache.ok();
      for (int i = 0; good && i < kRounds; ++i) {
        good &= cache
                    ->put("shared", filled(static_cast<char>('a' + p),
                                           1000 * static_cast<size_t>(p + 1)))
                    .ok();
        std::optional<CacheEntry> entry = cache->get("shared");
        // Once stored, the entry always exists, complete from one writer.
        good &= entry.has_value() && isConsistent(*entry);
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children)
    EXPECT_EQ(exitCode(child), 0);
  EXPECT_EQ(filesIn(root.path("cache")), 1u);
}

TEST(Cache, WriterKilledInTheMiddle) {
  TemporaryDirectory root;
  Cache cache = openCache(root.path("cache"));
  std::mt19937 random(5);
  for (int round = 0; round < 10; ++round) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      for (char fill = 'a';; fill = fill == 'z' ? 'a' : char(fill + 1))
        (void)cache.put("k", filled(fill, 2000000));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
    kill(child, SIGKILL);
    EXPECT_EQ(exitCode(child), -1);
    std::optional<CacheEntry> entry = cache.get("k");
    EXPECT_TRUE(!entry || isConsistent(*entry));
  }
}

TEST(Cache, OldTemporariesAreSwept) {
  TemporaryDirectory root;
  Cache cache = openCache(root.path("cache"));
  const std::string old = root.path("cache/.tmp-1-0"),
                    fresh = root.path("cache/.tmp-1-1");
  std::ofstream(old) << "half";
  std::ofstream(fresh) << "half";
  struct timespec times[2] = {{time(nullptr) - 7200, 0},
                              {time(nullptr) - 7200, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, old.c_str(), times, 0), 0);
  ASSERT_TRUE(cache.put("k", filled('a', 1)).ok());
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(fresh)) << "its writer may be at work";
}

TEST(Cache, LeastRecentlyUsedIsEvicted) {
  TemporaryDirectory root;
  Cache cache = openCache(root.path("cache"), 10000);
  for (const char *key : {"a", "b", "c"})
    ASSERT_TRUE(cache.put(key, filled(*key, 3000)).ok());
  makeOlder(cache, "a", 300);
  makeOlder(cache, "b", 200);
  makeOlder(cache, "c", 100);
  ASSERT_TRUE(cache.get("a").has_value()); // Now the most recently used.
  ASSERT_TRUE(cache.put("d", filled('d', 3000)).ok());
  EXPECT_TRUE(cache.get("a").has_value());
  EXPECT_FALSE(cache.get("b").has_value());
  EXPECT_TRUE(cache.get("d").has_value());
  EXPECT_LE(cache.usage()->bytes, 10000u);
}

// Not every store reads the directory, but the bound holds.
TEST(Cache, BoundHoldsWithManySmallEntries) {
  TemporaryDirectory root;
  constexpr uint64_t kBound = 1 << 20;
  Cache cache = openCache(root.path("cache"), kBound);
  for (int i = 0; i < 3000; ++i) {
    ASSERT_TRUE(cache.put("k" + std::to_string(i), filled('x', 1000)).ok());
    if (i % 100 == 99)
      ASSERT_LE(cache.usage()->bytes, kBound) << "after " << i;
  }
  EXPECT_GT(cache.usage()->bytes, kBound / 2);
}

TEST(Cache, PruneKeepsTheMostRecentlyUsed) {
  TemporaryDirectory root;
  Cache cache = openCache(root.path("cache"));
  for (char key : {'a', 'b', 'c'}) {
    ASSERT_TRUE(cache.put(std::string(1, key), filled(key, 1000)).ok());
    makeOlder(cache, std::string(1, key), 'z' - key);
  }
  Result<std::vector<CacheItem>> items = cache.list();
  ASSERT_TRUE(items.ok());
  ASSERT_EQ(items->size(), 3u);
  EXPECT_EQ(items->front().key, "a") << "the least recently used first";
  EXPECT_GT(items->front().bytes, 1000u);
  ASSERT_TRUE(cache.prune(2500).ok());
  EXPECT_FALSE(cache.get("a").has_value());
  EXPECT_TRUE(cache.get("b").has_value());
  EXPECT_TRUE(cache.get("c").has_value());
  ASSERT_TRUE(cache.prune(0).ok());
  EXPECT_EQ(filesIn(cache.directory()), 0u);
}

TEST(Cache, PeekLeavesNoTrace) {
  TemporaryDirectory root;
  Cache cache = openCache(root.path("cache"));
  ASSERT_TRUE(cache.put("k", filled('a', 100)).ok());
  makeOlder(cache, "k", 1000);
  const int64_t before = cache.list()->front().used;
  EXPECT_TRUE(cache.peek("k").has_value());
  EXPECT_EQ(cache.list()->front().used, before);
  std::ofstream(cache.directory() + "/k.twc") << "damaged";
  EXPECT_FALSE(cache.peek("k").has_value());
  EXPECT_EQ(filesIn(cache.directory()), 1u) << "peek removes nothing";
}

TEST(Cache, DamageAndRepairAtOnceLoseNoGoodEntry) {
  TemporaryDirectory root;
  Cache cache = openCache(root.path("cache"));
  const std::string path = cache.directory() + "/k.twc";
  for (int round = 0; round < 200; ++round) {
    std::ofstream(path) << "damaged";
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] { (void)cache.get("k"); });
    ASSERT_TRUE(cache.put("k", filled('a', 100)).ok());
    for (std::thread &thread : threads)
      thread.join();
    ASSERT_TRUE(cache.get("k").has_value());
  }
}

TEST(Cache, EntryTooLargeToReadStays) {
  TemporaryDirectory root;
  Cache large = openCache(root.path("cache"));
  ASSERT_TRUE(large.put("k", filled('a', 5000)).ok());
  Cache small = openCache(root.path("cache"), 1000);
  EXPECT_FALSE(small.get("k").has_value());
  EXPECT_TRUE(large.get("k").has_value());
}

TEST(Cache, EntryLargerThanTheCacheIsRefused) {
  TemporaryDirectory root;
  Cache cache = openCache(root.path("cache"), 1000);
  ASSERT_TRUE(cache.put("small", filled('a', 100)).ok());
  Status status = cache.put("large", filled('b', 2000));
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_TRUE(cache.get("small").has_value()) << "nothing had to go for it";
}

TEST(Cache, RemoveTakesOneEntry) {
  TemporaryDirectory root;
  Cache cache = openCache(root.path("cache"));
  ASSERT_TRUE(cache.put("a", {}).ok());
  ASSERT_TRUE(cache.put("b", {}).ok());
  EXPECT_TRUE(cache.remove("a").ok());
  EXPECT_TRUE(cache.remove("a").ok());
  EXPECT_TRUE(cache.remove("../b").ok());
  EXPECT_FALSE(cache.peek("a").has_value());
  EXPECT_TRUE(cache.peek("b").has_value());
}

TEST(Cache, ClearRemovesEntriesOnly) {
  TemporaryDirectory root;
  Cache cache = openCache(root.path("cache"));
  ASSERT_TRUE(cache.put("a", {}).ok());
  ASSERT_TRUE(cache.put("b", {}).ok());
  std::ofstream(root.path("cache/notes.txt")) << "mine";
  EXPECT_EQ(cache.usage()->entries, 2u);
  ASSERT_TRUE(cache.clear().ok());
  EXPECT_EQ(cache.usage()->entries, 0u);
  EXPECT_TRUE(std::filesystem::exists(root.path("cache/notes.txt")));
}

TEST(Cache, DirectoryRemovedUnderIt) {
  TemporaryDirectory root;
  Cache cache = openCache(root.path("cache"));
  std::filesystem::remove_all(root.path("cache"));
  EXPECT_FALSE(cache.get("k").has_value());
  EXPECT_FALSE(cache.put("k", {}).ok());
}

TEST(Cache, DirectoryOpenedToOthersUnderIt) {
  TemporaryDirectory root;
  Cache cache = openCache(root.path("cache"));
  ASSERT_TRUE(cache.put("k", filled('a', 1)).ok());
  ASSERT_EQ(chmod(root.path("cache").c_str(), 0777), 0);
  EXPECT_FALSE(cache.get("k").has_value());
  EXPECT_EQ(cache.put("k", {}).code(), StatusCode::Unavailable);
}

/// Runs `body` in a child that is not root and so obeys permissions.
template <typename Body> int asOrdinaryUser(Body body) {
  pid_t child = fork();
  if (child == 0)
    _exit(setgid(12345) == 0 && setuid(12345) == 0 ? body() : 99);
  return exitCode(child);
}

TEST(Cache, ReadOnlyDirectoryIsStillRead) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can become another user";
  TemporaryDirectory root;
  ASSERT_EQ(chmod(root.path().c_str(), 0755), 0);
  Cache cache = openCache(root.path("cache"));
  ASSERT_TRUE(cache.put("k", filled('a', 10)).ok());
  for (const char *name : {"cache", "cache/k.twc"})
    ASSERT_EQ(chown(root.path(name).c_str(), 12345, 12345), 0);
  ASSERT_EQ(chmod(root.path("cache").c_str(), 0500), 0);
  EXPECT_EQ(asOrdinaryUser([&] {
              Result<Cache> again = Cache::open(root.path("cache"), kLarge);
              if (!again.ok() || !again->get("k").has_value())
                return 1;
              return again->put("k2", {}).code() == StatusCode::Io ? 0 : 2;
            }),
            0);
  EXPECT_EQ(filesIn(root.path("cache")), 1u);
}

TEST(Cache, FullDiskLeavesNoFiles) {
  TemporaryDirectory root;
  Cache cache = openCache(root.path("cache"));
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // Writes beyond the limit fail like those on a full disk.
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    Status status = cache.put("k", filled('a', 100000));
    _exit(status.code() == StatusCode::Io ? 0 : 1);
  }
  EXPECT_EQ(exitCode(child), 0);
  EXPECT_EQ(filesIn(root.path("cache")), 0u);
}

TEST(Cache, BoundComesFromTheEnvironment) {
  TemporaryDirectory root;
  ScopedEnvironment directory("TILEWRIGHT_CACHE_DIR",
                              root.path("cache").c_str());
  {
    ScopedEnvironment size("TILEWRIGHT_CACHE_SIZE", "3M");
    EXPECT_EQ(Cache::openDefault()->maxBytes(), uint64_t(3) << 20);
  }
  {
    ScopedEnvironment size("TILEWRIGHT_CACHE_SIZE", nullptr);
    EXPECT_EQ(Cache::openDefault()->maxBytes(), Cache::kDefaultMaxBytes);
  }
  ScopedEnvironment size("TILEWRIGHT_CACHE_SIZE", "lots");
  EXPECT_EQ(Cache::openDefault().status().code(), StatusCode::InvalidArgument);
}

} // namespace
