// The main function of tilewright-opt.

#include "compiler/Registration.h"
#include "tilewright-c/compiler.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int tw_opt_main(int argc, char **argv) {
  tilewright::registerPasses();
  mlir::DialectRegistry registry;
  tilewright::registerDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Tilewright's optimizer driver\n", registry));
}
