#include "test/unit/Target/Host/HostTest.h"

#include "llvm/Object/ELFObjectFile.h"

#include <cmath>
#include <cstring>

using namespace tilewright::host;
using testing::Test;

namespace {

/// out[i] = f(in[i]) for 1024 floats, as a front end writes it.
std::string mapFloats(const std::string &call, const std::string &declaration) {
  return R"(
define void @map(ptr noalias %in, ptr noalias %out) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %src = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %src
  %y = )" +
         call + R"(
  %dst = getelementptr float, ptr %out, i64 %i
  store float %y, ptr %dst
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 1024
  br i1 %more, label %loop, label %done
done:
  ret void
}
)" + declaration;
}

/// Returns the undefined symbols of an object.
std::vector<std::string> undefinedSymbols(const std::string &bytes) {
  std::vector<std::string> names;
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(bytes, "object"));
  if (!file) {
    ADD_FAILURE() << llvm::toString(file.takeError());
    return names;
  }
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (flags && name && (*flags & llvm::object::SymbolRef::SF_Undefined) &&
        !name->empty())
      names.push_back(name->str());
  }
  return names;
}

uint16_t elfMachine(const std::string &bytes) {
  uint16_t machine = 0;
  if (bytes.size() > 20)
    std::memcpy(&machine, bytes.data() + 18, sizeof(machine));
  return machine;
}

using MapFunction = void (*)(const float *, float *);

/// Runs `map` of the object on inputs from -8 to 8. Compares with `expected`
/// within `ulps`.
void checkMap(const std::string &object, double (*expected)(double),
              double ulps) {
  auto library = HostLibrary::load(object, {});
  ASSERT_TRUE(bool(library)) << llvm::toString(library.takeError());
  auto address = (*library)->lookup("map");
  ASSERT_TRUE(bool(address)) << llvm::toString(address.takeError());
  std::vector<float> in(1024), out(1024);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i) / 64 - 8;
  reinterpret_cast<MapFunction>(*address)(in.data(), out.data());
  for (size_t i = 0; i < in.size(); ++i) {
    const double wanted = expected(in[i]);
    EXPECT_NEAR(out[i], wanted, std::abs(wanted) * ulps * 0x1p-23 + 1e-30)
        << "at " << in[i];
  }
}

TEST(HostObject, LoopOverMathCallsTheVectorLibrary) {
  HostObjectOptions options = thisMachine();
  if (!options.target.useVectorMath)
    GTEST_SKIP() << "this machine has no libmvec";
  Emitted emitted =
      emit(mapFloats("call float @llvm.exp.f32(float %x)", ""), options);
  ASSERT_EQ(emitted.error, "");
  std::vector<std::string> needed = undefinedSymbols(emitted.object);
  ASSERT_FALSE(needed.empty());
  for (const std::string &name : needed)
    EXPECT_EQ(name.rfind("_ZGV", 0), 0u) << name << " is called per element";
  checkMap(emitted.object, std::exp, 4);
}

TEST(HostObject, FunctionOfTheCLibraryIsVectorisedAsWell) {
  HostObjectOptions options = thisMachine();
  if (!options.target.useVectorMath)
    GTEST_SKIP() << "this machine has no libmvec";
  Emitted emitted = emit(mapFloats("call float @erff(float %x)",
                                   "declare float @erff(float) "
                                   "memory(none) nounwind willreturn"),
                         options);
  ASSERT_EQ(emitted.error, "");
  bool vectorised = false;
  for (const std::string &name : undefinedSymbols(emitted.object))
    vectorised |= name.find("_erff") != std::string::npos;
  EXPECT_TRUE(vectorised);
  checkMap(emitted.object, std::erf, 4);
}

TEST(HostObject, WithoutTheVectorLibraryTheScalarOneIsCalled) {
  HostObjectOptions options = thisMachine();
  options.target.useVectorMath = false;
  Emitted emitted =
      emit(mapFloats("call float @llvm.exp.f32(float %x)", ""), options);
  ASSERT_EQ(emitted.error, "");
  EXPECT_EQ(undefinedSymbols(emitted.object), std::vector<std::string>{"expf"});
  checkMap(emitted.object, std::exp, 1);
}

TEST(HostObject, ExplicitVectorsOfMathCallTheVectorLibrary) {
  HostObjectOptions options = thisMachine();
  if (!options.target.useVectorMath)
    GTEST_SKIP() << "this machine has no libmvec";
  Emitted emitted = emit(R"(
define void @four(ptr %p) {
  %x = load <4 x float>, ptr %p
  %y = call <4 x float> @llvm.tanh.v4f32(<4 x float> %x)
  store <4 x float> %y, ptr %p
  ret void
})",
                         options);
  ASSERT_EQ(emitted.error, "");
  std::vector<std::string> needed = undefinedSymbols(emitted.object);
  ASSERT_EQ(needed.size(), 1u);
  EXPECT_NE(needed[0].find("N4v_tanhf"), std::string::npos) << needed[0];
}

