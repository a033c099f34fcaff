// The main function of tilewright-lsp-server.

#include "compiler/Registration.h"
#include "tilewright-c/compiler.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/LogicalResult.h"

int tw_lsp_server_main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilewright::registerDialects(registry);
  return llvm::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
