// Conversions and fused multiply-adds of the emulator round once: directed
// cases around the midpoints of neighbouring numbers.

#include "test/emulator/Machine.h"
#include "test/emulator/Values.h"

#include "gtest/gtest.h"

#include <cstring>
#include <limits>

using namespace emulator;

namespace {

/// Operands of one thread as registers of up to 64 bits, and the expected
/// result.
struct Case {
  uint64_t operands[3];
  uint64_t expected;
};

/// Runs `instruction` on the registers %a, %b and %c of `sourceBits` bits,
/// with the result %d of `resultBits` bits, once for each case.
void check(const std::string &instruction, unsigned sourceBits,
           unsigned resultBits, std::vector<Case> cases) {
  constexpr unsigned kThreads = 1024;
  const std::string source = ".b" + std::to_string(sourceBits);
  const std::string result = ".b" + std::to_string(resultBits);
  std::string text =
      ".version 8.6\n.target sm_90a\n.address_size 64\n"
      ".visible .entry kernel(.param .u64 cases) .reqntid 1024, 1, 1 {\n"
      ".reg .b64 %p; .reg .b32 %t, %n; .reg " +
      source + " %a, %b, %c; .reg " + result +
      " %d;\nld.param.b64 %p, [cases]; mov.u32 %t, %tid.x;\n"
      "mov.u32 %n, %ctaid.x; mad.lo.s32 %t, %n, 1024, %t;\n"
      "mad.wide.u32 %p, %t, 32, %p; ld.global" +
      source + " %a, [%p]; ld.global" + source + " %b, [%p+8]; ld.global" +
      source + " %c, [%p+16];\n" + instruction + "\nst.global" + result +
      " [%p], %d;\nret;\n}\n";
  const std::vector<Case> given = cases;
  cases.resize((cases.size() + kThreads - 1) / kThreads * kThreads);
  Allocations allocations;
  const auto address = reinterpret_cast<uint64_t>(cases.data());
  allocations.add(address, cases.size() * sizeof(Case));
  const std::unique_ptr<Program> program = parse(text);
  bind(*program);
  Configuration configuration;
  configuration.grid = {static_cast<uint32_t>(cases.size() / kThreads), 1, 1};
  configuration.threads = {kThreads, 1, 1};
  std::vector<char> parameters(8);
  std::memcpy(parameters.data(), &address, 8);
  Launch(*program, program->functions.at("kernel"), configuration, parameters,
         allocations, /*seed=*/1)
      .run();
  const uint64_t mask =
      resultBits == 64 ? UINT64_MAX : (uint64_t(1) << resultBits) - 1;
  unsigned wrong = 0;
  for (size_t i = 0; i < given.size(); ++i) {
    const uint64_t got = cases[i].operands[0] & mask;
    if (got != given[i].expected && ++wrong <= 5)
      ADD_FAILURE() << std::hex << instruction << " of " << given[i].operands[0]
                    << ", " << given[i].operands[1] << ", "
                    << given[i].operands[2] << " gives " << got << ", not "
                    << given[i].expected;
  }
  EXPECT_EQ(wrong, 0u) << instruction;
}

/// Whether a direction rounds to `low + 1` rather than to `low`. `tail` is the
/// sign of the magnitude's distance from their midpoint.
bool goesUp(const std::string &mode, bool isNegative, uint64_t low, int tail) {
  if (mode == "rn")
    return tail > 0 || (tail == 0 && (low & 1));
  return mode == (isNegative ? "rm" : "rp");
}

/// Values at, and next to, each number of the format and each midpoint.
/// `bitsOf` returns the operand for a magnitude and a sign.
template <typename BitsOf>
std::vector<Case> aroundMidpoints(const FloatFormat &format, double ulp,
                                  const std::string &mode, BitsOf bitsOf) {
  std::vector<Case> cases;
  const auto add = [&](double magnitude, uint64_t low, int tail) {
    for (const bool isNegative : {false, true})
      cases.push_back({{bitsOf(isNegative ? -magnitude : magnitude), 0, 0},
                       (isNegative ? format.signBit() : 0) |
                           (low + goesUp(mode, isNegative, low, tail))});
  };
  for (uint32_t low = 0; low < format.largest(); ++low) {
    const double below = format.decode(low), above = format.decode(low + 1);
    const double middle = below + (above - below) / 2;
    // The smallest step of the operand's type, or of double if `ulp` is 0.
    const auto next = [&](double x, double to) {
      if (ulp == 0)
        return std::nextafter(x, to);
      return x == 0 ? 0x1p-149 : x + (to > x ? ulp : -ulp) * x;
    };
    add(next(below, above), low, -1);
    add(next(middle, below), low, -1);
    add(middle, low, 0);
    add(next(middle, above), low, 1);
    add(next(above, below), low, 1);
    for (const bool isNegative : {false, true})
      cases.push_back({{bitsOf(isNegative ? -below : below), 0, 0},
                       (isNegative ? format.signBit() : 0) | low});
  }
  return cases;
}

TEST(EmulatorRounding, NarrowsF64Once) {
  const auto bits = [](double x) { return bitsAs<uint64_t>(x); };
  for (const char *mode : {"rn", "rz", "rm", "rp"}) {
    const std::string cvt = std::string("cvt.") + mode;
    check(cvt + ".f16.f64 %d, %a;", 64, 16,
          aroundMidpoints(kHalf, 0, mode, bits));
    check(cvt + ".bf16.f64 %d, %a;", 64, 16,
          aroundMidpoints(kBFloat, 0, mode, bits));
  }
  check("cvt.rn.f16.f64 %d, %a;", 64, 16,
        {{{0x3f25020000000001}, 0x0941},
         {{0x40effdffffffffff}, 0x7bff},
         {{0x40effe0000000000}, 0x7c00},
         {{0x7fefffffffffffff}, 0x7c00},
         {{0x7ff8000000000001}, 0x7fff},
         {{0x8000000000000001}, 0x8000}});
}

TEST(EmulatorRounding, NarrowsF32Once) {
  const auto bits = [](double x) {
    return uint64_t(bitsAs<uint32_t>(static_cast<float>(x)));
  };
  for (const char *mode : {"rn", "rz", "rm", "rp"})
    check(std::string("cvt.") + mode + ".f16.f32 %d, %a;", 32, 16,
          aroundMidpoints(kHalf, 0x1p-23, mode, bits));
}

/// Pairs are in one 32-bit register, the second operand in its low half.
TEST(EmulatorRounding, NarrowsPairsOnce) {
  const auto bits = [](double x) {
    return uint64_t(bitsAs<uint32_t>(static_cast<float>(x)));
  };
  for (const char *mode : {"rn", "rz"}) {
    std::vector<Case> cases = aroundMidpoints(kHalf, 0x1p-23, mode, bits);
    std::vector<Case> pairs;
    for (size_t i = 0; i + 1 < cases.size(); i += 2)
      pairs.push_back({{cases[i].operands[0], cases[i + 1].operands[0], 0},
                       cases[i].expected << 16 | cases[i + 1].expected});
    check(std::string("cvt.") + mode + ".f16x2.f32 %d, %a, %b;", 32, 32, pairs);
  }
}

/// Integers that are midpoints of a format, and their neighbours.
template <typename Integer>
std::vector<Case> integersAround(const FloatFormat &format,
                                 const std::string &mode) {
  std::vector<Case> cases;
  const double most = std::ldexp(1.0, std::numeric_limits<Integer>::digits);
  for (uint32_t low = 0; low < format.largest(); ++low) {
    const double below = format.decode(low), above = format.decode(low + 1);
    if (above - below < 4 || above >= most)
      continue;
    const auto first = static_cast<uint64_t>(below);
    const auto half = static_cast<uint64_t>((above - below) / 2);
    for (const uint64_t offset : {uint64_t(1), half - 1, half, half + 1})
      for (const bool isNegative : {false, true}) {
        if (isNegative && std::is_unsigned_v<Integer>)
          continue;
        const int tail = offset < half ? -1 : offset > half;
        const uint64_t value = first + offset;
        cases.push_back({{isNegative ? 0 - value : value, 0, 0},
                         (isNegative ? format.signBit() : 0) |
                             (low + goesUp(mode, isNegative, low, tail))});
      }
  }
  return cases;
}

TEST(EmulatorRounding, ConvertsIntegersOnce) {
  for (const char *mode : {"rn", "rz", "rm", "rp"}) {
    const std::string cvt = std::string("cvt.") + mode;
    for (const auto &[name, format] :
         {std::pair(".f16", &kHalf), std::pair(".bf16", &kBFloat)}) {
      check(cvt + name + ".s64 %d, %a;", 64, 16,
            integersAround<int64_t>(*format, mode));
      check(cvt + name + ".u64 %d, %a;", 64, 16,
            integersAround<uint64_t>(*format, mode));
      check(cvt + name + ".s32 %d, %a;", 32, 16,
            integersAround<int32_t>(*format, mode));
    }
  }
}

TEST(EmulatorRounding, ConvertsWideIntegersInEachDirection) {
  // 2^62 + 2^9 is a midpoint of float64, 2^62 + 2^38 one of float32.
  const uint64_t tie64 = (uint64_t(1) << 62) + 512,
                 tie32 = (uint64_t(1) << 62) + (uint64_t(1) << 38);
  const uint64_t one64 = bitsAs<uint64_t>(0x1p62),
                 one32 = bitsAs<uint32_t>(0x1p62f);
  const auto down64 = [&](const char *mode, uint64_t value, uint64_t expected) {
    check(std::string("cvt.") + mode + ".f64.s64 %d, %a;", 64, 64,
          {{{value}, expected}});
  };
  const auto down32 = [&](const char *mode, uint64_t value, uint64_t expected) {
    check(std::string("cvt.") + mode + ".f32.s64 %d, %a;", 64, 32,
          {{{value}, expected}});
  };
  down64("rn", tie64, one64);
  down64("rn", tie64 + 1, one64 + 1);
  down64("rz", tie64 + 1, one64);
  down64("rm", tie64 + 1, one64);
  down64("rp", tie64 - 1, one64 + 1);
  down64("rm", -tie64, (uint64_t(1) << 63 | one64) + 1);
  down64("rp", -tie64, uint64_t(1) << 63 | one64);
  down32("rn", tie32, one32);
  down32("rn", tie32 + 1, one32 + 1);
  down32("rz", tie32 + 1, one32);
  down32("rp", (uint64_t(1) << 62) + 1, one32 + 1);
  down32("rm", (uint64_t(1) << 62) - 1, one32 - 1);
}

TEST(EmulatorRounding, Tf32) {
  check("cvt.rna.tf32.f32 %d, %a;", 32, 32,
        {{{0x3f801000}, 0x3f802000},
         {{0x3f800fff}, 0x3f800000},
         {{0x7f800000}, 0x7f800000},
         {{0x7fffffff}, 0x7fffe000}});
  check("cvt.rn.tf32.f32 %d, %a;", 32, 32,
        {{{0x3f801000}, 0x3f800000}, {{0x3f803000}, 0x3f804000}});
  check("cvt.rz.tf32.f32 %d, %a;", 32, 32, {{{0x3f801fff}, 0x3f800000}});
}

/// Factors whose exact product is a midpoint of the format, with a tiny addend.
std::vector<Case> factorsOfMidpoints(const FloatFormat &format, double addend) {
  std::vector<Case> cases;
  const uint32_t least = 1u << (format.mantissaBits + 1);
  const auto bits = [&](double x) { return uint64_t(format.encode(x, false)); };
  for (uint32_t midpoint = least + 1; midpoint < 2 * least; midpoint += 2)
    for (uint32_t a = 3; a * a <= midpoint; a += 2) {
      if (midpoint % a || midpoint / a >= least)
        continue;
      const auto low = static_cast<uint32_t>(bits(midpoint - 1));
      for (const int tail : {-1, 0, 1})
        for (const bool isNegative : {false, true}) {
          const double sign = isNegative ? -1 : 1;
          cases.push_back({{bits(a), bits(sign * (midpoint / a)),
                            bits(sign * tail * addend)},
                           (isNegative ? format.signBit() : 0) |
                               (low + goesUp("rn", isNegative, low, tail))});
        }
    }
  return cases;
}

TEST(EmulatorRounding, FusedMultiplyAddsOnce) {
  const std::vector<Case> half = factorsOfMidpoints(kHalf, 0x1p-24),
                          bfloat = factorsOfMidpoints(kBFloat, 0x1p-133);
  check("fma.rn.f16 %d, %a, %b, %c;", 16, 16, half);
  check("fma.rn.bf16 %d, %a, %b, %c;", 16, 16, bfloat);
  for (const auto &[name, cases] :
       {std::pair("f16x2", &half), std::pair("bf16x2", &bfloat)}) {
    std::vector<Case> pairs;
    for (size_t i = 0; i + 1 < cases->size(); i += 2) {
      const Case &low = (*cases)[i], &high = (*cases)[i + 1];
      Case pair = {{}, high.expected << 16 | low.expected};
      for (unsigned j = 0; j < 3; ++j)
        pair.operands[j] = high.operands[j] << 16 | low.operands[j];
      pairs.push_back(pair);
    }
    check(std::string("fma.rn.") + name + " %d, %a, %b, %c;", 32, 32, pairs);
  }
}

TEST(EmulatorRounding, FusedMultiplyAddsInEachDirection) {
  const uint64_t one = bitsAs<uint32_t>(1.0f), tiny = 1;
  check("fma.rn.f32 %d, %a, %b, %c;", 32, 32, {{{one, one, tiny}, one}});
  check("fma.rp.f32 %d, %a, %b, %c;", 32, 32, {{{one, one, tiny}, one + 1}});
  check("fma.rz.f32 %d, %a, %b, %c;", 32, 32,
        {{{one, one, tiny | 0x80000000}, one - 1}});
  const uint64_t wide = bitsAs<uint64_t>(1.0);
  check("fma.rp.f64 %d, %a, %b, %c;", 64, 64, {{{wide, wide, 1}, wide + 1}});
  check("fma.rm.f64 %d, %a, %b, %c;", 64, 64, {{{wide, wide, 1}, wide}});
  check("fma.rn.f32x2 %d, %a, %b, %c;", 64, 64,
        {{{one << 32 | one, one << 32 | one, one << 32},
          uint64_t(bitsAs<uint32_t>(2.0f)) << 32 | one}});
}

} // namespace
