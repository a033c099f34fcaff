// A directory that exists for the duration of a test.
#ifndef TILEWRIGHT_TEST_UNIT_RUNTIME_CORE_TEMPORARYDIRECTORY_H
#define TILEWRIGHT_TEST_UNIT_RUNTIME_CORE_TEMPORARYDIRECTORY_H

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace tilewright::runtime {

class TemporaryDirectory {
public:
  TemporaryDirectory() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "tilewright-test-XXXXXX")
            .string();
    if (char *made = mkdtemp(pattern.data()))
      root = made;
    else
      ADD_FAILURE() << "cannot make a temporary directory";
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }
  std::string path(const std::string &name = "") const {
    return name.empty() ? root : root + "/" + name;
  }

private:
  std::string root;
};

/// Sets an environment variable during its lifetime; null removes it.
class ScopedEnvironment {
public:
  ScopedEnvironment(const char *name, const char *value) : name(name) {
    if (const char *before = std::getenv(name)) {
      previous = before;
      wasSet = true;
    }
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  ~ScopedEnvironment() {
    wasSet ? setenv(name, previous.c_str(), 1) : unsetenv(name);
  }

private:
  const char *name;
  std::string previous;
  bool wasSet = false;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_TEST_UNIT_RUNTIME_CORE_TEMPORARYDIRECTORY_H
