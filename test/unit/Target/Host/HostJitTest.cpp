#include "test/unit/Target/Host/HostTest.h"

#include "tilewright-c/host.h"

#include <random>

using namespace tilewright::host;

namespace {

/// out[program] = program + n, with an assertion that program is not `bad`.
constexpr const char *kKernel = R"(
@message = private constant [9 x i8] c"not here\00"
declare void @tw_host_assert_fail(ptr)
declare void @tw_host_print(ptr, i32, i64, ptr, i32)
define void @kernel(ptr %args, ptr %grid, i64 %begin, i64 %end) {
entry:
  %address = load ptr, ptr %args
  %nslot = getelementptr i64, ptr %args, i64 1
  %n = load i64, ptr %nslot
  %badslot = getelementptr i64, ptr %args, i64 2
  %bad = load i64, ptr %badslot
  br label %loop
loop:
  %id = phi i64 [ %begin, %entry ], [ %next, %store ]
  %fails = icmp eq i64 %id, %bad
  br i1 %fails, label %fail, label %store
fail:
  call void @tw_host_assert_fail(ptr @message)
  br label %store
store:
  %out = getelementptr i64, ptr %address, i64 %id
  %value = add i64 %id, %n
  store i64 %value, ptr %out
  %next = add i64 %id, 1
  %more = icmp slt i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}
)";

struct LoadedKernel {
  explicit LoadedKernel(const std::string &object) {
    status =
        tw_host_load(object.data(), object.size(), "kernel", &library, &kernel);
  }
  ~LoadedKernel() { tw_host_unload(library); }
  tw_status status;
  tw_host_library *library = nullptr;
  tw_host_kernel kernel = nullptr;
};

TEST(HostJit, KernelRunsOverItsGrid) {
  Emitted emitted = emit(kKernel, thisMachine());
  ASSERT_EQ(emitted.error, "");
  LoadedKernel loaded(emitted.object);
  ASSERT_EQ(loaded.status, TW_OK) << tw_last_error();
  std::vector<int64_t> out(5 * 7 * 3, -1);
  const uint64_t args[] = {reinterpret_cast<uint64_t>(out.data()), 100,
                           UINT64_MAX};
  const int64_t grid[] = {5, 7, 3};
  ASSERT_EQ(tw_host_launch(loaded.kernel, args, grid, 4), TW_OK);
  for (size_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], int64_t(i) + 100);
}

TEST(HostJit, FailedAssertionEndsTheLaunch) {
  Emitted emitted = emit(kKernel, thisMachine());
  ASSERT_EQ(emitted.error, "");
  LoadedKernel loaded(emitted.object);
  ASSERT_EQ(loaded.status, TW_OK) << tw_last_error();
  std::vector<int64_t> out(16, -1);
  const uint64_t args[] = {reinterpret_cast<uint64_t>(out.data()), 0, 5};
  const int64_t grid[] = {16, 1, 1};
  EXPECT_EQ(tw_host_launch(loaded.kernel, args, grid, 1), TW_KERNEL_ASSERT);
  EXPECT_STREQ(tw_last_error(), "assertion failed in a kernel: not here");
  EXPECT_EQ(out[4], 4);
  EXPECT_EQ(out[5], -1) << "the program went on after its assertion";
}

TEST(HostJit, ShortFloatConversionsAreBound) {
  HostObjectOptions options = thisMachine();
  // Only features that every processor of the architecture has.
  options.target.cpu = "";
  options.target.features = "";
  Emitted emitted = emit(R"(
define half @half(double %x) { %r = fptrunc double %x to half
  ret half %r }
define bfloat @bfloat(float %x) { %r = fptrunc float %x to bfloat
  ret bfloat %r }
)",
                         options);
  ASSERT_EQ(emitted.error, "");
  auto library = HostLibrary::load(emitted.object, {});
  ASSERT_TRUE(bool(library)) << llvm::toString(library.takeError());
  auto half = (*library)->lookup("half");
  EXPECT_TRUE(bool(half)) << llvm::toString(half.takeError());
  auto bfloat = (*library)->lookup("bfloat");
  EXPECT_TRUE(bool(bfloat)) << llvm::toString(bfloat.takeError());
}

