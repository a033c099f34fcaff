// Arithmetic instructions: one result per lane from its operands.

#include "test/emulator/Bind.h"

#include <algorithm>
#include <cfenv>

namespace emulator {

namespace {

struct Rounding {
  bool flushes = false, saturates = false;
  int mode = FE_TONEAREST;
};

/// Sets the requested rounding direction of the processor.
class RoundingScope {
public:
  explicit RoundingScope(int mode) : mode(mode) {
    if (mode != FE_TONEAREST)
      std::fesetround(mode);
  }
  ~RoundingScope() {
    if (mode != FE_TONEAREST)
      std::fesetround(FE_TONEAREST);
  }

private:
  int mode;
};

/// Returns an action that applies a function of `count` arguments of type T in
/// each lane. The arguments are the operands after the first one.
template <typename T, unsigned count, typename Function>
Action calculate(const Instruction &instruction, Function function,
                 bool isPacked) {
  const std::vector<Operand> operands = instruction.operands;
  Rounding rounding;
  rounding.flushes = instruction.has("ftz");
  rounding.saturates = instruction.has("sat") && isFloat<T>;
  rounding.mode = instruction.has("rz")   ? FE_TOWARDZERO
                  : instruction.has("rm") ? FE_DOWNWARD
                  : instruction.has("rp") ? FE_UPWARD
                                          : FE_TONEAREST;
  const bool cutsBelowZero = instruction.has("relu");
  const auto once = [=](const uint64_t (&bits)[count]) -> uint64_t {
    Wide<T> values[count];
    for (unsigned i = 0; i < count; ++i) {
      values[i] = widen<T>(bits[i]);
      if (rounding.flushes)
        values[i] = flush(values[i]);
    }
    volatile Wide<T> result = [&] {
      const RoundingScope scope(isFloat<T> ? rounding.mode : FE_TONEAREST);
      if constexpr (count == 1)
        return function(values[0]);
      else if constexpr (count == 2)
        return function(values[0], values[1]);
      else
        return function(values[0], values[1], values[2]);
    }();
    Wide<T> value = result;
    if (rounding.flushes)
      value = flush(value);
    if constexpr (isFloat<T>) {
      if (rounding.saturates)
        value = std::isnan(value) ? 0 : std::clamp<Wide<T>>(value, 0, 1);
      // All NaNs have one bit pattern.
      if (std::isnan(value) && std::is_same_v<T, float>)
        return 0x7fffffff;
    }
    if (cutsBelowZero && value < 0)
      value = 0;
    return narrow<T>(value);
  };
  return perLane([=](Warp &warp, unsigned lane) {
    uint64_t bits[count], parts[count];
    for (unsigned i = 0; i < count; ++i)
      bits[i] = warp.get(operands[i + 1], lane);
    if (!isPacked) {
      warp.set(operands[0], lane, once(bits));
      return;
    }
    constexpr unsigned width = 8 * sizeof(T) % 64;
    constexpr uint64_t mask = (uint64_t(1) << width) - 1;
    for (unsigned i = 0; i < count; ++i)
      parts[i] = bits[i] & mask;
    const uint64_t low = once(parts) & mask;
    for (unsigned i = 0; i < count; ++i)
      parts[i] = bits[i] >> width & mask;
    warp.set(operands[0], lane, low | (once(parts) & mask) << width);
  });
}

/// Same for the type that the last word names, if `Accepts` has it.
template <unsigned count, typename Function>
Action onType(const Instruction &instruction, Function function) {
  Action made;
  std::string_view type = instruction.words.back();
  const bool isPacked = type.size() > 2 && type.substr(type.size() - 2) == "x2";
  if (isPacked)
    type.remove_suffix(2);
  withType(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (std::is_invocable_v<Function, Tag<T>>)
      made = calculate<T, count>(instruction, function(Tag<T>()), isPacked);
  });
  return made;
}

} // namespace

#define ON_NUMBERS(COUNT, ...)                                                 \
  onType<COUNT>(instruction, []<typename T>(Tag<T>)                            \
                  requires(!std::is_same_v<T, Predicate>)                      \
                { return __VA_ARGS__; })
#define ON_FLOATS(COUNT, ...)                                                  \
  onType<COUNT>(instruction, []<typename T>(Tag<T>)                            \
                  requires isFloat<T>                                          \
                { return __VA_ARGS__; })
#define ON_INTEGERS(COUNT, ...)                                                \
  onType<COUNT>(instruction, []<typename T>(Tag<T>)                            \
                  requires std::is_integral_v<T>                               \
                { return __VA_ARGS__; })

template <typename T> using Unsigned = std::make_unsigned_t<T>;

/// Addition and multiplication of integers wrap around.
template <typename T> static T wrap(Unsigned<T> value) {
  return static_cast<T>(value);
}

