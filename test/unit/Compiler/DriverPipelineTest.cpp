// The driver and the named pipelines that tilewright-opt runs give the same
// code, for each option of a compilation.

#include "compiler/CompileKernel.h"
#include "compiler/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tilewright;

/// A dot in tf32 of tiles that TMA copies. Neighbouring programs share the
/// second operand.
static constexpr llvm::StringLiteral kDot = R"(
tile.func @matmul(%a: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                  %c: !tile.ptr<f32>,
                  %n: i64 {tile.divisibility = 16 : i32}, %k: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %pid = tile.program_id x
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<128x32xf32>, !tile.ptr<f32>
  %e = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x32xf32>, !tile.ptr<f32>
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> tensor<128x64xf32> : i32 {
    %x = tile.descriptor_load %d[%pid, %i] : !tile.desc<128x32xf32> -> tensor<128x32xf32>
    %y = tile.descriptor_load %e[%c0, %i] : !tile.desc<64x32xf32> -> tensor<64x32xf32>
    %t = tile.transpose %y {order = array<i32: 1, 0>} : tensor<64x32xf32> -> tensor<32x64xf32>
    %s = tile.dot %x, %t, %acc precision = tf32 : tensor<128x32xf32>, tensor<32x64xf32>, tensor<128x64xf32>
    scf.yield %s : tensor<128x64xf32>
  }
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
  tile.store %p, %sum : tensor<128x64x!tile.ptr<f32>>
  tile.return
}
)";

/// Additions of floats, whose order affects the result.
static constexpr llvm::StringLiteral kAtomic = R"(
tile.func @count(%total: !tile.ptr<f32>, %x: f32) attributes {tile.kernel} {
  %old = tile.atomic_rmw fadd relaxed gpu %total, %x : !tile.ptr<f32>
  tile.return
}
)";

namespace {

class DriverPipelineTest : public testing::Test {
protected:
  DriverPipelineTest() {
    static const bool isRegistered = (registerPasses(), true);
    (void)isRegistered;
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return text;
  }

  /// The output of `pipeline` for the text of a stage.
  std::string run(llvm::StringRef input, const std::string &pipeline) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(input, &context);
    PassManager manager(&context);
    if (!module || failed(parsePassPipeline(pipeline, manager)) ||
        failed(manager.run(*module)))
      return "failed";
    return print(*module);
  }

  /// Returns the output of `tile-to-warp-pipeline` with the options `names`,
  /// after comparing it with the driver's output for `options`.
  std::string compare(llvm::StringRef kernel, CompileOptions options,
                      const std::string &names) {
    const bool isHopper = options.target == "sm_90a";
    options.keepIr = true;
    options.stopAfter = "warp";
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(kernel, &context);
    FailureOr<Artifact> artifact =
        module ? compile(*module, options) : FailureOr<Artifact>(failure());
    if (failed(artifact)) {
      ADD_FAILURE() << "no compilation";
      return "";
    }
    std::string target = isHopper ? "compute-capability=90 arch-specific "
                                  : "compute-capability=80 ";
    std::string found =
        run(artifact->stages["tile"],
            "tile-to-warp-pipeline{makes-maps=false " + target + names + "}");
    EXPECT_EQ(found, run(artifact->stages["warp"], ""));
    return found;
  }

  /// Expects that an option changes the output of driver and pipeline alike.
  void expectChange(llvm::StringRef kernel, const std::string &target,
                    const std::string &name,
                    llvm::function_ref<void(CompileOptions &)> set) {
    SCOPED_TRACE(name);
    CompileOptions options;
    options.target = target;
    std::string plain = compare(kernel, options, "");
    set(options);
    EXPECT_NE(compare(kernel, options, name), plain);
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

} // namespace

TEST_F(DriverPipelineTest, WarpsStagesAndClusters) {
  expectChange(kDot, "sm_90a", "num-warps=8",
               [](CompileOptions &options) { options.numWarps = 8; });
  expectChange(kDot, "sm_90a", "num-stages=2",
               [](CompileOptions &options) { options.numStages = 2; });
  expectChange(kDot, "sm_90a", "cluster-size=2",
               [](CompileOptions &options) { options.numCtas = 2; });
}

TEST_F(DriverPipelineTest, Roles) {
  expectChange(kDot, "sm_90a", "ping-pong",
               [](CompileOptions &options) { options.pingPong = true; });
  expectChange(kDot, "sm_90a", "single-wave",
               [](CompileOptions &options) { options.singleWave = true; });
}

TEST_F(DriverPipelineTest, Arithmetic) {
  expectChange(kAtomic, "sm_80", "deterministic",
               [](CompileOptions &options) { options.deterministic = true; });
  expectChange(kDot, "sm_80", "cut-tf32",
               [](CompileOptions &options) { options.cutTf32 = true; });
}

/// These options check the result, and do not change it here.
TEST_F(DriverPipelineTest, Checks) {
  CompileOptions options;
  options.target = "sm_90a";
  options.debug = true;
  options.maxRegisters = 200;
  options.fitRegisters = true;
  compare(kDot, options, "check max-registers=200 fit-registers");
}
