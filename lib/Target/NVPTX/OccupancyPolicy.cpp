#include "lib/Target/NVPTX/OccupancyPolicy.h"

#include "lib/Analysis/Target/Occupancy.h"
#include "lib/Analysis/Target/OccupancyParameters.h"
#include "lib/Target/NVPTX/PtxEntry.h"

#include <algorithm>

using namespace llvm;
using namespace tilewright;

using Parameters = OccupancyParameters;

/// Returns the registers that the goal leaves a thread.
static int64_t getRegisters(OccupancyGoal goal) {
  return Occupancy().getRegisters(goal.ctas, goal.warps);
}

/// Returns the number of CTAs that fit on an SM with so many registers, at
/// least 1 and at most those of `goal`. An assembler that found the code in a
/// cache may report no registers.
static int64_t countFitting(OccupancyGoal goal, int64_t registers) {
  if (registers == 0)
    return goal.ctas;
  return std::clamp<int64_t>(
      Occupancy().countCtasByRegisters(goal.warps, registers), 1, goal.ctas);
}

/// Whether `goal` gains enough occupancy over `fitting` by rule P3.
static bool gains(OccupancyGoal goal, int64_t fitting) {
  return goal.computesInRegisters
             ? goal.ctas > fitting
             : 100 * goal.ctas >= Parameters::kMinGainPercent * fitting;
}

static int64_t countSpilled(const AssemblyResources &resources) {
  return int64_t(resources.spillStores) + resources.spillLoads;
}

/// Whether spills cost more than the added occupancy gains by rule P5:
///
/// 1. Kernels with dots, occupancies above 16 warps and gains below a factor of
///    two allow no spills.
/// 2. Otherwise a thread may spill one and a half bytes per register.
static bool spillsMuch(OccupancyGoal goal, int64_t fitting,
                       const AssemblyResources &resources) {
  const int64_t bytes = countSpilled(resources);
  const bool allowsNone =
      goal.hasDots || goal.ctas * goal.warps > Parameters::kMaxSpillWarps ||
      100 * goal.ctas < Parameters::kMinSpillGainPercent * fitting;
  return allowsNone
             ? bytes != 0
             : 100 * bytes > Parameters::kMaxSpillPercent * resources.registers;
}

/// Whether a thread may fit in the registers that `goal` leaves it by rule P4.
static bool mayFit(OccupancyGoal goal, int64_t registers) {
  return 100 * getRegisters(goal) >= Parameters::kMinBoundPercent * registers;
}

/// Returns the registers available to a thread of the kernel in `ptx`; 0 if the
/// PTX limits them itself.
static int64_t getAvailableRegisters(StringRef ptx) {
  const PtxEntry entry(ptx);
  if (entry.countThreads() == 0 || entry.hasMinCtas() ||
      entry.hasMaxRegisters())
    return 0;
  return Occupancy().getRegisters(/*numCtas=*/1,
                                  entry.countThreads() / SmResources::kLanes);
}

/// Whether the assembler spilled although registers were left. Releases up to
/// 13.0 do that for large spills if the PTX states no occupancy.
static bool gaveUp(const Assembly &assembly, int64_t available) {
  return assembly.kind != AssemblerKind::Driver &&
         assembly.resources.spillStores != 0 &&
         assembly.resources.registers +
                 Occupancy().getResources().registerUnit <
             available;
}

/// Assembles `ptx` without a bound by rule P1.
static Expected<Assembly> assembleUnbounded(std::string &ptx, StringRef arch,
                                            const AssemblerOptions &options) {
  auto unbounded = assemble(ptx, arch, options);
  if (!unbounded || !gaveUp(*unbounded, getAvailableRegisters(ptx)))
    return unbounded;
  std::string alone = PtxEntry(ptx).withMinCtas(1);
  auto assembly = assemble(alone, arch, options);
  if (assembly && 100 * countSpilled(assembly->resources) <
                      Parameters::kMaxLeftSpillPercent *
                          countSpilled(unbounded->resources)) {
    ptx = std::move(alone);
    return assembly;
  }
  consumeError(assembly.takeError());
  return unbounded;
}

/// Whether a bound may be tried by rule P2.
static bool mayBind(OccupancyGoal goal, const Assembly &unbounded,
                    size_t textSize) {
  return goal &&
         textSize <= (goal.hasDots ? Parameters::kMaxTextOfDots
                                   : Parameters::kMaxText) &&
         unbounded.kind != AssemblerKind::Driver &&
         (unbounded.resources.spillStores == 0 || goal.isPlanned);
}

Expected<Assembly>
tilewright::assembleForOccupancy(std::string &ptx, StringRef arch,
                                 const AssemblerOptions &options,
                                 OccupancyGoal goal) {
  auto unbounded = assembleUnbounded(ptx, arch, options);
  if (!unbounded || !mayBind(goal, *unbounded, ptx.size()))
    return unbounded;
  const int64_t registers = unbounded->resources.registers;
  const int64_t fitting = countFitting(goal, registers);
  bool triesAny = !goal.hasDots || goal.isPlanned;
  for (; goal && gains(goal, fitting); --goal.ctas) {
    const bool isMany = goal.ctas * goal.warps > Parameters::kFillingWarps;
    if ((!triesAny || isMany) && !mayFit(goal, registers))
      continue;
    triesAny = goal.isPlanned;
    std::string bound = PtxEntry(ptx).withMinCtas(goal.ctas);
    if (bound.empty())
      return unbounded;
    auto assembly = assemble(bound, arch, options);
    if (assembly && !spillsMuch(goal, fitting, assembly->resources)) {
      ptx = std::move(bound);
      return assembly;
    }
    consumeError(assembly.takeError());
  }
  return unbounded;
}