template <typename T> static T least(T a, T b, bool propagatesNaN) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return propagatesNaN ? std::nan("") : std::isnan(a) ? b : a;
    if (a == b)
      return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
}
template <typename T> static T greatest(T a, T b, bool propagatesNaN) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return propagatesNaN ? std::nan("") : std::isnan(a) ? b : a;
    if (a == b)
      return std::signbit(a) ? b : a;
  }
  return a > b ? a : b;
}

static Action bindExtremum(const Instruction &instruction, bool isLeast) {
  const bool nan = instruction.has("NaN");
  const bool isAbsolute = instruction.has("xorsign");
  if (isAbsolute)
    return {};
  return onType<2>(instruction, [=]<typename T>(Tag<T>)
                     requires(!std::is_same_v<T, Predicate>)
                   {
                     return [=](auto a, auto b) {
                       return isLeast ? least(a, b, nan) : greatest(a, b, nan);
                     };
                   });
}

/// The high word of a multiplication.
template <typename T> static T high(T a, T b) {
  using Wider =
      std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  return static_cast<T>(static_cast<Wider>(a) * static_cast<Wider>(b) >>
                        (8 * sizeof(T)));
}

/// Multiplications with twice the bits, optionally with an addition.
static Action bindWide(const Instruction &instruction) {
  const std::vector<Operand> o = instruction.operands;
  const bool adds = instruction.words[0] == "mad";
  Action made;
  withType(instruction.words.back(), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (std::is_integral_v<T> && sizeof(T) >= 2 && sizeof(T) < 8)
      made = perLane([=](Warp &warp, unsigned lane) {
        const auto a = static_cast<int64_t>(fromBits<T>(warp.get(o[1], lane)));
        const auto b = static_cast<int64_t>(fromBits<T>(warp.get(o[2], lane)));
        const uint64_t sum = adds ? warp.get(o[3], lane) : 0;
        warp.set(o[0], lane, static_cast<uint64_t>(a * b) + sum);
      });
  });
  return made;
}

static Action bindDot(const Instruction &instruction) {
  if (instruction.has("wide"))
    return bindWide(instruction);
  const bool adds = instruction.words[0] != "mul";
  if (instruction.has("hi") && !adds)
    return ON_INTEGERS(2, [](T a, T b) { return high(a, b); });
  if (instruction.has("hi"))
    return ON_INTEGERS(3, [](T a, T b, T c) {
      return wrap<T>(Unsigned<T>(high(a, b)) + Unsigned<T>(c));
    });
  if (adds) {
    if (Action made = ON_FLOATS(3, [](auto a, auto b, auto c) {
          // f16 and bf16 are rounded again when the result is written.
          if constexpr (std::is_floating_point_v<T>)
            return std::fma(a, b, c);
          else
            return fmaToOdd(a, b, c);
        }))
      return made;
    return ON_INTEGERS(3, [](T a, T b, T c) {
      return wrap<T>(Unsigned<T>(uint64_t(a) * uint64_t(b)) + Unsigned<T>(c));
    });
  }
  if (Action made = ON_FLOATS(2, [](auto a, auto b) { return a * b; }))
    return made;
  return ON_INTEGERS(2, [](T a, T b) {
    return wrap<T>(Unsigned<T>(uint64_t(a) * uint64_t(b)));
  });
}

/// Additions of 32 or 64 bits that set the carry, or add the carry of the last
/// one.
static Action bindAddWithCarry(const Instruction &instruction, bool subtracts) {
  const std::vector<Operand> o = instruction.operands;
  const bool takes = instruction.words[0].back() == 'c';
  const bool keeps = instruction.has("cc");
  const unsigned bits = 8 * bytesOfType(instruction.words.back());
  return perLane([=](Warp &warp, unsigned lane) {
    const unsigned __int128 one = 1;
    const auto a = static_cast<unsigned __int128>(warp.get(o[1], lane)) &
                   ((one << bits) - 1);
    const auto b = static_cast<unsigned __int128>(warp.get(o[2], lane)) &
                   ((one << bits) - 1);
    const unsigned carry = takes ? warp.carries >> lane & 1 : 0;
    const unsigned __int128 sum = subtracts ? a - b - carry : a + b + carry;
    if (keeps) {
      warp.carries &= ~(1u << lane);
      warp.carries |= static_cast<uint32_t>(sum >> bits & 1) << lane;
    }
    warp.set(o[0], lane, static_cast<uint64_t>(sum));
  });
}

