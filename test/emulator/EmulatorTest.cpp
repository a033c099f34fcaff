// The emulator detects errors of kernels.

#include "test/emulator/Machine.h"

#include "gtest/gtest.h"

#include <cstring>
#include <numeric>
#include <set>

using namespace emulator;

namespace {

/// A kernel of 64 threads with the parameter `out`, whose address is in %out.
/// %mine is the address of the thread's four bytes in 256 bytes of shared
/// memory.
std::string kernel(const std::string &body) {
  return ".version 8.0\n.target sm_90a\n.address_size 64\n"
         ".shared .align 16 .b8 memory[256];\n"
         ".visible .entry kernel(.param .u64 out_param) .reqntid 64, 1, 1 {\n"
         ".reg .b32 %t, %a, %b, %c, %mine, %r<8>; .reg .b64 %out, %x;\n"
         ".reg .pred %p;\n"
         "ld.param.b64 %out, [out_param]; mov.u32 %t, %tid.x;\n"
         "mov.b32 %mine, memory; mad.lo.s32 %mine, %t, 4, %mine;\n"
         "mad.wide.u32 %x, %t, 4, %out;\n" +
         body + "ret;\n}\n";
}

/// Runs the kernel and returns the values in `out`.
std::vector<uint32_t> run(const std::string &text, uint64_t seed = 1) {
  std::vector<uint32_t> out(64, 0xdead);
  Allocations allocations;
  const auto address = reinterpret_cast<uint64_t>(out.data());
  allocations.add(address, out.size() * 4);
  const std::unique_ptr<Program> program = parse(text);
  bind(*program);
  Configuration configuration;
  configuration.threads = {64, 1, 1};
  configuration.mostInstructions = 1000000;
  std::vector<char> parameters(8);
  std::memcpy(parameters.data(), &address, 8);
  Launch(*program, program->functions.at("kernel"), configuration, parameters,
         allocations, seed)
      .run();
  return out;
}

std::string failureOf(const std::string &text) {
  try {
    run(text);
  } catch (const Failure &failure) {
    return failure.what();
  }
  return "";
}

#define EXPECT_FAILS(TEXT, WORDS)                                              \
  EXPECT_NE(failureOf(TEXT).find(WORDS), std::string::npos) << failureOf(TEXT)

/// Each thread reads the value that a thread of the other warp has written.
std::string exchange(const std::string &barrier) {
  return kernel("st.shared.b32 [%mine], %t;\n" + barrier +
                "xor.b32 %a, %t, 32; mov.b32 %b, memory;\n"
                "mad.lo.s32 %a, %a, 4, %b; ld.shared.b32 %c, [%a];\n"
                "st.global.b32 [%x], %c;\n");
}

TEST(Emulator, RunsThreads) {
  std::vector<uint32_t> expected(64);
  for (uint32_t i = 0; i < 64; ++i)
    expected[i] = 3 * i + 1;
  EXPECT_EQ(run(kernel("mad.lo.s32 %a, %t, 3, 1; st.global.b32 [%x], %a;\n")),
            expected);
}

TEST(Emulator, BarriersOrderWarps) {
  std::vector<uint32_t> expected(64);
  for (uint32_t i = 0; i < 64; ++i)
    expected[i] = i ^ 32;
  for (uint64_t seed = 0; seed < 50; ++seed)
    EXPECT_EQ(run(exchange("bar.sync 0;\n"), seed), expected);
}

TEST(Emulator, MissingBarriersShow) {
  std::set<std::vector<uint32_t>> results;
  for (uint64_t seed = 0; seed < 50; ++seed)
    results.insert(run(exchange(""), seed));
  EXPECT_GT(results.size(), 1u);
}

TEST(Emulator, BarrierZeroIsReachedAtOneInstruction) {
  const std::string first = "setp.lt.u32 %p, %t, 32; @%p bra first;\n",
                    join = "bra both; first: ", both = "both:\n";
  EXPECT_FAILS(kernel(first + "bar.sync 0;\n" + join + "bar.sync 0;\n" + both),
               "barrier 0 of the block at different instructions");
  EXPECT_FAILS(
      kernel(first + "bar.sync 0, 64;\n" + join + "bar.sync 0, 64;\n" + both),
      "barrier 0 of the block at different instructions");
  EXPECT_EQ(failureOf(kernel(first + "bar.sync 1, 64;\n" + join +
                             "bar.sync 1, 64;\n" + both)),
            "");
}

TEST(Emulator, CopiesAreLate) {
  // Only one thread waits for the copy, not the others of the block.
  const std::string copy =
      "st.global.b32 [%x], %t; mov.b64 %x, %out;\n"
      "mad.wide.u32 %x, %t, 4, %x;\n"
      "cp.async.ca.shared.global [%mine], [%x], 4; cp.async.commit_group;\n";
  const std::string use =
      "ld.shared.b32 %c, [%mine]; st.global.b32 [%x], %c;\n";
  std::vector<uint32_t> expected(64);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(run(kernel(copy + "cp.async.wait_group 0;\n" + use)), expected);
  EXPECT_NE(run(kernel(copy + use)), expected);
}

TEST(Emulator, RegistersHoldNothingBefore) {
  EXPECT_NE(run(kernel("st.global.b32 [%x], %r1;\n"), 1),
            run(kernel("st.global.b32 [%x], %r1;\n"), 2));
}

TEST(Emulator, MemoryIsChecked) {
  EXPECT_FAILS(kernel("st.global.b32 [%x+4], %t;\n"),
               "thread 63 touches 4 bytes at");
  EXPECT_FAILS(kernel("st.global.b32 [%x+2], %t;\n"), "is not aligned");
  EXPECT_FAILS(kernel("st.shared.b32 [%mine+256], %t;\n"),
               "of the shared memory, which ends at");
}

TEST(Emulator, WaitsThatNeverEnd) {
  // A barrier of the first warp only, and one without arrivals.
  EXPECT_FAILS(kernel("setp.lt.u32 %p, %t, 32; @%p bar.sync 1, 64;\n"),
               "waits for ever");
  EXPECT_FAILS(
      kernel("mov.b32 %a, memory; setp.eq.u32 %p, %t, 0;\n"
             "@%p mbarrier.init.shared::cta.b64 [%a], 1; bar.sync 0;\n"
             "again: mbarrier.try_wait.parity.shared::cta.b64 %p, [%a], 0;\n"
             "@!%p bra again;\n"),
      "waits for ever");
  EXPECT_FAILS(kernel("again: bra again;\n"), "waits for ever");
}

TEST(Emulator, PhasesThatNobodyWaitsFor) {
  const std::string arrive =
      "@%p mbarrier.arrive.shared::cta.b64 _, [%a]; bar.sync 0;\n";
  const std::string wait = "again: mbarrier.try_wait.parity.shared::cta.b64 "
                           "%q, [%a], 0;\n@!%q bra again;\n";
  const std::string made =
      ".reg .pred %q; mov.b32 %a, memory; setp.eq.u32 %p, %t, 0;\n"
      "@%p mbarrier.init.shared::cta.b64 [%a], 1; bar.sync 0;\n" +
      arrive;
  run(kernel(made + wait + arrive));
  EXPECT_FAILS(kernel(made + arrive), "whose last phase nobody waited for");
}

TEST(Emulator, LanesThatAreNotThere) {
  EXPECT_FAILS(kernel("and.b32 %a, %t, 1; setp.eq.b32 %p, %a, 0;\n"
                      "@%p bra one; shfl.sync.idx.b32 %b, %t, 0, 31, -1;\n"
                      "bra.uni both;\n"
                      "one: shfl.sync.idx.b32 %b, %t, 1, 31, -1;\n"
                      "both: st.global.b32 [%x], %b;\n"),
               "wait for each other at different instructions");
}

TEST(Emulator, UnknownText) {
  EXPECT_FAILS(kernel("tcgen05.wait::ld.sync.aligned;\n"),
               "line 11 of the PTX: the emulator has no tcgen05");
  EXPECT_FAILS(kernel("add.s32 %a, %t, %missing;\n"),
               "line 11 of the PTX: unknown name '%missing'");
}

} // namespace
