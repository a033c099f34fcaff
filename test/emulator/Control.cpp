// Branches, calls and barriers.

#include "test/emulator/Bind.h"

#include <algorithm>
#include <cstdio>

namespace emulator {

static Action jumpTo(size_t target) {
  return [target](Warp &warp, uint32_t lanes) {
    forLanes(lanes, [&](unsigned lane) { warp.pc[lane] = target; });
    return Outcome::Jumped;
  };
}

/// Branches to one of a list of labels, by index.
static Action bindChoice(const Instruction &instruction) {
  const Operand index = instruction.operands[0];
  const std::vector<Operand> targets = instruction.operands[1].parts;
  return [=](Warp &warp, uint32_t lanes) {
    forLanes(lanes, [&](unsigned lane) {
      const uint64_t at = warp.get(index, lane);
      if (at >= targets.size())
        throw Failure("a jump beyond the end of its list");
      warp.pc[lane] = targets[at].bits;
    });
    return Outcome::Jumped;
  };
}

static Outcome leave(Warp &warp, uint32_t lanes) {
  uint32_t ended = 0;
  forLanes(lanes, [&](unsigned lane) {
    if (warp.callers[lane].empty()) {
      ended |= 1u << lane;
      return;
    }
    warp.pc[lane] = warp.callers[lane].back();
    warp.callers[lane].pop_back();
  });
  warp.alive &= ~ended;
  return Outcome::Jumped;
}

static Outcome end(Warp &warp, uint32_t lanes) {
  warp.alive &= ~lanes;
  return Outcome::Jumped;
}

/// Formats text with the values that follow one another in memory.
static std::string format(const char *text, const char *values) {
  std::string made;
  while (*text) {
    if (*text != '%') {
      made += *text++;
      continue;
    }
    const char *begin = text++;
    while (*text && !std::strchr("diouxXcsfFeEgGaAp%", *text))
      ++text;
    const std::string directive(begin, *text ? ++text : text);
    const char kind = directive.back();
    char buffer[400];
    if (kind == '%') {
      made += '%';
      continue;
    }
    const bool isWide = std::strchr("fFeEgGaAps", kind) ||
                        directive.find('l') != std::string::npos;
    const uintptr_t step = isWide ? 8 : 4;
    values = reinterpret_cast<const char *>(
        (reinterpret_cast<uintptr_t>(values) + step - 1) / step * step);
    uint64_t bits = 0;
    std::memcpy(&bits, values, step);
    values += step;
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
    if (std::strchr("fFeEgGaA", kind))
      std::snprintf(buffer, sizeof(buffer), directive.c_str(),
                    bitsAs<double>(bits));
    else if (isWide)
      std::snprintf(buffer, sizeof(buffer), directive.c_str(), bits);
    else
      std::snprintf(buffer, sizeof(buffer), directive.c_str(),
                    static_cast<uint32_t>(bits));
#pragma clang diagnostic pop
    made += buffer;
  }
  return made;
}

/// Returns the value of an argument of a call, which is in the thread's memory.
template <typename T>
static T argument(Warp &warp, const Operand &list, size_t at, unsigned lane) {
  T value;
  std::memcpy(&value, warp.local(lane) + list.parts[at].bits, sizeof(T));
  return value;
}

/// Binds calls of functions that the system provides.
static Action bindSystemCall(const std::string &name, const Operand &results,
                             const Operand &arguments) {
  if (name == "vprintf")
    return perLane([=](Warp &warp, unsigned lane) {
      const auto text = argument<uint64_t>(warp, arguments, 0, lane);
      const auto values = argument<uint64_t>(warp, arguments, 1, lane);
      const std::string made = format(reinterpret_cast<const char *>(text),
                                      reinterpret_cast<const char *>(values));
      std::fwrite(made.data(), 1, made.size(), stdout);
      std::fflush(stdout);
      const int32_t count = 1;
      if (!results.parts.empty())
        std::memcpy(warp.local(lane) + results.parts[0].bits, &count, 4);
    });
  if (name == "__assertfail")
    return [=](Warp &warp, uint32_t lanes) -> Outcome {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      const auto text = [&](size_t i) {
        return reinterpret_cast<const char *>(
            argument<uint64_t>(warp, arguments, i, lane));
      };
      std::fprintf(stderr,
                   "%s:%u: %s: block: [%u,%u,%u], thread: [%u,0,0] "
                   "Assertion `%s` failed.\n",
                   text(1), argument<uint32_t>(warp, arguments, 2, lane),
                   text(3), warp.block.index.x, warp.block.index.y,
                   warp.block.index.z, warp.index * kLanes + lane, text(0));
      throw Failure("assertion");
    };
  return {};
}

static Action bindCall(const Program &program, const Instruction &instruction) {
  const std::vector<Operand> &o = instruction.operands;
  const bool hasResults = o[0].kind == Operand::Vector;
  const Operand results = hasResults ? o[0] : Operand();
  const Operand name = o[hasResults ? 1 : 0];
  const size_t firstArgument = hasResults ? 2 : 1;
  const Operand arguments =
      firstArgument < o.size() ? o[firstArgument] : Operand();
  auto found = program.functions.find(name.text);
  if (found == program.functions.end())
    return {};
  const Function &function = found->second;
  if (function.entry == SIZE_MAX)
    return bindSystemCall(name.text, results, arguments);
  // Each function has its parameters and results in fixed memory: recursion is
  // not supported.
  return [=, &function](Warp &warp, uint32_t lanes) {
    forLanes(lanes, [&](unsigned lane) {
      char *memory = warp.local(lane);
      for (size_t i = 0; i < function.parameters.size(); ++i)
        std::memcpy(memory + function.parameters[i].offset,
                    memory + arguments.parts[i].bits,
                    function.parameters[i].bytes);
      warp.callers[lane].push_back(warp.current + 1);
      warp.pc[lane] = function.entry;
    });
    return Outcome::Jumped;
  };
}

/// After a call, copies the results of the called function.
static Action bindReturn(const Program &program,
                         const Instruction &instruction) {
  const auto at =
      static_cast<size_t>(&instruction - program.instructions.data());
  const Function *function = program.functionAt(at);
  if (!function || function->results.empty())
    return leave;
  const Program *whole = &program;
  const std::vector<Parameter> results = function->results;
  return [=](Warp &warp, uint32_t lanes) {
    forLanes(lanes, [&](unsigned lane) {
      if (warp.callers[lane].empty())
        return;
      const Instruction &call =
          whole->instructions[warp.callers[lane].back() - 1];
      for (size_t i = 0; i < results.size(); ++i)
        std::memcpy(warp.local(lane) + call.operands[0].parts[i].bits,
                    warp.local(lane) + results[i].offset, results[i].bytes);
    });
    return leave(warp, lanes);
  };
}

/// All threads of a block must reach barrier 0 at one instruction. Hardware
/// accepts other programs; compute-sanitizer's synccheck does not.
static void checkWaitingAt(Barrier &barrier, uint64_t number,
                           const Instruction *current) {
  if (number == 0 && barrier.waitingAt && barrier.waitingAt != current)
    throw Failure(
        "warps wait at barrier 0 of the block at different instructions");
  barrier.waitingAt = current;
}

/// Barriers of a block: a warp counts as all its threads.
static Action bindBarrier(const Instruction &instruction) {
  const std::vector<Operand> &o = instruction.operands;
  const Instruction *current = &instruction;
  const bool reduces = instruction.has("red");
  const bool waits = !instruction.has("arrive");
  const size_t first = reduces ? 1 : 0;
  const size_t numbers = o.size() - first - (reduces ? 1 : 0);
  const Operand number = o[first];
  const Operand threads = numbers > 1 ? o[first + 1] : Operand();
  const Operand to = reduces ? o[0] : Operand();
  const Operand predicate = reduces ? o.back() : Operand();
  const std::string how = reduces ? (instruction.has("popc")  ? "popc"
                                     : instruction.has("and") ? "and"
                                                              : "or")
                                  : "";
  return [=](Warp &warp, uint32_t lanes) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const uint64_t at = warp.get(number, lane) & 0xffffffff;
    if (at >= warp.block.barriers.size())
      throw Failure("there is no barrier " + std::to_string(at));
    Barrier &barrier = warp.block.barriers[at];
    if (!warp.isWaiting) {
      checkWaitingAt(barrier, at, current);
      warp.awaited = barrier.generation;
      barrier.arrived += kLanes;
      if (threads.kind != Operand::Sink)
        barrier.expected = static_cast<unsigned>(warp.get(threads, lane));
      if (barrier.expected % kLanes)
        throw Failure("a barrier of " + std::to_string(barrier.expected) +
                      " threads, which is not a multiple of a warp");
      if (reduces)
        forLanes(lanes, [&](unsigned each) {
          barrier.count += warp.test(predicate, each);
          ++barrier.threads;
        });
      warp.block.releaseBarriers();
      if (!waits)
        return Outcome::Done;
      warp.isWaiting = true;
    }
    if (barrier.generation == warp.awaited)
      return Outcome::Again;
    warp.isWaiting = false;
    if (reduces)
      forLanes(lanes, [&](unsigned each) {
        warp.set(to, each,
                 how == "popc"  ? barrier.lastCount
                 : how == "and" ? barrier.lastCount == barrier.lastThreads
                                : barrier.lastCount != 0);
      });
    return Outcome::Done;
  };
}

