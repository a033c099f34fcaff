// Comparisons, predicates and selections.

#include "test/emulator/Bind.h"

namespace emulator {

template <typename T> static bool compare(const std::string &how, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    const bool isUnordered = std::isnan(a) || std::isnan(b);
    if (how == "nan")
      return isUnordered;
    if (how == "num")
      return !isUnordered;
    if (how == "equ" || how == "neu" || how == "ltu" || how == "leu" ||
        how == "gtu" || how == "geu")
      return isUnordered || compare(how.substr(0, 2), a, b);
    if (isUnordered)
      return false;
  }
  if (how == "eq")
    return a == b;
  if (how == "ne")
    return a != b;
  if (how == "lt" || how == "lo")
    return a < b;
  if (how == "le" || how == "ls")
    return a <= b;
  if (how == "gt" || how == "hi")
    return a > b;
  return a >= b;
}

/// For unordered operands only "neu" is true, which is "ne" for integers.
static Action bindCompare(const Instruction &instruction) {
  const std::vector<Operand> o = instruction.operands;
  const std::string how = instruction.words[1];
  const bool isSet = instruction.words[0] == "set";
  const size_t typeAt = instruction.words.size() - 1;
  std::string combine;
  for (const char *each : {"and", "or", "xor"})
    if (instruction.has(each))
      combine = each;
  const bool flushes = instruction.has("ftz");
  const bool asFloat = isSet && instruction.words[typeAt - 1] == "f32";
  Action made;
  withType(instruction.words[typeAt], [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (!std::is_same_v<T, Predicate>)
      made = perLane([=](Warp &warp, unsigned lane) {
        auto a = widen<T>(warp.get(o[1], lane)),
             b = widen<T>(warp.get(o[2], lane));
        if (flushes) {
          a = flush(a);
          b = flush(b);
        }
        const bool found = compare(how, a, b);
        const auto combined = [&](bool value) {
          if (combine.empty())
            return value;
          const bool other = warp.test(o[3], lane);
          return combine == "and"  ? value && other
                 : combine == "or" ? value || other
                                   : value != other;
        };
        if (isSet) {
          const uint64_t yes = asFloat ? 0x3f800000 : ~uint64_t(0);
          warp.set(o[0], lane, combined(found) ? yes : 0);
        } else if (o[0].kind == Operand::Pair) {
          warp.set(o[0].parts[0], lane, combined(found));
          warp.set(o[0].parts[1], lane, combined(!found));
        } else {
          warp.set(o[0], lane, combined(found));
        }
      });
  });
  return made;
}

static Action bindSelection(const Instruction &instruction) {
  const std::vector<Operand> o = instruction.operands;
  return perLane([=](Warp &warp, unsigned lane) {
    warp.set(o[0], lane, warp.get(warp.test(o[3], lane) ? o[1] : o[2], lane));
  });
}

/// Tests the class of a float.
static Action bindTest(const Instruction &instruction) {
  const std::vector<Operand> o = instruction.operands;
  const std::string kind = instruction.words[1];
  const bool isDouble = instruction.words.back() == "f64";
  return perLane([=](Warp &warp, unsigned lane) {
    const uint64_t bits = warp.get(o[1], lane);
    const double value =
        isDouble ? fromBits<double>(bits) : double(fromBits<float>(bits));
    const int found = isDouble ? std::fpclassify(value)
                               : std::fpclassify(fromBits<float>(bits));
    bool is = false;
    if (kind == "finite")
      is = std::isfinite(value);
    else if (kind == "infinite")
      is = found == FP_INFINITE;
    else if (kind == "number")
      is = found != FP_NAN;
    else if (kind == "notanumber")
      is = found == FP_NAN;
    else if (kind == "normal")
      is = found == FP_NORMAL;
    else
      is = found == FP_SUBNORMAL || found == FP_ZERO;
    warp.set(o[0], lane, is);
  });
}

Action bindComparison(const Instruction &instruction) {
  const std::string &name = instruction.words[0];
  if (name == "setp" || name == "set")
    return bindCompare(instruction);
  if (name == "selp")
    return bindSelection(instruction);
  if (name == "testp")
    return bindTest(instruction);
  return {};
}

} // namespace emulator
