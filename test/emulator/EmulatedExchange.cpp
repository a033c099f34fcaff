// Exchanges between the lanes of a warp.

#include "test/emulator/Bind.h"

#include <algorithm>

namespace emulator {

/// Selects the source lane of each lane.
static Action bindShuffle(const Instruction &instruction) {
  const std::vector<Operand> o = instruction.operands;
  const std::string how = instruction.words[2];
  const Operand to = o[0].kind == Operand::Pair ? o[0].parts[0] : o[0];
  const Operand found = o[0].kind == Operand::Pair ? o[0].parts[1] : Operand();
  return [=](Warp &warp, uint32_t lanes) {
    uint64_t values[kLanes] = {};
    forLanes(lanes,
             [&](unsigned lane) { values[lane] = warp.get(o[1], lane); });
    uint64_t results[kLanes] = {};
    bool isIn[kLanes] = {};
    forLanes(lanes, [&](unsigned lane) {
      const auto by = static_cast<unsigned>(warp.get(o[2], lane)) & 31;
      const auto packed = static_cast<unsigned>(warp.get(o[3], lane));
      const unsigned clamp = packed & 31, segment = packed >> 8 & 31;
      const unsigned most = (lane & segment) | (clamp & ~segment);
      const unsigned least = lane & segment;
      int from;
      if (how == "up") {
        from = static_cast<int>(lane) - static_cast<int>(by);
        isIn[lane] = from >= static_cast<int>(most);
      } else if (how == "down") {
        from = static_cast<int>(lane + by);
        isIn[lane] = from <= static_cast<int>(most);
      } else if (how == "bfly") {
        from = static_cast<int>(lane ^ by);
        isIn[lane] = from <= static_cast<int>(most);
      } else {
        from = static_cast<int>(least | (by & ~segment));
        isIn[lane] = from <= static_cast<int>(most);
      }
      if (!isIn[lane])
        from = static_cast<int>(lane);
      // The value of an inactive lane is undefined.
      results[lane] =
          lanes >> from & 1 ? values[from] : warp.launch.random.below(~0u);
    });
    forLanes(lanes, [&](unsigned lane) {
      warp.set(to, lane, results[lane]);
      warp.set(found, lane, isIn[lane]);
    });
    return Outcome::Done;
  };
}

static Action bindVote(const Instruction &instruction) {
  const std::vector<Operand> o = instruction.operands;
  const std::string how = instruction.words[2];
  return [=](Warp &warp, uint32_t lanes) {
    uint32_t yes = 0;
    forLanes(lanes, [&](unsigned lane) {
      yes |= static_cast<uint32_t>(warp.test(o[1], lane)) << lane;
    });
    const uint64_t result = how == "ballot" ? yes
                            : how == "all"  ? yes == lanes
                            : how == "any"  ? yes != 0
                                            : yes == lanes || yes == 0;
    forLanes(lanes, [&](unsigned lane) { warp.set(o[0], lane, result); });
    return Outcome::Done;
  };
}

static Action bindReduction(const Instruction &instruction) {
  const std::vector<Operand> o = instruction.operands;
  const std::string how = instruction.words[2];
  const bool isSigned = instruction.words.back()[0] == 's';
  return [=](Warp &warp, uint32_t lanes) {
    uint64_t result = 0;
    bool isFirst = true;
    forLanes(lanes, [&](unsigned lane) {
      const uint64_t bits = warp.get(o[1], lane) & 0xffffffff;
      const auto value = isSigned
                             ? static_cast<int64_t>(fromBits<int32_t>(bits))
                             : static_cast<int64_t>(bits);
      const auto so = isSigned ? static_cast<int64_t>(fromBits<int32_t>(result))
                               : static_cast<int64_t>(result & 0xffffffff);
      const int64_t next = isFirst        ? value
                           : how == "add" ? so + value
                           : how == "min" ? std::min(so, value)
                           : how == "max" ? std::max(so, value)
                           : how == "and" ? so & value
                           : how == "or"  ? so | value
                                          : so ^ value;
      result = static_cast<uint64_t>(next);
      isFirst = false;
    });
    forLanes(lanes, [&](unsigned lane) { warp.set(o[0], lane, result); });
    return Outcome::Done;
  };
}

/// Finds the lanes with the same value.
static Action bindMatch(const Instruction &instruction) {
  const std::vector<Operand> o = instruction.operands;
  const bool all = instruction.words[1] == "all";
  const Operand to = o[0].kind == Operand::Pair ? o[0].parts[0] : o[0];
  const Operand isSame = o[0].kind == Operand::Pair ? o[0].parts[1] : Operand();
  return [=](Warp &warp, uint32_t lanes) {
    uint32_t same[kLanes] = {};
    forLanes(lanes, [&](unsigned lane) {
      forLanes(lanes, [&](unsigned other) {
        if (warp.get(o[1], lane) == warp.get(o[1], other))
          same[lane] |= 1u << other;
      });
    });
    forLanes(lanes, [&](unsigned lane) {
      warp.set(isSame, lane, same[lane] == lanes);
      warp.set(to, lane, all && same[lane] != lanes ? 0 : same[lane]);
    });
    return Outcome::Done;
  };
}

Action bindExchange(Instruction &instruction) {
  const std::string &name = instruction.words[0];
  if (name == "activemask")
    return [to = instruction.operands[0]](Warp &warp, uint32_t lanes) {
      forLanes(lanes, [&](unsigned lane) { warp.set(to, lane, lanes); });
      return Outcome::Done;
    };
  if (name != "shfl" && name != "vote" && name != "redux" && name != "match" &&
      name != "elect")
    return {};
  instruction.isCollective = true;
  instruction.members = instruction.operands.back();
  if (name == "shfl")
    return bindShuffle(instruction);
  if (name == "vote")
    return bindVote(instruction);
  if (name == "redux")
    return bindReduction(instruction);
  if (name == "match")
    return bindMatch(instruction);
  const Operand to = instruction.operands[0].parts[0],
                chosen = instruction.operands[0].parts[1];
  return [=](Warp &warp, uint32_t lanes) {
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    forLanes(lanes, [&](unsigned lane) {
      warp.set(to, lane, first);
      warp.set(chosen, lane, lane == first);
    });
    return Outcome::Done;
  };
}

} // namespace emulator