static Action bindSum(const Instruction &instruction, bool subtracts) {
  if (instruction.has("cc") || instruction.words[0].size() == 4)
    return bindAddWithCarry(instruction, subtracts);
  if (subtracts) {
    if (Action made = ON_FLOATS(2, [](auto a, auto b) { return a - b; }))
      return made;
    return ON_INTEGERS(
        2, [](T a, T b) { return wrap<T>(Unsigned<T>(a) - Unsigned<T>(b)); });
  }
  if (Action made = ON_FLOATS(2, [](auto a, auto b) { return a + b; }))
    return made;
  return ON_INTEGERS(
      2, [](T a, T b) { return wrap<T>(Unsigned<T>(a) + Unsigned<T>(b)); });
}

/// The hardware's result of a division by zero.
static Action bindQuotient(const Instruction &instruction) {
  if (Action made = ON_FLOATS(2, [](auto a, auto b) { return a / b; }))
    return made;
  return ON_INTEGERS(2, [](T a, T b) -> T {
    if (b == 0)
      return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return wrap<T>(0 - Unsigned<T>(a));
    return static_cast<T>(a / b);
  });
}

static Action bindRemainder(const Instruction &instruction) {
  return ON_INTEGERS(2, [](T a, T b) -> T {
    if (b == 0)
      return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return 0;
    return static_cast<T>(a % b);
  });
}

/// Also packs registers into one and unpacks them.
static Action bindMove(const Instruction &instruction) {
  const Operand to = instruction.operands[0], from = instruction.operands[1];
  const uint32_t bits = 8 * bytesOfType(instruction.words.back());
  if (to.kind == Operand::Vector)
    return perLane([=](Warp &warp, unsigned lane) {
      const uint64_t value = warp.get(from, lane);
      const auto width = static_cast<unsigned>(bits / to.parts.size());
      for (size_t i = 0; i < to.parts.size(); ++i)
        warp.set(to.parts[i], lane, value >> (i * width));
    });
  if (from.kind == Operand::Vector)
    return perLane([=](Warp &warp, unsigned lane) {
      const auto width = static_cast<unsigned>(bits / from.parts.size());
      uint64_t value = 0;
      for (size_t i = 0; i < from.parts.size(); ++i)
        value |= (warp.get(from.parts[i], lane) & ((uint64_t(1) << width) - 1))
                 << (i * width);
      warp.set(to, lane, value);
    });
  const bool isPredicate = instruction.words.back() == "pred";
  return perLane([=](Warp &warp, unsigned lane) {
    const uint64_t value = warp.get(from, lane);
    warp.set(to, lane, isPredicate ? value & 1 : value);
  });
}

static Action bindFunction(const Instruction &instruction) {
  const std::string &name = instruction.words[0];
  if (name == "abs") {
    if (Action made = ON_FLOATS(1, [](auto a) { return std::fabs(a); }))
      return made;
    return ON_INTEGERS(
        1, [](T a) { return a < 0 ? wrap<T>(0 - Unsigned<T>(a)) : a; });
  }
  if (name == "neg") {
    if (Action made = ON_FLOATS(1, [](auto a) { return -a; }))
      return made;
    return ON_INTEGERS(1, [](T a) { return wrap<T>(0 - Unsigned<T>(a)); });
  }
  if (name == "rcp")
    return ON_FLOATS(1, [](auto a) { return 1 / a; });
  if (name == "sqrt")
    return ON_FLOATS(1, [](auto a) { return std::sqrt(a); });
  if (name == "rsqrt")
    return ON_FLOATS(1, [](auto a) { return 1 / std::sqrt(a); });
  if (name == "ex2")
    return ON_FLOATS(1, [](auto a) { return std::exp2(a); });
  if (name == "lg2")
    return ON_FLOATS(1, [](auto a) { return std::log2(a); });
  if (name == "sin")
    return ON_FLOATS(1, [](auto a) { return std::sin(a); });
  if (name == "cos")
    return ON_FLOATS(1, [](auto a) { return std::cos(a); });
  if (name == "tanh")
    return ON_FLOATS(1, [](auto a) { return std::tanh(a); });
  if (name == "copysign")
    return ON_FLOATS(2, [](auto a, auto b) { return std::copysign(b, a); });
  return {};
}

Action bindArithmetic(const Instruction &instruction) {
  const std::string &name = instruction.words[0];
  if (name == "mov" || name == "cvta")
    return bindMove(instruction);
  if (name == "add" || name == "addc")
    return bindSum(instruction, /*subtracts=*/false);
  if (name == "sub" || name == "subc")
    return bindSum(instruction, /*subtracts=*/true);
  if (name == "mul" || name == "mad" || name == "fma")
    return bindDot(instruction);
  if (name == "div")
    return bindQuotient(instruction);
  if (name == "rem")
    return bindRemainder(instruction);
  if (name == "min" || name == "max")
    return bindExtremum(instruction, name == "min");
  return bindFunction(instruction);
}

} // namespace emulator
