#include "lib/Target/NVPTX/Ptx.h"

#include "lib/Target/NVPTX/ByteFloats.h"
#include "lib/Target/NVPTX/CodeGenPasses.h"
#include "lib/Target/NVPTX/DebugLines.h"
#include "lib/Target/NVPTX/Exponentials.h"
#include "lib/Target/NVPTX/FullBlocks.h"
#include "lib/Target/NVPTX/LlvmIr.h"
#include "lib/Target/NVPTX/MergeMulWords.h"
#include "lib/Target/NVPTX/SinkInvariants.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace tilewright;

// Every driver since CUDA 12.0 reads it.
static constexpr unsigned kDefaultPtxVersion = 80;
// PTX versions that LLVM writes; a request for a newer one gets the newest.
static constexpr unsigned kPtxVersions[] = {
    70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90};

static constexpr size_t kPrinterBuffer = 16 * 1024;

namespace {

/// Forwards LLVM's messages as MLIR diagnostics. Remembers errors, since LLVM
/// continues after them.
class DiagnosticForwarder : public llvm::DiagnosticHandler {
public:
  DiagnosticForwarder(Location loc, bool &failed) : loc(loc), failed(failed) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
    if (info.getSeverity() == llvm::DS_Error) {
      failed = true;
      emitError(loc) << text;
    } else if (info.getSeverity() == llvm::DS_Warning) {
      emitWarning(loc) << text;
    }
    return true;
  }

private:
  Location loc;
  bool &failed;
};

} // namespace

/// Returns the first PTX version with all instructions of a piece of inline
/// PTX. Instructions that LLVM generates exist in the target's first version.
static unsigned getLeastPtxVersion(StringRef text) {
  if (text.contains("tensormap.replace"))
    return 86; // 8.3 has it too, but assemblers differ in its strides.
  if (text.contains("red.global") && text.contains(".add") &&
      (text.contains(".v2.") || text.contains(".v4.") || text.contains(".v8.")))
    return 81;
  bool isFloat8 = text.contains(".e4m3") || text.contains(".e5m2");
  if (isFloat8 && text.starts_with("mma.sync"))
    return 84;
  return isFloat8 ? 81 : 0;
}

static FailureOr<unsigned>
choosePtxVersion(ModuleOp module, const GpuArch &arch, unsigned requested) {
  unsigned least = arch.getLeastPtxVersion();
  Location user = module.getLoc();
  std::string what = arch.getName();
  module.walk([&](LLVM::InlineAsmOp op) {
    if (unsigned version = getLeastPtxVersion(op.getAsmString());
        version > least) {
      least = version;
      user = op.getLoc();
      what = "this";
    }
  });
  if (requested == 0)
    return std::max(least, kDefaultPtxVersion);
  if (requested < least)
    return emitError(user) << what << " needs PTX " << least / 10 << "."
                           << least % 10 << " or newer, got " << requested / 10
                           << "." << requested % 10;
  return *std::prev(llvm::upper_bound(kPtxVersions, requested));
}

static LogicalResult generate(llvm::Module &module,
                              llvm::TargetMachine &machine, Location loc,
                              std::string &ptx) {
  llvm::SmallString<0> buffer;
  llvm::raw_svector_ostream os(buffer);
  // The printer, which takes over the stream, writes a few characters at a
  // time.
  os.SetBufferSize(kPrinterBuffer);
  {
    CodeGenPasses passes(module);
    if (machine.addPassesToEmitFile(passes, os, /*DwoOut=*/nullptr,
                                    llvm::CodeGenFileType::AssemblyFile))
      return emitError(loc) << "cannot write PTX for this target";
    passes.run(module);
  }
  ptx = buffer.str().str();
  return success();
}

/// Rejects code that would take an assembler minutes.
static LogicalResult checkBlocks(llvm::Module &code, ModuleOp module) {
  std::optional<HopelessBlock> block = findHopelessBlock(code);
  if (!block)
    return success();
  return emitError(getSourceLoc(module, block->peak->getDebugLoc()))
         << "a thread holds values of " << block->registers
         << " registers here, within " << block->instructions
         << " instructions, which would take minutes to assemble; use smaller "
            "blocks or more warps";
}

FailureOr<PtxResult> tilewright::emitPtx(ModuleOp module,
                                         const PtxOptions &options) {
  Location loc = module.getLoc();
  FailureOr<GpuArch> arch = GpuArch::get(options.arch, loc);
  if (failed(arch))
    return failure();
  FailureOr<unsigned> version =
      choosePtxVersion(module, *arch, options.ptxVersion);
  if (failed(version))
    return failure();
  auto machine = getNvptxMachine(*arch, *version, loc);
  if (failed(machine))
    return failure();
  bool sawError = false;
  llvm::LLVMContext context;
  context.setDiagnosticHandler(
      std::make_unique<DiagnosticForwarder>(loc, sawError));
  std::unique_ptr<llvm::Module> llvmModule;
  {
    PhaseTimer timer(options.times, "llvm", "translate to LLVM IR");
    llvmModule = translateToLlvm(module, context, **machine, options.fuseMulAdd,
                                 options.check);
  }
  if (!llvmModule)
    return failure();
  {
    PhaseTimer timer(options.times, "llvm", "optimise LLVM IR");
    optimize(*llvmModule, **machine);
  }
  PtxResult result;
  result.ptxVersion = *version;
  if (options.keepLlvmIr)
    llvm::raw_string_ostream(result.llvmIr) << *llvmModule;
  PhaseTimer timer(options.times, "ptx", "generate PTX");
  sinkInvariants(*llvmModule);
  mergeMulWords(*llvmModule);
  isolateByteFloats(*llvmModule);
  callExp2(*llvmModule);
  orderFullBlocks(*llvmModule);
  if (failed(checkBlocks(*llvmModule, module)))
    return failure();
  if (failed(generate(*llvmModule, **machine, loc, result.ptx)) || sawError)
    return failure();
  return result;
}
