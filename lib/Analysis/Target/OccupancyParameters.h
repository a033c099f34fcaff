// Fitted limits that trade registers, shared memory and occupancy.
#ifndef TILEWRIGHT_LIB_ANALYSIS_TARGET_OCCUPANCYPARAMETERS_H
#define TILEWRIGHT_LIB_ANALYSIS_TARGET_OCCUPANCYPARAMETERS_H

#include <cstddef>
#include <cstdint>

namespace tilewright {

/// The line of each parameter gives its unit, the trade, and the benchmark or
/// note that decides. Notes are in benchmarks/notes. A line without them gives
/// the reason for the number.
struct OccupancyParameters {
  //===--------------------------------------------------------------------===//
  // Target occupancy
  //===--------------------------------------------------------------------===//

  /// Warps per SM; latency hiding against registers; occupancy.md.
  static constexpr int64_t kFillingWarps = 32;
  /// The same for CTAs of `kLargeCtaWarps` warps; occupancy.md.
  static constexpr int64_t kFillingWarpsOfLargeCtas = 48, kLargeCtaWarps = 16;
  /// Maximum warps per SM if iterations load few bytes;
  /// benchmarks/published.py.
  static constexpr int64_t kMaxFillingWarps = 64;
  /// Bytes per SM that loads in flight should reach; benchmarks/published.py.
  static constexpr int64_t kBytesInFlight = 32 * 1024;
  /// Warps per SM of kernels whose dots wait for threads; occupancy.md.
  static constexpr int64_t kDotWarps = 16;
  /// Minimum warps of a CTA that is bound; benchmarks/published.py.
  static constexpr int64_t kMinBoundWarps = 4;

  //===--------------------------------------------------------------------===//
  // Register bounds of the assembler
  //===--------------------------------------------------------------------===//

  /// Percent of the unbounded occupancy; more warps against serialised
  /// instructions; occupancy.md.
  static constexpr int64_t kMinGainPercent = 150;
  /// Percent of the unbounded registers; a bound below them spills;
  /// occupancy.md.
  static constexpr int64_t kMinBoundPercent = 60;
  /// Bytes of spills per 100 registers of a thread; occupancy against spills;
  /// occupancy.md.
  static constexpr int64_t kMaxSpillPercent = 150;
  /// Percent of the unbounded occupancy that pays for spills; occupancy.md.
  static constexpr int64_t kMinSpillGainPercent = 200;
  /// Maximum warps per SM with spills; occupancy.md.
  static constexpr int64_t kMaxSpillWarps = 16;
  /// Percent of the spills that may be left with all registers; above, they do
  /// not pay for a bound; occupancy.md.
  static constexpr int64_t kMaxLeftSpillPercent = 75;
  /// Bytes of PTX, without and with dots; assembler time against occupancy;
  /// assembler-time.md.
  static constexpr size_t kMaxText = 72 * 1024, kMaxTextOfDots = 160 * 1024;
  /// Reciprocal of the part of the register pressure that a new order of a
  /// block must save; the estimate is not more precise; assembler-time.md.
  static constexpr unsigned kMinPressureGain = 8;

  //===--------------------------------------------------------------------===//
  // Register estimates
  //===--------------------------------------------------------------------===//

  /// Registers of a thread besides those of tiles; assemblers reject a wgmma
  /// with fewer.
  static constexpr int64_t kNonTileRegisters = 26;
  /// Registers besides accumulators and computed operands; occupancy.md.
  static constexpr int64_t kNonDotRegisters = 32;

  //===--------------------------------------------------------------------===//
  // Roles
  //===--------------------------------------------------------------------===//

  /// Accumulator registers from which two warpgroups get a producer warpgroup
  /// that releases registers; against a second CTA; benchmarks/gemm.py.
  static constexpr int64_t kMinTightRegisters = 96;
  /// Accumulator registers from which one warpgroup gets such a producer, to
  /// keep two CTAs; against a producer warp; kernels/attention/benchmark.py.
  static constexpr int64_t kMinHalvedRegisters = 160;
  /// Registers of a consumer thread after that release; follows from
  /// `kProducerRegisters` and two CTAs per SM.
  static constexpr int64_t kMaxHalvedRegisters = 232;
  /// Columns of a wgmma from which a thread of two CTAs starts with too few
  /// registers; the assembler rejects it.
  static constexpr int64_t kMinWideColumns = 256;
  /// Registers of a producer thread, without and with tensor maps to make;
  /// against those of consumers; the least of `setmaxnreg`, and the need of
  /// code for maps.
  static constexpr int32_t kProducerRegisters = 24, kMapProducerRegisters = 40;
  /// Tile coordinates that a producer carries; latency of divisions against
  /// registers; a quarter of `kProducerRegisters`.
  static constexpr size_t kMaxCarriedCoords = 6;

