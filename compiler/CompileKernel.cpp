#include "compiler/CompileKernel.h"
#include "compiler/Remarks.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Memory/WrittenArguments.h"
#include "lib/Analysis/Target/Occupancy.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilewright;

//===-- options
//-------------------------------------------------------------===//

/// Whether every assembler and linker accepts `name`. An empty name keeps the
/// kernel's own.
static bool isSymbolName(llvm::StringRef name) {
  return llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; }) &&
         (name.empty() || !llvm::isDigit(name.front()));
}

FailureOr<CompileOptions> CompileOptions::parse(llvm::StringRef text,
                                                Location loc) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return emitError(loc) << "options are not valid JSON: "
                          << llvm::toString(value.takeError());
  CompileOptions options;
  llvm::json::Path::Root root("options");
  llvm::json::ObjectMapper map(*value, root);
  bool ok = map && map.map("target", options.target) &&
            map.mapOptional("num_warps", options.numWarps) &&
            map.mapOptional("num_stages", options.numStages) &&
            map.mapOptional("num_ctas", options.numCtas) &&
            map.mapOptional("ping_pong", options.pingPong) &&
            map.mapOptional("single_wave", options.singleWave) &&
            map.mapOptional("maxnreg", options.maxRegisters) &&
            map.mapOptional("fit_registers", options.fitRegisters) &&
            map.mapOptional("debug", options.debug) &&
            map.mapOptional("deterministic", options.deterministic) &&
            map.mapOptional("cut_tf32", options.cutTf32) &&
            map.mapOptional("fuse_mul_add", options.fuseMulAdd) &&
            map.mapOptional("report", options.report) &&
            map.mapOptional("keep_ir", options.keepIr) &&
            map.mapOptional("stop_after", options.stopAfter) &&
            map.mapOptional("assembler", options.assembler) &&
            map.mapOptional("assembler_paths", options.assemblerPaths) &&
            map.mapOptional("ptx_version", options.ptxVersion) &&
            map.mapOptional("symbol", options.symbol);
  if (!ok)
    return emitError(loc) << llvm::toString(root.getError());
  if (options.numWarps < 1 || options.numWarps > 32 ||
      !llvm::isPowerOf2_32(options.numWarps))
    return emitError(loc)
           << "num_warps must be a power of two from 1 to 32, got "
           << options.numWarps;
  if (options.numStages < 1)
    return emitError(loc) << "num_stages must be at least 1, got "
                          << options.numStages;
  if (options.numCtas < 1 || options.numCtas > 16 ||
      !llvm::isPowerOf2_32(options.numCtas))
    return emitError(loc)
           << "num_ctas must be a power of two from 1 to 16, got "
           << options.numCtas;
  const int64_t maxRegisters = Occupancy().getMaxRegisters();
  if (options.maxRegisters < 0 || options.maxRegisters > maxRegisters)
    return emitError(loc) << "maxnreg must be from 0 to " << maxRegisters
                          << ", got " << options.maxRegisters;
  if (!isSymbolName(options.symbol))
    return emitError(loc) << "symbol must be a name of C, got '"
                          << options.symbol << "'";
  return options;
}

//===-- compilation
//---------------------------------------------------------===//

/// Returns the only kernel of `module`; null with an error if there is not
/// exactly one.
static tile::FuncOp findKernel(ModuleOp module) {
  tile::FuncOp kernel;
  for (auto func : module.getOps<tile::FuncOp>()) {
    if (!func.isKernel())
      continue;
    if (kernel) {
      func.emitError("a module has one kernel, this is the second after '")
          << kernel.getName() << "'";
      return {};
    }
    kernel = func;
  }
  if (!kernel)
    module.emitError(
        "the module has no kernel: a tile.func with the attribute '")
        << tile::TileDialect::kKernelAttr << "'";
  return kernel;
}

static void describeKernel(tile::FuncOp kernel, const CompileOptions &options,
                           llvm::json::Object &metadata) {
  llvm::json::Array types;
  for (Type type : kernel.getArgumentTypes()) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    types.push_back(std::move(text));
  }
  llvm::BitVector written = findWrittenArguments(kernel);
  llvm::json::Array writtenArgs;
  for (unsigned i = 0; i < written.size(); ++i)
    writtenArgs.push_back(written.test(i));
  metadata["name"] = kernel.getName();
  metadata["target"] = options.target;
  metadata["num_warps"] = options.numWarps;
  metadata["num_stages"] = options.numStages;
  metadata["arg_types"] = std::move(types);
  metadata["written_args"] = std::move(writtenArgs);
}

FailureOr<Artifact> tilewright::compile(ModuleOp original,
                                        const CompileOptions &options) {
  const auto *target = llvm::find_if(getTargets(), [&](const Target *target) {
    return target->accepts(options.target);
  });
  if (target == getTargets().end()) {
    auto error = original.emitError("unknown target '")
                 << options.target << "'; expected ";
    llvm::interleaveComma(getTargets(), error, [&](const Target *target) {
      error << target->describe();
    });
    return error;
  }
  OwningOpRef<ModuleOp> module = original.clone();
  tile::FuncOp kernel = findKernel(*module);
  if (!kernel || failed(verify(*module)))
    return failure();
  if (!options.symbol.empty())
    kernel.setSymName(options.symbol);
  Artifact artifact;
  describeKernel(kernel, options, artifact.metadata);
  std::optional<RemarkCollector> collector;
  if (options.report)
    collector.emplace(*module->getContext(), artifact.remarks);
  if (failed((*target)->compile(*module, options, artifact)))
    return failure();
  return artifact;
}