/// Releases the barrier if all remaining warps have arrived.
static void releaseCluster(Cluster &cluster) {
  for (const auto &block : cluster.blocks)
    for (const auto &warp : block->warps)
      if (!warp->isDone() && !(warp->hasArrivedInCluster &&
                               warp->clusterGeneration == cluster.generation))
        return;
  ++cluster.generation;
}

static Action bindClusterBarrier(const Instruction &instruction) {
  if (instruction.has("arrive"))
    return [](Warp &warp, uint32_t) {
      warp.clusterGeneration = warp.block.cluster.generation;
      warp.hasArrivedInCluster = true;
      return Outcome::Done;
    };
  return [](Warp &warp, uint32_t) {
    Cluster &cluster = warp.block.cluster;
    if (!warp.hasArrivedInCluster)
      throw Failure("waits at the barrier of the cluster without arriving");
    if (cluster.generation == warp.clusterGeneration)
      releaseCluster(cluster);
    if (cluster.generation == warp.clusterGeneration)
      return Outcome::Again;
    warp.hasArrivedInCluster = false;
    return Outcome::Done;
  };
}

/// Instructions without an effect here: hints, and fences, since memory
/// accesses run in program order.
static bool isIdle(const Instruction &instruction) {
  const std::string &name = instruction.words[0];
  for (const char *each :
       {"fence", "membar", "prefetch", "prefetchu", "griddepcontrol",
        "setmaxnreg", "applypriority", "discard", "pmevent", "createpolicy"})
    if (name == each)
      return true;
  return name == "cp" && instruction.has("prefetch");
}

Action bindControl(const Program &program, Instruction &instruction) {
  const std::string &name = instruction.words[0];
  if (isIdle(instruction))
    return nothing();
  if (name == "bra")
    return jumpTo(instruction.operands[0].bits);
  if (name == "brx")
    return bindChoice(instruction);
  if (name == "ret")
    return bindReturn(program, instruction);
  if (name == "exit")
    return end;
  if (name == "call")
    return bindCall(program, instruction);
  if (name == "trap" || name == "brkpt")
    return [](Warp &, uint32_t) -> Outcome { throw Failure("trap"); };
  if (name == "nanosleep")
    return [](Warp &, uint32_t) { return Outcome::Yield; };
  if ((name == "bar" || name == "barrier") && instruction.has("warp")) {
    instruction.isCollective = true;
    instruction.members = instruction.operands[0];
    return nothing();
  }
  if (name == "barrier" && instruction.has("cluster")) {
    instruction.isCollective = true;
    return bindClusterBarrier(instruction);
  }
  if (name == "bar" || name == "barrier") {
    instruction.isCollective = true;
    return bindBarrier(instruction);
  }
  return {};
}

} // namespace emulator
