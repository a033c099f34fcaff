// The times of the phases of a compilation.

#ifndef TILEWRIGHT_LIB_TARGET_PHASETIMES_H
#define TILEWRIGHT_LIB_TARGET_PHASETIMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <string>
#include <vector>

namespace tilewright {

/// A list of times, in the order in which the phases ended.
class PhaseTimes {
public:
  struct Entry {
    /// The stage that the phase contributes to: "tile", "ptx", ...
    std::string stage;
    std::string name;
    double milliseconds;
  };

  void add(llvm::StringRef stage, llvm::StringRef name, double milliseconds) {
    entries.push_back({stage.str(), name.str(), milliseconds});
  }
  llvm::ArrayRef<Entry> getEntries() const { return entries; }

private:
  std::vector<Entry> entries;
};

/// Measures the time from its construction to its destruction.
class PhaseTimer {
public:
  /// With null `times` nothing is recorded. `stage` and `name` must outlive the
  /// timer.
  PhaseTimer(PhaseTimes *times, llvm::StringRef stage, llvm::StringRef name)
      : times(times), stage(stage), name(name), start(Clock::now()) {}
  PhaseTimer(const PhaseTimer &) = delete;
  ~PhaseTimer() {
    if (times)
      times->add(stage, name, Milliseconds(Clock::now() - start).count());
  }

private:
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::duration<double, std::milli>;

  PhaseTimes *times;
  llvm::StringRef stage, name;
  Clock::time_point start;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_PHASETIMES_H