TEST(HostJit, UnresolvedFunctionIsNamed) {
  Emitted emitted = emit(R"(
declare void @nobody_has_this()
define void @kernel() {
  call void @nobody_has_this()
  ret void
})",
                         thisMachine());
  ASSERT_EQ(emitted.error, "");
  LoadedKernel loaded(emitted.object);
  EXPECT_EQ(loaded.status, TW_UNSUPPORTED);
  EXPECT_NE(std::string(tw_last_error()).find("nobody_has_this"),
            std::string::npos)
      << tw_last_error();
}

TEST(HostJit, MissingKernelIsNamed) {
  Emitted emitted = emit("define void @other() { ret void }", thisMachine());
  ASSERT_EQ(emitted.error, "");
  LoadedKernel loaded(emitted.object);
  EXPECT_EQ(loaded.status, TW_UNSUPPORTED);
  EXPECT_NE(std::string(tw_last_error()).find("kernel"), std::string::npos);
}

TEST(HostJit, BytesThatAreNoObjectAreRefused) {
  for (const std::string &bytes :
       {std::string(), std::string("not an object"), std::string(4096, '\0')}) {
    LoadedKernel loaded(bytes);
    EXPECT_EQ(loaded.status, TW_UNSUPPORTED);
    EXPECT_EQ(loaded.library, nullptr);
  }
}

TEST(HostJit, TruncatedObjectIsRefused) {
  Emitted emitted = emit(kKernel, thisMachine());
  ASSERT_EQ(emitted.error, "");
  LoadedKernel loaded(emitted.object.substr(0, emitted.object.size() / 2));
  EXPECT_NE(loaded.status, TW_OK);
}

/// out[i] = in[i] truncated to 16 bits, for the lanes in the mask.
constexpr const char *kMasked = R"(
declare void @llvm.masked.store.v16i16.p0(<16 x i16>, ptr, <16 x i1>)
define void @kernel(ptr %args, ptr %grid, i64 %begin, i64 %end) {
  %out = load ptr, ptr %args
  %slot = getelementptr i64, ptr %args, i64 1
  %in = load ptr, ptr %slot
  %wide = load <16 x i32>, ptr %in, align 4
  %narrow = trunc <16 x i32> %wide to <16 x i16>
  call void @llvm.masked.store.v16i16.p0(<16 x i16> %narrow, ptr align 2 %out,
    <16 x i1> <MASK>)
  ret void
}
)";

TEST(HostJit, KnownMasksStoreTheirLanesOnly) {
  for (unsigned mask : {0x0001u, 0x0008u, 0x8000u, 0x0007u, 0x8421u, 0xffffu,
                        0x7ff0u, 0x0000u}) {
    std::string bits, text = kMasked;
    for (unsigned lane = 0; lane != 16; ++lane)
      bits += std::string(lane ? ", i1 " : "i1 ") +
              (mask >> lane & 1 ? "true" : "false");
    text.replace(text.find("MASK"), 4, bits);
    Emitted emitted = emit(text, thisMachine());
    ASSERT_EQ(emitted.error, "");
    LoadedKernel loaded(emitted.object);
    ASSERT_EQ(loaded.status, TW_OK) << tw_last_error();
    std::vector<uint16_t> out(32, 7);
    std::vector<uint32_t> in(16);
    for (unsigned lane = 0; lane != 16; ++lane)
      in[lane] = 0x12340 + lane;
    const uint64_t args[] = {reinterpret_cast<uint64_t>(out.data()),
                             reinterpret_cast<uint64_t>(in.data())};
    const int64_t grid[] = {1, 1, 1};
    ASSERT_EQ(tw_host_launch(loaded.kernel, args, grid, 1), TW_OK);
    for (unsigned lane = 0; lane != 32; ++lane)
      EXPECT_EQ(out[lane], lane < 16 && mask >> lane & 1 ? 0x2340 + lane : 7)
          << "lane " << lane << " of mask " << mask;
  }
}

} // namespace