TEST(HostObject, PreferredWidthIsUsed) {
  HostObjectOptions options;
  options.target = {"x86_64-unknown-linux-gnu", "skylake-avx512", "", false};
  const std::string text = mapFloats("fmul float %x, 3.0", "");
  Emitted narrow = emit(text, options);
  options.preferredVectorBits = 512;
  Emitted wide = emit(text, options);
  ASSERT_EQ(narrow.error + wide.error, "");
  // 512-bit vectors slow this processor down, so LLVM defaults to 256.
  EXPECT_NE(narrow.object, wide.object);
}

TEST(HostObject, RowsOfSeveralRegistersAreCopiedInLoops) {
  auto target = HostTarget::forProcessor("x86-64-v4");
  ASSERT_TRUE(bool(target)) << llvm::toString(target.takeError());
  HostObjectOptions options;
  options.target = *target;
  options.preferredVectorBits = 512;
  Emitted emitted = emit(R"(
define void @copy(ptr %in, ptr %out) {
entry:
  br label %outer
outer:
  %j = phi i64 [ 0, %entry ], [ %after, %next_outer ]
  %is_in = icmp slt i64 %j, 8
  br i1 %is_in, label %inner, label %done
inner:
  %i = phi i64 [ 0, %outer ], [ %next, %body ]
  %more = icmp slt i64 %i, 32
  br i1 %more, label %body, label %next_outer
body:
  %row = mul i64 %j, 32
  %at = add i64 %row, %i
  %src = getelementptr <32 x double>, ptr %in, i64 %at
  %dst = getelementptr <32 x double>, ptr %out, i64 %at
  %x = load <32 x double>, ptr %src, align 8
  store <32 x double> %x, ptr %dst, align 8
  %next = add i64 %i, 1
  br label %inner
next_outer:
  %after = add i64 %j, 1
  br label %outer
done:
  ret void
})",
                         options);
  ASSERT_EQ(emitted.error, "");
  EXPECT_LT(emitted.object.size(), 1000u);
}

TEST(HostObject, OtherArchitectureIsOnlyATriple) {
  HostObjectOptions options;
  options.target = {"aarch64-unknown-linux-gnu", "neoverse-n1", "", false};
  Emitted emitted = emit(mapFloats("fmul float %x, 3.0", ""), options);
  ASSERT_EQ(emitted.error, "");
  EXPECT_EQ(elfMachine(emitted.object), llvm::ELF::EM_AARCH64);
}

TEST(HostObject, UnknownTripleIsAnError) {
  HostObjectOptions options;
  options.target.triple = "pdp11-unknown-unix";
  Emitted emitted = emit("define void @f() { ret void }", options);
  EXPECT_NE(emitted.error.find("no code generator for 'pdp11-unknown-unix'"),
            std::string::npos)
      << emitted.error;
}

TEST(HostObject, InvalidIrIsAnError) {
  ParsedModule parsed("define i32 @f(i32 %x) { ret i32 %x }");
  // A function without a terminator, which the parser would reject.
  parsed.module->getFunction("f")->front().back().eraseFromParent();
  auto object = emitHostObject(*parsed.module, thisMachine());
  ASSERT_FALSE(bool(object));
  EXPECT_NE(llvm::toString(object.takeError()).find("invalid LLVM IR"),
            std::string::npos);
}

TEST(HostObject, ErrorsOfCodeGenerationAreReturned) {
  // The register does not exist; LLVM's own handler would end the process.
  Emitted emitted = emit(R"(
define void @f() {
  call void asm sideeffect "no_such_instruction", ""()
  ret void
})",
                         thisMachine());
  EXPECT_EQ(emitted.object, "");
  EXPECT_NE(emitted.error, "");
}

TEST(HostTarget, FingerprintTellsTargetsApart) {
  HostTarget a{"x86_64-unknown-linux-gnu", "znver4", "+avx2", true};
  HostTarget b = a;
  EXPECT_EQ(a.fingerprint(), b.fingerprint());
  b.useVectorMath = false;
  EXPECT_NE(a.fingerprint(), b.fingerprint());
  b = a;
  b.features = "-avx2";
  EXPECT_NE(a.fingerprint(), b.fingerprint());
  EXPECT_EQ(HostTarget::detect().fingerprint(),
            HostTarget::detect().fingerprint());
}

} // namespace