  //===--------------------------------------------------------------------===//
  // Shared memory
  //===--------------------------------------------------------------------===//

  /// Slots of a ring that hide latency, without and with chained dots;
  /// prefetches against CTAs per SM; ring-depth.md.
  static constexpr int64_t kMinSlots = 3, kMinChainedSlots = 2;
  /// Slots of a ring below which stores shrink; slots against a staging buffer;
  /// ring-depth.md.
  static constexpr int64_t kDeepSlots = 5;
  /// Maximum slots of a ring; shared memory against latency hiding;
  /// benchmarks/gemm.py on small matmuls.
  static constexpr int64_t kMaxSlots = 8;
  /// Slots of a ring that loops without dots keep; slots against CTAs per SM;
  /// thread-operands.md.
  static constexpr int64_t kMinLoopSlots = 2;
  /// Bytes of scratch with an extended lifetime, and bytes of all separate
  /// scratch; shared memory against barriers; benchmarks/layers.py.
  static constexpr int64_t kMaxExtendedScratch = 4096, kMaxScratch = 8192;
  /// Bytes that wgmma operands leave to barriers, scratch and stores; a rough
  /// bound, since the layouts are chosen before the other uses are known.
  static constexpr int64_t kOperandReserve = 32 * 1024;

  //===--------------------------------------------------------------------===//
  // Layouts of dots, in registers of a thread
  //===--------------------------------------------------------------------===//

  /// A operand that threads compute in registers, and with the accumulator;
  /// registers against shared memory; thread-operands.md.
  static constexpr int64_t kMaxComputedA = 32, kMaxComputedAWithAcc = 192;
  /// A operand of a transposed dot result from which it is read from shared
  /// memory; registers against accesses; benchmarks/tutorials.py.
  static constexpr int64_t kMinSharedA = 32;
  /// Operands of a dot without tensor cores; registers against accesses; a
  /// quarter of the registers of a thread.
  static constexpr int64_t kMaxThreadOperands = 64;

  //===--------------------------------------------------------------------===//
  // Schedules, in registers of a thread
  //===--------------------------------------------------------------------===//

  /// Registers left next to interleaved wgmmas, and to deferred ones; overlap
  /// against spills; benchmarks/published.py.
  static constexpr int64_t kMinSpare = 24, kMinSpareToDefer = 40;
  /// CTAs per SM that interleaved dots leave registers for; overlap against
  /// occupancy; benchmarks/published.py.
  static constexpr int64_t kMaxInterleavedCtas = 2;
  /// Accumulators of a loop whose first iteration is peeled; hidden scalar work
  /// against registers; benchmarks/gemm.py.
  static constexpr int64_t kMaxPeeledAccs = 128;
  /// Loads hoisted in an iteration; latency against registers;
  /// benchmarks/published.py.
  static constexpr int64_t kMaxHoistedLoads = 32;
  /// Loads hoisted to one conversion; latency against spills;
  /// benchmarks/published.py.
  static constexpr int64_t kMaxLoadsOfConversion = 16;
  /// A conversion hoisted to before a wait; latency against registers;
  /// benchmarks/published.py.
  static constexpr int64_t kMaxHoistedConversion = 32;
  /// Scalars of the epilogue that are computed before the loop; latency against
  /// spills; benchmarks/gemm.py.
  static constexpr int64_t kMaxHoistedScalars = 8;
  /// Loads of the epilogue that overlap the last wgmmas, and with the
  /// accumulators; latency against spills and code size; benchmarks/gemm.py.
  static constexpr int64_t kMaxEpilogueLoads = 32,
                           kMaxEpilogueLoadsWithAccs = 160;
  /// Loads that are prefetched an iteration early, and left for other values;
  /// latency against spills; benchmarks/published.py.
  static constexpr int64_t kMaxPrefetched = 16, kLeftByPrefetches = 64;
  /// Scalars in flight that a loop carries; loads against registers;
  /// benchmarks/published.py.
  static constexpr int64_t kMaxForwarded = 8;
  /// Tiles that are reduced as a tree; parallelism against registers; half the
  /// registers of a thread.
  static constexpr unsigned kMaxTree = 128;
};

/// Estimates the registers of a thread with chained dots: accumulators,
/// operands that are computed from them, and addresses and row values. The fit
/// is in benchmarks/notes/occupancy.md.
constexpr int64_t estimateRegisters(int64_t accRegisters) {
  return accRegisters + accRegisters / 2 +
         OccupancyParameters::kNonDotRegisters;
}

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_TARGET_OCCUPANCYPARAMETERS_H
