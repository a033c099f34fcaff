// Compiles one kernel: the tile pipeline, then the target's own way down.

#pragma once

#include "lib/Target/PhaseTimes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <string>
#include <vector>

namespace tilewright {

struct CompileOptions {
  std::string target;
  int numWarps = 4;
  int numStages = 3;
  /// Thread blocks of a cluster at most; 1: no clusters.
  int numCtas = 1;
  bool pingPong = false;
  bool singleWave = false;
  /// Registers of a thread at most; 0: what the assembler finds best.
  int maxRegisters = 0;
  /// Fail, before anything is assembled, where a thread's registers are known
  /// not to suffice.
  bool fitRegisters = false;
  bool debug = false;
  /// The same result at every launch, whatever the order of programs.
  bool deterministic = false;
  /// Cut off float32 operands in tf32, do not round them.
  bool cutTf32 = false;
  /// Round a product and a sum once where a GPU can.
  bool fuseMulAdd = true;
  /// Collect the remarks of passes and the source of each line of the stages.
  bool report = false;
  /// Keep the texts of the stages "tile", "warp" and "llvm" on the way to later
  /// ones.
  bool keepIr = false;
  std::string stopAfter;
  std::string assembler = "auto";
  std::vector<std::string> assemblerPaths;
  int ptxVersion = 0;
  /// What the compiled kernel is called; empty: as in the module.
  std::string symbol;

  /// Reads the JSON object that `tw_module_compile` takes. Failure comes with
  /// an error at `loc`.
  static mlir::FailureOr<CompileOptions> parse(llvm::StringRef json,
                                               mlir::Location loc);

  /// Whether the text of a stage is wanted.
  bool keeps(llvm::StringRef stage) const {
    return keepIr || stopAfter == stage;
  }
};

/// What a compilation leaves: each stage it went through, and what is known of
/// the kernel.
struct Artifact {
  std::map<std::string, std::string, std::less<>> stages;
  llvm::json::Object metadata;
  PhaseTimes times;
  /// Present where `CompileOptions::report` asks for it.
  llvm::json::Array remarks;
  /// By stage, the source of each line of its text.
  llvm::json::Object lines;
};

/// A way from the optimised `tile` level to code. One object a back end.
class Target {
public:
  virtual ~Target() = default;
  /// Whether `name` ("cpu", "sm_90a") is this back end's.
  virtual bool accepts(llvm::StringRef name) const = 0;
  /// How its names look, for error messages.
  virtual llvm::StringRef describe() const = 0;
  /// Lowers `module` in place and adds stages and metadata to `artifact`.
  virtual mlir::LogicalResult compile(mlir::ModuleOp module,
                                      const CompileOptions &options,
                                      Artifact &artifact) const = 0;
};

/// Every back end that was built in.
llvm::ArrayRef<const Target *> getTargets();

/// Compiles a copy of `module`. Failure comes with diagnostics.
mlir::FailureOr<Artifact> compile(mlir::ModuleOp module,
                                  const CompileOptions &options);

} // namespace tilewright
