// Runs the instructions of a warp.

#include "test/emulator/Machine.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace emulator {

Warp::Warp(Launch &launch, Block &block, unsigned index, uint32_t lanes)
    : launch(launch), block(block), index(index), alive(lanes),
      registers(launch.program.registerBytes),
      locals((size_t(launch.program.localBytes) + 15) / 16 * 16 * kLanes),
      localBytes((launch.program.localBytes + 15) / 16 * 16) {
  std::fill(std::begin(pc), std::end(pc), launch.kernel.entry);
  // Random bits: no result may depend on uninitialised registers.
  for (char &byte : registers)
    byte = static_cast<char>(launch.random.below(256));
  for (size_t i = 0; i < locals.size(); ++i)
    locals.data()[i] = static_cast<char>(launch.random.below(256));
}

uint64_t Warp::get(const Operand &operand, unsigned lane) {
  switch (operand.kind) {
  case Operand::InRegister:
    return get(operand.reg, lane);
  case Operand::Immediate:
    return operand.bits;
  case Operand::OfMachine:
    return valueOf(operand.special, lane);
  case Operand::Symbol:
    switch (operand.space) {
    case Space::Parameter:
      return reinterpret_cast<uint64_t>(launch.parameters.data()) +
             operand.bits;
    case Space::Local:
      return reinterpret_cast<uint64_t>(local(lane)) + operand.bits;
    default:
      return operand.bits;
    }
  default:
    throw Failure("'" + operand.text + "' is not a value");
  }
}

std::string hex(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

static bool isInside(uint64_t address, size_t bytes, const char *begin,
                     size_t size) {
  const auto start = reinterpret_cast<uint64_t>(begin);
  return address >= start && address + bytes <= start + size;
}

char *Warp::memory(Space space, uint64_t address, size_t bytes, unsigned lane) {
  // An access to several elements must be aligned for all of them.
  if (address % std::min<size_t>(std::bit_floor(bytes), 16))
    throw Failure("address " + hex(address) + " is not aligned for " +
                  std::to_string(bytes) + " bytes");
  if (space == Space::Generic && address >> 56 == kSharedWindow >> 56) {
    space = Space::Shared;
    address &= ~kSharedWindow;
  }
  if (space == Space::Shared)
    return block.shared(address, bytes);
  char *memory = reinterpret_cast<char *>(address);
  if (space != Space::Local && launch.allocations.contains(address, bytes))
    return memory;
  if (isInside(address, bytes, locals.data(), locals.size()) ||
      isInside(address, bytes, launch.parameters.data(),
               launch.parameters.size()))
    return memory;
  for (const LowMemory &global : launch.program.globals)
    if (isInside(address, bytes, global.data(), global.size()))
      return memory;
  throw Failure("thread " + std::to_string(index * kLanes + lane) +
                " touches " + std::to_string(bytes) + " bytes at " +
                hex(address) + ", which are not allocated");
}

uint32_t Warp::guarded(const Instruction &instruction, uint32_t lanes) {
  if (!instruction.guard)
    return lanes;
  uint32_t chosen = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (lanes >> lane & 1 &&
        (get(*instruction.guard, lane) & 1) != instruction.isGuardNegated)
      chosen |= 1u << lane;
  return chosen;
}

/// Returns the lanes that run next: those at the lowest program counter. This
/// usually reconverges lanes after a branch.
uint32_t Warp::pick() {
  uint32_t candidates = alive & ~parked;
  if (!candidates)
    return 0;
  if (candidates & ~postponed)
    candidates &= ~postponed;
  else
    postponed = 0;
  size_t first = SIZE_MAX;
  uint32_t lanes = 0;
  for (uint32_t left = candidates; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (pc[lane] < first) {
      first = pc[lane];
      lanes = 0;
    }
    if (pc[lane] == first)
      lanes |= 1u << lane;
  }
  return lanes;
}

/// Whether all lanes of an instruction have arrived; then `lanes` are these.
/// Parks lanes that must wait.
bool Warp::gather(const Instruction &instruction, uint32_t &lanes) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  uint32_t here = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (alive >> lane & 1 && pc[lane] == pc[first])
      here |= 1u << lane;
  uint32_t wanted = alive;
  if (instruction.members)
    wanted &= static_cast<uint32_t>(get(*instruction.members, first));
  if (wanted & ~here) {
    parked |= here;
    return false;
  }
  parked &= ~here;
  postponed &= ~here;
  lanes = here;
  return true;
}

Outcome Warp::execute(uint32_t lanes) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  current = pc[first];
  const Instruction &instruction = launch.program.instructions[current];
  if (instruction.isCollective && !instruction.guard &&
      !gather(instruction, lanes))
    return Outcome::Done;
  hasMoved = true;
  const uint32_t chosen = guarded(instruction, lanes);
  const Outcome outcome =
      chosen ? instruction.run(*this, chosen) : Outcome::Done;
  const uint32_t stay = outcome == Outcome::Jumped  ? chosen
                        : outcome == Outcome::Again ? chosen
                                                    : 0;
  for (uint32_t left = lanes & ~stay; left; left &= left - 1)
    ++pc[std::countr_zero(left)];
  if (outcome == Outcome::Again || outcome == Outcome::Yield)
    postponed |= chosen;
  return outcome;
}

void Warp::explain(const std::string &problem) const {
  const Instruction &instruction = launch.program.instructions[current];
  throw Failure(
      "kernel '" + launch.kernel.name + "', block (" +
      std::to_string(block.index.x) + ", " + std::to_string(block.index.y) +
      ", " + std::to_string(block.index.z) + "), warp " +
      std::to_string(index) + ", line " + std::to_string(instruction.line) +
      " of the PTX (" + instruction.mnemonic() + "), line " +
      std::to_string(instruction.sourceLine) + " of the source: " + problem);
}

bool Warp::run(unsigned most) {
  bool isIdle = true;
  try {
    for (unsigned i = 0; i < most && alive; ++i) {
      uint32_t lanes = pick();
      if (!lanes) {
        if (!hasMoved)
          explain("lanes of the warp wait for each other at different "
                  "instructions");
        // Lanes that others wait for may have exited.
        hasMoved = false;
        parked = 0;
        continue;
      }
      ++launch.clock;
      const Outcome outcome = execute(lanes);
      if (outcome == Outcome::Again || outcome == Outcome::Yield)
        return !isIdle;
      isIdle = false;
    }
  } catch (const Failure &failure) {
    if (std::string_view(failure.what()).substr(0, 8) == "kernel '")
      throw;
    explain(failure.what());
  }
  return !isIdle;
}

} // namespace emulator
