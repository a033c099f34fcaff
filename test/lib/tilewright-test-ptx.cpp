// Writes PTX (or the LLVM IR before it) from a module of the LLVM dialect.

#include "compiler/Registration.h"
#include "lib/Target/NVPTX/Ptx.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

static cl::opt<std::string> input(cl::Positional, cl::init("-"));
static cl::opt<std::string> arch("arch", cl::init("sm_80"));
static cl::opt<unsigned> ptxVersion("ptx-version", cl::init(0));
static cl::opt<bool> llvmIr("llvm", cl::desc("print LLVM IR, not PTX"));

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "PTX from the LLVM dialect\n");
  mlir::DialectRegistry registry;
  tilewright::registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto sources = std::make_shared<llvm::SourceMgr>();
  mlir::SourceMgrDiagnosticHandler handler(*sources, &context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(input, sources, &context);
  if (!module)
    return 1;
  tilewright::PtxOptions options;
  options.arch = arch;
  options.ptxVersion = ptxVersion;
  options.keepLlvmIr = llvmIr;
  auto result = tilewright::emitPtx(*module, options);
  if (failed(result))
    return 1;
  llvm::outs() << (llvmIr ? result->llvmIr : result->ptx);
  return 0;
}
