// The occupancy of NVIDIA's GPUs: how many CTAs share an SM, and what limits
// them.
//
// An SM gives a CTA all of its resources at once:
//
// 1. A slot, and a warp slot for each warp.
// 2. Registers. An SM has four partitions. Each runs every fourth warp and
//    allocates its registers in units, the same number for each thread.
// 3. Shared memory, in units, and a reserve of the system.
//
// The model is that of NVIDIA's occupancy calculator.
#ifndef TILEWRIGHT_LIB_ANALYSIS_TARGET_OCCUPANCY_H
#define TILEWRIGHT_LIB_ANALYSIS_TARGET_OCCUPANCY_H

#include <cstdint>
#include <limits>
#include <optional>

namespace tilewright {

/// The resources of an SM.
struct SmResources {
  unsigned computeCapability;
  int64_t maxWarps, maxCtas;
  /// Bytes of shared memory of the SM, and the maximum of one CTA.
  int64_t sharedBytes, maxSharedBytes;

  // The same for all architectures from sm_80 on.

  /// Bytes of shared memory that the system reserves in each CTA, and the bytes
  /// of an allocation unit.
  int64_t reservedSharedBytes = 1024, sharedUnit = 128;
  /// Registers of the SM, and its partitions.
  int64_t registers = 64 * 1024, partitions = 4;
  /// The maximum registers of a thread, and those of an allocation unit.
  int64_t maxRegisters = 255, registerUnit = 8;
  /// Threads of a warp.
  static constexpr int64_t kLanes = 32;
};

/// The CTAs that fit on an SM by each resource alone.
struct CtasPerSm {
  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

  int64_t byWarps, byCtas, bySharedMemory, byRegisters;

  /// Returns the CTAs that fit by all resources.
  int64_t get() const;
};

/// Answers questions about the occupancy of one architecture.
class Occupancy {
public:
  /// Passes that do not know the target assume Hopper.
  static constexpr unsigned kHopper = 90;

  /// An unknown compute capability gets the resources of the smallest SM.
  explicit Occupancy(unsigned computeCapability = kHopper);

  /// Returns nothing for an unknown compute capability.
  static std::optional<Occupancy> find(unsigned computeCapability);

  /// Returns an occupancy without allocation units, for estimates of registers
  /// and shared memory that are not more precise. `maxSharedBytes` is the
  /// maximum of a CTA, Hopper's by default.
  static Occupancy
  forEstimates(std::optional<int64_t> maxSharedBytes = std::nullopt);

  const SmResources &getResources() const { return sm; }
  /// Returns the maximum shared memory of a CTA in bytes.
  int64_t getMaxSharedBytes() const { return sm.maxSharedBytes; }
  /// Returns the maximum registers of a thread.
  int64_t getMaxRegisters() const { return sm.maxRegisters; }

  /// Returns the CTAs of `numWarps` warps that fit on an SM with so many
  /// `registers` a thread and bytes of shared memory. Zero registers do not
  /// limit them.
  CtasPerSm countCtas(int64_t numWarps, int64_t registers,
                      int64_t sharedBytes) const;
  int64_t countCtasByWarps(int64_t numWarps) const;
  int64_t countCtasByRegisters(int64_t numWarps, int64_t registers) const;
  int64_t countCtasBySharedMemory(int64_t sharedBytes) const;

  /// Returns the maximum registers of a thread if `numCtas` CTAs of `numWarps`
  /// warps share an SM.
  int64_t getRegisters(int64_t numCtas, int64_t numWarps) const;

  /// Returns the maximum shared memory of a CTA in bytes if `numCtas` CTAs
  /// share an SM. It is negative if they do not fit.
  int64_t getSharedBytes(int64_t numCtas) const;

  /// Returns the registers of a thread before its role reallocates them with
  /// `setmaxnreg`, if `numCtas` CTAs of `numWarps` warps share an SM.
  int64_t getInitialRegisters(int64_t numCtas, int64_t numWarps) const;

  /// Returns the CTAs that fit on an SM if the roles of each reallocate the
  /// initial registers of its `numWarps` warps. `registers` are the sum over
  /// these warps of the registers of a thread after that. The result is at
  /// least 1.
  int64_t countCtasOfRoles(int64_t numWarps, int64_t registers) const;

private:
  explicit Occupancy(const SmResources &sm) : sm(sm) {}

  SmResources sm;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_TARGET_OCCUPANCY_H
